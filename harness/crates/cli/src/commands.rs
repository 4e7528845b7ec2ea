//! The commands, one file each: `Arguments` and `run`.

pub mod check;
pub mod collect;
pub mod doctor;
pub mod expand;
pub mod run;
pub mod schema;
pub mod serve;
pub mod topology;
