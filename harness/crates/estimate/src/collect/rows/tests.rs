use std::collections::BTreeMap;

use onesided_results::{
    record::{CpuSample, DeviceRecord, HostManifest, PlacementProof},
    vocabulary::{MemorySpread, Moment, PlacementMethod},
};

use super::*;

fn device(node: Option<u32>) -> DeviceRecord {
    DeviceRecord {
        name: "rxe0".to_owned(),
        nic: Some("rdma_rxe".to_owned()),
        driver: None,
        firmware: None,
        vendor_part: None,
        port: 1,
        link_layer: "ethernet".to_owned(),
        active_mtu_bytes: 1024,
        atomic_capability: None,
        services: Vec::new(),
        shared_receives: Vec::new(),
        node,
        node_evidence: "said by the test".to_owned(),
        fabric_hop_ns: None,
        fabric_drop_every: None,
    }
}

/// A side whose card is on `card`.
fn side(card: Option<u32>) -> SideRecord {
    SideRecord { device: Some(device(card)), ..SideRecord::on(HostManifest::default()) }
}

fn proof(resolved_node: Option<u32>, by_node: &[(u32, u64)]) -> PlacementProof {
    PlacementProof {
        what: PlacedMemory::ServerRegion,
        asked: "any".to_owned(),
        resolved_node,
        pages: by_node.iter().map(|(_, pages)| pages).sum(),
        page_bytes: 4096,
        by_node: by_node.iter().copied().collect::<BTreeMap<_, _>>(),
        unproven_pages: 0,
        misplaced: Vec::new(),
        misplaced_not_listed: 0,
        spread: MemorySpread::NotAsked,
        when: Moment::Before,
        method: PlacementMethod::MovePages,
    }
}

fn thread(resolved_node: Option<u32>, seen_on: &[u32]) -> ThreadProof {
    let seen = seen_on.iter().map(|&node| CpuSample { cpu: node, node, samples: 1 });
    ThreadProof {
        role: ThreadRole::Client,
        thread: 0,
        asked: "any".to_owned(),
        asked_cpus: None,
        resolved_node,
        seen: seen.collect(),
        activity: None,
    }
}

#[test]
fn memory_is_local_or_remote_to_the_card_and_unknown_if_the_cards_node_is() {
    let locality = |card, proofs: &[PlacementProof]| {
        let side = SideRecord { placement: proofs.to_vec(), ..side(card) };
        memory_locality(Some(&side), PlacedMemory::ServerRegion)
    };
    let on_1 = [proof(Some(1), &[(1, 8)])];
    assert_eq!(locality(Some(1), &on_1), Some(Locality::RdmaLocal));
    assert_eq!(locality(Some(0), &on_1), Some(Locality::RdmaRemote));
    assert_eq!(locality(None, &on_1), None);
    assert_eq!(locality(Some(0), &[]), None);
}

#[test]
fn memory_that_could_be_anywhere_is_where_it_was_found_if_that_is_one_node() {
    let locality = |proofs: &[PlacementProof]| {
        let side = SideRecord { placement: proofs.to_vec(), ..side(Some(0)) };
        memory_locality(Some(&side), PlacedMemory::ServerRegion)
    };
    assert_eq!(locality(&[proof(None, &[(0, 8)])]), Some(Locality::RdmaLocal));
    assert_eq!(locality(&[proof(None, &[(0, 4), (1, 4)])]), None);
    let moved = [proof(None, &[(0, 8)]), proof(None, &[(1, 8)])];
    assert_eq!(locality(&moved), None);
}

#[test]
fn only_the_servers_region_decides_the_locality_of_a_run() {
    let rings = PlacementProof { what: PlacedMemory::ServerRings, ..proof(Some(1), &[(1, 8)]) };
    let region = proof(Some(0), &[(0, 8)]);
    let server = SideRecord { placement: vec![rings, region], ..side(Some(0)) };
    assert_eq!(
        memory_locality(Some(&server), PlacedMemory::ServerRegion),
        Some(Locality::RdmaLocal)
    );
}

#[test]
fn threads_have_a_locality_if_they_all_have_the_same() {
    let locality = |threads: &[ThreadProof]| {
        let side = SideRecord { threads: threads.to_vec(), ..side(Some(0)) };
        thread_locality(&side, ThreadRole::Client)
    };
    assert_eq!(locality(&[thread(Some(0), &[0])]), Some(Locality::RdmaLocal));
    assert_eq!(locality(&[thread(None, &[1, 1])]), Some(Locality::RdmaRemote));
    assert_eq!(locality(&[thread(None, &[0, 1])]), None);
    assert_eq!(locality(&[thread(Some(0), &[]), thread(Some(1), &[])]), None);
    assert_eq!(locality(&[thread(None, &[])]), None);
    assert_eq!(locality(&[]), None);
}

#[test]
fn client_hosts_have_a_locality_if_each_has_the_same_seen_from_its_own_card() {
    let host = |card, node| SideRecord { threads: vec![thread(Some(node), &[])], ..side(card) };
    let of = |hosts: &[SideRecord]| {
        of_all(hosts.iter(), |side| thread_locality(side, ThreadRole::Client))
    };
    assert_eq!(of(&[host(Some(0), 0), host(Some(1), 1)]), Some(Locality::RdmaLocal));
    assert_eq!(of(&[host(Some(0), 0), host(Some(1), 0)]), None);
    assert_eq!(of(&[host(Some(0), 0), host(None, 0)]), None, "the second's card is nowhere");
    assert_eq!(of(&[]), None);
}

#[test]
fn workers_have_a_locality_only_where_they_were_asked_to_be() {
    let worker =
        |resolved_node| ThreadProof { role: ThreadRole::Worker, ..thread(resolved_node, &[0]) };
    let of = |threads: &[ThreadProof]| {
        worker_locality(Some(&SideRecord { threads: threads.to_vec(), ..side(Some(0)) }))
    };
    assert_eq!(of(&[worker(Some(0))]), Some(Locality::RdmaLocal));
    assert_eq!(of(&[worker(Some(1)), worker(Some(1))]), Some(Locality::RdmaRemote));
    assert_eq!(of(&[worker(None)]), None, "seen on a node, asked for none");
    assert_eq!(of(&[thread(Some(0), &[0])]), None, "a client is no worker");
}

#[test]
fn rings_have_a_locality_only_where_they_were_asked_to_be() {
    let rings = |resolved_node| PlacementProof {
        what: PlacedMemory::ServerRings,
        ..proof(resolved_node, &[(0, 3)])
    };
    let of = |proofs: &[PlacementProof]| {
        let side = SideRecord { placement: proofs.to_vec(), ..side(Some(0)) };
        asked_locality(Some(&side), PlacedMemory::ServerRings)
    };
    assert_eq!(of(&[rings(Some(0))]), Some(Locality::RdmaLocal));
    assert_eq!(of(&[rings(None)]), None, "found on a node, asked for none");
}
