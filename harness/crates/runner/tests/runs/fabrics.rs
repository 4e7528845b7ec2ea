//! Runs whose two ends share a fabric, right or wrong in one way.

use onesided_conformance::reference::{Defect, Fabric, ReferenceTransport};
use onesided_results::RunConfiguration;
use onesided_runner::RunResult;

use crate::session::{Session, devices, patient, session};

/// Plays `body` against a server on the same fabric.
pub fn session_on<R>(fabric: Fabric, body: impl FnOnce(Session<'_, ReferenceTransport>) -> R) -> R {
    let (client, server) = devices(fabric);
    session((&client, &server), &patient(), |direct| direct, body).0
}

/// Does one sound run on a fabric that keeps the contract.
pub fn run_rightly(configuration: &RunConfiguration) -> RunResult {
    session_on(Fabric::right(), |session| session.run_soundly(configuration))
}

/// Does one run on a fabric that breaks the contract in one way.
pub fn run_wrongly(defect: Defect, configuration: &RunConfiguration) -> RunResult {
    session_on(Fabric::wrong(defect), |session| session.run(configuration))
}
