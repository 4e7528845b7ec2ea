//! The suite can pass, and each of its properties can fail.

use std::{collections::BTreeSet, sync::Arc};

use onesided_conformance::{
    Capability, Filter, Quirk, Report, Skipped, property_names,
    reference::{
        CAUGHT_BY, Defect, Fabric, ReferenceEndpoint, ReferenceFixture, ReferenceTransport,
    },
    run_suite_into, skip_suite,
};
use onesided_transport::Service;

fn run(fixture: ReferenceFixture, filter: &Filter) -> (Report, String) {
    let mut lines = Vec::new();
    let report = run_suite_into(&Arc::new(fixture), filter, &mut lines).unwrap();
    (report, String::from_utf8(lines).unwrap())
}

fn only(property: &str) -> Filter {
    Filter::Containing(property.to_owned())
}

#[test]
fn the_right_reference_passes_every_property() {
    let (report, lines) = run(ReferenceFixture::right(), &Filter::All);
    let passed: Vec<_> = property_names::<ReferenceFixture>();
    assert_eq!(report, Report { passed, ..Report::default() }, "{lines}");
}

/// A way between devices that does what the contract allows.
type Way = fn(Fabric) -> Fabric;

/// Ways that lose messages of unreliable services, or let them overtake each other, or both.
const WAYS: [(&str, Way); 6] = [
    ("one of 2 lost", |fabric| fabric.dropping(2)),
    ("one of 3 lost", |fabric| fabric.dropping(3)),
    ("one of 7 lost", |fabric| fabric.dropping(7)),
    ("a fifth lost", |fabric| fabric.losing(0.2, 1)),
    ("out of order", |fabric| fabric.reordering(1)),
    ("a fifth lost, out of order", |fabric| fabric.losing(0.2, 2).reordering(2)),
];

#[test]
fn a_way_that_loses_and_reorders_messages_of_unreliable_services_keeps_the_contract() {
    for (what, way) in WAYS {
        let (report, lines) = run(ReferenceFixture::with(way(Fabric::right())), &Filter::All);
        let arrival =
            |skipped: &Skipped| skipped.why.starts_with("no arrival of unreliable messages: ");
        let only_those = report.skipped.iter().all(arrival);
        assert!(report.failed.is_empty() && only_those, "{what}: {lines}");
    }
}

/// How the name ends of a property that holds of both kinds of connections, where they are unreliable.
const UNRELIABLY: &str = "_over_an_unreliable_connection";

/// Of a property whose 64 messages must all arrive, from 20 seeds: how often it holds where a share is lost, and
/// how often only at a later try. `say` has the fixture say what it says of losses.
fn held(share: f64, say: fn(ReferenceFixture) -> ReferenceFixture) -> (usize, usize) {
    let (mut held, mut later) = (0, 0);
    for seed in 0..20 {
        let fixture = say(ReferenceFixture::with(Fabric::right().losing(share, seed)));
        let (report, lines) = run(fixture, &only("sends_arrive_in_post_order"));
        assert!(report.passed.contains(&"sends_arrive_in_post_order"), "{lines}");
        if report.failed.is_empty() {
            held += 1;
            later += report.repeated.len();
            let number = report.repeated.first().map(|repeated| repeated.why.len() + 1);
            let said = number.is_none_or(|number| {
                lines.contains(&format!(", at try {number} of 3; the one before failed: only "))
            });
            assert!(said && lines.ends_with("2 passed, 0 failed, 0 skipped\n"), "{lines}");
        }
    }
    (held, later)
}

#[test]
fn a_property_with_few_lost_messages_mostly_passes_within_three_tries_and_with_many_never() {
    // At the first try one of 100 lost leaves 0.99^64 = 53 %, at one of three 89 %.
    let (few, later) = held(0.01, ReferenceFixture::losing_now_and_then);
    assert!(few >= 16 && later > 0, "{few}, {later} of them later");
    assert_eq!(held(0.2, ReferenceFixture::losing_now_and_then), (0, 0));
}

#[test]
fn a_property_with_few_lost_messages_is_tried_once_where_no_loss_is_said_to_happen() {
    let (few, later) = held(0.01, ReferenceFixture::hiding_losses);
    assert!((5..16).contains(&few) && later == 0, "{few}, {later} of them later");
}

