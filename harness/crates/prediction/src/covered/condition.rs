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
    let default = RunConfiguration::default();
    let unknown = |factor| NotCovered::Unknown { factor };
    let slot_layout = condition.slot_layout.ok_or(unknown("slot_layout"))?;
    check_told(condition)?;
    if condition.address_pattern == Some(AddressPattern::Zipf) && condition.zipf_exponent.is_none()
    {
        return Err(unknown("zipf_exponent"));
    }
    let locality = condition.locality.ok_or(unknown("locality"))?;
    let client = condition.client_locality.unwrap_or(Locality::RdmaLocal);
    let asked = |place: Option<Locality>| place.map_or("any".to_owned(), |place| place.to_string());
    let load_node = (condition.load_kind != LoadKind::None).then(|| node_of_load(condition));
    let max_rd_atomic = condition.max_rd_atomic.unwrap_or(1);
    Ok(RunConfiguration {
        operation: condition.operation,
        write_fraction: condition.write_fraction,
        access_bytes: condition.access_bytes,
        slot_layout: match slot_layout {
            // Atomics need aligned words, wherever the release says its objects begin.
            SlotLayout::Unaligned if is_atomic(condition.operation) => SlotLayout::Packed,
            layout => layout,
        },
        address_pattern: condition.address_pattern.unwrap_or(AddressPattern::OwnSlot),
        zipf_exponent: condition.zipf_exponent,
        working_set_bytes: condition.working_set_bytes,
        queue_pairs: condition.queue_pairs,
        // The study's queue pairs have two threads each, one of which posts.
        threads: condition.threads.unwrap_or(condition.queue_pairs).min(condition.queue_pairs),
        client_hosts: condition.client_hosts.unwrap_or(1),
        completion_queues: condition.completion_queues.unwrap_or(default.completion_queues),
        send_queue_depth: condition.send_queue_depth.unwrap_or(default.send_queue_depth),
        window: match condition.loop_shape {
            LoopShape::Saturating => condition.window.unwrap_or(SATURATING_WINDOW),
            _ => condition.window.unwrap_or(1),
        },
        post_list: condition.post_list.unwrap_or(1),
        signal_every: condition.signal_every.unwrap_or(1),
        inline_bytes: condition.inline_bytes,
        mtu_bytes: condition.mtu_bytes.ok_or(unknown("mtu_bytes"))?,
        max_rd_atomic: u8::try_from(max_rd_atomic).unwrap_or(u8::MAX),
        loop_shape: condition.loop_shape,
        arrivals: condition.arrivals,
        rate_ops_per_second: condition.rate_ops_per_second,
        think_time_ns: condition.think_time_ns.unwrap_or(0),
        server_region: locality.to_string(),
        server_rings: asked(condition.server_ring_locality),
        client_threads: client.to_string(),
        client_buffers: asked(condition.client_memory_locality),
        client_rings: asked(condition.client_ring_locality),
        workers: condition.workers,
        worker_threads: worker_threads(condition)?,
        worker_operation: condition.worker_operation,
        worker_write_fraction: condition.worker_write_fraction,
        worker_access_bytes: condition.worker_access_bytes,
        worker_pattern: condition.worker_pattern.or(Some(WorkerPattern::AsPublished)),
        worker_think_time_ns: condition.worker_think_time_ns.unwrap_or(0),
        worker_rate_per_second: condition.worker_rate_per_second,
        load_kind: condition.load_kind,
        load_process: condition.load_process,
        load_bytes: condition.load_bytes,
        load_thread_count: condition.load_thread_count,
        load_threads: condition.load_threads.clone().or_else(|| load_node.clone()),
        load_memory: condition.load_memory.clone().or(load_node),
        load_write_fraction: condition.load_write_fraction,
        load_pattern: condition.load_pattern,
        cache_state: match condition.cache_state {
            // The study's later program warms the caches: parameters are fitted to such runs.
            CacheState::Warm => CacheState::Default,
            state => state,
        },
        ddio: condition.ddio,
        ..default
    })
}

/// Levels that need a factor that the condition does not tell.
fn check_told(condition: &ConditionRow) -> Result<(), NotCovered> {
    let level = |factor, level: String, why| Err(NotCovered::Level { factor, level, why });
    let (shape, operation) = (condition.loop_shape, condition.operation);
    if shape == LoopShape::Open && condition.rate_ops_per_second.is_none() {
        return level("loop", shape.to_string(), "the condition does not tell the rate");
    }
    if operation == Operation::Mixed && condition.write_fraction.is_none() {
        let why = "the condition does not tell the share of writes";
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
