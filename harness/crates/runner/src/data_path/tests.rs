use std::{thread, time::Duration};

use onesided_control::{Channel, Listener, Settings, Token, WhenRefused, connect};
use onesided_load::{
    LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout, Visitor, with_generator,
};
use onesided_measure::Discard;
use onesided_transport::{
    ConnectError, ConnectionAttributes, Destination, EndpointAddress, GidEntry, LocalSegment,
    Opcode, Payload, PollError, PostError, ReceiveRequest, RemoteSegment, Signal, WorkRequest,
};

use super::*;

/// Takes every request and reports none of them.
#[derive(Default)]
struct Mute {
    posted: Vec<WorkRequest>,
}

impl Endpoint for Mute {
    fn queue_pair_numbers(&self) -> &[u32] {
        &[7]
    }

    fn address(&self, _: Option<GidEntry>) -> EndpointAddress {
        unreachable!("the data path does not connect")
    }

    fn connect(
        &mut self,
        _: &EndpointAddress,
        _: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        unreachable!("the data path does not connect")
    }

    fn destinations(
        &mut self,
        _: &EndpointAddress,
        _: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        unreachable!("the data path does not connect")
    }

    unsafe fn post(&mut self, _: usize, requests: &[WorkRequest]) -> Result<(), PostError> {
        self.posted.extend_from_slice(requests);
        Ok(())
    }

    unsafe fn post_receives(&mut self, _: usize, _: &[ReceiveRequest]) -> Result<(), PostError> {
        unreachable!("a client posts no receives")
    }

    fn poll(&mut self, _: &mut [WorkCompletion]) -> Result<usize, PollError> {
        Ok(0)
    }
}

fn plan(window: u32) -> LoadPlan {
    LoadPlan {
        shape: ShapePlan::ClosedLoop { window, think_time: Duration::ZERO, post_list: 1 },
        pattern: PatternPlan::OwnSlot,
        mix: MixPlan::Single(PostedOperation::Write),
        access_bytes: 8,
        slot_layout: SlotLayout::Packed,
        region_bytes: 8,
        queue_pairs: 0..1,
        run_queue_pairs: 1,
        operations_per_queue_pair: None,
        units_per_second: 1_000_000_000,
        seed: 1,
    }
}

fn lane(window: u32, signal_every: u32) -> LanePlan {
    let template = WorkRequest {
        id: 0,
        opcode: Opcode::Read,
        local: LocalSegment { address: 0x1000, length: 8, key: 1 },
        remote: RemoteSegment { address: 0x2000, key: 2 },
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    };
    let slots = u64::from(window).next_power_of_two();
    LanePlan {
        template,
        slots,
        slot_stride: 64,
        signal_every,
        limit: None,
        destination: None,
        closing: PostedOperation::Read,
    }
}

/// Drives for a moment, drains, and tells what that ended with and what was posted.
struct DriveAndDrain<'a> {
    watch: Watch<'a>,
    lane: LanePlan,
    clock: Clock,
    drive_for: Duration,
}

impl Visitor for DriveAndDrain<'_> {
    type Output = (Result<(), DataPathFault>, Result<Totals, DataPathFault>, Vec<WorkRequest>);

    fn visit<G: Generator>(self, generators: Vec<G>) -> Self::Output {
        let Self { watch, lane, clock, drive_for } = self;
        let mut path = DataPath::new(Mute::default(), generators, &[lane], 1, clock, u64::MAX);
        let until = Ticks(clock.now().0 + clock.ticks_of(drive_for));
        let driven = path.drive(until, &mut Discard, &watch);
        let drained = path.drain(&mut Discard, &watch);
        (driven, drained, path.into_endpoint().posted)
    }
}

/// A channel whose other end lives as long.
fn channels() -> (Channel, Channel) {
    let token = Token::generate().unwrap();
    let listener = Listener::bind("127.0.0.1:0", token.clone(), Settings::default()).unwrap();
    let address = listener.local_address().to_string();
    thread::scope(|scope| {
        let serving = scope.spawn(|| listener.accept().unwrap().authenticate().unwrap());
        let within = Duration::from_secs(20);
        let client = connect(&address, &token, within, WhenRefused::Fail, &Settings::default());
        (serving.join().unwrap(), client.unwrap())
    })
}

fn drive_and_drain(
    window: u32,
    signal_every: u32,
    drive_for: Duration,
) -> (Result<(), DataPathFault>, Result<Totals, DataPathFault>, Vec<WorkRequest>) {
    drive_and_drain_of(None, window, signal_every, drive_for)
}

/// The same, of a load that may have an end.
fn drive_and_drain_of(
    limit: Option<u64>,
    window: u32,
    signal_every: u32,
    drive_for: Duration,
) -> (Result<(), DataPathFault>, Result<Totals, DataPathFault>, Vec<WorkRequest>) {
    let (_server, client) = channels();
    let (stop, peer) = (AtomicBool::new(false), client.peer());
    let clock = Clock::calibrate().unwrap();
    let patience = clock.ticks_of(Duration::from_millis(100));
    let watch = Watch { stop: &stop, peer: &peer, patience };
    let lane = LanePlan { limit, ..lane(window, signal_every) };
    let load = LoadPlan { operations_per_queue_pair: limit, ..plan(window) };
    with_generator(&load, DriveAndDrain { watch, lane, clock, drive_for }).unwrap()
}

#[test]
fn a_drain_gives_up_when_the_window_is_full_and_nothing_comes() {
    // Four slots in flight, the last unsignaled: the request that closes the run is one more.
    let (driven, drained, posted) = drive_and_drain(4, 3, Duration::from_millis(1));
    driven.unwrap();
    let error = drained.unwrap_err();
    assert!(matches!(error, DataPathFault::Stalled { outstanding: 5, .. }), "{error}");
    let signals: Vec<_> = posted.iter().map(|request| request.signal).collect();
    use Signal::{Signaled, Unsignaled};
    assert_eq!(signals, [Unsignaled, Unsignaled, Signaled, Unsignaled, Signaled]);
    assert_eq!((posted[4].opcode, posted[4].local.length), (Opcode::Read, 0));
}

#[test]
fn a_thread_gives_up_on_a_signaled_request_after_its_patience() {
    let (driven, ..) = drive_and_drain(1, 1, Duration::from_secs(60));
    let error = driven.unwrap_err();
    assert!(matches!(error, DataPathFault::Stalled { outstanding: 1, .. }), "{error}");
}

/// Two operations are fewer than four, so they have their signal earlier; without it nothing would be awaited.
#[test]
fn a_thread_gives_up_on_the_last_operation_of_a_load_after_its_patience() {
    let (driven, _, posted) = drive_and_drain_of(Some(2), 4, 4, Duration::from_secs(60));
    let error = driven.unwrap_err();
    assert!(matches!(error, DataPathFault::Stalled { outstanding: 2, .. }), "{error}");
    let signals: Vec<_> = posted.iter().map(|request| request.signal).collect();
    assert_eq!(signals, [Signal::Unsignaled, Signal::Signaled]);
}

#[test]
fn requests_in_flight_have_slots_and_ids_of_their_own() {
    let (_, _, posted) = drive_and_drain(4, 4, Duration::from_millis(1));
    let slots: Vec<_> = posted.iter().map(|request| request.local.address).collect();
    assert_eq!(slots, [0x1000, 0x1040, 0x1080, 0x10c0]);
    let ids: Vec<_> = posted.iter().map(|request| request.id).collect();
    assert_eq!(ids, [0, 1, 2, 3]);
}
