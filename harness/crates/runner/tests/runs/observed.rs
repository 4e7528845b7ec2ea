//! A back end whose data path somebody looks at: the reference, and what is seen of its calls.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use onesided_conformance::reference::{ReferenceEndpoint, ReferenceRegion, ReferenceTransport};
use onesided_transport::{
    Access, ConnectError, ConnectionAttributes, CreateEndpointError, Destination,
    DeviceDescription, Endpoint, EndpointAddress, EndpointAttributes, GidEntry, NotAvailable,
    PollError, PortState, PostError, ReceiveRequest, RegisterError, Transport, WorkCompletion,
    WorkRequest,
};

/// What looks at the calls of one endpoint; each does `body`, which is the call.
pub trait Observer: Copy + Default + Send + 'static {
    /// Posts so many requests.
    fn post<R>(&mut self, requests: usize, body: impl FnOnce() -> R) -> R;

    /// Posts a receive request.
    fn post_receives<R>(&mut self, body: impl FnOnce() -> R) -> R;

    /// Polls.
    fn poll(&mut self, body: impl FnOnce() -> Result<usize, PollError>)
    -> Result<usize, PollError>;
}

/// The reference, observed.
pub struct ObservedTransport<O> {
    inner: ReferenceTransport,
    seen: Arc<Mutex<Vec<O>>>,
}

impl<O: Observer> ObservedTransport<O> {
    /// Around a device of the reference.
    pub fn new(inner: ReferenceTransport) -> Self {
        Self { inner, seen: Arc::default() }
    }

    /// What the endpoints saw that are gone by now.
    pub fn seen(&self) -> Vec<O> {
        self.seen.lock().unwrap().clone()
    }
}

impl<O: Observer> Transport for ObservedTransport<O> {
    type Region = ReferenceRegion;
    type Endpoint = ObservedEndpoint<O>;

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
    ) -> Result<ObservedEndpoint<O>, CreateEndpointError> {
        let inner = self.inner.create_endpoint(attributes)?;
        Ok(ObservedEndpoint { inner, observer: O::default(), seen: Arc::clone(&self.seen) })
    }

    fn places_rings(&self) -> Result<(), NotAvailable> {
        self.inner.places_rings()
    }

    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable> {
        self.inner.counters()
    }

    fn port_state(&self) -> Result<PortState, NotAvailable> {
        self.inner.port_state()
    }
}

/// An endpoint of the reference, observed.
pub struct ObservedEndpoint<O: Observer> {
    inner: ReferenceEndpoint,
    observer: O,
    seen: Arc<Mutex<Vec<O>>>,
}

impl<O: Observer> Endpoint for ObservedEndpoint<O> {
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

    fn destinations(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        self.inner.destinations(peer, attributes)
    }

    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        let Self { inner, observer, .. } = self;
        // SAFETY: as the caller promises.
        observer.post(requests.len(), || unsafe { inner.post(queue_pair, requests) })
    }

    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        let Self { inner, observer, .. } = self;
        // SAFETY: as the caller promises.
        observer.post_receives(|| unsafe { inner.post_receives(queue_pair, requests) })
    }

    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        let Self { inner, observer, .. } = self;
        observer.poll(|| inner.poll(completions))
    }
}

impl<O: Observer> Drop for ObservedEndpoint<O> {
    fn drop(&mut self) {
        self.seen.lock().unwrap().push(self.observer);
    }
}
