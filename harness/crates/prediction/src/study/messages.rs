//! Messages between two nodes of a machine, in virtual time: the library that programs use, on a
//! fabric of the simulator.
//!
//! Both ends are one program, which polls them in turn, so that its times are the fabric's. What
//! cores do beside posting and polling takes no virtual time there: here a look that finds a
//! message, as a poll that finds a completion, and the copies of either end. One message is under
//! way at a time, so they add up.

use std::sync::Arc;

use onesided_messaging::{ALWAYS_PULL, ALWAYS_PUSH, Channel, Opening, Settings};
use onesided_results::vocabulary::MessageWay;
use onesided_sim::{
    Parameters,
    transport::{HostConditions, SimDevice, SimFabric},
};
use onesided_transport::{ConnectionAttributes, PathMtu};

use super::{ShapePoint, shape::Shape};

/// There and back, before anything counts.
const WARM_UP: u32 = 4;
/// There and back, counted. Ours: nothing varies but what is told of the ring's room, once in a
/// quarter of it.
const COUNTED: u32 = 1_000;
/// Copies of a message: into what is sent, and out of what has come.
const COPIES: f64 = 2.0;
/// Looks in a row that find nothing. One event is executed in each.
const MOST_LOOKS: u32 = 1_000;

/// Messages there and back: half the time of both.
pub(super) fn messages(parameters: &Parameters, point: &ShapePoint, way: MessageWay) -> Shape {
    let fabric = Arc::new(SimFabric::new(parameters, 1));
    let mut ends = ends(&fabric, point, way);
    let message = vec![0x5a; point.access_bytes as usize];
    for _ in 0..WARM_UP {
        there_and_back(&mut ends, &message);
    }
    let start = fabric.now();
    for _ in 0..COUNTED {
        there_and_back(&mut ends, &message);
    }
    let in_fabric = fabric.now().since(start).ns() / f64::from(2 * COUNTED);
    let copied = COPIES * f64::from(point.access_bytes) * parameters.copy_ns_per_byte;
    let latency_ns = in_fabric + parameters.poll_ns + copied;
    Shape {
        throughput_ops: 1e9 / latency_ns,
        latency_mean_ns: Some(latency_ns),
        limit: "one message at a time",
        limit_utilisation: None,
    }
}

/// Both ends of a channel, connected.
fn ends(fabric: &Arc<SimFabric>, point: &ShapePoint, way: MessageWay) -> [Channel<SimDevice>; 2] {
    let threshold_bytes = match way {
        MessageWay::Push => ALWAYS_PUSH,
        MessageWay::Pull => ALWAYS_PULL,
        MessageWay::Combined => Settings::default().threshold_bytes,
    };
    let settings = Settings { threshold_bytes, ..Settings::default() };
    let attributes = ConnectionAttributes {
        path_mtu: PathMtu::Bytes256,
        ..ConnectionAttributes::reliable(point.max_rd_atomic as u8)
    };
    let possible = "a fabric of one's own refuses no channel";
    let [here, there] = [(); 2].map(|()| SimDevice::new(fabric, HostConditions::default()));
    let [one, other] =
        [&here, &there].map(|device| Opening::new(device, &settings).expect(possible));
    let (told, back) = (one.invitation(None), other.invitation(None));
    let other = other.connect(&there, &told, &attributes).expect(possible);
    [one.connect(&here, &back, &attributes).expect(possible), other]
}

fn there_and_back(ends: &mut [Channel<SimDevice>; 2], message: &[u8]) {
    let [one, other] = ends;
    one_way(one, other, message);
    one_way(other, one, message);
}

/// Polls the receiving end alone: that has time go on for both, and a poll of the other end would
/// have it go on behind the moment at which the message is there.
fn one_way(from: &mut Channel<SimDevice>, to: &mut Channel<SimDevice>, message: &[u8]) {
    let lives = "nobody else is on the fabric";
    from.send(message).expect(lives);
    let whole = |bytes: &[u8]| assert_eq!(bytes.len(), message.len());
    for _ in 0..MOST_LOOKS {
        if to.try_receive_with(whole).expect(lives).is_some() {
            return;
        }
    }
    unreachable!("a message takes some events and no more");
}
