use onesided_transport::{Destinations, PathMtu, RemoteMemory};

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
    let pongs = geometry.pongs(&configuration, &Registered(region), buffer, &[]);
    assert_eq!(pongs.len(), 3);
    let mut used = Vec::new();
    for (queue_pair, pong) in pongs.iter().enumerate() {
        let address = buffer.address + (queue_pair * plan.lane_bytes()) as u64;
        let local = LocalSegment { address, length: 100, key: 2 };
        let ping = geometry.ping(&configuration, queue_pair, (local, None), region);
        for (from, to) in [(&ping, pong), (pong, &ping)] {
            assert_eq!(from.request.remote.address, to.buffer.address);
            assert_eq!((from.request.local.length, to.buffer.length), (100, 100));
            used.extend([from.request.local.address, from.buffer.address]);
        }
    }
    used.sort_unstable();
    assert!(used.windows(2).all(|pair| pair[1] - pair[0] >= 100), "slots overlap: {used:?}");
    let end = region.address + geometry.region_bytes as u64;
    assert!(used.iter().all(|first| first + 100 <= end || *first >= buffer.address));
}

#[test]
fn a_datagram_arrives_in_its_item_with_the_header_before_it() {
    struct Registered;
    impl Region for Registered {
        fn local_key(&self) -> u32 {
            1
        }
        fn remote(&self) -> RemoteMemory {
            RemoteMemory { address: 0x10_0000, length_bytes: 1 << 16, key: 9 }
        }
    }
    let configuration = RunConfiguration {
        service: Service::UnreliableDatagram,
        operation: Operation::Send,
        access_bytes: 100,
        mtu_bytes: 1024,
        queue_pairs: 3,
        ..RunConfiguration::default()
    };
    let geometry = of(&configuration);
    let landings = geometry.landings(&configuration, &Registered);
    assert_eq!(landings.len(), 3);
    let room = 40 + PathMtu::LARGEST.bytes();
    for (queue_pair, landing) in landings.iter().enumerate() {
        let item = 0x10_0000 + (geometry.base + queue_pair * geometry.stride) as u64;
        assert_eq!((landing.address + 40, landing.length), (item, room));
        let end = 0x10_0000 + ((queue_pair + 1) * geometry.stride) as u64;
        assert!(landing.address + u64::from(landing.length) <= end, "into the next item");
    }
    assert_eq!(geometry.region_bytes, 3 * geometry.stride);
    // In a ping-pong the slot that answers are sent from lies behind.
    let answered = RunConfiguration { loop_shape: LoopShape::PingPong, ..configuration };
    let geometry = of(&answered);
    let arrivals = RemoteMemory { address: 0x80_0000, length_bytes: 1 << 16, key: 9 };
    let to = Destinations::of_new_endpoint().add([(); 3]);
    let pongs = geometry.pongs(&answered, &Registered, arrivals, &to);
    for (pong, &destination) in pongs.iter().zip(&to) {
        let opcode = Opcode::Datagram { destination, immediate: None };
        assert_eq!(pong.request.opcode, opcode);
        assert_eq!((pong.header, pong.buffer.length, pong.request.local.length), (40, room, 100));
        assert!(pong.request.local.address >= pong.buffer.address + u64::from(room));
    }
}
