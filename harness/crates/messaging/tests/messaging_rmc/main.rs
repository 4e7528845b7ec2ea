//! Channels and barriers on the rmc back end, all nodes in this process.
//!
//! An argument selects the properties whose name contains it.

#[path = "../../../rmc/tests/fixture/mod.rs"]
mod fixture;
#[path = "../suite/mod.rs"]
mod suite;

use std::{process::ExitCode, sync::Arc};

use fixture::RmcFixture;
use onesided_rmc::Serving;

fn main() -> ExitCode {
    let Some(wanted) = suite::wanted::<RmcFixture>() else { return ExitCode::SUCCESS };
    let mut ended = ExitCode::SUCCESS;
    for serving in [Serving::Thread, Serving::Polls] {
        println!("messaging over rmc, all nodes of one process, served by {serving:?}");
        if suite::run(&Arc::new(RmcFixture::new(serving, None)), &wanted) != ExitCode::SUCCESS {
            ended = ExitCode::FAILURE;
        }
    }
    ended
}
