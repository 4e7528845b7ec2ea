//! Residency on the running machine, and what it says.

use super::*;
use crate::affinity::current_cpu;
use crate::memory::{BoundMemory, PageSize};

fn residency(statuses: &[Option<u32>], asked: Option<NodeId>) -> Residency {
    let range = PageRange { start: 0, pages: statuses.len(), page_bytes: 4096 };
    let mut found = Runs::new(asked);
    for (page, status) in statuses.iter().enumerate() {
        if let Some(node) = status {
            found.add(page as u64, 1, NodeId(*node));
        }
    }
    found.into_residency(range, PlacementMethod::MovePages)
}

#[test]
fn misplaced_pages_are_named_by_range() {
    let mut statuses = vec![Some(1); 512];
    statuses[3..=7].fill(Some(0));
    let one = residency(&statuses, Some(NodeId(1)));
    assert_eq!(one.to_string(), "pages 3-7 of 512 are on node 0, asked: node 1");
    assert_eq!(one.misplaced, [PageRun { first_page: 3, pages: 5, node: NodeId(0) }]);
    statuses[8] = Some(2);
    statuses[511] = None;
    assert_eq!(
        residency(&statuses, Some(NodeId(1))).to_string(),
        "pages 3-7 of 512 are on node 0, page 8 is on node 2, asked: node 1; 1 pages unproven"
    );
}

#[test]
fn an_unproven_page_ends_a_run() {
    let seen = residency(&[Some(0), None, Some(0)], Some(NodeId(1)));
    assert_eq!(seen.misplaced.len(), 2);
    assert_eq!(seen.misplaced_pages(), 2);
}

#[test]
fn a_long_list_of_runs_is_cut_and_the_cut_is_counted() {
    let statuses: Vec<Option<u32>> = (0..400).map(|page| Some(page % 2)).collect();
    let seen = residency(&statuses, Some(NodeId(1)));
    assert_eq!((seen.misplaced.len(), seen.misplaced_runs_cut), (64, 136));
    assert_eq!(seen.misplaced_pages(), 200);
    let sentence = seen.to_string();
    assert!(sentence.contains("and 196 more runs (200 pages misplaced in all)"), "{sentence}");
}

#[test]
fn verdicts_tell_misplaced_from_unproven_from_nothing_asked() {
    let node = Some(NodeId(0));
    let verdict = |statuses: &[Option<u32>], asked| residency(statuses, asked).verdict();
    assert_eq!(verdict(&[Some(0)], node), ResidencyVerdict::WhereAsked);
    assert_eq!(verdict(&[Some(0), None], node), ResidencyVerdict::Unproven);
    assert_eq!(verdict(&[Some(0), None, Some(1)], node), ResidencyVerdict::Misplaced);
    assert_eq!(verdict(&[Some(0), Some(1)], None), ResidencyVerdict::NothingAsked);
    assert_eq!(residency(&[Some(0)], None).to_string(), "of 1 pages, 1 are on node 0");
    assert_eq!(
        residency(&[None, None], node).to_string(),
        "of 2 pages, none is proven to be on any node, asked: node 0; 2 pages unproven"
    );
}

#[test]
fn bound_memory_is_where_asked_on_every_page() {
    let (_, node) = current_cpu();
    // More than one call's worth of pages.
    let memory = BoundMemory::allocate((PAGES_PER_CALL + 3) * 4096, PageSize::Base, Some(node));
    let memory = memory.unwrap();
    let seen = memory.residency().unwrap();
    assert_eq!(seen.verdict(), ResidencyVerdict::WhereAsked, "{seen}");
    assert_eq!(seen.by_node.get(&node), Some(&seen.pages));
    assert_eq!(seen.pages as usize, memory.len() / memory.page_bytes());
}

#[test]
fn memory_expected_elsewhere_is_found_misplaced_on_every_page() {
    let (_, node) = current_cpu();
    let memory = BoundMemory::allocate(5 * 4096, PageSize::Base, Some(node)).unwrap();
    let elsewhere = NodeId(node.0 + 1);
    let seen =
        Residency::of(memory.as_ptr(), memory.len(), memory.page_bytes(), Some(elsewhere)).unwrap();
    let expected = format!("pages 0-4 of 5 are on node {node}, asked: node {elsewhere}");
    assert_eq!(seen.to_string(), expected);
    assert_eq!(seen.verdict(), ResidencyVerdict::Misplaced);
}

#[test]
fn addresses_that_are_not_mapped_are_unproven_and_no_error() {
    let seen = Residency::of(std::ptr::null(), 3 * 4096, 4096, Some(NodeId(0))).unwrap();
    assert_eq!((seen.pages, seen.unproven_pages), (3, 3));
    assert_eq!(seen.verdict(), ResidencyVerdict::Unproven);
}

#[test]
fn a_range_counts_every_page_it_touches() {
    let pages = |address, length| PageRange::covering(address, length, 4096).unwrap().pages;
    assert_eq!(pages(0x1000, 1), 1);
    assert_eq!(pages(0x1fff, 2), 2);
    assert_eq!(pages(0x1800, 4096), 2);
    assert_eq!(pages(0x1000, 4096), 1);
    assert!(PageRange::covering(0x1000, 0, 4096).is_err());
    assert!(PageRange::covering(0x1000, 1, 3000).is_err());
    assert!(PageRange::covering(usize::MAX, 2, 4096).is_err());
}

#[test]
fn a_record_counts_pages_by_node() {
    let seen = residency(&[Some(0), Some(1), None], Some(NodeId(1)));
    let json = serde_json::to_string(&seen).unwrap();
    assert!(json.contains(r#""by_node":{"0":1,"1":1}"#), "{json}");
}

#[test]
fn pages_of_two_memories_are_counted_together_by_node() {
    let on = |pages: &[(u32, u64)]| -> PagesByNode {
        pages.iter().map(|&(node, pages)| (NodeId(node), pages)).collect()
    };
    let both = sum_by_node(on(&[(0, 1), (1, 2)]), on(&[(1, 3), (2, 4)]));
    assert_eq!(both, on(&[(0, 1), (1, 5), (2, 4)]));
}
