//! The simulator against laws of queueing theory, where the answer is known.
//!
//! What passing lets us claim: stations serve and queue as they should, in open and closed
//! networks, with constant and exponential service; and operations are neither lost nor made up.

mod closed;
mod machine;
mod memory;
mod open;
mod properties;
mod same;
mod utilisation;
