//! A back end within one process, and wrong versions of it.
//!
//! It exists to test the suite: plain copies under one lock, a step of work for each poll, and no
//! speed. Its name in descriptions is `reference-in-process`.

mod endpoint;
mod execution;
mod fabric;
mod fixture;
mod movement;
mod mutation;
mod refusal;
mod transport;

pub use fixture::ReferenceFixture;
pub use mutation::{CAUGHT_BY, Mutation};
