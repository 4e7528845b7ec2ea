//! From a measured condition to a scenario, as far as the model has a notion of it.

use std::time::Duration;

use onesided_load::{MixPlan, PatternPlan, PostedOperation, ShapePlan};
use onesided_results::{
    row::ConditionRow,
    vocabulary::{
        CacheState, LoadKind, LoadNode, Locality, LoopShape, Operation, SlotLayout, WorkerOperation,
    },
};
use onesided_sim::{Connection, HostLoad, Moment, Scenario, Workers};

/// Why the model says nothing of a condition.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCovered {
    /// A factor at a level that the model has no notion of.
    #[error("{factor} = {level}: {why}")]
    Level {
        /// Which factor.
        factor: &'static str,
        /// Its level.
        level: String,
        /// What is missing.
        why: &'static str,
    },
    /// A factor that the table does not tell.
    #[error("{factor} is not known")]
    Unknown {
        /// Which factor.
        factor: &'static str,
    },
}

/// Bytes of a cache line.
const LINE_BYTES: u64 = 64;

fn level(factor: &'static str, level: impl ToString, why: &'static str) -> NotCovered {
    NotCovered::Level { factor, level: level.to_string(), why }
}

/// The scenario of a condition, that ends at `end`.
///
/// Direct cache access is not in it: a set-up of the profile has its costs, and
/// [`set_up_of`](crate::SimulationProfile::set_up_of) refuses what no set-up is of.
///
/// # Errors
/// [`NotCovered`] names the factor that the model cannot take into account.
pub fn covered(condition: &ConditionRow, end: Moment) -> Result<Scenario, NotCovered> {
    caches(condition)?;
    let queue_pairs = condition.queue_pairs as usize;
    let access_bytes = condition.access_bytes;
    let objects = (layout(condition)?, access_bytes);
    let what = (shape(condition)?, PatternPlan::OwnSlot, mix(condition)?);
    let load = Scenario::load_of(what, objects, queue_pairs)
        .map_err(|_| level("access_bytes", access_bytes, "no slots can be laid out"))?;
    Ok(Scenario {
        workers: workers(condition, load.region_bytes)?,
        load,
        threads: queue_pairs,
        client_hosts: 1,
        region: known("locality", condition.locality)?,
        client: condition.client_locality.unwrap_or(Locality::RdmaLocal),
        connection: Connection {
            mtu_bytes: condition.mtu_bytes.ok_or(NotCovered::Unknown { factor: "mtu_bytes" })?,
            max_rd_atomic: condition.max_rd_atomic.unwrap_or(1),
            inline_bytes: condition.inline_bytes.unwrap_or(0),
        },
        host_load: host_load(condition),
        end,
    })
}

fn caches(condition: &ConditionRow) -> Result<(), NotCovered> {
    match condition.cache_state {
        CacheState::Flushed => {
            Err(level("cache_state", "flushed", "the model does not follow lines into the cache"))
        }
        _ => Ok(()),
    }
}

fn known(factor: &'static str, locality: Option<Locality>) -> Result<Locality, NotCovered> {
    locality.ok_or(NotCovered::Unknown { factor })
}

fn layout(condition: &ConditionRow) -> Result<SlotLayout, NotCovered> {
    match condition.slot_layout {
        // Atomics need aligned words, wherever the release says its objects begin.
        Some(SlotLayout::Unaligned) if atomic(condition) => Ok(SlotLayout::Packed),
        Some(layout) => Ok(layout),
        None => Err(NotCovered::Unknown { factor: "slot_layout" }),
    }
}

fn atomic(condition: &ConditionRow) -> bool {
    matches!(condition.operation, Operation::CompareAndSwap | Operation::FetchAndAdd)
}

fn shape(condition: &ConditionRow) -> Result<ShapePlan, NotCovered> {
    let think_time = Duration::from_nanos(condition.think_time_ns.unwrap_or(0));
    let post_list = condition.post_list.unwrap_or(1);
    match condition.loop_shape {
        LoopShape::Closed => Ok(ShapePlan::ClosedLoop { window: 1, think_time, post_list }),
        LoopShape::Saturating => {
            let window = condition.window.unwrap_or(SATURATING_WINDOW);
            Ok(ShapePlan::ClosedLoop { window, think_time, post_list })
        }
        other => Err(level("loop", other, "conditions do not tell the rate")),
    }
}

/// Requests that the study's program keeps posted where it posts until the queue is full: any
/// number that keeps the card supplied gives the same, and a smaller one is simulated sooner.
const SATURATING_WINDOW: u32 = 16;

fn mix(condition: &ConditionRow) -> Result<MixPlan, NotCovered> {
    Ok(match condition.operation {
        Operation::Read => MixPlan::Single(PostedOperation::Read),
        Operation::Write => MixPlan::Single(PostedOperation::Write),
        Operation::CompareAndSwap => MixPlan::Single(PostedOperation::CompareAndSwap),
        Operation::FetchAndAdd => MixPlan::Single(PostedOperation::FetchAndAdd),
        Operation::Mixed => {
            return Err(level("operation", "mixed", "conditions do not tell the share of writes"));
        }
        other => return Err(level("operation", other, "the model has no receive queues")),
    })
}

fn workers(condition: &ConditionRow, region_bytes: u64) -> Result<Workers, NotCovered> {
    let write_share = match condition.worker_operation {
        WorkerOperation::None => return Ok(Workers::NONE),
        WorkerOperation::Read => 0.0,
        WorkerOperation::Mixed => condition
            .worker_write_fraction
            .ok_or(NotCovered::Unknown { factor: "worker_write_fraction" })?,
        _ => 1.0,
    };
    if condition.worker_locality != condition.locality {
        let found = condition.worker_locality.map_or("unknown".to_owned(), |word| word.to_string());
        return Err(level(
            "worker_locality",
            found,
            "the model has workers beside the region only",
        ));
    }
    Ok(Workers {
        threads: f64::from(condition.workers),
        write_share,
        // Objects that begin at an odd address reach into one line more, by a byte or so.
        lines: (region_bytes / LINE_BYTES).max(1),
    })
}

fn host_load(condition: &ConditionRow) -> HostLoad {
    let bytes = condition.load_bytes.unwrap_or(0);
    let on_node = match (condition.load_kind, condition.load_node, condition.locality) {
        (LoadKind::None, ..) => return HostLoad::default(),
        (_, LoadNode::Agnostic, _) => return HostLoad { on_node: 0.5, crossing: 0.5, bytes },
        (_, LoadNode::RdmaLocal, Some(Locality::RdmaLocal))
        | (_, LoadNode::RdmaRemote, Some(Locality::RdmaRemote)) => 1.0,
        _ => 0.0,
    };
    HostLoad { on_node, crossing: 0.0, bytes }
}
