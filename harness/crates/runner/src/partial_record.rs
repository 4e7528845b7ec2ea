//! A record that grows while a run goes on.

use std::time::Instant;

use onesided_control::message::{LoadSeries, Verification};
use onesided_results::{
    Doubt, RunConfiguration,
    record::{
        ClientClockRecord, DoubtRecord, FurtherClientRecord, NegotiatedRecord, PhaseTiming,
        RunTotals, SideRecord, VerificationRecord,
    },
    vocabulary::{Phase, Side},
};
use onesided_transport::Negotiated;

use crate::error::RunError;

/// The parts of a record, as far as a run came.
#[derive(Default)]
pub(crate) struct PartialRecord {
    pub phases: Vec<PhaseTiming>,
    pub negotiated: Option<NegotiatedRecord>,
    pub client: Option<SideRecord>,
    pub server: Option<SideRecord>,
    pub totals: Option<RunTotals>,
    pub drift_ppm: Option<f64>,
    pub verification: Vec<VerificationRecord>,
    pub doubts: Vec<Doubt>,
    pub further_clients: Vec<FurtherClientRecord>,
    pub further_doubts: Vec<DoubtRecord>,
    pub client_clocks: Vec<ClientClockRecord>,
    pub load: Vec<LoadSeries>,
}

impl PartialRecord {
    /// Takes down what both sides agreed on.
    pub(crate) fn note_negotiated(
        &mut self,
        configuration: &RunConfiguration,
        negotiated: Negotiated,
    ) {
        self.negotiated = Some(NegotiatedRecord {
            mtu_bytes: negotiated.path_mtu.bytes(),
            max_rd_atomic: negotiated.max_rd_atomic,
        });
        let (asked, agreed) = (configuration.max_rd_atomic, negotiated.max_rd_atomic);
        if agreed < asked {
            self.doubts.push(Doubt::MaxRdAtomicLowered { asked, agreed });
        }
    }

    /// Takes down what a comparison of content said.
    pub(crate) fn verify(&mut self, side: Side, verification: Verification) {
        match verification {
            Verification::Checked(record) => {
                if record.mismatched > 0 {
                    let found = record.first_mismatch.clone().unwrap_or_default();
                    let what = format!("{side}: not so: {}: {found}", record.what);
                    self.doubts.push(Doubt::ContentWrong { what });
                }
                self.verification.push(record);
            }
            // That a client's buffer is not changed by writes is nothing to doubt.
            Verification::NotApplicable { why } => {
                if side == Side::Server {
                    self.doubts.push(Doubt::ContentUnverified { why });
                }
            }
        }
    }

    /// Does one phase and notes how long it took, also when it fails.
    pub(crate) fn phase<R>(
        &mut self,
        phase: Phase,
        body: impl FnOnce(&mut Self) -> Result<R, RunError>,
    ) -> Result<R, RunError> {
        let began = Instant::now();
        let result = body(self);
        let took_ms = began.elapsed().as_secs_f64() * 1e3;
        self.phases.push(PhaseTiming { phase, took_ms });
        result
    }
}
