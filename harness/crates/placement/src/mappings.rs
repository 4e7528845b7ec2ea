//! What a call into a library added to the address space: where the rings of a queue pair landed.

use serde::Serialize;

use crate::address_space::{self, Area};
use crate::kernel_file::KernelFileError;
use crate::place::NodeId;
use crate::residency::{Residency, ResidencyError};
use crate::syscall;

/// The accessible mappings of this process at one moment.
///
/// ```text
/// take() -> ibv_create_qp(..) -> appeared(): the ring's mappings, heap growth included
/// ```
/// Seen are new mappings, growth of the heap or of a mapping that the kernel joins with its
/// neighbour, and address space that only now became accessible (an allocator's arena). Not seen
/// is memory cut from what the allocator already had accessible: a small ring of a long-lived
/// process may be such. What other threads, and the snapshot's own lists, map in the meantime is
/// seen as well, and what lands where they unmapped is not: take it while the process is quiet.
#[derive(Debug, Clone)]
pub struct MappingSnapshot {
    areas: Vec<Area>,
}

/// A range that became accessible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mapping {
    /// Its first address.
    pub start: usize,
    /// Its length in bytes.
    pub length: usize,
    /// The file, device or name in brackets (`[heap]`) behind it; `None` for anonymous memory.
    pub backing: Option<String>,
}

impl MappingSnapshot {
    /// The mappings now.
    ///
    /// # Errors
    /// `/proc/self/maps` is not there or not understood.
    pub fn take() -> Result<Self, KernelFileError> {
        Ok(Self { areas: address_space::read()? })
    }

    /// What is accessible now and was not, or had another backing, at the time of the snapshot;
    /// ascending by address.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn appeared(&self) -> Result<Vec<Mapping>, KernelFileError> {
        Ok(gained(&self.areas, &address_space::read()?))
    }
}

impl Mapping {
    /// On which nodes its pages are, by base pages. Pages of a device's mapping may be unproven.
    ///
    /// # Errors
    /// As [`Residency::of`].
    pub fn residency(&self, asked: Option<NodeId>) -> Result<Residency, ResidencyError> {
        let start = std::ptr::without_provenance(self.start);
        Residency::of(start, self.length, syscall::base_page_bytes(), asked)
    }

    /// The parts of it whose pages are in memory now, ascending.
    ///
    /// What a device accesses is pinned, so it is in memory from its registration on; the rest of
    /// an allocator's mapping is not, and may be filled by anybody later. Where the kernel does
    /// not tell, the whole mapping is returned.
    pub fn resident(&self) -> Vec<Self> {
        let page_bytes = syscall::base_page_bytes();
        let first = self.start & !(page_bytes - 1);
        let starts: Vec<usize> = (first..self.start + self.length).step_by(page_bytes).collect();
        let pages: Vec<*const u8> =
            starts.iter().map(|start| std::ptr::without_provenance(*start)).collect();
        let mut statuses = vec![-libc::ENOENT; pages.len()];
        if syscall::query_pages(&pages, &mut statuses).is_err() {
            return vec![self.clone()];
        }
        let mut parts: Vec<Self> = Vec::new();
        for (start, _) in starts.into_iter().zip(statuses).filter(|(_, status)| *status >= 0) {
            match parts.last_mut() {
                Some(part) if part.start + part.length == start => part.length += page_bytes,
                _ => parts.push(Self { start, length: page_bytes, backing: self.backing.clone() }),
            }
        }
        parts
    }
}

/// The parts of `after` that no area of `before` with the same backing covers.
fn gained(before: &[Area], after: &[Area]) -> Vec<Mapping> {
    let mut gained = Vec::new();
    for area in after {
        let mut start = area.start;
        let known = before.iter().filter(|known| {
            known.backing == area.backing && known.start < area.end && known.end > area.start
        });
        for known in known {
            gained.extend(mapping(start, known.start, area));
            start = start.max(known.end);
        }
        gained.extend(mapping(start, area.end, area));
    }
    gained
}

fn mapping(start: usize, end: usize, area: &Area) -> Option<Mapping> {
    let length = end.checked_sub(start).filter(|length| *length > 0)?;
    Some(Mapping { start, length, backing: area.backing.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(start: usize, end: usize, backing: Option<&str>) -> Area {
        Area { start, end, backing: backing.map(str::to_owned) }
    }

    fn ranges(before: &[Area], after: &[Area]) -> Vec<(usize, usize)> {
        gained(before, after).iter().map(|new| (new.start, new.start + new.length)).collect()
    }

    #[test]
    fn growth_on_both_sides_and_joined_neighbours_are_seen() {
        let before = [area(10, 20, None), area(30, 40, None)];
        assert_eq!(ranges(&before, &[area(5, 45, None)]), [(5, 10), (20, 30), (40, 45)]);
        assert_eq!(ranges(&before, &before), []);
        assert_eq!(ranges(&before, &[area(10, 15, None)]), []);
        assert_eq!(ranges(&before, &[area(20, 30, None)]), [(20, 30)]);
    }

    #[test]
    fn an_address_with_another_backing_has_appeared() {
        let after = [area(10, 20, Some("/dev/infiniband/uverbs0"))];
        assert_eq!(ranges(&[area(10, 20, None)], &after), [(10, 20)]);
        let heap = |end| [area(100, end, Some("[heap]"))];
        assert_eq!(ranges(&heap(200), &heap(260)), [(200, 260)]);
    }
}
