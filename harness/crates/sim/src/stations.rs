//! Where operations wait for each other, one file a station.

mod atomics;
mod cpus;
mod lines;
mod memory;
mod pipe;
mod posted;
mod server;
mod verb;

pub(crate) use atomics::LockSlots;
pub(crate) use cpus::Cpus;
pub(crate) use lines::{Lines, LinesPlan, lines_of};
pub(crate) use memory::{copies_ns, memory_wait_ns, miss_fraction};
pub(crate) use pipe::{Flow, Pipe, Segments};
pub(crate) use posted::PostedWrites;
pub(crate) use server::Server;
pub(crate) use verb::Verb;
