//! The tables of experiments on a fabric: remote reads, messages, PageRank.
//!
//! A published row is what a text states: of it all other columns are absent. Names of doubts are
//! separated by spaces, and absent if there are none: `crowded` (what should run at the same time
//! has fewer CPUs than threads), `content-differs` (what arrived is not what was sent, or ranks are
//! not those of the reference), `preempted` (a thread had no CPU for a tenth of its time or more),
//! `pages-misplaced` (memory is on another NUMA node than asked), and of all rows of a measurement
//! `another-measurement` (something else was measured on the machine meanwhile) and `cpu-stolen` (the hypervisor
//! took CPU time for a tenth of it or more).

use super::roles::table_row;
use crate::vocabulary::{
    FabricSides, GraphKind, MessageWay, Operation, PagerankVariant, ReadWay, Source,
};

table_row! {
    /// Remote reads of one size, or fetch-and-adds, between two nodes: a row of `fabric-reads.csv.gz`.
    FabricReadsRow in "fabric-reads.csv.gz", FABRIC;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// What carried the operations.
        back_end: String;
        /// The machine's profile.
        profile: String;
    }
    factor {
        /// How what was read got to who reads; absent where a text does not state it.
        read_way: Option<ReadWay>, since 7, label "Way of reads";
        /// Delay that the emulated fabric adds to each packet, of which an operation has two; absent
        /// where nothing emulates one.
        fabric_hop_ns: Option<u64>, label "Delay of a hop (ns)";
        /// Whether a hop takes as many tenths of that as the NUMA nodes are apart by firmware; absent as
        /// above.
        hop_by_distance: Option<bool>, since 5, label "Hop by distance";
        /// What was asked for.
        operation: Operation, label "Operation";
        /// Bytes of one operation; absent where a text does not state it.
        access_bytes: Option<u32>, label "Bytes per access";
        /// Who asked.
        sides: Option<FabricSides>, label "Sides that ask";
    }
    outcome {
        /// Time of one operation with nothing else of its side under way: the median of samples.
        latency_ns: Option<f64>, rules [NotNegative, AtLeast("latency_low_ns")];
        /// Lower quartile of the samples.
        latency_low_ns: Option<f64>, rules [NotNegative];
        /// Upper quartile of the samples.
        latency_high_ns: Option<f64>, rules [AtLeast("latency_low_ns"), AtLeast("latency_ns")];
        /// Operations per second of all sides with `window` of each under way: the median of windows, or of
        /// samples of direct reads.
        throughput_ops: Option<f64>, rules [NotNegative, AtLeast("throughput_low_ops")];
        /// Lower quartile of these.
        throughput_low_ops: Option<f64>, rules [NotNegative];
        /// Upper quartile of these.
        throughput_high_ops: Option<f64>, rules [AtLeast("throughput_low_ops"), AtLeast("throughput_ops")];
        /// Payload of `throughput_ops`, in 10^9 bits per second.
        bandwidth_gbit_per_s: Option<f64>, rules [NotNegative];
    }
    identity {
        /// Which repetition of everything, from 1.
        replicate: Option<u32>;
    }
    factor {
        /// Operations of a side under way for the throughput; absent of direct reads, of which a core has
        /// as many under way as it can.
        window: Option<u32>, label "Operations under way of a side";
        /// Threads of a node: with two, one asks and one answers; with one, it does both in turns;
        /// absent of direct reads, which nobody answers.
        threads_per_node: Option<u32>, since 6, label "Threads of a node";
    }
    outcome {
        /// Samples of the latency.
        latency_samples: Option<u64>;
        /// Operations that were counted, of both measurements and all sides.
        operations: Option<u64>;
        /// Time of a cache line to the other CPU and another back, on the first requester's and
        /// responder's CPUs and in the same replicate; absent where these are one.
        core_round_trip_ns: Option<f64>;
    }
    identity {
        /// CPU of each thread that asked.
        requester_cpus: Option<String>;
        /// Their NUMA nodes.
        requester_nodes: Option<String>;
        /// CPU of each thread that answered; of direct reads, that wrote what was read.
        responder_cpus: Option<String>;
        /// Their NUMA nodes.
        responder_nodes: Option<String>;
        /// NUMA nodes that the memory of either node was found on, of what it registered and of the
        /// fabric's own: several joined by `+`, `?` where the kernel did not say.
        memory_nodes: Option<String>, since 5;
    }
    factor {
        /// Bytes of each memory that operations went round in.
        buffer_bytes: Option<u64>, since 5, label "Bytes of a buffer";
    }
    outcome {
        /// Words that were not what they must be.
        differing_words: Option<u64>;
        /// Names of what makes the numbers doubtful.
        doubts: Option<String>;
    }
}

