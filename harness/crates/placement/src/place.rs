//! Where memory and threads are asked to be, in the words of design files and flags.

mod load;

use std::fmt;
use std::str::FromStr;

use crate::node::{CpuSet, NodeId};

pub use load::LoadMemoryPlace;

/// A node, by its number or relative to the RDMA device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeChoice {
    /// This node; written `node:0`, read also as `0`.
    Node(NodeId),
    /// The RDMA device's node (Nelson & Palmieri, SRDS 2020, section IV-A).
    RdmaLocal,
    /// The node with memory nearest to the RDMA device's node, other than that.
    RdmaRemote,
}

/// Where memory is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryPlace {
    /// Wherever the kernel puts it; written `any`.
    Anywhere,
    /// On one node.
    On(NodeChoice),
}

/// Where threads are to run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadPlace {
    /// Wherever the scheduler puts them; written `any`.
    Anywhere,
    /// On the CPUs of one node, a thread a CPU.
    On(NodeChoice),
    /// On the CPUs of one node, every thread on any of them: there may be more threads than CPUs.
    /// Written `shared:rdma-local`.
    Shared(NodeChoice),
    /// On these CPUs; written `cpus:0-3,8`.
    Cpus(CpuSet),
}

/// A text that names no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` names no place; allowed are {allowed}")]
pub struct ParsePlaceError {
    /// The text that was given.
    pub value: String,
    /// The forms that are allowed here.
    pub allowed: &'static str,
}

const NODE_FORMS: &str = "`rdma-local`, `rdma-remote`, or a node such as `0` or `node:0`";
const MEMORY_FORMS: &str = "`any`, `rdma-local`, `rdma-remote`, or a node such as `0` or `node:0`";
const THREAD_FORMS: &str = "`any`, `rdma-local`, `rdma-remote`, a node such as `0` or `node:0`, \
     a node shared by all threads such as `shared:rdma-local`, or CPUs such as `cpus:0-3,8`";

impl FromStr for NodeChoice {
    type Err = ParsePlaceError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        match value {
            "rdma-local" => Ok(Self::RdmaLocal),
            "rdma-remote" => Ok(Self::RdmaRemote),
            node => match node.strip_prefix("node:").unwrap_or(node).parse() {
                Ok(node) => Ok(Self::Node(node)),
                Err(_) => Err(refused(value, NODE_FORMS)),
            },
        }
    }
}

impl FromStr for MemoryPlace {
    type Err = ParsePlaceError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        match value {
            "any" => Ok(Self::Anywhere),
            node => node.parse().map(Self::On).map_err(|_| refused(value, MEMORY_FORMS)),
        }
    }
}

impl FromStr for ThreadPlace {
    type Err = ParsePlaceError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        match (value, value.strip_prefix("cpus:")) {
            ("any", _) => Ok(Self::Anywhere),
            (_, Some(cpus)) => {
                cpus.parse().map(Self::Cpus).map_err(|_| refused(value, THREAD_FORMS))
            }
            _ => match value.strip_prefix("shared:") {
                Some(node) => node.parse().map(Self::Shared),
                None => value.parse().map(Self::On),
            }
            .map_err(|_| refused(value, THREAD_FORMS)),
        }
    }
}

fn refused(value: &str, allowed: &'static str) -> ParsePlaceError {
    ParsePlaceError { value: value.to_owned(), allowed }
}

impl fmt::Display for NodeChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(out, "node:{node}"),
            Self::RdmaLocal => out.pad("rdma-local"),
            Self::RdmaRemote => out.pad("rdma-remote"),
        }
    }
}

impl fmt::Display for MemoryPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anywhere => out.pad("any"),
            Self::On(choice) => choice.fmt(out),
        }
    }
}

impl fmt::Display for ThreadPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anywhere => out.pad("any"),
            Self::On(choice) => choice.fmt(out),
            Self::Shared(choice) => write!(out, "shared:{choice}"),
            Self::Cpus(cpus) => write!(out, "cpus:{cpus}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_and_written_back_in_its_full_form() {
        for (word, full) in [
            ("any", "any"),
            ("0", "node:0"),
            ("node:3", "node:3"),
            ("rdma-local", "rdma-local"),
            ("rdma-remote", "rdma-remote"),
        ] {
            assert_eq!(word.parse::<MemoryPlace>().unwrap().to_string(), full);
            assert_eq!(word.parse::<ThreadPlace>().unwrap().to_string(), full);
            assert_eq!(full.parse::<MemoryPlace>(), word.parse());
        }
        let cpus = "cpus:8,0-3".parse::<ThreadPlace>().unwrap();
        assert_eq!(cpus, ThreadPlace::Cpus("0-3,8".parse().unwrap()));
        assert_eq!(cpus.to_string(), "cpus:0-3,8");
        let shared = "shared:1".parse::<ThreadPlace>().unwrap();
        assert_eq!(shared, ThreadPlace::Shared(NodeChoice::Node(NodeId(1))));
        assert_eq!(shared.to_string(), "shared:node:1");
        let local = "shared:rdma-local".parse::<ThreadPlace>().unwrap();
        assert_eq!(local, ThreadPlace::Shared(NodeChoice::RdmaLocal));
    }

    #[test]
    fn a_wrong_place_is_named_with_what_is_allowed() {
        let error = "numa1".parse::<MemoryPlace>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`numa1` names no place; allowed are `any`, `rdma-local`, `rdma-remote`, or a node \
             such as `0` or `node:0`"
        );
        for value in [
            "shared:",
            "shared:any",
            "shared:cpus:1",
            "cpus:",
            "cpus:5-3",
            "cpus:x",
            "node:",
            "node:-1",
            "-1",
            "",
            "ANY",
        ] {
            let error = value.parse::<ThreadPlace>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{value}` names no place")), "{error}");
            assert!(error.contains("`cpus:0-3,8`"), "{error}");
        }
        assert!("cpus:0".parse::<MemoryPlace>().is_err(), "memory has no CPUs");
        assert!("any".parse::<NodeChoice>().is_err(), "`any` is no node");
    }
}
