//! Residency from `/proc/self/numa_maps`, for when `move_pages` is forbidden.
//!
//! The file counts pages for each mapping (`numa(7)`); `/proc/self/maps` adds where a mapping
//! ends. Two ranges asked about may share a mapping, since the kernel joins neighbours of one
//! policy: then the counts say something about a range only when all pages are on one node.
//! Other threads map and unmap while the two are read, so the second is read before and after
//! the first, and all again when a mapping of the range has another border by then.

use std::collections::BTreeMap;
use std::path::Path;

use super::runs::Runs;
use super::{PageRange, PlacementMethod, Residency};
use crate::address_space::{self, Area};
use crate::kernel_file;
use crate::place::NodeId;

/// What `numa_maps` says about one mapping.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    start: usize,
    by_node: BTreeMap<NodeId, u64>,
    /// The size of the pages counted; `None` on kernels that do not say.
    page_bytes: Option<usize>,
}

/// How often the files are read until the mappings of a range stand still (ours).
const MOST_LOOKS: usize = 16;

pub(super) fn look_up(range: PageRange, asked: Option<NodeId>) -> Residency {
    let now = || Some(within(address_space::read().ok()?, range));
    match at_one_moment(now, || kernel_file::text(Path::new("/proc/self/numa_maps")).ok()?) {
        Some((areas, counts)) => judge(&areas, &counts, range, asked),
        None => Runs::new(asked).into_residency(range, PlacementMethod::Unavailable),
    }
}

/// Mappings that stayed the same while the counts were read, and these; the last ones read, if
/// they never did.
fn at_one_moment<Areas: PartialEq, Counts>(
    areas: impl Fn() -> Option<Areas>,
    counts: impl Fn() -> Option<Counts>,
) -> Option<(Areas, Counts)> {
    let mut before = areas()?;
    for _ in 1..MOST_LOOKS {
        let (found, after) = (counts()?, areas()?);
        if before == after {
            return Some((after, found));
        }
        before = after;
    }
    Some((before, counts()?))
}

fn within(areas: Vec<Area>, range: PageRange) -> Vec<Area> {
    let touches = |area: &Area| area.start < range.end() && area.end > range.start;
    areas.into_iter().filter(touches).collect()
}

fn judge(areas: &[Area], counts: &str, range: PageRange, asked: Option<NodeId>) -> Residency {
    let lines: BTreeMap<usize, Line> =
        counts.lines().filter_map(parse).map(|line| (line.start, line)).collect();
    let mut found = Runs::new(asked);
    for area in areas {
        match lines.get(&area.start) {
            Some(line) if line.page_bytes.is_none_or(|bytes| bytes == range.page_bytes) => {
                add(&mut found, area, line, range);
            }
            // Counted in pages of another size, or not at all: unproven.
            _ => {}
        }
    }
    found.into_residency(range, PlacementMethod::NumaMaps)
}

fn add(found: &mut Runs, area: &Area, line: &Line, range: PageRange) {
    let pages_between = |from: usize, to: usize| (to - from).div_ceil(range.page_bytes) as u64;
    let whole = pages_between(area.start, area.end);
    let (start, end) = (area.start.max(range.start), area.end.min(range.end()));
    match line.by_node.iter().next() {
        Some((node, pages)) if line.by_node.len() == 1 && *pages == whole => {
            found.add(pages_between(range.start, start), pages_between(start, end), *node);
        }
        _ if (start, end) == (area.start, area.end) => {
            for (node, pages) in &line.by_node {
                found.add_count(*pages, *node);
            }
        }
        _ => {}
    }
}

