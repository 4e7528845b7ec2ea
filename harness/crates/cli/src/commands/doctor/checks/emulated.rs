//! What a run on the emulated controller meets: its fabric, its memory, the cores.

use std::thread;

use onesided_rmc::{ROOM_OF_A_CHANNEL, RmcDevice};
use onesided_transport::Transport;

use super::{Finding, doubt, fine, limits, stop};
use crate::{arguments::DeviceArguments, back_end, printed::counted};

/// Room for channels below which a run of many threads does not get all of its own. Ours: 64.
const ROOM: u64 = 64 * ROOM_OF_A_CHANNEL;

/// Everything, in the order in which a run would meet it.
pub fn all(arguments: &DeviceArguments, findings: &mut Vec<Finding>) {
    match back_end::open_emulated(arguments) {
        Ok(device) => of_device(&device, arguments, findings),
        Err(error) => findings.push(stop(
            "emulated fabric",
            format!("{error:#}"),
            "name another folder with --fabric, one of a tmpfs that this user may write".to_owned(),
        )),
    }
}

fn of_device(device: &RmcDevice, arguments: &DeviceArguments, findings: &mut Vec<Finding>) {
    let facts = device.description();
    let hop = facts.fabric_hop_ns.unwrap_or(0);
    let folder = device.context().display();
    findings.push(fine(
        "emulated fabric",
        format!("{} of {folder}, {hop} ns a hop are added", facts.name),
    ));
    if let Some(first) = device.swept().first() {
        let count = device.swept().len();
        let found = format!("{count}, the first of process {}: removed just now", first.process);
        findings.push(fine("nodes of processes that have ended", found));
    }
    findings.push(room(device));
    findings.push(match back_end::locality(device, arguments) {
        Ok(locality) if locality.node.is_some() => fine("device's node", locality.to_string()),
        Ok(locality) => {
            let advice = "name nodes by number, or bind it with --device-node".to_owned();
            doubt("device's node", locality.to_string(), advice)
        }
        Err(error) => stop("device's node", format!("{error:#}"), "is /sys mounted?".to_owned()),
    });
    findings.push(cores(device));
    findings.push(limits(facts));
    findings.push(doubt(
        "kind of device",
        "emulated over shared memory: it measures this machine's caches, never RDMA".to_owned(),
        "its results say `emulated` and `rmc`; for RDMA, --back-end verbs and a NIC".to_owned(),
    ));
}

fn room(device: &RmcDevice) -> Finding {
    let what = "shared memory";
    let advice = || "free some, or give it more (in a container, `--shm-size`)".to_owned();
    match device.room_bytes() {
        Ok(bytes) if bytes < ROOM_OF_A_CHANNEL => {
            stop(what, format!("{bytes} bytes are free, too few for one channel"), advice())
        }
        Ok(bytes) if bytes < ROOM => {
            let channels = bytes / ROOM_OF_A_CHANNEL;
            let threads = counted(channels, "thread");
            doubt(what, format!("{bytes} bytes are free, enough for {threads}"), advice())
        }
        Ok(bytes) => fine(what, format!("{} MiB are free", bytes >> 20)),
        Err(error) => doubt(what, format!("what is free is not known: {error}"), advice()),
    }
}

/// A requester and the responder that it waits for each take a core while they work.
fn cores(device: &RmcDevice) -> Finding {
    let advice = || "let client, server and workers have a core each".to_owned();
    match thread::available_parallelism() {
        Ok(cores) if cores.get() < 2 => {
            let found = "one: requesters and responders take turns, so that times say more about \
                         the scheduler than about the fabric"
                .to_owned();
            doubt("cores", found, advice())
        }
        Ok(cores) => match back_end::crowd(device) {
            Some(crowd) => doubt("cores", crowd, advice()),
            None => fine("cores", cores.to_string()),
        },
        Err(error) => doubt("cores", format!("how many is not known: {error}"), advice()),
    }
}
