//! The other process: it opens devices, and does what it is asked.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, Write},
};

use onesided_transport::{
    Endpoint, LocalSegment, PostError, ReceiveRequest, Region, Transport, WorkCompletion,
    WorkRequest,
};

use super::messages::{Answer, Ask, hear, say};
use crate::{
    FixtureError,
    memory::{HostBytes, MARGIN},
};

/// What was opened, made and registered, by the asker's handles. Dropped in this order.
struct Held<T: Transport> {
    endpoints: BTreeMap<u64, T::Endpoint>,
    regions: BTreeMap<u64, T::Region>,
    devices: BTreeMap<u64, T>,
    /// Of each region, and the device that it is kept for: properties look at bytes whose
    /// registration has ended. No region outlives it.
    memory: BTreeMap<u64, (u64, HostBytes)>,
}

/// Answers until nobody asks any more; `open` opens a device each time.
///
/// # Errors
/// When the streams break in the middle of an answer.
///
/// # Panics
/// When it is asked what [`super::Other`] does not ask.
pub fn serve<T: Transport>(
    mut from: impl BufRead,
    mut to: impl Write,
    open: impl Fn() -> Result<T, FixtureError>,
) -> io::Result<()> {
    let mut held = Held::<T> {
        endpoints: BTreeMap::new(),
        regions: BTreeMap::new(),
        devices: BTreeMap::new(),
        memory: BTreeMap::new(),
    };
    while let Some(ask) = hear(&mut from)? {
        let mut bytes = Vec::new();
        if let Ask::Put { length, .. } = ask {
            bytes.resize(length, 0);
            from.read_exact(&mut bytes)?;
        }
        let answer = held.answer(ask, &mut bytes, &open).unwrap_or_else(Answer::Refused);
        let got = matches!(answer, Answer::Got { .. });
        say(&mut to, &answer, if got { &bytes } else { &[] })?;
    }
    Ok(())
}

fn told(error: &dyn std::error::Error) -> String {
    error.to_string()
}

impl<T: Transport> Held<T> {
    fn endpoint(&mut self, endpoint: u64) -> &mut T::Endpoint {
        self.endpoints.get_mut(&endpoint).expect("it was created")
    }

    /// `bytes` are those behind the question, and are made those behind the answer.
    fn answer(
        &mut self,
        ask: Ask,
        bytes: &mut Vec<u8>,
        open: impl Fn() -> Result<T, FixtureError>,
    ) -> Result<Answer, String> {
        match ask {
            Ask::Open { device } => {
                let opened = open().map_err(|error| told(&*error))?;
                let description = opened.description().clone();
                self.devices.insert(device, opened);
                return Ok(Answer::Opened(description));
            }
            Ask::Close { device } => {
                self.regions.retain(|region, _| self.memory[region].0 != device);
                drop(self.devices.remove(&device));
                self.memory.retain(|_, (of, _)| *of != device);
            }
            Ask::Register { device, region, length, access } => {
                let own = &self.devices[&device];
                let bytes = HostBytes::on(own, length + 2 * MARGIN, access);
                let bytes = bytes.map_err(|error| told(&error))?;
                let place = bytes.pointer(MARGIN);
                // SAFETY: the bytes are kept until the device is closed, which drops its regions
                // first; they are only copied from and to.
                let registered = unsafe { own.register(place, length, access) };
                let registered = registered.map_err(|error| told(&error))?;
                let (local_key, remote) = (registered.local_key(), registered.remote());
                self.memory.insert(region, (device, bytes));
                self.regions.insert(region, registered);
                return Ok(Answer::Registered { local_key, remote, address: place as u64 });
            }
            Ask::Put { region, offset, .. } => self.memory[&region].1.put(offset, bytes),
            Ask::Get { region, offset, length } => {
                *bytes = self.memory[&region].1.get(offset, length);
                return Ok(Answer::Got { length });
            }
            Ask::Deregister { region } => drop(self.regions.remove(&region)),
            Ask::Create { device, endpoint, attributes } => {
                let device = &self.devices[&device];
                let created = device.create_endpoint(&attributes).map_err(|error| told(&error))?;
                let address = created.address(None);
                self.endpoints.insert(endpoint, created);
                return Ok(Answer::Created(address));
            }
            Ask::Drop { endpoint } => drop(self.endpoints.remove(&endpoint)),
            Ask::Connect { endpoint, peer, attributes } => {
                let endpoint = self.endpoint(endpoint);
                endpoint.connect(&peer, &attributes).map_err(|error| told(&error))?;
            }
            Ask::Destinations { endpoint, peer, attributes } => {
                let endpoint = self.endpoint(endpoint);
                let found = endpoint.destinations(&peer, &attributes);
                return Ok(Answer::Destinations(found.map_err(|error| told(&error))?.len() as u32));
            }
            Ask::Post { endpoint, queue_pair, requests } => {
                let requests: Vec<_> = requests.into_iter().map(WorkRequest::from).collect();
                let endpoint = self.endpoint(endpoint);
                // SAFETY: segments are of memory that is kept; see above.
                unsafe { endpoint.post(queue_pair, &requests) }.map_err(|error| told(&error))?;
            }
            Ask::PostReceives { endpoint, queue_pair, requests } => {
                let endpoint = self.endpoint(endpoint);
                let segment = |(address, length, key)| LocalSegment { address, length, key };
                let request = |(id, buffer): (_, Option<_>)| ReceiveRequest {
                    id,
                    buffer: buffer.map(segment),
                };
                let requests: Vec<_> = requests.into_iter().map(request).collect();
                // SAFETY: as for `post`.
                match unsafe { endpoint.post_receives(queue_pair, &requests) } {
                    Ok(()) => {}
                    Err(PostError::QueueFull { request, .. }) => {
                        return Ok(Answer::Full { request });
                    }
                    Err(PostError::Invalid { request, source, .. }) => {
                        return Ok(Answer::Invalid { request, why: source.to_string() });
                    }
                    Err(error) => return Err(told(&error)),
                }
            }
            Ask::Poll { endpoint, room } => {
                let mut completions = vec![WorkCompletion::EMPTY; room];
                let endpoint = self.endpoint(endpoint);
                let count = endpoint.poll(&mut completions).map_err(|error| told(&error))?;
                return Ok(Answer::Polled(completions[..count].iter().map(Into::into).collect()));
            }
        }
        Ok(Answer::Done)
    }
}
