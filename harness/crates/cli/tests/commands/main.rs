//! Commands that need no peer, through the real program. What passing lets us claim stands in each.

mod advise;
mod bad_input;
mod bundle;
mod calibrate;
mod fabric;
mod import;
mod memory_latency;
mod pcie;
mod profiles;
mod program;
mod visibility;
