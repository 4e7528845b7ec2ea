//! The flags of what clients do and where memory is.

use std::time::Duration;

use clap::Args;
use onesided_results::{
    RunConfiguration,
    vocabulary::{AddressPattern, Arrivals, CompletionQueues, LoopShape, Operation, SlotLayout},
};

use super::word;
use crate::arguments::{bytes, duration, profile_name};

/// What clients do, and where memory is.
#[derive(Args, Clone, Debug)]
#[group(id = "ClientFactors", multiple = true, conflicts_with = "table")]
pub(super) struct ClientFactors {
    /// Name of the run [default: adhoc and the time]
    #[arg(long, help_heading = "Run")]
    run_id: Option<String>,
    /// Name of the hardware profile that results are filed under [default: unnamed]
    #[arg(long, value_parser = profile_name, help_heading = "Run")]
    profile: Option<String>,
    /// Seed of everything random in the run [default: 1]
    #[arg(long, help_heading = "Run")]
    seed: Option<u64>,

    /// read, write, write-with-immediate, mixed, compare-and-swap or fetch-and-add [default: read]
    #[arg(long, value_parser = word::<Operation>, help_heading = "Operation")]
    operation: Option<Operation>,
    /// Share of writes of mixed operations, 0 to 1
    #[arg(long, value_name = "FRACTION", help_heading = "Operation")]
    write_fraction: Option<f64>,
    /// Bytes of each access [default: 8]
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Operation")]
    access: Option<u64>,
    /// own-slot, sequential, uniform or zipf [default: own-slot]
    #[arg(long, value_parser = word::<AddressPattern>, help_heading = "Operation")]
    address_pattern: Option<AddressPattern>,
    /// packed (as published: neighbours share cache lines), padded or unaligned [default: packed]
    #[arg(long, value_parser = word::<SlotLayout>, help_heading = "Operation")]
    slot_layout: Option<SlotLayout>,
    /// Memory that sequential, uniform and zipf range over
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Operation")]
    working_set: Option<u64>,
    /// Skew of zipf; 0.99 in YCSB
    #[arg(long, value_name = "EXPONENT", help_heading = "Operation")]
    zipf_exponent: Option<f64>,

    /// closed, saturating, open or ping-pong [default: closed]
    #[arg(long = "loop", value_parser = word::<LoopShape>, help_heading = "Load")]
    loop_shape: Option<LoopShape>,
    /// Requests outstanding on a queue pair [default: 1 closed, the queue's depth else]
    #[arg(long, value_name = "REQUESTS", help_heading = "Load")]
    window: Option<u32>,
    /// Pause after a completion in a closed loop [default: 0ns]
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Load")]
    think_time: Option<Duration>,
    /// fixed or poisson arrivals of an open loop [default: poisson]
    #[arg(long, value_parser = word::<Arrivals>, help_heading = "Load")]
    arrivals: Option<Arrivals>,
    /// Arrivals per second of an open loop, over all queue pairs
    #[arg(long, value_name = "PER_SECOND", help_heading = "Load")]
    rate: Option<f64>,
    /// Time before the recording begins [default: 200ms]
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Load")]
    warm_up: Option<Duration>,
    /// Time that is recorded, a multiple of the counting window [default: 2s]
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Load")]
    duration: Option<Duration>,
    /// Length of a counting window [default: 10ms]
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Load")]
    counting_window: Option<Duration>,
    /// End a queue pair after so many operations, or with the time
    #[arg(long, value_name = "NUMBER", help_heading = "Load")]
    operations_per_queue_pair: Option<u64>,

    /// Queue pairs [default: 1]
    #[arg(long, value_name = "NUMBER", help_heading = "Queues")]
    queue_pairs: Option<u32>,
    /// Threads that drive them, neighbours together of all client hosts [default: 1]
    #[arg(long, value_name = "NUMBER", help_heading = "Queues")]
    threads: Option<u32>,
    /// Machines that take part, each with a share of the threads; those beside this one have run
    /// `onesided join` [default: 1]
    #[arg(long, value_name = "NUMBER", help_heading = "Queues")]
    client_hosts: Option<u32>,
    /// per-thread or per-queue-pair [default: per-thread]
    #[arg(long, value_parser = word::<CompletionQueues>, help_heading = "Queues")]
    completion_queues: Option<CompletionQueues>,
    /// Work requests that a send queue holds [default: 128]
    #[arg(long, value_name = "REQUESTS", help_heading = "Queues")]
    send_queue_depth: Option<u32>,
    /// Work requests behind one doorbell [default: 1]
    #[arg(long, value_name = "REQUESTS", help_heading = "Queues")]
    post_list: Option<u32>,
    /// One of so many work requests is signaled [default: 1]
    #[arg(long, value_name = "REQUESTS", help_heading = "Queues")]
    signal_every: Option<u32>,
    /// Writes up to this size are sent inline [default: none]
    #[arg(long, value_name = "BYTES", help_heading = "Queues")]
    inline: Option<u32>,

