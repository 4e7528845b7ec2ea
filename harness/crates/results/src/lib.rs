//! What is written down: rows, records, manifests, their schemas, atomic writing.
//!
//! - [`vocabulary`]: the words of every choice, a crate of its own.
//! - [`factors`]: every factor of a run, declared once.
//! - [`configuration`]: the whole resolved configuration of a run, and what makes one impossible.
//! - [`record`]: `run.json`, everything known about one run.
//! - [`series`]: `windows.csv`, `latency.csv` and `load.csv` of one run.
//! - [`row`]: the tidy tables over many runs.
//! - [`table`]: strict reading and deterministic writing of either kind of table.
//! - [`TableHost`]: the machine beside a table that no run is behind.
//! - [`doubt`]: every reason to look twice at numbers, of every source.
//! - [`directory`]: where a run's files live, and how they appear whole or not at all.
//! - [`bundle`]: runs, tables and machine in one archive, to be sent back.
//! - [`load_report`]: what `onesided load` says to the server that started it.
//! - [`machine`]: `machine.toml`, the hardware of a profile.
//! - [`atomic`]: single files that appear whole or not at all.
//! - [`toml_file`]: reading of what people write.
//! - [`version`]: the version of each kind of file.
//! - [`schema`]: JSON Schemas made from these types.

pub mod atomic;
pub mod bundle;
mod columns;
pub mod configuration;
pub mod directory;
pub mod doubt;
pub mod factors;
pub mod load_report;
pub mod machine;
pub mod record;
pub mod regular_file;
pub mod row;
pub mod schema;
pub mod series;
mod sha256;
pub mod table;
mod table_host;
pub mod toml_file;
pub mod version;

pub use columns::columns;
pub use configuration::RunConfiguration;
pub use doubt::Doubt;
pub use machine::MachineProfile;
pub use onesided_vocabulary::{self as vocabulary, word};
pub use record::RunRecord;
pub use row::RunRow;
pub use table_host::TableHost;
