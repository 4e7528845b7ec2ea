//! Who asks for what, when: clock-free generators of work requests, and of the accesses of host
//! threads ([`worker`]).
//!
//! A [`Generator`] is a state machine of one queue pair. It is told the time and what completed,
//! and says what to do next; it never waits, reads a clock or touches memory of its own accord. So
//! the same generator runs under a thread that spins on a real device, where an [`Instant`] is a
//! reading of a tick counter, and in virtual time, where it is a nanosecond.
//!
//! ```text
//!   LoadPlan --with_generator--> QueuePairGenerator<Shape, AddressPattern, Mix>   (one a queue pair)
//!                                   | when: ClosedLoop, Thinking, Batch, OpenLoop<Arrivals>
//!                                   | where: OwnSlot, Sequential, Uniform, Zipf
//!                                   ' what: Single, ReadOr
//! ```
//!
//! The plan is looked at once. What it chose is a type from then on, so that a data path that is
//! generic over [`Generator`] holds no branch on the configuration. The price is one copy of that
//! data path for each of the 32 combinations.

mod dispatch;
mod generator;
mod mix;
pub mod pattern;
mod plan;
pub mod shape;
mod slots;
pub mod worker;

pub use dispatch::{Visitor, with_generator};
pub use generator::{Generator, Instant, Next, Post, PostedOperation, QueuePairGenerator};
pub use mix::{Mix, ReadOr, Single};
pub use pattern::AddressPattern;
pub use plan::{ArrivalPlan, LoadPlan, MixPlan, PatternPlan, PlanError, ShapePlan, region_bytes};
pub use shape::Shape;
pub use slots::{LINE_BYTES, Slots, SlotsError};

pub use onesided_random::{Random, SplitMix64};
pub use onesided_vocabulary::SlotLayout;
