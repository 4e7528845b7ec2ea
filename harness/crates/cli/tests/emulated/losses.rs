//! Losses on purpose (`--drop-every`): how many they are, both sides and the record say.

use std::num::NonZeroU32;

use onesided_results::{RunRecord, record::SideRecord};

use crate::{
    program::{Place, ended},
    runs::{record, valid_where},
};

/// What a client that was asked to lose messages is doubted for, without the number.
const ASKED: [&str; 2] = [
    "the client was asked to lose 1 in ",
    " messages of each queue pair (--drop-every): do not compare rates and counts with those of runs without it",
];
/// What is only worth saying where nothing was to be lost.
const ADVICE: &str = "fewer in flight";

/// By how much a counter of a side's device rose in the run.
fn rise(side: &Option<SideRecord>, name: &str) -> u64 {
    let counters = &side.as_ref().expect("both ends are known").counters;
    counters.after[name] - counters.before[name]
}

/// Messages that were sent, those that arrived, and those that the sender lost on purpose.
fn messages(record: &RunRecord) -> (u64, u64, u64) {
    let totals = record.totals.as_ref().expect("it measured");
    let counted = totals.messages_sent.zip(totals.messages_received);
    let (sent, received) = counted.expect("counted over an unreliable service");
    (sent, received, rise(&record.client, "requester_lost"))
}

/// Whether all messages that were not lost on purpose found a receive request.
fn only_those(record: &RunRecord) -> bool {
    let (sent, received, lost) = messages(record);
    sent == received + lost
}

fn is_doubted(record: &RunRecord) -> bool {
    !said(record, "messages-lost").is_empty()
}

/// What the doubts of a name say.
fn said<'a>(record: &'a RunRecord, name: &str) -> Vec<&'a str> {
    let of = record.doubts.iter().filter(|doubt| doubt.doubt == name);
    of.map(|doubt| doubt.explanation.as_str()).collect()
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
    assert_eq!(said(&record, "losses-asked"), [format!("{}{every}{}", ASKED[0], ASKED[1])]);
    assert_eq!(said(&record, "foreign-datagrams"), [""; 0], "{service}");
    let sides = (told(&record.client), told(&record.server));
    assert_eq!(sides, (NonZeroU32::new(every), None), "{service}");
    record
}

#[test]
fn one_of_ten_messages_lost_on_purpose_is_counted_and_doubted() {
    for service in ["uc", "ud"] {
        let record = run(service, "1ms", 10, |record| messages(record).2 > 0);
        let lost = said(&record, "messages-lost");
        let [lost] = lost[..] else { panic!("{service}: {:?}", record.doubts) };
        assert!(lost.contains("lost on purpose") && !lost.contains(ADVICE), "{service}: {lost}");
    }
}

/// Seldom enough that the server's receive requests last for 77 ms without a CPU.
#[test]
fn one_of_two_hundred_is_counted_and_not_doubted() {
    for service in ["uc", "ud"] {
        let record = run(service, "300us", 200, |record| messages(record).2 > 0);
        assert!(!is_doubted(&record), "{service}: {:?}", record.doubts);
    }
}

/// Does a run of which nothing is lost but on purpose: the receive requests last for all messages.
fn lossy(asked: &str) -> RunRecord {
    let place = Place::new();
    let server = place.serve("");
    let run = ended(&mut place.client(&server, asked));
    // 1: what is not signaled waits for the end of the interval, which may pass for a standstill.
    assert!(matches!(run.status, Some(0 | 1)), "{asked}: {run:#?}");
    record(&place)
}

#[test]
fn every_tenth_message_of_a_load_is_lost_to_its_last() {
    for sends in [98, 99, 100] {
        for service in ["uc", "ud"] {
            let asked = format!(
                "--operation send --service {service} --loop saturating --window 8 --signal-every 4 \
                 --drop-every 10 --operations-per-queue-pair {sends} --warm-up 0ms --duration 500ms"
            );
            let record = lossy(&asked);
            let lost = sends / 10;
            assert_eq!(messages(&record), (sends, sends - lost, lost), "{asked}");
            assert_eq!(rise(&record.server, "responder_dropped"), lost, "{asked}");
        }
    }
}

