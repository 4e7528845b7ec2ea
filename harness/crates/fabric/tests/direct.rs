//! Direct reads between two nodes of the emulated fabric.

use std::{sync::atomic::AtomicU64, time::Duration};

use onesided_fabric::{
    FabricError, LoadError,
    direct::{DirectPair, Order, Plan, Readers},
    reads::Found,
};
use onesided_measure::Clock;
use onesided_placement::{CpuId, cpus_of_current_thread};
use onesided_rmc::{DirectMemory, RmcDevice, RmcEndpoint, RmcOptions};
use onesided_transport::{ConnectionAttributes, RemoteMemory};

const BYTES: usize = 1 << 16;

fn cpus() -> [CpuId; 2] {
    let all: Vec<_> = cpus_of_current_thread().unwrap().iter().collect();
    [all[0], all[all.len() - 1]]
}

/// What a measurement finds by `copy` of the peer's memory.
fn measured(
    plan: Plan,
    readers: Readers,
    cpus: [CpuId; 2],
    copy: fn(&DirectMemory, u64, &[AtomicU64]) -> Result<(), LoadError>,
) -> Result<Found, FabricError> {
    let folder = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
    let options = RmcOptions { fabric: folder.path().join("fabric"), ..RmcOptions::default() };
    let [one, other] = [0, 1].map(|_| RmcDevice::open(&options).expect("a node is free"));
    let open = |endpoint: &RmcEndpoint, remote: RemoteMemory| {
        let memory = endpoint.direct(remote)?;
        Ok(move |byte: u64, to: &[AtomicU64]| copy(&memory, byte, to))
    };
    let attributes = ConnectionAttributes::reliable(1);
    let mut pair = DirectPair::connect([&one, &other], BYTES, &attributes, &open)?;
    pair.measure(&Clock::calibrate().unwrap(), &plan, readers, cpus)
}

fn right(memory: &DirectMemory, byte: u64, to: &[AtomicU64]) -> Result<(), LoadError> {
    Ok(memory.words(byte, to)?)
}

const SHORT: Duration = Duration::from_millis(5);

#[test]
fn what_the_other_has_written_last_is_read_in_every_size_and_order_by_one_and_by_both() {
    for bytes in [64, 1024, 8192] {
        for order in [Order::OneByOne, Order::Overlapping] {
            for readers in [Readers::First, Readers::Both] {
                let plan = Plan { bytes, order, longest: SHORT };
                let found = measured(plan, readers, cpus(), right).unwrap();
                assert_eq!(found.differing_words, 0, "{plan:?}: {found:?}");
                assert!(found.samples > 0 && found.rate.is_some(), "{plan:?}: {found:?}");
                let latency = found.latency_ns.expect("there are samples");
                assert!(latency.low > 0.0 && latency.low <= latency.high, "{plan:?}: {latency:?}");
            }
        }
    }
}

#[test]
fn words_that_are_not_the_owners_of_this_round_are_counted() {
    let plan = Plan { bytes: 128, order: Order::OneByOne, longest: SHORT };
    // All but the first word of a read are of the place beside it.
    let shifted = |memory: &DirectMemory, byte: u64, to: &[AtomicU64]| {
        let other = if byte == 0 { 128 } else { byte - 128 };
        memory.words(byte, &to[..1])?;
        Ok(memory.words(other + 8, &to[1..])?)
    };
    let found = measured(plan, Readers::First, cpus(), shifted).unwrap();
    assert_eq!(found.differing_words, 15 * found.operations, "{found:?}");
}

#[test]
fn a_thread_that_cannot_go_on_ends_both() {
    let plan = Plan { bytes: 64, order: Order::Overlapping, longest: Duration::from_secs(60) };
    let (here, nowhere) = (cpus()[0], CpuId(4_000));
    for cpus in [[here, nowhere], [nowhere, here]] {
        for readers in [Readers::First, Readers::Both] {
            let ended = measured(plan, readers, cpus, right);
            assert!(matches!(ended, Err(FabricError::Pin { .. })), "{ended:?}");
        }
    }
    let ended = measured(plan, Readers::First, cpus(), |_, _, _| Err("it is gone".into()));
    assert!(matches!(ended, Err(FabricError::Load { .. })), "{ended:?}");
}
