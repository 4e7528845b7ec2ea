//! Where operations wait for each other, one file a station.

mod atomics;
mod caches;
mod copies;
mod cpus;
mod lines;
mod memory;
mod pipe;
mod posted;
mod server;
mod verb;

pub(crate) use atomics::LockSlots;
pub(crate) use caches::miss_fraction;
pub(crate) use copies::copies_ns;
pub(crate) use cpus::Cpus;
pub(crate) use lines::{Lines, LinesPlan, lines_of};
pub(crate) use memory::memory_wait_ns;
pub(crate) use pipe::{Flow, Pipe, Segments};
pub(crate) use posted::PostedWrites;
pub(crate) use server::Server;
pub(crate) use verb::Verb;
