//! The commands, one file each: `Arguments` and `run`.

pub mod check;
pub mod claims;
pub mod collect;
pub mod direct_io;
pub mod doctor;
pub mod expand;
pub mod import;
pub mod load;
pub mod memory_latency;
pub mod run;
pub mod schema;
pub mod serve;
pub mod topology;