/// The last request of a run may be one that only makes the others known complete: it is lost in its turn, too.
/// Here every third of eight in flight is signaled, so two are always left over when time ends the run.
#[test]
fn a_request_that_closes_the_run_takes_its_turn_and_is_no_message() {
    for service in ["uc", "ud"] {
        let asked = format!(
            "--operation send --service {service} --think-time 20ms --window 8 --signal-every 3 \
             --drop-every 10 --warm-up 0ms --duration 500ms"
        );
        let record = lossy(&asked);
        let (sent, received, lost) = messages(&record);
        let completions = record.totals.as_ref().expect("it measured").completions;
        assert_eq!(sent, 3 * completions - 1, "{asked}");
        assert_eq!((received, lost), (sent - sent / 10, (sent + 1) / 10), "{asked}: {sent}");
        assert_eq!(rise(&record.server, "responder_dropped"), lost, "{asked}");
    }
}

/// Who receives nothing measures nothing, whatever the client sends.
#[test]
fn a_run_of_which_nothing_arrives_does_not_count() {
    for service in ["uc", "ud"] {
        let place = Place::new();
        let server = place.serve("");
        let asked = format!("--operation send --service {service} --think-time 1ms --drop-every 1");
        let run = ended(&mut place.client(&server, &asked));
        assert_eq!(run.status, Some(1), "{asked}: {run:#?}");
        let record = record(&place);
        let (sent, received, _) = messages(&record);
        assert_eq!(received, 0, "{asked}");
        let [told] = said(&record, "nothing-arrived")[..] else { panic!("{:?}", record.doubts) };
        assert!(told.starts_with(&format!("none of {sent} messages arrived")), "{told}");
        assert!(!is_doubted(&record), "{service}: it is said once: {:?}", record.doubts);
    }
}

#[test]
fn losses_that_were_asked_for_are_doubted_on_whichever_side_and_no_others_are() {
    let place = Place::new();
    let server = place.serve("");
    let sends = "--operation send --service uc --think-time 1ms";
    let quiet = valid_where(&place, &server, sends, |_| true);
    assert_eq!(said(&quiet, "losses-asked"), [""; 0]);
    let place = Place::new();
    let server = place.serve("");
    // Nobody receives a write, so nobody can miss one.
    let writes = "--operation write --service uc --drop-every 10";
    let record = valid_where(&place, &server, writes, |_| true);
    assert_eq!(said(&record, "losses-asked"), [format!("{}10{}", ASKED[0], ASKED[1])]);
    let place = Place::new();
    let server = place.serve("--drop-every 3");
    let record = valid_where(&place, &server, sends, |_| true);
    let due = format!("{}3{}", ASKED[0], ASKED[1]).replace("client", "server");
    assert_eq!(said(&record, "losses-asked"), [due]);
}

#[test]
fn losses_of_a_further_client_host_are_doubted_by_its_name() {
    let place = Place::new();
    let server = place.serve("");
    let mut join = place.command("join");
    join.args(["--drop-every", "5", "--server", server.address(), "--token-file"]);
    let mut joined = join.arg(place.path().join("token")).spawn().expect("the program starts");
    let asked = "--operation send --service uc --think-time 1ms --client-hosts 2 --threads 2 --queue-pairs 2";
    let record = valid_where(&place, &server, asked, is_doubted);
    joined.kill().expect("it is our child");
    joined.wait().expect("it is our child");
    let asked = said(&record, "losses-asked");
    let [asked] = asked[..] else { panic!("{:?}", record.doubts) };
    let due = format!(": {}5{}", ASKED[0], ASKED[1]);
    assert!(asked.starts_with("client host ") && asked.ends_with(&due), "{asked}");
    assert!(said(&record, "messages-lost").iter().all(|lost| !lost.contains(ADVICE)));
}

#[test]
fn a_reliable_service_loses_nothing() {
    let place = Place::new();
    let server = place.serve("--drop-every 2");
    // The server sends, too.
    let record = valid_where(&place, &server, "--operation send --loop ping-pong", |_| true);
    assert_eq!(said(&record, "losses-asked"), [""; 0]);
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
        (["run", "--drop-every", "0"], OUT_OF_RANGE),
        (["run", "--drop-every", "x"], OUT_OF_RANGE),
    ] {
        let refused = ended(place.plain().args(arguments));
        assert_eq!(refused.status, Some(2), "{arguments:?}: {refused:#?}");
        assert!(refused.stderr.contains(due), "{arguments:?}: {}", refused.stderr);
    }
    for service in [&[][..], &["--service", "rc"]] {
        let refused = ended(place.command("run").args(["--drop-every", "10"]).args(service));
        assert_eq!(refused.status, Some(2), "{refused:#?}");
        let due = "--drop-every loses messages of uc and ud only, and --service is rc: add --service uc \
                   or --service ud, or leave --drop-every out";
        assert!(refused.stderr.contains(due), "{}", refused.stderr);
    }
}

const OUT_OF_RANGE: &str = "it must be 1 to 4294967295; to lose none, leave the flag out";
