//! Which conditions are fitted to, and which are held out to judge.

use onesided_load::SplitMix64;
use onesided_results::row::ConditionRow;

/// A rule that holds conditions out.
#[derive(Clone, Debug, PartialEq)]
pub enum Split {
    /// A share of the design points, drawn by a seed. Both localities of a point are on one side,
    /// so that no point is predicted from its own twin.
    DesignPoints {
        /// Of the draw.
        seed: u64,
        /// Share that is held out, 0 to 1.
        held_out: f64,
    },
    /// All conditions of these experiments.
    Experiments(Vec<String>),
    /// All conditions.
    All,
}

impl Split {
    /// Whether a condition is held out.
    pub fn holds_out(&self, condition: &ConditionRow) -> bool {
        match self {
            Self::All => true,
            Self::Experiments(names) => {
                condition.experiments.split(' ').any(|one| names.iter().any(|name| name == one))
            }
            Self::DesignPoints { seed, held_out } => {
                let mut state = *seed;
                for byte in design_point(condition).bytes() {
                    state = SplitMix64::new(state ^ u64::from(byte)).next_bits();
                }
                (state >> 11) as f64 / (1_u64 << 53) as f64 <= *held_out
            }
        }
    }
}

/// What a condition and its twin on the other node have in common.
pub(crate) fn design_point(condition: &ConditionRow) -> String {
    format!(
        "{} {:?} {:?} {} {:?} {} {:?} {} {:?} {} {:?} {:?} {:?} {:?} {:?} {:?}",
        condition.profile,
        condition.code_generation,
        condition.campaign,
        condition.operation,
        condition.loop_shape,
        condition.queue_pairs,
        condition.threads,
        condition.access_bytes,
        condition.mtu_bytes,
        condition.workers,
        condition.worker_operation,
        condition.worker_write_fraction,
        condition.load_kind,
        condition.load_bytes,
        condition.load_node,
        condition.load_thread_count,
    )
}
