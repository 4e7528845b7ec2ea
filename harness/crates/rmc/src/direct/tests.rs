use std::mem;

use onesided_transport::{
    Access, CompletionQueues, ConnectionAttributes, Endpoint, EndpointAttributes, ReceiveQueues,
    RegisteredMemory, Service, Transport,
};

use super::*;
use crate::{RmcDevice, RmcOptions, shared::region::Part};

fn connected(here: &RmcDevice, there: &RmcDevice) -> [RmcEndpoint; 2] {
    let attributes = EndpointAttributes {
        service: Service::ReliableConnection,
        queue_pairs: 1,
        send_queue_depth: 4,
        receive_queue_depth: 0,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::REMOTE,
    };
    let [mut one, mut other] = [here, there].map(|node| node.create_endpoint(&attributes).unwrap());
    let connection = ConnectionAttributes::reliable(4);
    other.connect(&one.address(None), &connection).unwrap();
    one.connect(&other.address(None), &connection).unwrap();
    [one, other]
}

#[test]
fn an_owner_that_died_while_it_stored_is_told_of() {
    let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
    let options = RmcOptions { fabric: fabric.path().to_owned(), ..RmcOptions::default() };
    let [here, there] = [(); 2].map(|()| RmcDevice::open(&options).unwrap());
    let [one, other] = connected(&here, &there);
    let memory = RegisteredMemory::new(&there, 64, Access::REMOTE).unwrap();
    let direct = one.direct(memory.remote()).unwrap();
    assert_eq!(direct.word(0), Ok(0));
    // What a killed process leaves: an odd version, a region in the table, and no lock.
    mem::forget(direct.tables().1.storing());
    let RemoteMemory { address, length_bytes, key } = memory.remote();
    let region = direct.tables().0;
    let Part { offset, version, .. } = region.part(key, address, length_bytes).unwrap();
    drop((memory, other, there));
    region.publish(key, (address, length_bytes), (offset, version));
    assert_eq!(direct.word(0), Err(DirectError::Dead));
}
