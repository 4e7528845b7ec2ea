//! What can be wrong with a profile.

use std::path::PathBuf;

use onesided_results::toml_file::{Place, TomlFileError};

use super::name::ProfileNameError;

/// A profile that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The file cannot be read, or is no profile.
    #[error(transparent)]
    File(#[from] TomlFileError),
    /// A value that cannot be, by itself or beside the others.
    #[error("{}:{place}: {field} = {value}: {rule}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where the value stands, or the table that lacks it.
        place: Place,
        /// The field with its tables, for instance `host[0].nic[0].node`.
        field: String,
        /// The value as it stands there, or `nothing`.
        value: String,
        /// What it breaks.
        rule: BrokenRule,
    },
}

/// What must hold in a profile, and does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokenRule {
    /// The name is not the folder's, under which others find it.
    #[error("the folder is called \"{folder}\": make them the same")]
    NotTheFolders {
        /// The folder's name.
        folder: String,
    },
    /// The name cannot be a profile's.
    #[error(transparent)]
    Name(#[from] ProfileNameError),
    /// A machine called like the template, or a template called like a machine.
    #[error("only profiles/template is of kind \"template\": allowed: {allowed}")]
    Kind {
        /// The kinds that this profile may have.
        allowed: &'static str,
    },
    /// A text without content.
    #[error("say {what}, or leave the field out where it may be absent")]
    Empty {
        /// What should stand there.
        what: &'static str,
    },
    /// Nothing that the profile could be of.
    #[error("a profile has at least one [[host]]")]
    NoHost,
    /// A value outside of what there is.
    #[error("allowed: {allowed}")]
    Outside {
        /// What there is.
        allowed: &'static str,
    },
    /// Not a list of CPUs.
    #[error("no list of CPUs; allowed: numbers up to 65535 and ascending ranges such as 0-3,8")]
    CpuList,
    /// A CPU of two nodes.
    #[error("CPU {cpu} is already on node {node}: a CPU is on one node")]
    CpuTwice {
        /// The CPU.
        cpu: u32,
        /// The node that has it.
        node: u32,
    },
    /// The number of another node.
    #[error("there is already a node {node}: number nodes as the kernel does")]
    NodeTwice {
        /// The number.
        node: u32,
    },
    /// A node that the host does not have.
    #[error("the host has no such node; allowed: {nodes}")]
    NoSuchNode {
        /// The nodes that it has.
        nodes: String,
    },
    /// Not a distance for each node.
    #[error("{found} distances for {nodes} nodes: give one for each [[host.node]], in their order")]
    DistanceCount {
        /// The distances.
        found: usize,
        /// The nodes.
        nodes: usize,
    },
    /// Distances that firmware cannot state.
    #[error("a node is 10 from itself and 11 to 254 from others; 255 is one that it cannot reach")]
    Distance,
    /// Counts that contradict each other.
    #[error("but {what} make {expected}: correct one, or leave out what is not known")]
    Disagree {
        /// What else says how many.
        what: &'static str,
        /// How many it says.
        expected: u64,
    },
    /// A latency without a number.
    #[error("give latency_ns, or latency_low_ns and latency_high_ns")]
    NoLatency,
    /// Bounds the wrong way round, or a value outside of them.
    #[error("latency_low_ns, latency_ns and latency_high_ns must ascend")]
    Bounds,
}