/// Over unreliable connections each such property catches one at least of the mistakes that it is there for.
#[test]
fn each_wrong_reference_is_caught_by_the_property_that_is_there_for_it() {
    let (mut missed, mut caught) = (Vec::new(), BTreeSet::new());
    for &(defect, property) in CAUGHT_BY {
        let (report, _) = run(ReferenceFixture::wrong(defect), &only(property));
        if !report.failed.iter().any(|failed| failed.name == property) {
            missed.push((defect, property));
        }
        caught.extend(report.failed.iter().map(|failed| failed.name));
    }
    let is_never_caught = |name: &&str| name.ends_with(UNRELIABLY) && !caught.contains(name);
    let names = property_names::<ReferenceFixture>();
    let never: Vec<_> = names.into_iter().filter(is_never_caught).collect();
    assert!(never.is_empty(), "these catch nothing: {never:#?}");
    assert!(missed.is_empty(), "of {} these were missed: {missed:#?}", CAUGHT_BY.len());
}

/// Whether a way can hide a mistake from one run of the suite.
fn may_hide(what: &str, defect: Defect) -> bool {
    match defect {
        // Nobody is there to refuse what is lost, and what is late was reported as sent.
        Defect::RefusesUnreliableSendsWithoutReceive
        | Defect::RefusesUnreliableSendsToSharedReceivesRunDry
        | Defect::RefusesUnreliableWrites
        | Defect::RefusesDatagramsToNobody => true,
        // Of two neighbours that change places only one arrives.
        Defect::ReordersUnreliableSends => what == "one of 2 lost",
        _ => false,
    }
}

