use onesided_results::vocabulary::Service;

use super::*;

const ACCESS: usize = 8;
const STRIDE: usize = 16;
const BASE: usize = 4;

fn content(operation: Operation, pattern: AddressPattern) -> Content {
    let configuration = RunConfiguration {
        operation,
        address_pattern: pattern,
        access_bytes: ACCESS as u32,
        queue_pairs: 3,
        ..RunConfiguration::default()
    };
    Content::of(&configuration, BASE, STRIDE)
}

/// Three items as they are before a run.
fn region(content: &Content) -> Vec<u8> {
    let mut region = vec![0xee; BASE + 3 * STRIDE];
    content.fill_region(&mut region);
    region
}

fn item(region: &mut [u8], index: usize) -> &mut [u8] {
    &mut region[BASE + index * STRIDE..][..ACCESS]
}

fn checked(verification: Verification) -> VerificationRecord {
    match verification {
        Verification::Checked(record) => record,
        Verification::NotApplicable { why } => panic!("not checked: {why}"),
    }
}

fn mismatched(content: &Content, region: &[u8], operations: u64) -> u64 {
    checked(content.check_region(region, operations)).mismatched
}

#[test]
fn the_two_patterns_differ_at_every_position_and_from_position_to_position() {
    for position in 0..4096 {
        assert_ne!(initial(position), written(position));
        assert_ne!(initial(position), initial(position + 1));
    }
}

#[test]
fn an_untouched_region_is_right_after_reads_and_wrong_after_writes() {
    let reads = content(Operation::Read, AddressPattern::OwnSlot);
    let record = checked(reads.check_region(&region(&reads), 1000));
    assert_eq!((record.checked, record.mismatched, record.first_mismatch), (3, 0, None));
    let writes = content(Operation::Write, AddressPattern::OwnSlot);
    let record = checked(writes.check_region(&region(&writes), 1000));
    assert_eq!(record.mismatched, 3);
    assert_eq!(record.first_mismatch.as_deref(), Some("0 items were written, 3 are due"));
}

#[test]
fn every_own_slot_must_have_been_written_and_of_shared_ones_one() {
    let own = content(Operation::Write, AddressPattern::OwnSlot);
    let shared = content(Operation::Write, AddressPattern::Uniform);
    let mut region = region(&own);
    fill(item(&mut region, 1), written);
    assert_eq!(mismatched(&own, &region, 1000), 2);
    assert_eq!(mismatched(&shared, &region, 1000), 0);
    assert_eq!(mismatched(&own, &region, 1), 0, "one write leaves one item");
    for index in [0, 2] {
        fill(item(&mut region, index), written);
    }
    assert_eq!(mismatched(&own, &region, 1000), 0);
}

#[test]
fn a_torn_item_is_found_at_its_place_wherever_it_is_torn() {
    let writes = content(Operation::Write, AddressPattern::Uniform);
    for torn in 1..ACCESS {
        let mut region = region(&writes);
        fill(item(&mut region, 0), written);
        fill(&mut item(&mut region, 1)[..torn], written);
        let record = checked(writes.check_region(&region, 2));
        assert_eq!(record.mismatched, 1, "torn after {torn} bytes");
        let found = record.first_mismatch.unwrap();
        assert!(found.starts_with("the item at byte 20 of the region is torn"), "{found}");
    }
}

#[test]
fn foreign_bytes_are_found_after_reads_writes_and_both() {
    for operation in [Operation::Read, Operation::Write, Operation::Mixed] {
        let content = content(operation, AddressPattern::Uniform);
        let mut region = region(&content);
        fill(item(&mut region, 0), written);
        item(&mut region, 2).fill(0);
        let due = if operation == Operation::Read { 2 } else { 1 };
        assert_eq!(mismatched(&content, &region, 10), due, "{operation}");
    }
}

#[test]
fn atomics_must_add_up_to_their_number() {
    let adds = content(Operation::FetchAndAdd, AddressPattern::Uniform);
    let mut region = region(&adds);
    for (index, count) in [(0, 40_u64), (2, 2)] {
        item(&mut region, index).copy_from_slice(&count.to_ne_bytes());
    }
    assert_eq!(mismatched(&adds, &region, 42), 0);
    let record = checked(adds.check_region(&region, 45));
    assert_eq!((record.checked, record.mismatched), (45, 3));
    let found = record.first_mismatch.as_deref();
    assert_eq!(found, Some("the words add up to 42 after 45 atomics"));
}

