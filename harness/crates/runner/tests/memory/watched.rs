//! A back end that sees what its caller allocates between two calls.
//!
//! The reference allocates on its data path, which the contract forbids to back ends for
//! measurements; what matters here is the code that calls it.

use std::sync::{Arc, Mutex};

use onesided_conformance::reference::{ReferenceEndpoint, ReferenceRegion, ReferenceTransport};
use onesided_transport::{
    Access, ConnectError, ConnectionAttributes, CreateEndpointError, DeviceDescription, Endpoint,
    EndpointAddress, EndpointAttributes, GidEntry, LocalSegment, PollError, PostError,
    RegisterError, Transport, WorkCompletion, WorkRequest,
};

use crate::counting_allocator::allocations_of_this_thread;

/// What one endpoint saw on its data path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watched {
    /// Calls of the data path.
    pub calls: u64,
    /// Allocations of the calling thread from the end of each call to the beginning of the next.
    pub allocations: u64,
    /// The thread's count when the last call ended.
    left_at: Option<u64>,
}

impl Watched {
    /// Does a call of the back end, whose own allocations do not count.
    pub fn call<R>(&mut self, body: impl FnOnce() -> R) -> R {
        let entered_at = allocations_of_this_thread();
        self.calls += 1;
        self.allocations += entered_at - self.left_at.unwrap_or(entered_at);
        let result = body();
        self.left_at = Some(allocations_of_this_thread());
        result
    }
}

/// The reference, watched.
pub struct WatchedTransport {
    inner: ReferenceTransport,
    seen: Arc<Mutex<Vec<Watched>>>,
}

impl WatchedTransport {
    /// Around a device of the reference.
    pub fn new(inner: ReferenceTransport) -> Self {
        Self { inner, seen: Arc::default() }
    }

    /// What the endpoints saw that are gone by now.
    pub fn seen(&self) -> Vec<Watched> {
        self.seen.lock().unwrap().clone()
    }
}

impl Transport for WatchedTransport {
    type Region = ReferenceRegion;
    type Endpoint = WatchedEndpoint;

    fn description(&self) -> &DeviceDescription {
        self.inner.description()
    }

    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<ReferenceRegion, RegisterError> {
        // SAFETY: as the caller promises.
        unsafe { self.inner.register(address, length, access) }
    }

    fn create_endpoint(
        &self,
        attributes: &EndpointAttributes,
    ) -> Result<WatchedEndpoint, CreateEndpointError> {
        let inner = self.inner.create_endpoint(attributes)?;
        Ok(WatchedEndpoint { inner, watched: Watched::default(), seen: Arc::clone(&self.seen) })
    }
}

/// An endpoint of the reference, watched.
pub struct WatchedEndpoint {
    inner: ReferenceEndpoint,
    watched: Watched,
    seen: Arc<Mutex<Vec<Watched>>>,
}

impl Endpoint for WatchedEndpoint {
    fn queue_pair_numbers(&self) -> &[u32] {
        self.inner.queue_pair_numbers()
    }

    fn address(&self, gid: Option<GidEntry>) -> EndpointAddress {
        self.inner.address(gid)
    }

    fn connect(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        self.inner.connect(peer, attributes)
    }

    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        let Self { inner, watched, .. } = self;
        // SAFETY: as the caller promises.
        watched.call(|| unsafe { inner.post(queue_pair, requests) })
    }

    unsafe fn post_receive(
        &mut self,
        queue_pair: usize,
        id: u64,
        buffer: Option<LocalSegment>,
    ) -> Result<(), PostError> {
        let Self { inner, watched, .. } = self;
        // SAFETY: as the caller promises.
        watched.call(|| unsafe { inner.post_receive(queue_pair, id, buffer) })
    }

    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        let Self { inner, watched, .. } = self;
        watched.call(|| inner.poll(completions))
    }
}

impl Drop for WatchedEndpoint {
    fn drop(&mut self) {
        self.seen.lock().unwrap().push(self.watched);
    }
}
