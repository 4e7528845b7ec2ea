//! Which conditions are fitted to, and which are held out to judge.

use std::fmt;

use onesided_load::SplitMix64;
use onesided_results::{
    row::ConditionRow,
    vocabulary::{CodeGeneration, Ddio},
};

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

impl fmt::Display for Split {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DesignPoints { seed, held_out } => {
                write!(formatter, "{:.0} % of the design points, seed {seed}", held_out * 100.0)
            }
            Self::Experiments(names) => write!(formatter, "experiments {}", names.join(" ")),
            Self::All => formatter.write_str("everything"),
        }
    }
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
    // Only where it is off, so that the draw of all others does not depend on it.
    let ddio = if condition.ddio == Ddio::Off { " ddio off" } else { "" };
    // The first program's campaigns tell nothing that `ddio` and the experiments do not: the draw is that of
    // a time when they were not known.
    let is_first = condition.code_generation == Some(CodeGeneration::V1);
    let campaign = condition.campaign.filter(|_| !is_first);
    format!(
        "{} {:?} {:?} {} {:?} {} {:?} {} {:?} {} {:?} {:?} {:?} {:?} {:?} {:?}{ddio}",
        condition.profile,
        condition.code_generation,
        campaign,
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

/// A short name of a design point: 8 hexadecimal digits.
pub(crate) fn design_point_name(condition: &ConditionRow) -> String {
    let mut state = 0;
    for byte in design_point(condition).bytes() {
        state = SplitMix64::new(state ^ u64::from(byte)).next_bits();
    }
    format!("{:08x}", state >> 32)
}

#[cfg(test)]
mod tests {
    use onesided_results::vocabulary::{Campaign, Locality};

    use super::*;
    use crate::standing::any;

    fn drawn(seed: u64, held_out: f64) -> Vec<bool> {
        let split = Split::DesignPoints { seed, held_out };
        let of = |queue_pairs| {
            let condition = ConditionRow { queue_pairs, ..any_once() };
            split.holds_out(&condition)
        };
        (1..400).map(of).collect()
    }

    fn any_once() -> ConditionRow {
        static ANY: std::sync::OnceLock<ConditionRow> = std::sync::OnceLock::new();
        ANY.get_or_init(any).clone()
    }

    #[test]
    fn both_localities_of_a_point_are_on_one_side() {
        let split = Split::DesignPoints { seed: 5, held_out: 0.5 };
        for queue_pairs in 1..100 {
            let near = ConditionRow {
                queue_pairs,
                locality: Some(Locality::RdmaLocal),
                client_locality: Some(Locality::RdmaLocal),
                ..any_once()
            };
            let far = ConditionRow {
                locality: Some(Locality::RdmaRemote),
                client_locality: Some(Locality::RdmaRemote),
                ..near.clone()
            };
            assert_eq!(split.holds_out(&near), split.holds_out(&far));
        }
    }

    #[test]
    fn about_the_share_is_held_out_and_another_seed_holds_out_others() {
        let share = |drawn: &[bool]| drawn.iter().filter(|out| **out).count() as f64 / 399.0;
        assert!((share(&drawn(1, 0.3)) - 0.3).abs() < 0.08, "{}", share(&drawn(1, 0.3)));
        assert_eq!((share(&drawn(1, 0.0)), share(&drawn(1, 1.0))), (0.0, 1.0));
        assert_eq!(drawn(1, 0.5), drawn(1, 0.5));
        assert_ne!(drawn(1, 0.5), drawn(2, 0.5));
    }

    /// A campaign that is inferred later moves no condition of the first program to the other side.
    #[test]
    fn campaigns_enter_the_draw_of_the_second_program_alone() {
        let names = |code_generation, campaign| {
            let condition =
                ConditionRow { code_generation: Some(code_generation), campaign, ..any_once() };
            design_point_name(&condition)
        };
        let (first, second) = (CodeGeneration::V1, CodeGeneration::V2);
        assert_eq!(names(first, None), names(first, Some(Campaign::A)));
        assert_eq!(names(first, None), names(first, Some(Campaign::B)));
        assert_ne!(names(second, None), names(second, Some(Campaign::A)));
        assert_ne!(names(second, Some(Campaign::B)), names(second, Some(Campaign::A)));
    }

    #[test]
    fn an_experiment_is_held_out_by_its_whole_name() {
        let condition =
            ConditionRow { experiments: "workers write-ratio".to_owned(), ..any_once() };
        let holds = |name: &str| Split::Experiments(vec![name.to_owned()]).holds_out(&condition);
        assert!(holds("workers") && holds("write-ratio") && !holds("write"));
    }
}
