//! The contract in virtual time: what is known of its times.

mod failures;
mod hosts;
mod times;
