//! Where memory and threads are asked to be, in the words of design files and flags.

mod load;
mod node;
mod node_set;
mod number_list;

use std::fmt;
use std::str::FromStr;

pub use load::LoadMemoryPlace;
pub use node::{CpuId, CpuSet, NodeId, ParseNodeIdError};
pub use node_set::NodeSet;
pub use number_list::NumberListError;

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
#[error("`{value}` names no place; allowed: {allowed}")]
pub struct ParsePlaceError {
    /// The text that was given.
    pub value: String,
    /// The forms that are allowed here.
    pub allowed: &'static str,
}

impl NodeChoice {
    /// The forms that are allowed.
    pub const ALLOWED: &'static str = "rdma-local, rdma-remote, node:N or N";
}

impl MemoryPlace {
    /// The forms that are allowed.
    pub const ALLOWED: &'static str = "any, rdma-local, rdma-remote, node:N or N";
}

impl ThreadPlace {
    /// The forms that are allowed.
    pub const ALLOWED: &'static str = "any, rdma-local, rdma-remote, node:N, N, cpus:LIST as in \
        cpus:0-3,8, or shared: and a node as in shared:rdma-local";
}

impl FromStr for NodeChoice {
    type Err = ParsePlaceError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        match value {
            "rdma-local" => Ok(Self::RdmaLocal),
            "rdma-remote" => Ok(Self::RdmaRemote),
            node => match node.strip_prefix("node:").unwrap_or(node).parse() {
                Ok(node) => Ok(Self::Node(node)),
                Err(_) => Err(refused(value, Self::ALLOWED)),
            },
        }
    }
}

impl FromStr for MemoryPlace {
    type Err = ParsePlaceError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        match value {
            "any" => Ok(Self::Anywhere),
            node => node.parse().map(Self::On).map_err(|_| refused(value, Self::ALLOWED)),
        }
    }
}

impl FromStr for ThreadPlace {
    type Err = ParsePlaceError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        let place = match value.split_once(':') {
            Some(("cpus", cpus)) => list(cpus).map(Self::Cpus),
            Some(("shared", node)) => node.parse().ok().map(Self::Shared),
            _ if value == "any" => Some(Self::Anywhere),
            _ => value.parse().ok().map(Self::On),
        };
        place.ok_or_else(|| refused(value, Self::ALLOWED))
    }
}

/// The list in a word. Unlike one in a kernel file it has no blanks around it.
fn list<Set: FromStr>(text: &str) -> Option<Set> {
    text.parse().ok().filter(|_| text.trim() == text)
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
        assert_eq!("shared:node:1".parse(), Ok(shared));
        let local = "shared:rdma-local".parse::<ThreadPlace>().unwrap();
        assert_eq!(local, ThreadPlace::Shared(NodeChoice::RdmaLocal));
    }

    #[test]
    fn a_wrong_place_is_named_with_what_is_allowed() {
        let error = "numa1".parse::<MemoryPlace>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`numa1` names no place; allowed: any, rdma-local, rdma-remote, node:N or N"
        );
        for value in [
            "shared:",
            "shared:any",
            "shared:cpus:1",
            "cpus:",
            "cpus:5-3",
            "cpus:1,",
            "cpus:x",
            "cpus: 1",
            "cpus:1\n",
            "cpus:65536",
            "node:",
            "node:x",
            "node:-1",
            "rdma-locl",
            "-1",
            "+1",
            "",
            "ANY",
        ] {
            let error = value.parse::<ThreadPlace>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{value}` names no place")), "{error}");
            assert!(error.contains("cpus:0-3,8"), "{error}");
        }
        for value in ["cpus:0", "shared:rdma-local", "interleave"] {
            assert!(value.parse::<MemoryPlace>().is_err(), "{value}");
        }
        assert!("any".parse::<NodeChoice>().is_err(), "`any` is no node");
    }
}
