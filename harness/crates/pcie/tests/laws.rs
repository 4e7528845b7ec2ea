//! What must hold of every size, batch and link.

use onesided_pcie::{
    Cost, DATAGRAM_HEADER_BYTES, End, Generation, Kind, Link, LinkLayer, Operation, OperationError,
    Part, Payload, Post, Ratio, Side, Signals, Traffic, Transfer, Transport, Verb, Wqe, bottleneck,
    limits, sides,
};
use onesided_vocabulary::Word as _;
use proptest::prelude::*;

fn link() -> impl Strategy<Value = Link> {
    let lanes = proptest::sample::select(vec![1, 2, 4, 8, 16, 32]);
    let generation = proptest::sample::select(Generation::ALL.to_vec());
    (generation, lanes)
        .prop_map(|(generation, lanes)| Link::new(generation, lanes).expect("a link"))
}

/// Any operation that there is.
fn operation() -> impl Strategy<Value = Operation> {
    let verb = proptest::sample::select(Verb::ALL.to_vec());
    let transport = proptest::sample::select(Transport::ALL.to_vec());
    let signals = prop_oneof![Just(Signals::Never), (1_u32..100).prop_map(Signals::Every)];
    let post =
        prop_oneof![Just(Post::Mmio), (1_u32..100).prop_map(|batch| Post::Doorbell { batch })];
    let payload = prop_oneof![Just(Payload::Inline), Just(Payload::Pointer)];
    let link_layer = proptest::sample::select(LinkLayer::ALL.to_vec());
    (verb, transport, 0_u64..2000, payload, post, signals, link_layer)
        .prop_map(|(verb, transport, bytes, payload, post, signals, link_layer)| Operation {
            payload,
            post,
            signals,
            link_layer,
            ..Operation::new(verb, transport, if verb.is_atomic() { 8 } else { bytes })
        })
        .prop_filter("an operation that there is", |operation| operation.check().is_ok())
}

fn cost(link: &Link, operation: &Operation, side: Side) -> Cost {
    Cost::of_parts(link, &operation.parts(side))
}

/// What a transfer takes by the formulas of 003, section 2.1, without any packet.
fn by_formula(link: &Link, transfer: Transfer) -> Traffic {
    let (request, completion) =
        (link.generation().request_header_bytes(), link.generation().completion_header_bytes());
    let (to_device, to_cpu) = match transfer {
        Transfer::Mmio { bytes } => {
            let lines = bytes.div_ceil(64);
            ((lines, lines * (64 + request)), (0, 0))
        }
        Transfer::Register { bytes } => ((1, bytes + request), (0, 0)),
        Transfer::DmaRead { bytes } => {
            let answers = bytes.div_ceil(link.read_completion_bytes());
            let asked = bytes.div_ceil(link.max_read_request_bytes());
            ((answers, bytes + answers * completion), (asked, asked * request))
        }
        Transfer::DmaWrite { bytes } => {
            let packets = bytes.div_ceil(link.max_payload_bytes());
            ((0, 0), (packets, bytes + packets * request))
        }
    };
    Traffic {
        cpu_to_device_packets: to_device.0,
        cpu_to_device_bytes: to_device.1,
        device_to_cpu_packets: to_cpu.0,
        device_to_cpu_bytes: to_cpu.1,
    }
}

