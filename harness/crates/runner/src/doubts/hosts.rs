//! Doubts about what the two machines are set to and what their own threads did.

use std::collections::BTreeSet;

use onesided_placement::{CpuId, CpuSet};
use onesided_results::{
    Doubt, RunConfiguration,
    record::{MemoryLockLimit, PlacementProof, SideRecord, ThreadProof},
    vocabulary::{CacheFinding, CacheState, Moment, PlacedMemory, Side, ThreadRole},
};

/// The share of a rate that workers may miss or exceed before it counts as not kept. Ours: a window more
/// or less at the ends of the shortest runs is less.
const KEPT_WITHIN: f64 = 0.05;

/// Spinning threads against the CPUs that they may use, and against each other's cores. Both sides of
/// an emulated fabric are on one machine, and share it with the thread that executes requests.
pub(super) fn of_spinning(
    client: Option<&SideRecord>,
    server: Option<&SideRecord>,
    doubts: &mut Vec<Doubt>,
) {
    let is_emulated = |side: &SideRecord| {
        side.device.as_ref().is_some_and(|device| device.fabric_hop_ns.is_some())
    };
    match (client, server) {
        (Some(client), Some(server)) if is_emulated(client) && is_emulated(server) => {
            of_cpus("client and server, on one machine,", &[client, server], 1, doubts);
        }
        _ => {
            for (side, record) in [(Side::Client, client), (Side::Server, server)] {
                let Some(record) = record else { continue };
                of_cpus(&format!("the {side}"), &[record], 0, doubts);
            }
        }
    }
    for (side, record) in [(Side::Client, client), (Side::Server, server)] {
        if let Some(record) = record {
            of_cores(side, record, doubts);
        }
    }
}

/// `of` is whose threads these are; beside them `others` spin that are pinned to no CPU.
fn of_cpus(of: &str, records: &[&SideRecord], others: usize, doubts: &mut Vec<Doubt>) {
    let mut threads = others;
    let mut cpus = BTreeSet::new();
    for record in records {
        threads += record.threads.len();
        let pins = pins(record);
        cpus.extend(pins.iter().flat_map(CpuSet::iter));
        if others > 0 || pins.len() < record.threads.len() {
            let allowed = record.host.allowed_cpus.as_ref().and_then(|cpus| cpus.parse().ok());
            cpus.extend(allowed.iter().flat_map(CpuSet::iter));
        }
    }
    if !cpus.is_empty() && threads > cpus.len() {
        doubts.push(Doubt::Oversubscribed { of: of.to_owned(), threads, cpus: cpus.len() });
    }
}

/// What the threads are pinned to that are.
fn pins(record: &SideRecord) -> Vec<CpuSet> {
    let pin = |thread: &ThreadProof| thread.asked_cpus.as_ref()?.parse().ok();
    record.threads.iter().filter_map(pin).collect()
}

fn of_cores(side: Side, record: &SideRecord, doubts: &mut Vec<Doubt>) {
    let pins = pins(record);
    let own: BTreeSet<CpuId> =
        pins.iter().filter(|pin| pin.count() == 1).map(CpuSet::first).collect();
    let shared = record.host.cores.iter().filter_map(|core| {
        let core: CpuSet = core.parse().ok()?;
        let pinned: Vec<_> = core.iter().filter(|cpu| own.contains(cpu)).collect();
        (pinned.len() > 1).then(|| CpuSet::new(pinned))?
    });
    let pairs: Vec<_> = shared.map(|cpus| cpus.to_string()).collect();
    if !pairs.is_empty() {
        doubts.push(Doubt::CoreShared { side, pairs: pairs.join("; ") });
    }
}

/// What the kernel is set to.
pub(super) fn of_machine(side: Side, record: &SideRecord, doubts: &mut Vec<Doubt>) {
    let host = &record.host;
    if host.numa_balancing.as_deref().is_some_and(|setting| setting != "off") {
        doubts.push(Doubt::NumaBalancing { side });
    }
    for governor in host.governors.iter().flatten().map(|(governor, _)| governor) {
        if governor != "performance" {
            doubts.push(Doubt::FrequencyScaling { side, governor: governor.clone() });
        }
    }
    if host.turbo == Some(true) {
        doubts.push(Doubt::Turbo { side });
    }
}

/// What the kernel allows and does with memory.
pub(super) fn of_settings(side: Side, record: &SideRecord, doubts: &mut Vec<Doubt>) {
    let host = &record.host;
    // Memory of ours is kept from becoming huge; what the library takes for rings is not.
    if host.transparent_huge_pages.as_deref() == Some("always") {
        doubts.push(Doubt::TransparentHugePages { side });
    }
    let registered = |proof: &&PlacementProof| {
        let memory = matches!(proof.what, PlacedMemory::ServerRegion | PlacedMemory::ClientBuffers);
        memory && proof.when == Moment::Before
    };
    let registered = record.placement.iter().filter(registered);
    let registered_bytes = registered.map(|proof| proof.pages * proof.page_bytes).sum();
    if let Some(MemoryLockLimit::Bytes(limit_bytes)) = host.memory_lock
        && registered_bytes > limit_bytes / 2
    {
        doubts.push(Doubt::MemoryLockTight { side, limit_bytes, registered_bytes });
    }
}

/// Of the server: whether workers, load and caches were what was asked for.
pub(super) fn of_host_load(
    configuration: &RunConfiguration,
    record: &SideRecord,
    doubts: &mut Vec<Doubt>,
) {
    for thread in record.load.iter().flat_map(|load| &load.threads) {
        let name = format!("{} thread {}", thread.role, thread.thread);
        match thread.rate_per_second {
            None => doubts.push(Doubt::LoadRateUnknown { thread: name }),
            Some(0.0) => doubts.push(Doubt::LoadIdle { thread: name }),
            Some(_) => {}
        }
    }
    if record.direct_io.as_ref().is_some_and(|direct_io| direct_io.changed_back) {
        doubts.push(Doubt::DirectIoChangedBack);
    }
    let achieved = record.load.as_ref().and_then(|load| load.rate_of(ThreadRole::Worker));
    if let (Some(each), Some(achieved)) = (configuration.worker_rate_per_second, achieved) {
        let asked = each * f64::from(configuration.workers);
        if achieved < (1.0 - KEPT_WITHIN) * asked {
            doubts.push(Doubt::LoadBehindRate { asked, achieved });
        } else if achieved > (1.0 + KEPT_WITHIN) * asked {
            doubts.push(Doubt::LoadAheadOfRate { asked, achieved });
        }
    }
    let Some(caches) = &record.caches else { return };
    let asked = caches.asked.to_string();
    let due = match caches.asked {
        CacheState::Flushed => CacheFinding::NotCached,
        CacheState::Warm | CacheState::Default => CacheFinding::Cached,
    };
    match &caches.why {
        Some(why) => doubts.push(Doubt::CachesUnproven { asked, why: why.clone() }),
        None if caches.found != due => {
            let found = caches.found.to_string();
            doubts.push(Doubt::CachesNotAsAsked { asked, found });
        }
        None => {}
    }
}

#[cfg(test)]
pub(super) mod tests;
