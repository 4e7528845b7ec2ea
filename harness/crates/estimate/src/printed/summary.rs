//! What each client's own lines say.

use super::{Clock, EPOCH_NS, PrintedRate};
use crate::bootstrap::ratio;

/// Sums over one client's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientSummary {
    /// Lines.
    pub lines: usize,
    /// Sum of the rates, in millionths of operations per second.
    pub micro_ops: u128,
    /// Sum of rate by length of epoch on the recovered clock, in the same by epochs.
    pub micro_ops_epochs: u128,
    /// Start of the first epoch with an operation, in epochs.
    pub first_active: Option<u32>,
    /// End of the last epoch, in epochs.
    pub end: u32,
}

impl ClientSummary {
    /// Of each of `clients` clients.
    pub fn of(rates: &[PrintedRate], clock: &Clock, clients: usize) -> Vec<Self> {
        let mut all = vec![Self::default(); clients];
        for (rate, span) in rates.iter().zip(clock.spans()) {
            let own = &mut all[rate.client as usize];
            own.end = span.end;
            own.lines += 1;
            own.micro_ops += u128::from(rate.micro_ops);
            own.micro_ops_epochs += u128::from(rate.micro_ops) * u128::from(span.length());
            if rate.micro_ops > 0 {
                own.first_active.get_or_insert(span.start);
            }
        }
        all
    }

    /// Mean of the printed rates, operations per second; absent without a line.
    pub fn mean_ops(&self) -> Option<f64> {
        (self.lines > 0).then(|| ratio(self.micro_ops, self.lines) / 1e6)
    }

    /// Operations that the lines add up to on the recovered clock.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a sum of printed rates, six digits of them kept"
    )]
    pub fn operations(&self) -> f64 {
        self.micro_ops_epochs as f64 / 1e6 * (EPOCH_NS as f64 / 1e9)
    }
}
