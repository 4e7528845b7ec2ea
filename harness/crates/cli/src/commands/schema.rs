//! `onesided schema`: the JSON Schemas of everything that is written down.

use std::{
    io::{Write, stdout},
    path::PathBuf,
};

use anyhow::bail;
use clap::Args;
use onesided_results::{
    doubt::{self, Doubt},
    schema,
};

use crate::ending::Ending;

/// Prints the JSON Schema of a file format, or writes all of them.
///
/// They are made from the types that write the files; data/schema holds them, and a test fails
/// when those are stale.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided schema                        the names
  onesided schema run-record             one of them, of run.json
  onesided schema columns                the columns of all tables, as one table
  onesided schema doubts                 every doubt that a run may have, and what it means
  onesided schema --write data/schema    all, each into its file")]
pub struct Arguments {
    /// Name of the schema
    name: Option<String>,
    /// Directory to write all of them to
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "name")]
    write: Option<PathBuf>,
}

/// A schema's name without the ending of its file.
fn stem(name: &str) -> &str {
    let name = name.strip_suffix(".json").unwrap_or(name);
    name.strip_suffix(".csv").unwrap_or(name)
}

/// Prints or writes schemas.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    if let Some(directory) = &arguments.write {
        schema::write_all(directory)?;
        return Ok(Ending::Valid);
    }
    let mut texts: Vec<_> =
        schema::all().iter().map(|(name, schema)| (*name, schema::to_text(schema))).collect();
    texts.push((schema::tables::FILE, schema::tables::to_text()));
    texts.push((doubt::FILE, Doubt::to_text()));
    texts.sort_unstable();
    let Some(wanted) = &arguments.name else {
        for (name, _) in texts {
            writeln!(stdout(), "{}", stem(name))?;
        }
        return Ok(Ending::Valid);
    };
    let Some((_, text)) = texts.iter().find(|(name, _)| stem(name) == stem(wanted)) else {
        let names: Vec<_> = texts.iter().map(|(name, _)| stem(name)).collect();
        bail!("there is no schema '{wanted}'; there are: {}", names.join(", "));
    };
    write!(stdout(), "{text}")?;
    Ok(Ending::Valid)
}
