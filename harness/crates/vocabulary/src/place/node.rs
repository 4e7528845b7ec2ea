//! Names of NUMA nodes and CPUs, and sets of CPUs.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::number_list::{self, NumberListError};

/// A NUMA node's number, as the kernel counts them: node 0 is a node like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

/// A logical CPU's number, as the kernel counts them: CPU 0 is a CPU like any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct CpuId(pub u32);

/// A text that is no node's number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is no node number; expected 0, 1, 2, ...")]
pub struct ParseNodeIdError {
    /// The text that was given.
    pub value: String,
}

impl FromStr for NodeId {
    type Err = ParseNodeIdError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        match value.parse() {
            Ok(number) if value.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Self(number)),
            _ => Err(ParseNodeIdError { value: value.to_owned() }),
        }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for CpuId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// An ordered set of at least one CPU, written as the kernel does: `0-3,8`.
///
/// Never empty, so that "no CPUs" (a node that has only memory) is an `Option` and cannot be
/// mistaken for a mask to run on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuSet(BTreeSet<CpuId>);

impl CpuSet {
    /// The largest number that is read from a list.
    pub const LARGEST: u32 = number_list::LARGEST;

    /// The set of these CPUs; `None` when there are none.
    pub fn new(cpus: impl IntoIterator<Item = CpuId>) -> Option<Self> {
        let cpus: BTreeSet<CpuId> = cpus.into_iter().collect();
        (!cpus.is_empty()).then_some(Self(cpus))
    }

    /// The set of one CPU.
    pub fn of(cpu: CpuId) -> Self {
        Self(BTreeSet::from([cpu]))
    }

    /// How many CPUs are in it: 1 or more.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether the CPU is in it.
    pub fn contains(&self, cpu: CpuId) -> bool {
        self.0.contains(&cpu)
    }

    /// The CPUs, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = CpuId> + '_ {
        self.0.iter().copied()
    }

    /// The lowest CPU.
    pub fn first(&self) -> CpuId {
        *self.0.first().expect("a CpuSet holds at least one CPU by construction")
    }

    /// The CPUs in both sets; `None` when there are none.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        Self::new(self.0.intersection(&other.0).copied())
    }

    /// The CPUs of this set that are not in the other; `None` when there are none.
    pub fn difference(&self, other: &Self) -> Option<Self> {
        Self::new(self.0.difference(&other.0).copied())
    }
}

impl FromStr for CpuSet {
    type Err = NumberListError;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        Ok(Self(number_list::parse(list)?.into_iter().map(CpuId).collect()))
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        number_list::write(self.0.iter().map(|cpu| cpu.0), out)
    }
}

impl<'set> IntoIterator for &'set CpuSet {
    type Item = CpuId;
    type IntoIter = std::iter::Copied<std::collections::btree_set::Iter<'set, CpuId>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().copied()
    }
}

/// As the kernel writes it, `0-3,8`.
impl Serialize for CpuSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(cpus: &[u32]) -> CpuSet {
        CpuSet::new(cpus.iter().copied().map(CpuId)).unwrap()
    }

    #[test]
    fn ranges_are_written_as_the_kernel_writes_them() {
        assert_eq!(set(&[0, 1, 2, 3, 8]).to_string(), "0-3,8");
        assert_eq!(set(&[0]).to_string(), "0");
        assert_eq!(set(&[7, 5, 6, 1]).to_string(), "1,5-7");
        assert_eq!(set(&[0, 2, 4]).to_string(), "0,2,4");
    }

    #[test]
    fn a_list_with_a_trailing_newline_and_overlaps_is_read() {
        assert_eq!("3,0-2,1-4\n".parse(), Ok(set(&[0, 1, 2, 3, 4])));
    }

    #[test]
    fn a_long_list_of_the_same_numbers_is_read_at_once() {
        let list = vec!["0-65535"; 10_000].join(",");
        assert_eq!(list.parse::<CpuSet>().unwrap().count(), 65_536);
    }

    #[test]
    fn an_empty_list_is_refused() {
        assert_eq!("".parse::<CpuSet>(), Err(NumberListError::Empty));
        assert_eq!(" \n".parse::<CpuSet>(), Err(NumberListError::Empty));
        assert!(CpuSet::new([]).is_none());
    }

    #[test]
    fn a_wrong_list_names_the_part_at_fault() {
        let message = |list: &str| list.parse::<CpuSet>().unwrap_err().to_string();
        assert_eq!(
            message("0,x-3"),
            "`x-3` in `0,x-3` is neither a number nor a range such as `0-3`"
        );
        assert_eq!(message("0,5-3"), "the range `5-3` in `0,5-3` runs backwards");
        assert!(message("0-4000000000").contains("4000000000"));
        for list in ["0,", ",", "-1", "1-", "+1", "0-3:1/2", "99999999999", "1 2"] {
            assert!(list.parse::<CpuSet>().is_err(), "{list} was accepted");
        }
    }

    #[test]
    fn a_node_number_is_digits_only() {
        assert_eq!("0".parse(), Ok(NodeId(0)));
        for text in ["", "-1", "+1", "one", "99999999999"] {
            let error = text.parse::<NodeId>().unwrap_err();
            assert!(error.to_string().contains(&format!("`{text}`")));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(
            cpus in prop::collection::btree_set(0u32..2000, 1..200)
        ) {
            let set = CpuSet::new(cpus.iter().copied().map(CpuId)).unwrap();
            let json = serde_json::to_string(&set).unwrap();
            prop_assert_eq!(json, format!("\"{set}\""));
            prop_assert_eq!(set.to_string().parse::<CpuSet>().unwrap(), set);
        }

        #[test]
        fn any_text_is_read_or_refused_without_a_panic(text in "[0-9,\\- x]{0,20}") {
            if let Ok(set) = text.parse::<CpuSet>() {
                prop_assert!(set.count() > 0);
            }
        }
    }
}
