//! What another process does, and what both do alike.

use std::{
    io::{BufRead, Lines, StdinLock, Write, stdin, stdout},
    path::Path,
};

use onesided_messaging::{
    BarrierError, BarrierInvitation, Invitation, Opening, OpeningBarrier, Settings,
};
use onesided_rmc::{RmcDevice, RmcOptions};
use onesided_transport::ConnectionAttributes;
use serde::{Serialize, de::DeserializeOwned};

use crate::other::Role;

pub fn open(fabric: &Path) -> RmcDevice {
    let fabric = fabric.to_owned();
    RmcDevice::open(&RmcOptions { fabric, ..RmcOptions::default() }).expect("a node is free")
}

pub fn connection() -> ConnectionAttributes {
    ConnectionAttributes::reliable(16)
}

/// Bytes that tell a message from every other.
pub fn message(number: u64, length: usize) -> Vec<u8> {
    (0..length as u64).map(|index| (index * 31 + number * 7 + (index >> 8)) as u8).collect()
}

fn hear<V: DeserializeOwned>(lines: &mut Lines<StdinLock<'_>>) -> Option<V> {
    let line = lines.next()?.expect("the first process speaks");
    Some(serde_json::from_str(&line).expect("it speaks in our words"))
}

fn say(what: &impl Serialize) {
    let line = serde_json::to_string(what).expect("it has a form");
    let mut out = stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("the first process listens");
}

/// Does what its role is, until it is over.
pub fn play(fabric: &Path, role: Role) {
    let device = open(fabric);
    let mut lines = stdin().lock().lines();
    match role {
        Role::Echo => echo(&device, &mut lines),
        Role::Meet(node) => meet(&device, node, &mut lines),
    }
}

fn echo(device: &RmcDevice, lines: &mut Lines<StdinLock<'_>>) {
    while let Some(invitation) = hear::<Invitation>(lines) {
        let settings = Settings { threshold_bytes: 500, ..invitation.settings };
        let opening = Opening::new(device, &settings).expect("within the limits");
        let told = opening.invitation(None);
        let channel = opening.connect(device, &invitation, &connection());
        say(&told);
        let _: Option<String> = hear(lines);
        let mut channel = channel.expect("one fabric");
        let mut kept = Vec::new();
        let keep = |kept: &mut Vec<u8>, bytes: &[u8]| {
            kept.clear();
            kept.extend_from_slice(bytes);
        };
        while channel.receive_with(|bytes| keep(&mut kept, bytes)).is_ok() {
            if channel.send(&kept).is_err() {
                break;
            }
        }
    }
}

fn meet(device: &RmcDevice, node: usize, lines: &mut Lines<StdinLock<'_>>) {
    const NODES: usize = 3;
    let mut opening = OpeningBarrier::new(device, node, NODES).expect("within the limits");
    say(&(0..NODES).map(|peer| opening.invitation(peer, None).ok()).collect::<Vec<_>>());
    let told: Vec<Option<BarrierInvitation>> = hear(lines).expect("the others have told");
    for (peer, told) in told.iter().enumerate().filter(|&(peer, _)| peer != node) {
        let told = told.as_ref().expect("every other node tells");
        opening.connect(peer, told, &connection()).expect("one fabric");
    }
    say(&"connected");
    let _: String = hear(lines).expect("all are connected");
    let mut barrier = opening.finish().expect("all are connected");
    let mut lost = Vec::new();
    while !lost.contains(&0) {
        if let Err(BarrierError::Lost { node, .. }) = barrier.wait() {
            lost.push(node);
            barrier.leave_out(node);
        }
    }
    say(&lost);
}
