//! Many at once: connections that say nothing, and clients that want the same run.
//!
//! `ONESIDED_CROWD` is how many times as many there are as in a plain run [default 1].

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::Command,
    time::{Duration, Instant},
};

use crate::program::{Place, ended, ending, is_whole, was_served};

fn crowd() -> usize {
    std::env::var("ONESIDED_CROWD")
        .map_or(1, |times| times.parse().expect("ONESIDED_CROWD is a number"))
}

/// Sets how many files a process may have open; whether it could.
fn limit_files(process: u32, files: usize) -> bool {
    let limit = [format!("--pid={process}"), format!("--nofile={files}:{files}")];
    Command::new("prlimit").args(limit).status().expect("prlimit of util-linux").success()
}

#[test]
fn connections_that_say_nothing_are_few_cost_no_client_its_turn_and_no_exit_status() {
    let count = 1_000 * crowd();
    assert!(limit_files(std::process::id(), count + 1_000), "this test may not open {count} files");
    let place = Place::new();
    let server = place.serve("--clients 2");
    assert!(limit_files(server.process(), 1024));
    let silent: Vec<_> =
        (0..count).map(|_| TcpStream::connect(server.address()).expect("it listens")).collect();
    let mut talkative = TcpStream::connect(server.address()).expect("it listens");
    talkative.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it is sent");
    // The oldest were ended when more came than may be in their handshake, long before its 5 s are over.
    let mut first = &silent[0];
    first.set_read_timeout(Some(Duration::from_secs(1))).expect("a timeout");
    let ended_first = first.read_to_end(&mut Vec::new());
    let timed_out = |error: &std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
    assert!(!ended_first.as_ref().is_err_and(timed_out), "{ended_first:?}");
    let arguments = "--duration 50ms --warm-up 0ms";
    let served = |run_id: &str| {
        let began = Instant::now();
        let honest = ended(&mut place.client_named(run_id, &server, arguments));
        assert!(was_served(&honest), "{honest:#?}");
        began.elapsed()
    };
    let beside = served("beside");
    drop(silent);
    let alone = served("alone");
    println!(
        "beside {count} connections that say nothing a client took {beside:?}, alone {alone:?}"
    );
    // The second is this machine's, which may be busy.
    assert!(beside < 5 * alone + Duration::from_secs(1), "{beside:?}, alone {alone:?}");
    server.ended_well();
}

/// Clients that want one run at the same time.
const RIVALS: usize = 5;

#[test]
fn of_clients_that_want_one_run_at_once_none_spoils_it() {
    let place = Place::new();
    let server = place.serve("");
    let (mut done, mut told) = (0, 0);
    let rounds = 4 * crowd();
    for round in 0..rounds {
        let run_id = format!("same-{round}");
        // Beside each other: the lock of the host would let them come one after the other.
        let arguments = "--duration 20ms --warm-up 0ms --beside";
        let start = |_| place.client_named(&run_id, &server, arguments).spawn();
        let rivals: Vec<_> = (0..RIVALS).map(start).collect();
        for rival in rivals {
            let rival = ending(rival.expect("the program starts"));
            match rival.status {
                _ if was_served(&rival) => done += 1,
                Some(1) => {
                    told += 1;
                    let why = rival.stderr.contains("is being done by ");
                    assert!(why, "{rival:#?}");
                }
                _ => panic!("{rival:#?}"),
            }
        }
        is_whole(&place.path().join("raw/here/ad-hoc").join(&run_id));
    }
    assert!(done >= rounds, "{done} of {rounds} runs were done");
    let tries = RIVALS * rounds;
    println!(
        "{tries} tries of {rounds} runs: {done} had it or found it, {told} were told whose it is"
    );
}