#[test]
fn losses_and_disorder_hide_no_mistake_that_shows_in_what_arrives() {
    let mut missed = Vec::new();
    for (what, way) in WAYS {
        for &(defect, property) in CAUGHT_BY {
            if may_hide(what, defect) {
                continue;
            }
            let (report, _) =
                run(ReferenceFixture::with(way(Fabric::wrong(defect))), &only(property));
            if !report.failed.iter().any(|failed| failed.name == property) {
                missed.push((what, defect, property));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn every_property_has_a_wrong_reference_that_it_catches() {
    let catching: BTreeSet<_> = CAUGHT_BY.iter().map(|&(_, property)| property).collect();
    let names = property_names::<ReferenceFixture>();
    let all: BTreeSet<_> =
        names.into_iter().map(|name| name.strip_suffix(UNRELIABLY).unwrap_or(name)).collect();
    assert_eq!(catching, all);
}

#[test]
fn property_names_are_distinct() {
    let names = property_names::<ReferenceFixture>();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
}

#[test]
fn a_call_that_never_returns_is_a_failure_and_the_suite_goes_on() {
    let filter = only("region");
    let (report, lines) = run(ReferenceFixture::wrong(Defect::Blocks), &filter);
    let blocked = report.failed.iter().filter(|failed| failed.why.contains("a call blocks"));
    assert!(blocked.count() >= 2, "{lines}");
    let told = "a_region_tells_peers_the_memory_that_was_registered";
    assert_eq!(report.passed, [told], "{lines}");
}

#[test]
fn a_panic_is_a_failure_that_says_what_it_said() {
    let filter = only("a_zero_length");
    let (report, lines) = run(ReferenceFixture::wrong(Defect::Panics), &filter);
    assert_eq!(report.failed[0].why, "panicked: the reference was told to panic", "{lines}");
}

#[test]
fn a_lacking_capability_skips_with_its_reason_and_is_never_green() {
    let fixture = ReferenceFixture::right().lacking(Capability::Atomics);
    let (report, lines) = run(fixture, &only("fetch_and_add"));
    assert_eq!((report.passed.len(), report.failed.len(), report.skipped.len()), (0, 0, 3));
    let why = "SKIPPED fetch_and_adds_of_many_queue_pairs_lose_nothing: \
               no atomics: it was told to lack it\n";
    assert!(lines.contains(why), "{lines}");
    assert!(lines.ends_with("0 passed, 0 failed, 3 skipped\n"), "{lines}");
}

#[test]
fn the_suite_holds_without_the_optional_capabilities() {
    for capability in [
        Capability::Atomics,
        Capability::Inline,
        Capability::Threads,
        Capability::PeerLoss,
        Capability::UnreliableArrival,
        Capability::WriteWithImmediate,
        Capability::Send,
        Capability::UnreliableConnection,
        Capability::UnreliableDatagram,
        Capability::DatagramsToSeveralDevices,
        Capability::SharedReceives,
        Capability::SharedReceivesOfUnreliableConnections,
        Capability::SharedReceivesOfDatagrams,
    ] {
        let fixture = ReferenceFixture::right().lacking(capability);
        let (report, lines) = run(fixture, &Filter::All);
        assert!(report.failed.is_empty() && !report.skipped.is_empty(), "{capability}:\n{lines}");
    }
}

#[test]
fn what_a_device_says_of_services_decides_which_properties_are_skipped() {
    let fixture = ReferenceFixture::right().offering(&[Service::ReliableConnection]);
    let (report, lines) = run(fixture, &Filter::All);
    assert!(report.failed.is_empty(), "{lines}");
    for (skipped, lacking) in [
        ("a_write_over_an_unreliable_connection_arrives_whole", "no unreliable connections"),
        ("datagrams_arrive_whole_and_at_most_once", "no unreliable datagrams"),
    ] {
        assert!(report.skipped.iter().any(|found| found.name == skipped), "{lines}");
        assert!(lines.contains(&format!("SKIPPED {skipped}: {lacking}: ")), "{lines}");
    }
    assert!(lines.contains("it has those of: rc\n"), "{lines}");
    let named = "a_device_makes_queue_pairs_of_the_services_that_it_names";
    assert!(report.passed.contains(&named), "{lines}");
}

#[test]
fn what_a_device_says_of_shared_receive_queues_decides_which_properties_are_skipped() {
    let fixture = ReferenceFixture::right().sharing(&[Service::UnreliableDatagram]);
    let (report, lines) = run(fixture, &only("shared_receive_queue"));
    let (passed, skipped) = (report.passed.len(), report.skipped.len());
    assert_eq!((passed, report.failed.len(), skipped), (1, 0, 13), "{lines}");
    let why = "SKIPPED an_unreliable_send_to_a_shared_receive_queue_run_dry_is_dropped_in_silence: \
               no shared receive queues of unreliable connections: queue pairs of the service uc cannot \
               share a receive queue on reference0; those that can: ud\n";
    assert!(lines.contains(why), "{lines}");
    let (report, lines) = run(ReferenceFixture::right().sharing(&[]), &only("receive_queue"));
    let named = "a_device_shares_receive_queues_of_the_services_that_it_names";
    assert!(report.failed.is_empty() && report.passed.contains(&named), "{lines}");
    assert!(lines.contains("those that can: none\n"), "{lines}");
}

#[test]
fn a_quirk_skips_its_property_and_not_the_same_over_the_other_kind_of_connections() {
    let property = "a_zero_length_write_and_read_succeed_and_touch_nothing";
    let quirk = Quirk { name: "nothing-is-one", property, reason: "moves one byte".to_owned() };
    let fixture = ReferenceFixture::wrong(Defect::TakesNoBytesForOne).quirk(quirk);
    let (report, lines) = run(fixture, &only("_touch"));
    let why = format!("SKIPPED {property}: known quirk nothing-is-one: moves one byte\n");
    assert!(report.skipped.len() == 1 && lines.contains(&why), "{lines}");
    let [failed] = &report.failed[..] else { panic!("{lines}") };
    assert_eq!(failed.name, format!("{property}{UNRELIABLY}"));
    assert_eq!(report.passed.len(), 5, "{lines}");
}

#[test]
#[should_panic(expected = "names no property")]
fn a_quirk_of_a_property_that_does_not_exist_is_refused() {
    let quirk = Quirk { name: "old", property: "no_longer_there", reason: String::new() };
    run(ReferenceFixture::right().quirk(quirk), &Filter::All);
}

#[test]
fn a_failure_says_what_was_seen_and_is_counted() {
    let filter = only("a_write_puts_exactly");
    let (_, lines) = run(ReferenceFixture::wrong(Defect::WritesOneByteTooFar), &filter);
    let case = "FAIL a_write_puts_exactly_its_bytes_and_touches_nothing_else: \
                Transfer { direction: Write, length: 1, ";
    assert!(lines.starts_with(case), "{lines}");
    let why = ": the server's memory differs in 1 bytes, first at offset 4097: expected ";
    assert!(lines.contains(why), "{lines}");
    assert!(lines.ends_with("0 passed, 2 failed, 0 skipped\n"), "{lines}");
}

#[test]
fn without_a_device_all_properties_are_skipped_with_one_reason() {
    let mut lines = Vec::new();
    let report = skip_suite::<ReferenceFixture>("no device", &mut lines).unwrap();
    let names = property_names::<ReferenceFixture>();
    assert!(report.passed.is_empty() && report.failed.is_empty());
    assert_eq!(report.skipped.len(), names.len());
    let lines = String::from_utf8(lines).unwrap();
    assert!(lines.ends_with(&format!("0 passed, 0 failed, {} skipped\n", names.len())));
}

#[test]
fn the_reference_can_be_shared_by_the_threads_of_a_run() {
    fn shared<T: Sync + Send + 'static>() {}
    fn handed_over<E: Send + 'static>() {}
    shared::<ReferenceTransport>();
    handed_over::<ReferenceEndpoint>();
}
