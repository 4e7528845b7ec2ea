//! Who else may be on a fabric: clients of other back ends, and more nodes than there are CPUs.

use std::{path::Path, time::Duration};

use onesided_control::{
    Settings, Token, WhenRefused, connect,
    message::{ClientMessage, PinnedClient, Preparation, ServerMessage},
};
use onesided_placement::{CpuSet, Topology, pin_current_thread};
use onesided_results::{RunConfiguration, RunRecord, directory::RECORD_FILE};
use onesided_rmc::{RmcDevice, RmcOptions};
use onesided_transport::Transport;

use crate::program::{Place, ending};

/// More than the CPUs that the test below leaves them.
const NODES: usize = 6;

#[test]
fn a_server_refuses_a_client_of_another_back_end_with_what_to_do() {
    let place = Place::new();
    let server = place.serve("");
    // A machine without RDMA has no device of another back end to open: this client only says so.
    let fabric = place.path().join("elsewhere");
    let device = RmcDevice::open(&RmcOptions { fabric, ..RmcOptions::default() }).expect("a node");
    let mut described = device.description().clone();
    described.back_end = "verbs".to_owned();
    let token = Token::from_file(&place.path().join("token")).expect("the server's token");
    let within = Duration::from_secs(5);
    let settings = Settings::default();
    let channel = connect(server.address(), &token, within, WhenRefused::Retry, &settings);
    let channel = channel.expect("the server listens");
    let preparation = Preparation {
        configuration: RunConfiguration::default(),
        host: "elsewhere".to_owned(),
        device: described,
        pinned: PinnedClient::default(),
        measurement: None,
    };
    channel.send(&ClientMessage::Prepare(Box::new(preparation))).expect("it is sent");
    let answer = channel.receive(Duration::from_secs(20)).expect("an answer");
    let ServerMessage::Failed { phase, message } = answer else { panic!("it was accepted") };
    assert_eq!(phase, "connect");
    let both = "the client is on the back end verbs, the server on rmc: give both sides the same \
                --back-end";
    assert!(message.contains(both), "{message}");
}

/// Lets this thread, and the programs that it starts, run on at most two CPUs.
fn leave_two_cpus() {
    let topology = Topology::discover().expect("this machine");
    let allowed = topology.allowed.and_then(|allowed| allowed.cpus).or(topology.online_cpus);
    let allowed = allowed.expect("a machine has CPUs");
    let two = CpuSet::new(allowed.iter().take(2)).expect("one or two");
    pin_current_thread(&two).expect("they are allowed");
}

#[test]
fn more_nodes_than_cpus_end_in_bounded_time_and_are_warned() {
    leave_two_cpus();
    let place = Place::new();
    let server = place.serve("");
    let started: Vec<_> = (1..NODES)
        .map(|number| {
            let name = format!("node-{number}");
            let times = "--warm-up 20ms --duration 200ms --operation read --loop saturating";
            let mut command = place.client_named(&name, &server, &format!("{times} --window 16"));
            command.spawn().map(|child| (name, child))
        })
        .collect();
    let mut warned = 0;
    for child in started {
        let (name, child) = child.expect("the program starts");
        // Each has the time of the whole test at most.
        let ended = ending(child);
        // A run that was given no CPU for all of it is marked, and not lost.
        assert!(matches!(ended.status, Some(0 | 1)), "{name}: {ended:#?}");
        warned += usize::from(ended.stderr.contains("nodes of the fabric share"));
        let record = record(place.path(), &name);
        let totals = record.totals.unwrap_or_else(|| panic!("{name}: {ended:#?}"));
        // In the warm-up, where it got no CPU in the measured interval.
        assert!(totals.completions > 0, "{name}: {totals:?}");
    }
    assert!(warned > 0, "nobody was warned of {NODES} nodes on two CPUs");
}

fn record(place: &Path, run_id: &str) -> RunRecord {
    let folder = place.join("raw/here/ad-hoc").join(run_id);
    RunRecord::read(&folder.join(RECORD_FILE)).expect("a record")
}
