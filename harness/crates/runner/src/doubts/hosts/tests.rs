use std::collections::BTreeMap;

use onesided_results::record::{
    CacheRecord, CpuSample, HostLoadRecord, HostManifest, LoadThreadTotals, ThreadProof,
};

use super::*;

fn host() -> HostManifest {
    HostManifest {
        online_cpus: Some("0-3".to_owned()),
        allowed_cpus: Some("0-3".to_owned()),
        simultaneous_multithreading: Some(true),
        cores: vec!["0,2".to_owned(), "1,3".to_owned()],
        transparent_huge_pages: Some("madvise".to_owned()),
        numa_balancing: Some("off".to_owned()),
        memory_lock: Some(MemoryLockLimit::Unlimited),
        ..HostManifest::default()
    }
}

pub(in crate::doubts) fn side(pins: &[Option<&str>]) -> SideRecord {
    let thread = |(index, pin): (usize, &Option<&str>)| ThreadProof {
        role: ThreadRole::Worker,
        thread: index as u32,
        asked: "any".to_owned(),
        asked_cpus: pin.map(str::to_owned),
        resolved_node: None,
        seen: vec![CpuSample { cpu: 0, node: 0, samples: 1 }],
        activity: None,
    };
    let threads = pins.iter().enumerate().map(thread).collect();
    SideRecord { threads, ..SideRecord::on(host()) }
}

fn raised(raise: impl FnOnce(&mut Vec<Doubt>)) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    raise(&mut doubts);
    doubts
}

fn of_cpus_of(pins: &[Option<&str>]) -> Vec<Doubt> {
    raised(|doubts| of_spinning(None, Some(&side(pins)), doubts))
}

#[test]
fn threads_pinned_to_one_core_are_told_and_sharing_threads_are_not() {
    let pairs = "0,2".to_owned();
    assert_eq!(
        of_cpus_of(&[Some("0"), Some("2")]),
        [Doubt::CoreShared { side: Side::Server, pairs }]
    );
    assert!(of_cpus_of(&[Some("0"), Some("1")]).is_empty());
    // A load that may run on both of a core's CPUs is pinned to neither.
    assert!(of_cpus_of(&[Some("0,2"), Some("0,2")]).is_empty());
}

#[test]
fn more_threads_than_the_cpus_that_they_may_use_are_oversubscribed() {
    let of = "the server".to_owned();
    let told = |threads, cpus| [Doubt::Oversubscribed { of: of.clone(), threads, cpus }];
    assert_eq!(of_cpus_of(&[Some("0-1"); 3]), told(3, 2));
    assert_eq!(of_cpus_of(&[None; 5]), told(5, 4));
    assert!(of_cpus_of(&[None; 4]).is_empty());
    // One that is pinned beside others that are not: all of the machine is there for them.
    assert!(of_cpus_of(&[Some("0"), None, None]).is_empty());
}

#[test]
fn settings_that_change_what_is_measured_are_told() {
    let with = |change: fn(&mut HostManifest)| {
        let mut side = side(&[]);
        change(&mut side.host);
        raised(|doubts| {
            of_machine(Side::Client, &side, doubts);
            of_settings(Side::Client, &side, doubts);
        })
    };
    let side = Side::Client;
    assert!(with(|_| {}).is_empty());
    assert_eq!(with(|host| host.turbo = Some(true)), [Doubt::Turbo { side }]);
    assert!(with(|host| host.turbo = Some(false)).is_empty());
    let on = |host: &mut HostManifest| host.numa_balancing = Some("on".to_owned());
    assert_eq!(with(on), [Doubt::NumaBalancing { side }]);
    let always = |host: &mut HostManifest| host.transparent_huge_pages = Some("always".to_owned());
    assert_eq!(with(always), [Doubt::TransparentHugePages { side }]);
    let governor = "powersave".to_owned();
    let slow = |host: &mut HostManifest| {
        host.governors = Some(BTreeMap::from([("powersave".to_owned(), 4)]));
    };
    assert_eq!(with(slow), [Doubt::FrequencyScaling { side, governor }]);
}

fn worker(rate_per_second: Option<f64>, measured_ns: u64) -> LoadThreadTotals {
    LoadThreadTotals {
        role: ThreadRole::Worker,
        thread: 0,
        accesses: 1,
        reads: 1,
        writes: 0,
        swaps_won: 0,
        rate_per_second,
        measured_ns,
    }
}

fn of_workers(asked: Option<f64>, workers: &[LoadThreadTotals]) -> Vec<Doubt> {
    let configuration = RunConfiguration {
        workers: workers.len() as u32,
        worker_rate_per_second: asked,
        ..RunConfiguration::default()
    };
    let load = HostLoadRecord {
        process: None,
        private_table_bytes: 0,
        alignment_uncertainty_ns: 0,
        threads: workers.to_vec(),
    };
    let record = SideRecord { load: Some(load), ..side(&[]) };
    raised(|doubts| of_host_load(&configuration, &record, doubts))
}

#[test]
fn workers_that_stand_still_fall_behind_or_hurry_are_told() {
    assert!(of_workers(None, &[worker(Some(5.0), 10)]).is_empty());
    let thread = "worker thread 0".to_owned();
    assert_eq!(of_workers(None, &[worker(Some(0.0), 10)]), [Doubt::LoadIdle { thread }]);
    // No window lay within the interval: nothing is known, which is not standing still.
    let thread = "worker thread 0".to_owned();
    assert_eq!(of_workers(None, &[worker(None, 0)]), [Doubt::LoadRateUnknown { thread }]);
    assert!(of_workers(Some(100.0), &[worker(Some(96.0), 10)]).is_empty());
    assert_eq!(
        of_workers(Some(100.0), &[worker(Some(90.0), 10)]),
        [Doubt::LoadBehindRate { asked: 100.0, achieved: 90.0 }]
    );
    assert!(of_workers(Some(100.0), &[worker(Some(104.0), 10)]).is_empty());
    assert_eq!(
        of_workers(Some(100.0), &[worker(Some(110.0), 10)]),
        [Doubt::LoadAheadOfRate { asked: 100.0, achieved: 110.0 }]
    );
}

#[test]
fn caches_that_are_not_as_asked_invalidate_and_those_that_cannot_be_told_do_not() {
    let found = |asked, found, why: Option<&str>| {
        let caches = CacheRecord {
            asked,
            method: "loads".to_owned(),
            found,
            why: why.map(str::to_owned),
            lines_timed: 1,
            cached_fraction: None,
            load_ns: None,
            hit_ns: None,
            miss_ns: None,
            found_after: None,
            cached_fraction_after: None,
        };
        let record = SideRecord { caches: Some(caches), ..side(&[]) };
        raised(|doubts| of_host_load(&RunConfiguration::default(), &record, doubts))
    };
    assert!(found(CacheState::Flushed, CacheFinding::NotCached, None).is_empty());
    assert!(found(CacheState::Warm, CacheFinding::Cached, None).is_empty());
    let wrong = found(CacheState::Flushed, CacheFinding::Cached, None);
    assert!(matches!(&wrong[..], [doubt @ Doubt::CachesNotAsAsked { .. }] if doubt.invalidates()));
    let open = found(CacheState::Warm, CacheFinding::Inconclusive, Some("alike"));
    assert!(matches!(&open[..], [doubt @ Doubt::CachesUnproven { .. }] if !doubt.invalidates()));
}