#[test]
fn swaps_are_checked_where_no_two_queue_pairs_share_a_word() {
    let own = content(Operation::CompareAndSwap, AddressPattern::OwnSlot);
    assert_eq!(mismatched(&own, &region(&own), 7), 7);
    let shared = content(Operation::CompareAndSwap, AddressPattern::Uniform);
    let verification = shared.check_region(&region(&shared), 7);
    assert!(matches!(verification, Verification::NotApplicable { .. }), "{verification:?}");
}

#[test]
fn a_slot_that_no_read_filled_is_found() {
    let reads = content(Operation::Read, AddressPattern::OwnSlot);
    let mut buffer = vec![0; 4 * STRIDE];
    reads.fill_buffer(&mut buffer, STRIDE);
    for slot in [0, STRIDE, 3 * STRIDE] {
        fill(&mut buffer[slot..slot + ACCESS], initial);
    }
    let slots = || (0..4).map(|slot| slot * STRIDE);
    let record = checked(reads.check_buffer(&buffer, slots()));
    assert_eq!((record.checked, record.mismatched), (4, 1));
    let found = record.first_mismatch.unwrap();
    assert!(found.starts_with("the slot at byte 32 holds ee"), "{found}");
    let writes = content(Operation::Write, AddressPattern::OwnSlot);
    let verification = writes.check_buffer(&buffer, slots());
    assert!(matches!(verification, Verification::NotApplicable { .. }), "{verification:?}");
}

#[test]
fn what_an_unreliable_service_loses_is_no_mismatch_and_a_torn_item_is() {
    let configuration = RunConfiguration {
        service: Service::UnreliableConnection,
        operation: Operation::Write,
        access_bytes: ACCESS as u32,
        queue_pairs: 3,
        ..RunConfiguration::default()
    };
    let content = Content::of(&configuration, BASE, STRIDE);
    let mut untouched = region(&content);
    assert_eq!(mismatched(&content, &untouched, 3), 0, "all of them lost");
    item(&mut untouched, 1)[0] ^= 0xff;
    assert_eq!(mismatched(&content, &untouched, 3), 1, "half of one packet");
    // Of several packets some may be lost.
    let long = RunConfiguration { access_bytes: 2048, ..configuration };
    let found = Content::of(&long, 0, 2048).check_region(&[0; 2048], 1);
    assert!(matches!(found, Verification::NotApplicable { .. }), "{found:?}");
}

#[test]
fn an_empty_message_too_many_is_found_and_one_too_few_where_none_may_be_lost() {
    let mismatched = |service, received: &[u64]| {
        let run = RunConfiguration {
            operation: Operation::Send,
            access_bytes: 0,
            service,
            ..RunConfiguration::default()
        };
        let record = checked(Content::of(&run, 0, 1).check_empty(received, 7));
        assert_eq!(record.first_mismatch.is_some(), record.mismatched > 0, "{record:?}");
        (record.checked, record.mismatched)
    };
    let (rc, ud) = (Service::ReliableConnection, Service::UnreliableDatagram);
    assert_eq!((mismatched(rc, &[3, 4]), mismatched(ud, &[3, 4])), ((7, 0), (7, 0)));
    assert_eq!((mismatched(rc, &[3, 2]), mismatched(ud, &[3, 2])), ((7, 2), (7, 0)));
    assert_eq!((mismatched(rc, &[4, 4]), mismatched(ud, &[4, 4])), ((7, 1), (7, 1)));
}

#[test]
fn a_queue_pair_that_got_no_message_from_a_shared_queue_is_found() {
    let sends = content(Operation::Send, AddressPattern::OwnSlot);
    let mut region = region(&sends);
    (0..3).for_each(|index| fill(item(&mut region, index), written));
    let heard = |received: &[u64], operations| {
        let found = sends.check_region(&region, operations);
        checked(sends.check_receivers(found, received, operations))
    };
    assert_eq!(heard(&[4, 1, 2], 7).mismatched, 0);
    let silent = heard(&[5, 0, 2], 7);
    assert_eq!(silent.mismatched, 1);
    let told = silent.first_mismatch.as_deref();
    assert_eq!(told, Some("2 queue pairs received messages, 3 are due"));
    assert_eq!(heard(&[1, 0, 0], 1).mismatched, 0, "there was one message");
    // Where messages may be lost, all of a queue pair's may.
    let lossy = RunConfiguration {
        operation: Operation::Send,
        service: Service::UnreliableDatagram,
        queue_pairs: 3,
        ..RunConfiguration::default()
    };
    let lossy = Content::of(&lossy, BASE, STRIDE);
    let found = lossy.check_receivers(lossy.check_region(&region, 7), &[7, 0, 0], 7);
    assert_eq!(checked(found).mismatched, 0);
}
