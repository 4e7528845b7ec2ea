//! Which properties are tried again, and what is said of it.

use super::*;
use crate::{
    deviation::Awaited,
    reference::{Fabric, ReferenceFixture},
};

fn lost() -> Verdict {
    Err(Deviation::Missing { expected: 2, seen: 1, of: Awaited::Messages })
}

fn wrong_byte() -> Verdict {
    let (whose, offset) = ("the server's", 0);
    Err(Deviation::Bytes { whose, offset, expected: 1, found: 2, differing: 1 })
}

/// What is reported, and the lines, of a property whose tries end so one after the other.
fn noted<const N: usize>(most: usize, ends: [Verdict; N]) -> (Report, String) {
    let mut ends = ends.into_iter();
    let tried = tried(most, || ends.next().expect("it is not tried more often"));
    assert!(ends.next().is_none(), "it is tried as often as that");
    let (mut report, mut out) = (Report::default(), Vec::new());
    note(&mut report, "it_holds", tried, &mut out).unwrap();
    (report, String::from_utf8(out).unwrap())
}

const LOST: &str = "only 1 of 2 completions came before patience ran out";

#[test]
fn a_pass_at_a_later_try_is_counted_and_says_what_was_seen_before() {
    let (report, lines) = noted(3, [lost(), Ok(())]);
    let expected = format!(
        "REPEATED it_holds: try 1 of 3 failed, perhaps because a message was lost: {LOST}\n\
         ok it_holds, at try 2 of 3; the one before failed: {LOST}\n"
    );
    assert_eq!(lines, expected);
    let repeated = vec![Repeated { name: "it_holds", why: vec![LOST.to_owned()] }];
    assert_eq!(report, Report { passed: vec!["it_holds"], repeated, ..Report::default() });
    assert_eq!(report.to_string(), "1 passed, 0 failed, 0 skipped");
}

#[test]
fn the_last_try_counts_and_a_wrong_byte_at_once() {
    let (report, lines) = noted(3, [lost(), lost(), lost()]);
    assert_eq!((report.failed.len(), report.repeated[0].why.len()), (1, 2), "{lines}");
    assert!(lines.ends_with(&format!("FAIL it_holds: {LOST}\n")), "{lines}");
    let (report, lines) = noted(3, [wrong_byte()]);
    assert_eq!((report.failed.len(), report.repeated.len()), (1, 0), "{lines}");
    let (report, lines) = noted(3, [lost(), wrong_byte()]);
    assert_eq!((report.failed.len(), report.repeated.len()), (1, 1), "{lines}");
    let (report, lines) = noted(3, [Ok(())]);
    assert_eq!((report.repeated.len(), lines.as_str()), (0, "ok it_holds\n"));
}

#[test]
fn where_no_loss_is_said_to_happen_the_first_try_counts() {
    let (report, lines) = noted(1, [lost()]);
    assert_eq!((report.failed.len(), report.repeated.len()), (1, 0), "{lines}");
}

#[test]
fn only_properties_that_need_unreliable_messages_to_arrive_are_tried_again() {
    let tries = |fixture: &ReferenceFixture| -> Vec<_> {
        let of = |property: &Property<ReferenceFixture>| tries_of(fixture, property);
        let more =
            all().into_iter().filter(|property| of(property) > 1).map(|property| property.name);
        more.collect()
    };
    let on = || ReferenceFixture::with(Fabric::right());
    assert!(tries(&on()).is_empty());
    assert!(tries(&on().hiding_losses()).is_empty());
    let more = tries(&on().losing_now_and_then());
    let ending = "_over_an_unreliable_connection";
    assert!(!more.is_empty() && more.iter().all(|name| name.ends_with(ending)), "{more:?}");
    let names: Vec<_> = all::<ReferenceFixture>().iter().map(|property| property.name).collect();
    let over_both = names.iter().filter(|name| names.contains(&&*format!("{name}{ending}")));
    assert!(more.len() < over_both.count(), "some need no message to arrive: {more:?}");
}
