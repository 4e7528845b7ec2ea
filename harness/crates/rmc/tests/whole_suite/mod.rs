//! The suite as a program: an argument selects the properties whose name contains it.

use std::{env, process::ExitCode, sync::Arc};

use onesided_conformance::{Filter, property_names, run_suite};
use onesided_rmc::Serving;

use crate::fixture::RmcFixture;

/// Two nodes of one fabric, both opened by this process.
pub fn run(serving: Serving) -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        for name in property_names::<RmcFixture>() {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let filter = arguments.into_iter().find(|argument| !argument.starts_with('-'));
    let filter = filter.map_or(Filter::All, Filter::Containing);
    println!("conformance of rmc, two nodes of one process, served by {serving:?}");
    match run_suite(&Arc::new(RmcFixture::served_by(serving)), &filter).failed.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
