//! Losses on purpose (`--drop-every`): how many they are, both sides and the record say.

use std::num::NonZeroU32;

use onesided_results::{RunRecord, record::SideRecord};

use crate::{
    program::{Place, ended},
    runs::valid_where,
};

/// By how much a counter of a side's device rose in the run.
fn rise(side: &Option<SideRecord>, name: &str) -> u64 {
    let counters = &side.as_ref().expect("both ends are known").counters;
    counters.after[name] - counters.before[name]
}

/// Messages that were sent, those that arrived, and those that the sender lost on purpose.
fn messages(record: &RunRecord) -> (u64, u64, u64) {
    let totals = record.totals.as_ref().expect("it measured");
    let received = totals.messages_received.expect("counted over an unreliable service");
    (totals.completions, received, rise(&record.client, "requester_lost"))
}

/// Whether all messages that were not lost on purpose found a receive request.
fn only_those(record: &RunRecord) -> bool {
    let (sent, received, lost) = messages(record);
    sent == received + lost
}

fn is_doubted(record: &RunRecord) -> bool {
    has_doubt(record, "messages-lost")
}

fn has_doubt(record: &RunRecord, name: &str) -> bool {
    record.doubts.iter().any(|doubt| doubt.doubt == name)
}

/// A run whose messages are each one packet, so that the server's device counts what it drops as messages.
fn run(service: &str, think_time: &str, every: u32, has: impl Fn(&RunRecord) -> bool) -> RunRecord {
    let place = Place::new();
    let server = place.serve("");
    let sends = format!("--operation send --service {service} --think-time {think_time}");
    let asked = format!("{sends} --drop-every {every}");
    let record = valid_where(&place, &server, &asked, |record| only_those(record) && has(record));
    let (sent, received, lost) = messages(&record);
    assert_eq!(sent, received + rise(&record.server, "responder_dropped"), "{service}");
    assert_eq!((sent - received, lost), (lost, sent / u64::from(every)), "{service}");
    let told = |side: &Option<SideRecord>| {
        side.as_ref().and_then(|side| side.device.as_ref()).expect("a device").fabric_drop_every
    };
    assert!(!has_doubt(&record, "strangers"), "{service}: {:?}", record.doubts);
    let sides = (told(&record.client), told(&record.server));
    assert_eq!(sides, (NonZeroU32::new(every), None), "{service}");
    record
}

#[test]
fn one_of_ten_messages_lost_on_purpose_is_counted_and_doubted() {
    for service in ["uc", "ud"] {
        let record = run(service, "1ms", 10, |record| messages(record).2 > 0);
        assert!(is_doubted(&record), "{service}: {:?}", record.doubts);
    }
}

#[test]
fn one_of_a_thousand_is_counted_and_not_doubted() {
    for service in ["uc", "ud"] {
        let record = run(service, "50us", 1_000, |record| messages(record).2 > 0);
        assert!(!is_doubted(&record), "{service}: {:?}", record.doubts);
    }
}

#[test]
fn a_reliable_service_loses_nothing() {
    let place = Place::new();
    let server = place.serve("--drop-every 2");
    let record = valid_where(&place, &server, "--operation send --drop-every 2", |_| true);
    for side in [&record.client, &record.server] {
        let counted = ["requester_lost", "responder_dropped"].map(|name| rise(side, name));
        assert_eq!(counted, [0, 0], "{side:?}");
    }
}

/// The answer is lost, not the message: the flag is of the side that has it.
#[test]
fn a_server_that_loses_its_answers_ends_a_ping_pong_that_says_what_may_be() {
    let place = Place::new();
    let server = place.serve("--drop-every 3");
    let times = "--warm-up 20ms --duration 100ms --retry-count 0 --timeout-exponent 1";
    let asked = format!("{times} --operation send --service ud --loop ping-pong");
    let run = ended(&mut place.client(&server, &asked));
    assert_eq!(run.status, Some(2), "{run:#?}");
    let due = "an unreliable service may have lost the message";
    assert!(run.stderr.contains(due), "{}", run.stderr);
}

#[test]
fn losses_that_cannot_be_are_refused_with_what_to_do() {
    let place = Place::new();
    for (arguments, due) in [
        (
            ["run", "--drop-every", "10"],
            "--drop-every is of the emulated fabric: add --back-end rmc",
        ),
        (
            ["serve", "--drop-every", "10"],
            "--drop-every is of the emulated fabric: add --back-end rmc",
        ),
        (["run", "--drop-every", "0"], "it is 1 to 4294967295: leave it out to lose none"),
        (["run", "--drop-every", "x"], "it is 1 to 4294967295: leave it out to lose none"),
    ] {
        let refused = ended(place.plain().args(arguments));
        assert_eq!(refused.status, Some(2), "{arguments:?}: {refused:#?}");
        assert!(refused.stderr.contains(due), "{arguments:?}: {}", refused.stderr);
    }
}
