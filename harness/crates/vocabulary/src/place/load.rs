//! Where the memory of a load is asked to be.

use std::fmt;
use std::str::FromStr;

use super::{NodeChoice, NodeSet, ParsePlaceError, list, refused};

/// Where the memory of a load is to be: what [`MemoryPlace`](super::MemoryPlace) says, and ways to
/// spread it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadMemoryPlace {
    /// On the node of the thread that touches it first; written `any`.
    Anywhere,
    /// On one node only.
    On(NodeChoice),
    /// On these nodes only, the kernel chooses among them; written `bind:0,1`.
    Bind(NodeSet),
    /// On all nodes with memory in turn, page by page; written `interleave`.
    InterleaveAll,
    /// On these nodes in turn, page by page; written `interleave:0,1`.
    Interleave(NodeSet),
    /// On one node as long as it has any; written `preferred:0`.
    Preferred(NodeChoice),
}

impl LoadMemoryPlace {
    /// The forms that are allowed.
    pub const ALLOWED: &'static str = "any, rdma-local, rdma-remote, node:N, N, interleave, \
        interleave:LIST as in interleave:0,1, bind:LIST, or preferred: and a node as in \
        preferred:rdma-local";
}

impl FromStr for LoadMemoryPlace {
    type Err = ParsePlaceError;

    fn from_str(value: &str) -> Result<Self, Self::Err> {
        let place = match value.split_once(':') {
            Some(("interleave", nodes)) => list(nodes).map(Self::Interleave),
            Some(("bind", nodes)) => list(nodes).map(Self::Bind),
            Some(("preferred", node)) => node.parse().ok().map(Self::Preferred),
            _ if value == "any" => Some(Self::Anywhere),
            _ if value == "interleave" => Some(Self::InterleaveAll),
            _ => value.parse().ok().map(Self::On),
        };
        place.ok_or_else(|| refused(value, Self::ALLOWED))
    }
}

impl fmt::Display for LoadMemoryPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anywhere => out.pad("any"),
            Self::On(choice) => choice.fmt(out),
            Self::Bind(nodes) => write!(out, "bind:{nodes}"),
            Self::InterleaveAll => out.pad("interleave"),
            Self::Interleave(nodes) => write!(out, "interleave:{nodes}"),
            Self::Preferred(NodeChoice::Node(node)) => write!(out, "preferred:{node}"),
            Self::Preferred(choice) => write!(out, "preferred:{choice}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_back_in_its_full_form() {
        for (word, full) in [
            ("any", "any"),
            ("0", "node:0"),
            ("node:3", "node:3"),
            ("rdma-remote", "rdma-remote"),
            ("interleave", "interleave"),
            ("interleave:1,0", "interleave:0-1"),
            ("interleave:0-1,3", "interleave:0-1,3"),
            ("bind:0,2", "bind:0,2"),
            ("preferred:1", "preferred:1"),
            ("preferred:node:1", "preferred:1"),
            ("preferred:rdma-local", "preferred:rdma-local"),
            ("preferred:rdma-remote", "preferred:rdma-remote"),
        ] {
            let place: LoadMemoryPlace = word.parse().unwrap();
            assert_eq!(place.to_string(), full);
            assert_eq!(full.parse(), Ok(place));
        }
    }

    #[test]
    fn a_wrong_form_is_named_with_what_is_allowed() {
        for value in [
            "interleaved",
            "interleave:",
            "interleave: 0",
            "bind:x",
            "bind:65536",
            "preferred",
            "preferred:any",
            "preferred:interleave",
            "cpus:0",
            "",
            "1-2",
        ] {
            let error = value.parse::<LoadMemoryPlace>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{value}` names no place")), "{error}");
            assert!(error.contains("interleave:0,1"), "{error}");
        }
    }
}