table_row! {
    /// Messages of one length between two ends: a row of `fabric-messages.csv.gz`.
    FabricMessagesRow in "fabric-messages.csv.gz", FABRIC;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// What carried the messages: a fabric's, or `tcp` for TCP on loopback.
        back_end: String;
        /// The machine's profile.
        profile: String;
    }
    factor {
        /// Delay that the emulated fabric adds to each packet; absent where nothing emulates one.
        fabric_hop_ns: Option<u64>, label "Delay of a hop (ns)";
        /// Whether a hop takes as many tenths of that as the NUMA nodes are apart by firmware; absent as
        /// above.
        hop_by_distance: Option<bool>, since 5, label "Hop by distance";
        /// How messages got to the receiver; absent over TCP.
        way: Option<MessageWay>, label "Way of messages";
        /// Length of a message; absent where a text does not state it.
        message_bytes: Option<u32>, label "Length of a message (B)";
        /// Length from which on messages were pulled; absent of `push` and `pull`.
        threshold_bytes: Option<u32>, label "Length from which messages are pulled (B)";
    }
    outcome {
        /// Half the time of a message there and one back: the median of samples.
        latency_ns: Option<f64>, rules [NotNegative, AtLeast("latency_low_ns")];
        /// Lower quartile of the samples; of what a text states, the bound that it is above.
        latency_low_ns: Option<f64>, rules [NotNegative];
        /// Upper quartile of the samples.
        latency_high_ns: Option<f64>, rules [AtLeast("latency_low_ns"), AtLeast("latency_ns")];
        /// Payload received in one direction, in 10^9 bits per second: the median of windows.
        bandwidth_gbit_per_s: Option<f64>, rules [NotNegative, AtLeast("bandwidth_low_gbit_per_s")];
        /// Lower quartile of the windows; of what a text states, the bound that it is above.
        bandwidth_low_gbit_per_s: Option<f64>, rules [NotNegative];
        /// Upper quartile of the windows; of what a text states, the bound that it is below.
        bandwidth_high_gbit_per_s: Option<f64>, rules [AtLeast("bandwidth_low_gbit_per_s"), AtLeast("bandwidth_gbit_per_s")];
    }
    identity {
        /// Which repetition of everything, from 1.
        replicate: Option<u32>;
    }
    factor {
        /// Threads that have the two ends: 1 has both, of one node, in turns; 2 have one each, of two
        /// nodes.
        threads: Option<u32>, label "Threads of the two ends";
    }
    outcome {
        /// Samples of the latency.
        latency_samples: Option<u64>;
        /// Messages that were received in all.
        messages: Option<u64>;
        /// Time of a cache line from the first thread's CPU to the CPU that answers it and another back, in
        /// the same replicate; absent where these are one, and over TCP, where nobody answers.
        core_round_trip_ns: Option<f64>;
    }
    identity {
        /// CPU of each thread.
        thread_cpus: Option<String>;
        /// Their NUMA nodes.
        thread_nodes: Option<String>;
        /// CPU of each thread that answered.
        responder_cpus: Option<String>;
        /// Their NUMA nodes.
        responder_nodes: Option<String>;
        /// NUMA nodes that the memory of each node was found on: several joined by `+`, `?` where the
        /// kernel did not say.
        memory_nodes: Option<String>, since 5;
    }
    outcome {
        /// Messages that were not what was sent.
        differing_messages: Option<u64>;
        /// Names of what makes the numbers doubtful.
        doubts: Option<String>;
    }
}

table_row! {
    /// PageRank by so many nodes: a row of `fabric-pagerank.csv.gz`.
    FabricPagerankRow in "fabric-pagerank.csv.gz", FABRIC;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// What carried the operations; of shared memory, what carried those it is compared with.
        back_end: String;
        /// The machine's profile.
        profile: String;
    }
    factor {
        /// Delay that the emulated fabric adds to each packet; absent where nothing emulates one.
        fabric_hop_ns: Option<u64>, label "Delay of a hop (ns)";
        /// Whether a hop takes as many tenths of that as the NUMA nodes are apart by firmware; absent as
        /// above.
        hop_by_distance: Option<bool>, since 5, label "Hop by distance";
        /// How a node had the ranks of others.
        variant: PagerankVariant, label "Variant of PageRank";
        /// Reads that a node has under way in the variant fine-grain; absent of others. Before version 8: 64.
        window: Option<u32>, since 8, label "Reads of a node under way";
        /// Nodes, each with one thread; of shared memory its threads.
        nodes: u32, label "Nodes";
    }
    outcome {
        /// Time of one superstep: the median over the supersteps.
        superstep_ns: Option<f64>, rules [NotNegative, AtLeast("superstep_low_ns")];
        /// Lower quartile.
        superstep_low_ns: Option<f64>, rules [NotNegative];
        /// Upper quartile.
        superstep_high_ns: Option<f64>, rules [AtLeast("superstep_low_ns"), AtLeast("superstep_ns")];
        /// A superstep of shared memory by one thread in the same replicate, over this one.
        speed_up: Option<f64>, rules [Positive];
        /// This superstep over one of shared memory by as many threads in the same replicate.
        to_shared_memory: Option<f64>, rules [Positive];
    }
    identity {
        /// Which repetition of everything, from 1.
        replicate: Option<u32>;
    }
    factor {
        /// Supersteps.
        supersteps: Option<u32>, label "Supersteps";
        /// Where the graph is from.
        graph: Option<GraphKind>, label "Graph";
        /// Vertices of the graph.
        vertices: Option<u64>, label "Vertices";
        /// Its directed edges.
        edges: Option<u64>, label "Edges";
        /// Of a drawn graph the logarithm of its vertices to base 2.
        scale: Option<u32>, label "Logarithm of the vertices";
    }
    identity {
        /// Of a drawn graph what it was drawn from.
        seed: Option<u64>;
    }
    outcome {
        /// Remote reads of all nodes and supersteps.
        remote_reads: Option<u64>;
        /// Half the sum of what ranks differ by from those of the reference, 0 to 1.
        total_variation: Option<f64>, rules [Within(0.0, 1.0)];
    }
    identity {
        /// CPU of each thread; absent where the system chose.
        thread_cpus: Option<String>;
        /// Their NUMA nodes.
        thread_nodes: Option<String>;
        /// NUMA nodes that the memory of each node was found on: several joined by `+`, `?` where the
        /// kernel did not say; absent of shared memory, which no node has.
        memory_nodes: Option<String>, since 5;
    }
    outcome {
        /// Names of what makes the numbers doubtful.
        doubts: Option<String>;
    }
}
