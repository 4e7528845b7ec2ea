//! `onesided simulate`, the real program: what it writes is what other back ends write, follows from
//! table and profile alone, and what the model does not cover is refused by name.

mod golden;
mod outbound;
mod place;
mod records;
mod refusals;
mod resuming;
mod studies;

use onesided_results::{RunConfiguration, vocabulary::Operation};

/// A run of 20 ms after 1 ms: one queue pair that reads 8 bytes.
fn run(order: u32) -> RunConfiguration {
    RunConfiguration {
        run_id: format!("run-{order}"),
        experiment: "by-hand".to_owned(),
        profile: place::PROFILE.to_owned(),
        order,
        warm_up_ms: 1,
        duration_ms: 20,
        server_region: "rdma-local".to_owned(),
        client_threads: "rdma-local".to_owned(),
        client_buffers: "rdma-local".to_owned(),
        ..RunConfiguration::default()
    }
}

/// A few runs of different kinds.
fn runs() -> Vec<RunConfiguration> {
    use onesided_results::vocabulary::*;
    vec![
        run(1),
        RunConfiguration {
            operation: Operation::Mixed,
            write_fraction: Some(0.5),
            queue_pairs: 3,
            threads: 2,
            window: 4,
            client_hosts: 2,
            loop_shape: LoopShape::Saturating,
            address_pattern: AddressPattern::Zipf,
            zipf_exponent: Some(0.99),
            working_set_bytes: Some(4096),
            ..run(2)
        },
        RunConfiguration {
            operation: Operation::Write,
            loop_shape: LoopShape::Open,
            arrivals: Some(Arrivals::Poisson),
            rate_ops_per_second: Some(1e5),
            window: 8,
            server_region: "rdma-remote".to_owned(),
            ..run(3)
        },
        RunConfiguration {
            operation: Operation::FetchAndAdd,
            queue_pairs: 2,
            workers: 2,
            worker_threads: "shared:rdma-local".to_owned(),
            worker_operation: WorkerOperation::Write,
            worker_pattern: Some(WorkerPattern::Uniform),
            worker_access_bytes: Some(8),
            ..run(4)
        },
        RunConfiguration {
            load_kind: LoadKind::Independent,
            load_process: Some(LoadProcess::InProcess),
            load_bytes: Some(1 << 30),
            load_thread_count: Some(4),
            load_threads: Some("any".to_owned()),
            load_memory: Some("rdma-local".to_owned()),
            load_write_fraction: Some(0.5),
            load_pattern: Some(LoadPattern::Uniform),
            operations_per_queue_pair: Some(18_000),
            ..run(5)
        },
    ]
}

/// A run that no model of receive queues is there for.
fn uncovered(order: u32) -> RunConfiguration {
    RunConfiguration { operation: Operation::WriteWithImmediate, ..run(order) }
}
