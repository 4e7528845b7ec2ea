//! Counts of queue pairs on their way from one client host to another's record.

use onesided_control::message::CountedQueuePair;
use onesided_measure::{
    Bucket, LatencyCounts, MergeError, QueuePairCounts, RunCounts, ThreadCounts,
};

/// Every queue pair of `counts`, as it is sent.
pub(crate) fn sent(counts: &RunCounts) -> impl Iterator<Item = CountedQueuePair> {
    counts.queue_pairs().map(|(queue_pair, counts)| {
        let latency = &counts.latency;
        let triple = |bucket: &Bucket| (bucket.lowest_ns, bucket.highest_ns, bucket.count);
        CountedQueuePair {
            queue_pair: queue_pair as u32,
            windows: counts.windows.clone(),
            before_start: counts.before_start,
            after_end: counts.after_end,
            buckets: latency.buckets.iter().map(triple).collect(),
            samples: latency.samples,
            saturated: latency.saturated,
            min_ns: latency.min_ns,
            max_ns: latency.max_ns,
            sum_ns: latency.sum_ns,
            sum_of_squares_ns2: latency.sum_of_squares_ns2,
        }
    })
}

/// Adds a queue pair that came from another client host.
///
/// # Errors
/// When it does not fit the run, or is there already.
pub(crate) fn add(counts: &mut RunCounts, came: CountedQueuePair) -> Result<(), MergeError> {
    let bucket = |(lowest_ns, highest_ns, count)| Bucket { lowest_ns, highest_ns, count };
    let queue_pair = QueuePairCounts {
        windows: came.windows,
        before_start: came.before_start,
        after_end: came.after_end,
        latency: LatencyCounts {
            buckets: came.buckets.into_iter().map(bucket).collect(),
            samples: came.samples,
            saturated: came.saturated,
            min_ns: came.min_ns,
            max_ns: came.max_ns,
            sum_ns: came.sum_ns,
            sum_of_squares_ns2: came.sum_of_squares_ns2,
        },
    };
    let (t0, window_ns) = (onesided_measure::Ticks(0), counts.window_ns());
    let thread = ThreadCounts { t0, window_ns, queue_pairs: vec![queue_pair] };
    counts.add(thread, &[came.queue_pair as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(windows: Vec<u64>) -> QueuePairCounts {
        let bucket = Bucket { lowest_ns: 5, highest_ns: 6, count: 9 };
        let latency = LatencyCounts {
            buckets: vec![bucket],
            samples: 9,
            saturated: 1,
            min_ns: Some(5),
            max_ns: Some(77),
            sum_ns: 50,
            sum_of_squares_ns2: 2500,
        };
        QueuePairCounts { windows, before_start: 1, after_end: 2, latency }
    }

    fn run(first: usize, queue_pairs: Vec<QueuePairCounts>) -> RunCounts {
        let mut run = RunCounts::new(10, 2);
        let numbers: Vec<_> = (first..first + queue_pairs.len()).collect();
        let t0 = onesided_measure::Ticks(3);
        run.add(ThreadCounts { t0, window_ns: 10, queue_pairs }, &numbers).unwrap();
        run
    }

    #[test]
    fn what_one_host_counted_arrives_whole_at_another() {
        let (mut own, theirs) =
            (run(0, vec![counts(vec![1, 2])]), run(1, vec![counts(vec![3, 4])]));
        for queue_pair in sent(&theirs) {
            add(&mut own, queue_pair).unwrap();
        }
        assert_eq!(own.windows(), [4, 6]);
        assert_eq!(own.queue_pairs().nth(1).unwrap(), (1, &counts(vec![3, 4])));
        let again = sent(&theirs).next().unwrap();
        assert_eq!(add(&mut own, again), Err(MergeError::CountedTwice { queue_pair: 1 }));
    }
}