proptest! {
    #[test]
    fn packets_of_a_transfer_add_up_to_the_formulas(
        link in link(), bytes in prop_oneof![0_u64..3000, 0_u64..1 << 31],
    ) {
        for transfer in [
            Transfer::Mmio { bytes },
            Transfer::Register { bytes: bytes.clamp(1, 8) },
            Transfer::DmaRead { bytes },
            Transfer::DmaWrite { bytes },
        ] {
            prop_assert_eq!(link.traffic(transfer), by_formula(&link, transfer));
        }
    }

    #[test]
    fn every_transaction_has_a_sender_a_length_and_no_more_data_than_a_packet_holds(
        link in link(), asked in operation(),
    ) {
        for (side, part) in asked.steps() {
            let transactions = link.transactions(part.transfer);
            prop_assert!(!transactions.is_empty(), "{:?} at {:?} moves nothing", part, side);
            for packets in transactions {
                let most = match (packets.kind, packets.sent_by) {
                    (Kind::MemoryRead, End::Device) => 0,
                    (Kind::MemoryWrite, End::Cpu) => 64,
                    (Kind::MemoryWrite, End::Device) => link.max_payload_bytes(),
                    (Kind::Completion, End::Cpu) => link.read_completion_bytes(),
                    other => panic!("{other:?} is no packet of this model"),
                };
                prop_assert!(packets.packets > 0 && packets.data_bytes <= most, "{:?}", packets);
                prop_assert_eq!(packets.data_bytes == 0, packets.kind == Kind::MemoryRead);
                // Whatever the CPU sends but by itself, the card has asked for.
                let by_itself = (packets.kind, packets.sent_by) == (Kind::MemoryWrite, End::Cpu);
                prop_assert_eq!(part.transfer.started_by() == End::Cpu, by_itself);
            }
        }
    }

    #[test]
    fn parts_of_both_sides_are_the_steps_of_the_operation(asked in operation()) {
        let steps = asked.steps();
        for side in [Side::Requester, Side::Responder] {
            let of_side: Vec<_> =
                steps.iter().filter(|(at, _)| *at == side).map(|(_, part)| *part).collect();
            prop_assert_eq!(&of_side, &asked.parts(side));
            prop_assert_eq!(of_side.is_empty(), !sides(asked.verb).contains(&side));
        }
    }

    #[test]
    fn ethernet_adds_40_bytes_to_what_a_datagram_writes_and_changes_nothing_else(
        link in link(), asked in operation(),
    ) {
        let of = |link_layer| Operation { link_layer, ..asked };
        let (infiniband, ethernet) = (of(LinkLayer::Infiniband), of(LinkLayer::Ethernet));
        prop_assume!(ethernet.check().is_ok());
        prop_assert_eq!(infiniband.parts(Side::Requester), ethernet.parts(Side::Requester));
        let bytes = |operation: &Operation| -> u64 {
            operation.parts(Side::Responder).iter().map(|part| part.transfer.bytes()).sum()
        };
        let added = if asked.transport == Transport::Ud { DATAGRAM_HEADER_BYTES } else { 0 };
        prop_assert_eq!(bytes(&ethernet), bytes(&infiniband) + added);
        let one = cost(&link, &ethernet, Side::Responder).dma_writes;
        prop_assert!(one >= cost(&link, &infiniband, Side::Responder).dma_writes);
    }

    #[test]
    fn dma_takes_less_from_the_cpu_to_the_card_than_mmio(link in link(), bytes in 1_u64..100_000) {
        let stored = link.traffic(Transfer::Mmio { bytes }).cpu_to_device_bytes;
        let read = link.traffic(Transfer::DmaRead { bytes }).cpu_to_device_bytes;
        prop_assert!(read < stored, "{read} {stored}");
    }

    #[test]
    fn more_bytes_take_no_less_of_anything(link in link(), bytes in 0_u64..100_000) {
        for make in [
            |bytes| Transfer::Mmio { bytes },
            |bytes| Transfer::DmaRead { bytes },
            |bytes| Transfer::DmaWrite { bytes },
        ] {
            let (less, more) = (link.traffic(make(bytes)), link.traffic(make(bytes + 1)));
            prop_assert!(more.cpu_to_device_bytes >= less.cpu_to_device_bytes);
            prop_assert!(more.cpu_to_device_packets >= less.cpu_to_device_packets);
            prop_assert!(more.device_to_cpu_bytes >= less.device_to_cpu_bytes);
            prop_assert!(more.device_to_cpu_packets >= less.device_to_cpu_packets);
        }
    }

    #[test]
    fn whole_lines_take_what_their_stores_take(link in link(), bytes in 1_u64..1008) {
        let wqe = Wqe::of_bytes(bytes);
        let cost = Cost::of_parts(&link, &Part::of_posting(wqe, Post::Mmio));
        prop_assert_eq!(cost.mmio_writes, Ratio::from_integer(wqe.lines().into()));
        prop_assert!(wqe.padded_bytes() >= bytes && wqe.padded_bytes() < bytes + 64);
    }

    #[test]
    fn a_batch_of_1_takes_a_whole_doorbell_and_larger_ones_less(
        link in link(), bytes in 1_u64..1008, batch in 1_u32..1000,
    ) {
        let rung = |batch| {
            let parts = Part::of_posting(Wqe::of_bytes(bytes), Post::Doorbell { batch });
            Cost::of_parts(&link, &parts)
        };
        prop_assert_eq!(rung(1).mmio_writes, Ratio::from_integer(1));
        prop_assert_eq!(rung(batch).mmio_writes, Ratio::new(1, batch.into()));
        prop_assert!(rung(batch).cpu_to_device_bytes <= rung(1).cpu_to_device_bytes);
    }

    #[test]
    fn a_signaled_operation_costs_a_completion_more(link in link(), asked in operation()) {
        prop_assume!(asked.verb != Verb::Recv);
        let of = |signals| cost(&link, &Operation { signals, ..asked }, Side::Requester);
        let (never, always) = (of(Signals::Never), of(Signals::Every(1)));
        prop_assert_eq!(always.dma_writes, never.dma_writes + Ratio::from_integer(1));
        prop_assert_eq!(always.cpu_to_device_bytes, never.cpu_to_device_bytes);
    }

    #[test]
    fn an_inlined_payload_is_not_fetched(link in link(), asked in operation()) {
        prop_assume!(matches!(asked.verb, Verb::Write | Verb::Send) && asked.bytes > 0);
        let of = |payload| cost(&link, &Operation { payload, ..asked }, Side::Requester).dma_reads;
        prop_assume!(asked.bytes <= asked.inline_limit_bytes());
        prop_assert_eq!(of(Payload::Pointer), of(Payload::Inline) + Ratio::from_integer(1));
    }

    #[test]
    fn the_bottleneck_is_the_smallest_and_uses_all_of_its_direction(
        link in link(), asked in operation(),
    ) {
        for &side in sides(asked.verb) {
            let found = limits(&link, &asked.parts(side));
            let smallest = bottleneck(&found).expect("every operation moves something");
            prop_assert!(found.iter().all(|limit| limit.rate >= smallest.rate));
            let taken = cost(&link, &asked, side);
            let most = taken.cpu_to_device_bytes.max(taken.device_to_cpu_bytes);
            prop_assert_eq!(smallest.bytes, most);
        }
    }

    #[test]
    fn twice_the_lanes_are_twice_the_operations(asked in operation()) {
        let rate = |lanes| {
            let link = Link::new(Generation::Gen3, lanes).expect("a link");
            bottleneck(&limits(&link, &asked.parts(Side::Responder))).map(|limit| limit.rate)
        };
        prop_assert_eq!(rate(16), rate(8).map(|rate| rate * 2));
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    use Transport::{Rc, Uc, Ud};
    let of = Operation::new;
    let refused = |operation: Operation, told: &str| {
        let error: OperationError = operation.check().expect_err("no such operation");
        assert_eq!(error.to_string(), told);
    };
    refused(of(Verb::Read, Ud, 8), "read over ud: it is carried by rc (003 Table 1)");
    refused(of(Verb::Write, Ud, 8), "write over ud: it is carried by rc, uc (003 Table 1)");
    refused(of(Verb::Read, Rc, 0), "a read of 0 B: only send and recv can be header-only");
    refused(of(Verb::FetchAndAdd, Rc, 16), "an atomic of 16 B: it is of 8 B");
    refused(
        of(Verb::Send, Ud, 941),
        "941 B cannot be inlined: a send over ud inlines at most 940 B",
    );
    // 64 bytes of a completion hold the header, too.
    let inlined = Operation { payload: Payload::Inline, ..of(Verb::Recv, Ud, 25) };
    assert_eq!(inlined.check(), Ok(()));
    refused(
        Operation { link_layer: LinkLayer::Ethernet, ..inlined },
        "25 B cannot be inlined: a recv over ud inlines at most 24 B",
    );
    refused(
        Operation { post: Post::Doorbell { batch: 0 }, ..of(Verb::Send, Uc, 8) },
        "a batch of 0: allowed are 1 to 65536",
    );
    refused(
        Operation { payload: Payload::Inline, ..of(Verb::Read, Rc, 8) },
        "a read cannot be inlined: write, send and recv can",
    );
    refused(
        Operation { signals: Signals::Never, ..of(Verb::Recv, Rc, 8) },
        "a recv cannot be unsignaled: its completion tells what was received (003 section 3.2)",
    );
    refused(
        Operation { completion_bytes: 48, ..of(Verb::Write, Rc, 8) },
        "completion entries of 48 B: allowed are 32, 64 and 128",
    );
    let pointed = Operation { payload: Payload::Pointer, ..of(Verb::Send, Ud, 4097) };
    refused(pointed, "4097 B over ud: a message is at most 4096 B");
}

#[test]
fn links_that_there_are_not_are_refused() {
    let lanes = Link::new(Generation::Gen3, 12).expect_err("no such link");
    assert_eq!(lanes.to_string(), "12 lanes: a link has 1, 2, 4, 8, 16 or 32");
    assert!(Generation::of(6).expect_err("unknown").to_string().contains("1.0, 2.0, 3.0"));
    assert_eq!("3".parse(), Ok(Generation::Gen3));
    assert_eq!("3.0".parse(), Ok(Generation::Gen3));
    assert!("3.1".parse::<Generation>().is_err());
    let link = Link::new(Generation::Gen3, 16).expect("a link");
    assert!(link.with_read_completion(100).is_err());
    assert!(link.with_max_payload(64).is_err());
    assert!(link.with_max_read_request(0).is_err());
}
