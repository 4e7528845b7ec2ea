//! One run, generic over the back end: phases, roles, validity.
//!
//! ```text
//!   client::run:  connect -> set up -> warm up -> measure -> drain -> verify -> record
//!                    |         |                                        |
//!   serve_session: prepare   connect   (one-sided: nothing to do; else receives)   finish
//! ```
//!
//! - [`Site`]: a side's device, machine and clock, looked at once.
//! - [`run`] and [`serve_session`]: the two roles; [`take_part`]: further client hosts.
//! - [`check_on_one_host`]: whether a machine has what a run asks for, before it is set up.
//! - `data_path` and `ping_pong`: what a thread does between start and drain; set-up is elsewhere.
//!
//! The crate knows no back end: it is generic over `onesided_transport::Transport`.

mod client;
mod counted;
mod data_path;
mod doubts;
mod error;
mod fault;
mod geometry;
mod host;
mod machine;
mod one_host;
mod partial_record;
mod patience;
mod ping_pong;
mod pins;
mod places;
mod plan;
mod route;
mod server;
mod site;
mod start;
mod thread;
mod totals;
mod turn;
mod verification;

pub use client::{JoinSummary, RunResult, run, take_part};
pub use doubts::cpu_stolen;
pub use error::RunError;
pub use fault::DataPathFault;
pub use host::{Harness, host_manifest};
pub use one_host::{check_device, check_on_one_host};
pub use places::prove_memory;
pub use server::{Amount, Budget, Pool, SessionEnd, SessionSummary, serve_session, turn_away};
pub use site::{DirectIoControl, Site};
pub use thread::activity;
pub use totals::Totals;
pub use turn::Turn;
