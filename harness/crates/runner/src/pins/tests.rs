use onesided_placement::{Node, TopologySource};

use super::*;

/// Two nodes of four CPUs; 0 and 4, 1 and 5, ... are of one core. The card is on node 1.
fn machine() -> (Topology, DeviceLocality) {
    let node = |id: u32, cpus: &str| Node {
        id: NodeId(id),
        cpus: Some(cpus.parse().unwrap()),
        memory_bytes: 1 << 30,
        free_bytes: 1 << 30,
        free_huge_pages: BTreeMap::new(),
        distances: BTreeMap::new(),
    };
    let topology = Topology {
        nodes: vec![node(0, "0-1,4-5"), node(1, "2-3,6-7")],
        source: TopologySource::Sysfs,
        online_cpus: Some("0-7".parse().unwrap()),
        cores: ["0,4", "1,5", "2,6", "3,7"].map(|core| core.parse().unwrap()).to_vec(),
        allowed: None,
    };
    (topology, DeviceLocality::given("card", NodeId(1)))
}

fn wish<'a>(field: &'static str, words: &'a str, threads: usize, sharing: Sharing) -> Wish<'a> {
    Wish { field, words, threads, sharing }
}

/// The CPUs that each role's threads get, as words; `any` where they are not pinned.
fn dealt(others: &[u32], wishes: &[Wish<'_>]) -> Result<Vec<Vec<String>>, String> {
    let (topology, locality) = machine();
    let others = others.iter().map(|cpu| (CpuId(*cpu), "client_threads")).collect();
    let words = |cpus: &Option<CpuSet>| cpus.as_ref().map_or("any".to_owned(), CpuSet::to_string);
    match deal(&topology, &locality, others, wishes) {
        Ok(dealt) => Ok(dealt.iter().map(|role| role.iter().map(words).collect()).collect()),
        Err(error) => Err(error.explanation()),
    }
}

#[test]
fn a_node_gives_each_thread_a_cpu_that_nobody_else_has() {
    let responder = wish("server_threads", "rdma-local", 1, Sharing::InTurn);
    let workers = wish("worker_threads", "rdma-local", 3, Sharing::OneEach);
    let all = dealt(&[], &[responder, workers.clone()]).unwrap();
    assert_eq!(all, [vec!["2"], vec!["3", "6", "7"]]);
    assert_eq!(dealt(&[3], &[workers]).unwrap(), [["2", "6", "7"]]);
}

#[test]
fn who_names_cpus_gets_them_whatever_the_order_of_the_roles() {
    let responder = wish("server_threads", "node:1", 1, Sharing::InTurn);
    let workers = wish("worker_threads", "cpus:2-3", 2, Sharing::OneEach);
    assert_eq!(dealt(&[], &[responder, workers]).unwrap(), [vec!["6"], vec!["2", "3"]]);
}

#[test]
fn two_roles_that_name_one_cpu_are_refused_with_both() {
    let responder = wish("server_threads", "cpus:3", 1, Sharing::InTurn);
    let workers = wish("worker_threads", "cpus:2-3", 2, Sharing::OneEach);
    let error = dealt(&[], &[responder.clone(), workers]).unwrap_err();
    let told = "worker_threads = cpus:2-3 overlaps: CPU 3 is server_threads's";
    assert!(error.starts_with(told), "{error}");
    let error = dealt(&[3], &[responder]).unwrap_err();
    assert!(error.contains("CPU 3 is client_threads's"), "{error}");
}

#[test]
fn more_workers_than_free_cpus_are_refused_with_what_there_is() {
    let workers = wish("worker_threads", "rdma-local", 4, Sharing::OneEach);
    let error = dealt(&[6], &[workers]).unwrap_err();
    assert_eq!(
        error,
        "worker_threads = rdma-local has 3 free CPUs (2-3,7) for 4 threads, and each needs its own \
         (taken: CPU 6: client_threads); ask for fewer threads, more CPUs, `any`, or a node that they \
         share (`shared:rdma-local`)"
    );
    let workers = wish("worker_threads", "cpus:5", 2, Sharing::OneEach);
    let error = dealt(&[], &[workers]).unwrap_err();
    assert!(error.contains("has one free CPU (5) for 2 threads"), "{error}");
}

#[test]
fn a_load_gets_in_turn_what_is_left_of_its_node_and_comes_last() {
    let load = wish("load_threads", "node:1", 5, Sharing::WhatIsLeft);
    let workers = wish("worker_threads", "node:1", 2, Sharing::OneEach);
    let all = dealt(&[], &[load.clone(), workers]).unwrap();
    assert_eq!(all, [vec!["6", "7", "6", "7", "6"], vec!["2", "3"]]);
    let error = dealt(&[2, 3, 6, 7], &[load]).unwrap_err();
    assert!(error.starts_with("load_threads = node:1: every CPU of it is pinned"), "{error}");
}

#[test]
fn threads_that_share_a_node_may_be_more_than_its_cpus_and_leave_the_others_theirs() {
    let workers = wish("worker_threads", "shared:rdma-local", 5, Sharing::OneEach);
    let responder = wish("server_threads", "rdma-local", 1, Sharing::InTurn);
    let all = dealt(&[3], &[workers.clone(), responder]).unwrap();
    assert_eq!(all, [vec!["6-7"; 5], vec!["2"]]);
    let error = dealt(&[2, 3, 6, 7], &[workers]).unwrap_err();
    assert!(error.contains("every CPU of it is pinned"), "{error}");
}

#[test]
fn threads_that_may_run_anywhere_are_not_pinned_and_none_need_nothing() {
    let anywhere = wish("worker_threads", "any", 9, Sharing::OneEach);
    assert_eq!(dealt(&[], &[anywhere]).unwrap(), [["any"; 9]]);
    let none = wish("worker_threads", "cpus:2", 0, Sharing::OneEach);
    let other = wish("server_threads", "cpus:2", 1, Sharing::InTurn);
    assert_eq!(dealt(&[], &[none, other]).unwrap(), [vec![], vec!["2".to_owned()]]);
}

#[test]
fn an_oversubscribed_client_uses_its_cpus_in_turn() {
    let client = wish("client_threads", "cpus:2,6", 5, Sharing::InTurn);
    assert_eq!(dealt(&[], &[client]).unwrap(), [["2", "6", "2", "6", "2"]]);
}

#[test]
fn a_wrong_place_is_told_with_its_field() {
    let error = dealt(&[], &[wish("worker_threads", "cpus:9", 1, Sharing::OneEach)]).unwrap_err();
    assert!(error.starts_with("worker_threads = cpus:9: CPU 9 cannot be used"), "{error}");
}

#[test]
fn cpus_of_several_nodes_are_of_none() {
    let (topology, _) = machine();
    assert_eq!(node_of(&topology, &"2,6".parse().unwrap()), Some(NodeId(1)));
    assert_eq!(node_of(&topology, &"1-2".parse().unwrap()), None);
}

#[test]
fn cpus_of_clients_are_taken_only_on_the_machine_that_they_are_on() {
    let here = PinnedClient { boot_id: boot_id(), cpus: vec![2, 3] };
    let there = PinnedClient { boot_id: Some("another boot".to_owned()), cpus: vec![6] };
    let nowhere = PinnedClient { boot_id: None, cpus: vec![7] };
    assert!(here.boot_id.is_some(), "this machine has a name");
    let taken = of_clients(&[there, here, nowhere], "another client host");
    let cpus: Vec<_> = taken.keys().map(|cpu| cpu.0).collect();
    assert_eq!(cpus, [2, 3]);
    let wish = wish("client_threads", "rdma-local", 1, Sharing::InTurn);
    let (topology, locality) = machine();
    let dealt = deal(&topology, &locality, taken, &[wish]).unwrap();
    let next = dealt[0][0].as_ref().unwrap();
    assert!(!next.contains(CpuId(2)) && !next.contains(CpuId(3)), "{next}");
}
