//! The commands, one file each: `Arguments` and `run`.

pub mod check;
pub mod claims;
pub mod collect;
pub mod doctor;
pub mod expand;
pub mod import;
pub mod run;
pub mod schema;
pub mod serve;
pub mod topology;
