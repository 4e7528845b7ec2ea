//! The contract in virtual time: what is known of its times.

mod dropped;
mod failures;
mod hosts;
mod times;
mod unreliable;
