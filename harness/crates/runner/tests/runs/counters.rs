//! What devices count around a run, and what is told where they count nothing.

use onesided_conformance::reference::{Fabric, ReferenceTransport};
use onesided_results::{RunRecord, record::SideRecord};

use crate::{
    evidence::{has_doubt, sound},
    session::{devices, patient, session, short},
};

/// A sound run between two devices that were changed.
fn run_between(change: impl Fn(ReferenceTransport) -> ReferenceTransport) -> RunRecord {
    let (client, server) = devices(Fabric::right());
    let (client, server) = (change(client), change(server));
    let run = |session: crate::session::Session<'_, _>| session.run_soundly(&short());
    let result = session((&client, &server), &patient(), |direct| direct, run).0;
    sound(&result);
    result.record
}

fn sides(record: &RunRecord) -> [&SideRecord; 2] {
    [&record.client, &record.server].map(|side| side.as_ref().expect("both ends are known"))
}

#[test]
fn a_counter_of_lost_packets_that_rises_is_recorded_and_doubted_on_both_sides() {
    let name = "hw_counters/completer_retry_err";
    let record = run_between(|device| device.counting(name));
    for side in sides(&record) {
        let counters = &side.counters;
        assert!(counters.after[name] > counters.before[name], "{counters:?}");
        assert_eq!(counters.port_state_after.as_deref(), Some("active"));
    }
    let doubts: Vec<_> =
        record.doubts.iter().filter(|doubt| doubt.doubt == "link-trouble").collect();
    assert_eq!(doubts.len(), 2, "{:?}", record.doubts);
    let told = "device counters of the client rose: hw_counters/completer_retry_err by 1";
    assert!(doubts[0].explanation.ends_with(told), "{}", doubts[0].explanation);
}

#[test]
fn a_counter_of_packets_is_recorded_and_raises_no_doubt() {
    let record = run_between(|device| device.counting("hw_counters/sent_pkts"));
    for side in sides(&record) {
        let [before, after] =
            [&side.counters.before, &side.counters.after].map(|told| told["hw_counters/sent_pkts"]);
        // On a busy host the run may have been done again, which counts on.
        assert_eq!(after - before, 1);
    }
    assert!(!has_doubt(&record, "link-trouble"), "{:?}", record.doubts);
}

#[test]
fn a_device_without_counters_says_so_once() {
    let record = run_between(|device| device);
    let due = "counters of reference0: not available, because the reference keeps none";
    for side in sides(&record) {
        assert!(!side.counters.after.contains_key("requests"));
        let told = side.counters.notes.iter().filter(|note| *note == due);
        assert_eq!(told.count(), 1, "{:?}", side.counters.notes);
    }
}
