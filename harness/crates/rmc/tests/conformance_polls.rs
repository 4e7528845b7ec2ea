//! The suite on the rmc back end, whose nodes are served by the threads that poll.

mod fixture;
mod whole_suite;

use std::process::ExitCode;

use onesided_rmc::Serving;

fn main() -> ExitCode {
    whole_suite::run(Serving::Polls)
}