fn parse(line: &str) -> Option<Line> {
    let mut words = line.split_whitespace();
    let start = usize::from_str_radix(words.next()?, 16).ok()?;
    let (mut by_node, mut page_bytes) = (BTreeMap::new(), None);
    for word in words {
        let Some((key, value)) = word.split_once('=') else { continue };
        match key.strip_prefix('N').and_then(|node| node.parse().ok()) {
            Some(node) => {
                by_node.insert(NodeId(node), value.parse().ok()?);
            }
            None if key == "kernelpagesize_kB" => {
                page_bytes = value.parse::<usize>().ok().map(|kibibytes| kibibytes * 1024);
            }
            None => {}
        }
    }
    Some(Line { start, by_node, page_bytes })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::{Duration, Instant};

    use super::super::ResidencyVerdict;
    use super::*;
    use crate::memory::{BoundMemory, PageSize};

    const PAGE: usize = 4096;

    fn area(first: usize, pages: usize) -> Area {
        Area { start: first * PAGE, end: (first + pages) * PAGE, backing: None }
    }

    fn range(first: usize, pages: usize) -> PageRange {
        PageRange { start: first * PAGE, pages, page_bytes: PAGE }
    }

    fn count(node: u32, pages: u64) -> BTreeMap<NodeId, u64> {
        BTreeMap::from([(NodeId(node), pages)])
    }

    #[test]
    fn a_mapping_on_one_node_tells_the_positions() {
        let counts = "10000 bind=static:1 anon=4 N1=4 kernelpagesize_kB=4\n\
                      14000 default anon=4 dirty=4 N0=4 kernelpagesize_kB=4\n";
        let areas = [area(16, 4), area(20, 4)];
        let residency = judge(&areas, counts, range(16, 6), Some(NodeId(1)));
        assert_eq!(residency.to_string(), "pages 4-5 of 6 are on node 0, asked: node 1");
        assert_eq!(residency.method, PlacementMethod::NumaMaps);
    }

    #[test]
    fn a_mixed_mapping_counts_without_positions() {
        let counts = "10000 default anon=4 N0=3 N1=1 kernelpagesize_kB=4\n";
        let residency = judge(&[area(16, 4)], counts, range(16, 4), Some(NodeId(1)));
        assert_eq!(residency.verdict(), ResidencyVerdict::Misplaced);
        assert_eq!(
            residency.to_string(),
            "of 4 pages, 3 are on node 0 at unknown positions, asked: node 1"
        );
    }

    #[test]
    fn a_mixed_mapping_that_reaches_beyond_the_range_proves_nothing() {
        let counts = "10000 default anon=4 N0=3 N1=1 kernelpagesize_kB=4\n";
        let residency = judge(&[area(16, 4)], counts, range(17, 3), Some(NodeId(1)));
        assert_eq!((residency.unproven_pages, residency.by_node.len()), (3, 0));
        assert_eq!(residency.verdict(), ResidencyVerdict::Unproven);
    }

    #[test]
    fn untouched_pages_and_pages_of_another_size_are_unproven() {
        let half = judge(&[area(16, 4)], "10000 bind:0 N0=2\n", range(16, 4), Some(NodeId(0)));
        assert_eq!((half.by_node, half.unproven_pages), (count(0, 2), 2));
        let huge = "10000 bind:0 huge N0=4 kernelpagesize_kB=2048\n";
        assert_eq!(judge(&[area(16, 4)], huge, range(16, 4), None).unproven_pages, 4);
    }

    #[test]
    fn mappings_that_change_meanwhile_are_read_again() {
        let looks = Cell::new(0_usize);
        let one_more = || {
            looks.set(looks.get() + 1);
            looks.get()
        };
        let stands_still_after =
            |most| at_one_moment(|| Some(looks.get().min(most)), || Some(one_more()));
        assert_eq!(stands_still_after(3), Some((3, 4)));
        assert_eq!(stands_still_after(usize::MAX).map(|(_, read)| read), Some(4 + MOST_LOOKS));
        assert_eq!(at_one_moment(|| Some(()), || None::<()>), None);
    }

    #[test]
    fn bound_memory_is_proven_by_this_way_too() {
        let (_, node) = crate::affinity::current_cpu();
        let memory = BoundMemory::allocate(37 * 4096, PageSize::Base, Some(node)).unwrap();
        let range =
            PageRange::covering(memory.as_ptr().addr(), memory.len(), memory.page_bytes()).unwrap();
        // Memory of another test, bound to the same node and not touched yet, joins this mapping,
        // whose counts then prove nothing until it is.
        let patience = Instant::now() + Duration::from_secs(10);
        let residency = loop {
            let residency = look_up(range, Some(node));
            if residency.verdict() != ResidencyVerdict::Unproven || Instant::now() > patience {
                break residency;
            }
        };
        assert_eq!(residency.verdict(), ResidencyVerdict::WhereAsked, "{residency}");
        assert_eq!(residency.method, PlacementMethod::NumaMaps);
    }
}
