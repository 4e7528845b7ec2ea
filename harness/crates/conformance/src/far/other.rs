//! The process that has the server's end, as it is seen from here.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use onesided_transport::{Access, RemoteMemory};

use super::{
    device::FarDevice,
    messages::{Answer, Ask, hear, say},
};
use crate::{Reach, memory::MARGIN};

type Streams = (Box<dyn Write + Send>, Box<dyn BufRead + Send>);

/// A process that [`super::serve`]s.
pub struct Other {
    talk: Mutex<Streams>,
    handles: AtomicU64,
    /// By the place in this process that names its first registered byte.
    places: Mutex<BTreeMap<u64, Place>>,
}

/// Memory there.
#[derive(Clone, Copy)]
struct Place {
    region: u64,
    address: u64,
    length: u64,
}

/// What became of a registration.
pub(super) struct Registered {
    pub region: u64,
    pub local_key: u32,
    pub remote: RemoteMemory,
}

impl Other {
    /// Asks by `to`, and is answered by `from`.
    pub fn new(to: impl Write + Send + 'static, from: impl BufRead + Send + 'static) -> Self {
        Self {
            talk: Mutex::new((Box::new(to), Box::new(from))),
            handles: AtomicU64::new(0),
            places: Mutex::default(),
        }
    }

    /// Opens a device there.
    ///
    /// # Errors
    /// What the other process says of it.
    pub fn open(self: &Arc<Self>) -> Result<FarDevice, String> {
        let device = self.handle();
        match self.ask(&Ask::Open { device }) {
            Answer::Opened(description) => Ok(FarDevice::new(self, device, description)),
            Answer::Refused(why) => Err(why),
            other => panic!("opening was answered by {other:?}"),
        }
    }

    pub(super) fn handle(&self) -> u64 {
        self.handles.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn ask(&self, ask: &Ask) -> Answer {
        self.exchange(ask, &[]).unwrap_or_else(|error| panic!("the other process: {error}")).0
    }

    /// For what is given back: where the process is gone, so is everything of it.
    pub(super) fn give_back(&self, ask: &Ask) {
        let _ = self.exchange(ask, &[]);
    }

    /// A question with the bytes behind it, and the same of the answer.
    fn exchange(&self, ask: &Ask, bytes: &[u8]) -> io::Result<(Answer, Vec<u8>)> {
        let mut talk = self.talk.lock().unwrap_or_else(PoisonError::into_inner);
        let (to, from) = &mut *talk;
        say(to, ask, bytes)?;
        let Some(answer) = hear(from)? else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        let mut bytes = Vec::new();
        if let Answer::Got { length } = answer {
            bytes.resize(length, 0);
            from.read_exact(&mut bytes)?;
        }
        Ok((answer, bytes))
    }

    pub(super) fn ask_for_done(&self, ask: &Ask) -> Result<(), String> {
        match self.ask(ask) {
            Answer::Done => Ok(()),
            Answer::Refused(why) => Err(why),
            other => panic!("{ask:?} was answered by {other:?}"),
        }
    }

    /// Memory there of so many bytes, which is called `place` here.
    pub(super) fn register(
        &self,
        device: u64,
        place: u64,
        length: usize,
        access: Access,
    ) -> Registered {
        let region = self.handle();
        match self.ask(&Ask::Register { device, region, length, access }) {
            Answer::Registered { local_key, remote, address } => {
                self.remember(place, Place { region, address, length: length as u64 });
                Registered { region, local_key, remote }
            }
            other => panic!("cannot register there: {other:?}"),
        }
    }

    /// What was where this is now is gone: its memory was freed here before.
    fn remember(&self, start: u64, new: Place) {
        let margin = MARGIN as u64;
        let mut places = self.places();
        places.retain(|&other, old| {
            let before = other + old.length + 2 * margin <= start;
            before || start + new.length + 2 * margin <= other
        });
        places.insert(start, new);
    }

    fn places(&self) -> MutexGuard<'_, BTreeMap<u64, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory that a place is of, and its offset from the start of the first margin.
    fn find(&self, place: u64) -> (Place, u64) {
        let margin = MARGIN as u64;
        let places = self.places();
        let (start, found) = places.range(..=place + margin).next_back().expect("it is known");
        let offset = place + margin - start;
        assert!(offset <= found.length + 2 * margin, "{place:#x} is in no memory that is there");
        (*found, offset)
    }
}

impl Reach for Other {
    fn put(&self, place: u64, bytes: &[u8]) {
        let (Place { region, .. }, offset) = self.find(place);
        let ask = Ask::Put { region, offset: offset as usize, length: bytes.len() };
        match self.exchange(&ask, bytes) {
            Ok((Answer::Done, _)) => {}
            other => panic!("cannot write there: {other:?}"),
        }
    }

    fn get(&self, place: u64, length: usize) -> Vec<u8> {
        let (Place { region, .. }, offset) = self.find(place);
        match self.exchange(&Ask::Get { region, offset: offset as usize, length }, &[]) {
            Ok((Answer::Got { .. }, bytes)) => bytes,
            other => panic!("cannot read there: {other:?}"),
        }
    }

    fn address(&self, place: u64) -> u64 {
        let (found, offset) = self.find(place);
        found.address + offset - MARGIN as u64
    }
}
