//! A measured condition as the configuration of a run, as far as the table tells it.

use onesided_results::{
    RunConfiguration,
    row::ConditionRow,
    vocabulary::{
        AddressPattern, CacheState, LoadKind, LoadNode, Locality, LoopShape, Operation, SlotLayout,
        WorkerPattern,
    },
};

use super::NotCovered;

/// Requests that the study's program keeps posted where it posts until the queue is full: any
/// number that keeps the card supplied gives the same, and a smaller one is simulated sooner.
const SATURATING_WINDOW: u32 = 16;

/// The run that `condition` is of. What the table leaves open is as in the study's program.
///
/// # Errors
/// [`NotCovered`] names a column that is empty, or a level of which it does not tell enough.
pub fn configuration_of(condition: &ConditionRow) -> Result<RunConfiguration, NotCovered> {
    let unknown = |factor| NotCovered::Unknown { factor };
    condition.slot_layout.ok_or(unknown("slot_layout"))?;
    check_told(condition)?;
    let locality = condition.locality.ok_or(unknown("locality"))?;
    let client = condition.client_locality.unwrap_or(Locality::RdmaLocal);
    let place = |place: Option<Locality>| place.map_or("any".to_owned(), |place| place.to_string());
    let load_node = (condition.load_kind != LoadKind::None).then(|| node_of_load(condition));
    let mut run = condition.factors().configuration(&RunConfiguration::default());
    if run.slot_layout == SlotLayout::Unaligned && is_atomic(run.operation) {
        // Atomics need aligned words, wherever the release says its objects begin.
        run.slot_layout = SlotLayout::Packed;
    }
    // The study's queue pairs have two threads each, one of which posts.
    run.threads = condition.threads.unwrap_or(condition.queue_pairs).min(condition.queue_pairs);
    if run.loop_shape == LoopShape::Saturating {
        run.window = condition.window.unwrap_or(SATURATING_WINDOW);
    }
    run.mtu_bytes = condition.mtu_bytes.ok_or(unknown("mtu_bytes"))?;
    run.max_rd_atomic = u8::try_from(condition.max_rd_atomic.unwrap_or(1)).unwrap_or(u8::MAX);
    run.server_region = locality.to_string();
    run.server_rings = place(condition.server_ring_locality);
    run.client_threads = client.to_string();
    run.client_buffers = place(condition.client_memory_locality);
    run.client_rings = place(condition.client_ring_locality);
    run.worker_threads = worker_threads(condition)?;
    run.worker_pattern.get_or_insert(WorkerPattern::AsPublished);
    run.load_threads = run.load_threads.or_else(|| load_node.clone());
    run.load_memory = run.load_memory.or(load_node);
    if run.cache_state == CacheState::Warm {
        // The study's later program warms the caches: parameters are fitted to such runs.
        run.cache_state = CacheState::Default;
    }
    Ok(run)
}

/// Levels that need a factor that the condition does not tell.
fn check_told(condition: &ConditionRow) -> Result<(), NotCovered> {
    let level = |factor, level: String, why| Err(NotCovered::Level { factor, level, why });
    let (shape, operation) = (condition.loop_shape, condition.operation);
    if condition.address_pattern == Some(AddressPattern::Zipf) && condition.zipf_exponent.is_none()
    {
        return Err(NotCovered::Unknown { factor: "zipf_exponent" });
    }
    if shape == LoopShape::Open && condition.rate_ops_per_second.is_none() {
        return level("loop", shape.to_string(), "conditions do not tell the rate");
    }
    if operation == Operation::Mixed && condition.write_fraction.is_none() {
        let why = "conditions do not tell the share of writes";
        return level("operation", operation.to_string(), why);
    }
    Ok(())
}

fn is_atomic(operation: Operation) -> bool {
    matches!(operation, Operation::CompareAndSwap | Operation::FetchAndAdd)
}

/// Where the workers were asked to be. Of the study's it is known which node they were on, and not that
/// each had a CPU.
fn worker_threads(condition: &ConditionRow) -> Result<String, NotCovered> {
    if condition.workers == 0 {
        return Ok("any".to_owned());
    }
    let node = condition.worker_locality;
    let node = node.ok_or(NotCovered::Unknown { factor: "worker_locality" })?;
    let has_cpus =
        condition.worker_threads.as_ref().is_some_and(|asked| !asked.starts_with("shared:"));
    Ok(if has_cpus { node.to_string() } else { format!("shared:{node}") })
}

fn node_of_load(condition: &ConditionRow) -> String {
    match condition.load_node {
        LoadNode::RdmaLocal => Locality::RdmaLocal.to_string(),
        LoadNode::RdmaRemote => Locality::RdmaRemote.to_string(),
        LoadNode::Agnostic | LoadNode::None => "any".to_owned(),
    }
}
