//! What each path of the release means: one function a tree, which reads it from the left.
//!
//! The first program's folders are at the top, the second's below `cache_aligned`. That each tree
//! was made by the program it was committed with is an assumption, and so are some testbeds:
//! `data/README.md` says which.

mod components;
mod trees;
mod words;

pub use components::GrammarError;

use onesided_results::vocabulary::{
    CacheState, Campaign, CodeGeneration, Ddio, LoadNode, Locality, Operation, WorkerOperation,
};

use crate::{
    factors::{Content, Factors, Load, Testbed},
    oddities,
};
use components::Components;
use words::Words;

/// What is read from one tree's paths.
type Tree = fn(&mut Components<'_>) -> Result<Factors, GrammarError>;

/// The folders of the release.
const TREES: &Words<Tree> = &[
    ("baseline", trees::baseline_v1),
    ("cache_aligned", second_program),
    ("cflush", trees::flushed),
    ("closedloop", trees::closed_loop_v1),
    ("load", trees::load::v1),
    ("memcached", trees::key_value),
    ("memsize", trees::access_size_v1),
    ("noallocflow", trees::without_allocation),
    ("workers", trees::workers::v1),
    ("xfour", trees::connect_x4),
];

/// The folders of the second program.
const SECOND_TREES: &Words<Tree> = &[
    ("baseline", trees::baseline_v2),
    ("closedloop", trees::closed_loop_v2),
    ("load", trees::load::v2),
    ("memsize", trees::access_size_v2),
    ("memsize_mtu", trees::access_size_v2_by_mtu),
    ("workers", trees::workers::v2),
    ("write_ratio", trees::workers::v2_by_write_share),
];

/// What the file at `path`, counted from the folder `results`, is of.
///
/// Labels that are known to be wrong are corrected; they stay in the fields for labels.
///
/// # Errors
/// When the release has no such path.
pub fn factors(path: &str) -> Result<Factors, GrammarError> {
    let mut components = Components::of(path);
    let tree = components.meant("folder", TREES)?;
    let mut factors = tree(&mut components)?;
    oddities::correct(&mut factors);
    Ok(factors)
}

fn second_program(components: &mut Components<'_>) -> Result<Factors, GrammarError> {
    components.meant("folder", SECOND_TREES)?(components)
}

/// A run of one of the programs on which nothing is said yet but where it was made.
fn run(experiment: &'static str, testbed: Testbed, generation: CodeGeneration) -> Factors {
    Factors {
        experiment,
        testbed,
        content: Content::Rates,
        generation: Some(generation),
        campaign: None,
        operation: Operation::Read,
        operation_label: None,
        worker_operation: WorkerOperation::None,
        worker_label: None,
        workers: 0,
        worker_write_fraction: 0.9,
        locality: Locality::RdmaLocal,
        client_locality: None,
        queue_pairs: 8,
        access_bytes: 8,
        access_label: None,
        mtu_bytes: Some(256),
        load: Load::default(),
        cache_state: CacheState::Default,
        ddio: Ddio::Default,
    }
}

/// A run of the second program on `ConnectX-3`, of a campaign.
fn run_of(experiment: &'static str, campaign: Campaign) -> Factors {
    let campaign = Some(campaign);
    Factors { campaign, ..run(experiment, Testbed::ConnectX3, CodeGeneration::V2) }
}

/// A run of the first program on `ConnectX-3`, of the campaign whose unloaded reads are as fast: inferred, as
/// the release does not tell. `docs/methodology.md` has the values.
fn first_run_of(experiment: &'static str, campaign: Campaign) -> Factors {
    let campaign = Some(campaign);
    Factors { campaign, ..run(experiment, Testbed::ConnectX3, CodeGeneration::V1) }
}

impl Factors {
    fn asking(self, (label, operation): (&'static str, Operation)) -> Self {
        Self { operation, operation_label: Some(label), ..self }
    }

    fn beside(self, (label, worker_operation): (&'static str, WorkerOperation)) -> Self {
        Self { worker_operation, worker_label: Some(label), ..self }
    }

    /// Memory and workers on `node`, and the client where its program puts it.
    fn on(self, node: u32) -> Self {
        let locality = self.testbed.locality(node);
        self.at(locality)
    }

    fn at(self, locality: Locality) -> Self {
        let client_locality = match (self.generation, self.testbed) {
            (Some(CodeGeneration::V1), _) => Some(locality),
            // It looks for a ConnectX-3, and binds nothing where there is none.
            (_, Testbed::ConnectX4) => None,
            _ => Some(Locality::RdmaLocal),
        };
        Self { locality, client_locality, ..self }
    }

    /// An access of the size that the path says.
    fn sized(self, bytes: u32) -> Self {
        Self { access_bytes: bytes, access_label: Some(bytes), ..self }
    }

    /// A load of so many elements of 8 bytes.
    fn loaded(self, elements: Option<u64>, node: LoadNode) -> Self {
        let load = elements.map(|n| Load { node: Some(node), bytes: Some(8 * n) });
        Self { load: load.unwrap_or_default(), ..self }
    }
}

#[cfg(test)]
mod tests;
