//! Nodes of a fabric of the test, each with a segment and a queue pair on all others.

use onesided_rmc::{
    RmcDevice, RmcOptions,
    access::{Buffer, QueuePair, Segment},
};
use onesided_transport::{Access, Transport};

/// Bytes of each segment.
pub const BYTES: usize = 4096;

/// Slots of each queue pair.
pub const SLOTS: usize = 16;

/// A node of the test. What peers reach goes last.
pub struct Node {
    pub qp: QueuePair,
    pub buffer: Buffer<u64>,
    pub number: u16,
    pub segment: Segment,
    _device: RmcDevice,
}

/// A fabric and its nodes.
pub struct Context {
    pub nodes: Vec<Node>,
    _fabric: tempfile::TempDir,
}

impl Context {
    /// As many nodes as segments, connected all to all.
    pub fn new(access: &[Access]) -> Self {
        let fabric = tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written");
        let options = RmcOptions { fabric: fabric.path().to_owned(), ..RmcOptions::default() };
        let devices: Vec<_> =
            access.iter().map(|_| RmcDevice::open(&options).expect("a node is free")).collect();
        let number = |device: &RmcDevice| device.description().local_identifier;
        let numbers: Vec<_> = devices.iter().map(number).collect();
        let node = |(device, &access): (RmcDevice, &Access)| {
            let own = number(&device);
            let others: Vec<_> = numbers.iter().copied().filter(|&node| node != own).collect();
            Node {
                qp: QueuePair::new(&device, &others, SLOTS).expect("within the limits"),
                buffer: Buffer::new(&device, BYTES / 8).expect("there is a place"),
                number: own,
                segment: Segment::new(&device, BYTES, access).expect("there is a place"),
                _device: device,
            }
        };
        let mut nodes: Vec<_> = devices.into_iter().zip(access).map(node).collect();
        let told: Vec<_> = nodes.iter().map(|node| node.qp.introduce(&node.segment)).collect();
        nodes.iter_mut().for_each(|node| node.qp.connect(&told).expect("one fabric"));
        Self { nodes, _fabric: fabric }
    }

    /// The nodes, each under a name of its own.
    pub fn take<const COUNT: usize>(&mut self) -> [Node; COUNT] {
        let nodes = std::mem::take(&mut self.nodes);
        nodes.try_into().unwrap_or_else(|_| panic!("there are not {COUNT} nodes"))
    }
}
