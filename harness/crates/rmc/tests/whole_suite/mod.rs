//! The suite as a program: an argument selects the properties whose name contains it.

use std::{env, num::NonZeroU32, process::ExitCode, sync::Arc};

use onesided_conformance::{Filter, property_names, run_suite};
use onesided_rmc::Serving;

use crate::fixture::RmcFixture;

/// One of so many messages of unreliable services is lost in the second round.
const LOST: NonZeroU32 = NonZeroU32::new(3).expect("not 0");

/// Two nodes of one fabric, both opened by this process: as they are, then with losses.
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
    let holds = |drop_every| {
        let fixture = Arc::new(RmcFixture::new(serving, drop_every));
        run_suite(&fixture, &filter).failed.is_empty()
    };
    println!("conformance of rmc, two nodes of one process, served by {serving:?}");
    let holds_without = holds(None);
    println!("the same, where one of {LOST} messages of unreliable services is lost");
    match holds(Some(LOST)) && holds_without {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
