//! How long a side of a run waits for what the other says next. The other lives: its heartbeats are
//! watched, so these bound one that lives and says nothing.

use std::time::Duration;

use onesided_results::RunConfiguration;

/// Longest wait for one answer. Ours: registering and touching the largest region that fits a machine
/// takes seconds, connecting thousands of queue pairs too.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Longest that a session may be idle between two runs. Ours: it holds no memory then.
pub(crate) const IDLE_WITHIN: Duration = Duration::from_secs(24 * 3600);

/// Longest wait for the end of a run that begins now.
pub(crate) fn end_within(configuration: &RunConfiguration) -> Duration {
    let run_ms = configuration.warm_up_ms.saturating_add(configuration.duration_ms);
    ANSWER_WITHIN.saturating_add(Duration::from_millis(run_ms))
}