    /// Path MTU: 256, 512, 1024, 2048 or 4096 bytes [default: 1024]
    #[arg(long, value_name = "BYTES", help_heading = "Connection")]
    mtu: Option<u32>,
    /// Reads and atomics in flight on a queue pair; the devices may lower it [default: 16]
    #[arg(long, value_name = "NUMBER", help_heading = "Connection")]
    max_rd_atomic: Option<u8>,
    /// Acknowledgement timeout, 4.096 us x 2^this [default: 14, which is 67 ms]
    #[arg(long, value_name = "EXPONENT", help_heading = "Connection")]
    timeout_exponent: Option<u8>,
    /// Times an unanswered request is repeated, 0 to 6 [default: 6]
    #[arg(long, value_name = "NUMBER", help_heading = "Connection")]
    retry_count: Option<u8>,
    /// Times a request is repeated when the peer has no receive posted, 0 to 6 [default: 6]
    #[arg(long, value_name = "NUMBER", help_heading = "Connection")]
    rnr_retry: Option<u8>,
    /// Hop limit of routed packets [default: 64]
    #[arg(long, value_name = "HOPS", help_heading = "Connection")]
    hop_limit: Option<u8>,

    /// Memory that is accessed: any, a node's number, rdma-local or rdma-remote
    /// [default: rdma-local]
    #[arg(long, value_name = "PLACE", help_heading = "Placement")]
    server_region: Option<String>,
    /// The server's threads: as memory, shared:NODE (each on all CPUs of the node) or cpus:LIST
    /// [default: any]
    #[arg(long, value_name = "PLACE", help_heading = "Placement")]
    server_threads: Option<String>,
    /// The rings of the server's queue pairs [default: any]
    #[arg(long, value_name = "PLACE", help_heading = "Placement")]
    server_rings: Option<String>,
    /// The client's buffers [default: any]
    #[arg(long, value_name = "PLACE", help_heading = "Placement")]
    client_buffers: Option<String>,
    /// The client's threads: as memory, shared:NODE (each on all CPUs of the node) or cpus:LIST
    /// [default: any]
    #[arg(long, value_name = "PLACE", help_heading = "Placement")]
    client_threads: Option<String>,
    /// The rings of the client's queue pairs [default: any]
    #[arg(long, value_name = "PLACE", help_heading = "Placement")]
    client_rings: Option<String>,
}

impl ClientFactors {
    /// Sets what was given, and what follows from it where it was not.
    pub(super) fn set(&self, run: &mut RunConfiguration) -> anyhow::Result<()> {
        set!(run from self: run_id = run_id, profile = profile, seed = seed,
            operation = operation, write_fraction = write_fraction,
            address_pattern = address_pattern, slot_layout = slot_layout,
            working_set_bytes = working_set, zipf_exponent = zipf_exponent,
            loop_shape = loop_shape, operations_per_queue_pair = operations_per_queue_pair,
            queue_pairs = queue_pairs, client_hosts = client_hosts,
            completion_queues = completion_queues,
            send_queue_depth = send_queue_depth, post_list = post_list,
            signal_every = signal_every, inline_bytes = inline, mtu_bytes = mtu,
            max_rd_atomic = max_rd_atomic, timeout_exponent = timeout_exponent,
            retry_count = retry_count, rnr_retry = rnr_retry, hop_limit = hop_limit,
            server_region = server_region, server_threads = server_threads,
            server_rings = server_rings, client_buffers = client_buffers,
            client_threads = client_threads, client_rings = client_rings);
        if let Some(access) = self.access {
            run.access_bytes = u32::try_from(access).unwrap_or(u32::MAX);
        }
        run.threads = self.threads.unwrap_or(match run.loop_shape {
            LoopShape::PingPong => run.queue_pairs,
            _ => 1,
        });
        run.window = self.window.unwrap_or(match run.loop_shape {
            LoopShape::Closed | LoopShape::PingPong => run.post_list,
            LoopShape::Saturating | LoopShape::Open => run.send_queue_depth,
        });
        if run.loop_shape == LoopShape::Open {
            run.arrivals = Some(self.arrivals.unwrap_or(Arrivals::Poisson));
        } else {
            run.arrivals = self.arrivals;
        }
        run.rate_ops_per_second = self.rate;
        self.set_times(run)
    }

    fn set_times(&self, run: &mut RunConfiguration) -> anyhow::Result<()> {
        let whole = |duration: Duration| duration.subsec_nanos().is_multiple_of(1_000_000);
        for (flag, value, field) in [
            ("--warm-up", self.warm_up, &mut run.warm_up_ms),
            ("--duration", self.duration, &mut run.duration_ms),
            ("--counting-window", self.counting_window, &mut run.window_ms),
        ] {
            let Some(value) = value else { continue };
            anyhow::ensure!(whole(value), "{flag} {value:?} is not a whole number of milliseconds");
            *field = value.as_millis() as u64;
        }
        if let Some(think_time) = self.think_time {
            run.think_time_ns = think_time.as_nanos() as u64;
        }
        Ok(())
    }
}
