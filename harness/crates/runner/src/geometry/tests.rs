use onesided_transport::RemoteMemory;

use onesided_results::vocabulary::{AddressPattern, Operation, SlotLayout};

use super::*;

fn of(configuration: &RunConfiguration) -> Geometry {
    configuration.check().unwrap();
    Geometry::of(configuration).unwrap()
}

#[test]
fn own_slots_lie_as_their_layout_says() {
    let layouts =
        [(SlotLayout::Packed, 24, 0), (SlotLayout::Padded, 64, 0), (SlotLayout::Unaligned, 24, 1)];
    for (slot_layout, stride, base) in layouts {
        let configuration = RunConfiguration {
            access_bytes: 24,
            queue_pairs: 5,
            slot_layout,
            ..RunConfiguration::default()
        };
        let geometry = of(&configuration);
        assert_eq!((geometry.stride, geometry.base), (stride, base), "{slot_layout}");
        let last = geometry.base + 4 * geometry.stride + 24;
        assert!(geometry.region_bytes >= last, "{slot_layout}: {geometry:?}");
    }
}

#[test]
fn a_working_set_decides_the_region_whatever_the_queue_pairs() {
    for queue_pairs in [1, 7] {
        let configuration = RunConfiguration {
            address_pattern: AddressPattern::Uniform,
            working_set_bytes: Some(1 << 20),
            queue_pairs,
            ..RunConfiguration::default()
        };
        let geometry = of(&configuration);
        assert_eq!((geometry.region_bytes, geometry.stride, geometry.base), (1 << 20, 8, 0));
    }
}

#[test]
fn what_is_sent_lands_in_the_item_of_its_queue_pair() {
    struct Registered;
    impl Region for Registered {
        fn local_key(&self) -> u32 {
            5
        }
        fn remote(&self) -> RemoteMemory {
            RemoteMemory { address: 0x1000, length_bytes: 1 << 16, key: 9 }
        }
    }
    let configuration = RunConfiguration {
        operation: Operation::Send,
        access_bytes: 100,
        queue_pairs: 3,
        slot_layout: SlotLayout::Padded,
        ..RunConfiguration::default()
    };
    let geometry = of(&configuration);
    let landings = geometry.landings(&configuration, &Registered);
    let first = 0x1000 + geometry.base as u64;
    let expected = [0, 1, 2].map(|queue_pair| LocalSegment {
        address: first + queue_pair * geometry.stride as u64,
        length: 100,
        key: 5,
    });
    assert_eq!(landings, expected);
    assert!(geometry.stride >= 100, "they do not overlap");
}

/// Both sides of a ping-pong over memory at two addresses.
#[test]
fn what_one_side_of_a_ping_pong_writes_is_what_the_other_watches() {
    struct Registered(RemoteMemory);
    impl Region for Registered {
        fn local_key(&self) -> u32 {
            1
        }
        fn remote(&self) -> RemoteMemory {
            self.0
        }
    }
    let configuration = RunConfiguration {
        loop_shape: LoopShape::PingPong,
        operation: Operation::Write,
        access_bytes: 100,
        queue_pairs: 3,
        ..RunConfiguration::default()
    };
    let geometry = of(&configuration);
    let plan = BufferPlan::of(&configuration);
    let memory = |address| RemoteMemory { address, length_bytes: 1 << 16, key: 9 };
    let (region, buffer) = (memory(0x10_0000), memory(0x80_0000));
    let pongs = geometry.pongs(&configuration, &Registered(region), buffer);
    assert_eq!(pongs.len(), 3);
    let mut used = Vec::new();
    for (queue_pair, pong) in pongs.iter().enumerate() {
        let address = buffer.address + (queue_pair * plan.lane_bytes()) as u64;
        let local = LocalSegment { address, length: 100, key: 2 };
        let ping = geometry.ping(&configuration, queue_pair, local, region);
        for (from, to) in [(&ping, pong), (pong, &ping)] {
            assert_eq!(from.request.remote.address, to.arriving.address);
            assert_eq!((from.request.local.length, to.arriving.length), (100, 100));
            used.extend([from.request.local.address, from.arriving.address]);
        }
    }
    used.sort_unstable();
    assert!(used.windows(2).all(|pair| pair[1] - pair[0] >= 100), "slots overlap: {used:?}");
    let end = region.address + geometry.region_bytes as u64;
    assert!(used.iter().all(|first| first + 100 <= end || *first >= buffer.address));
}
