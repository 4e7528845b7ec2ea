//! The one suite of properties that every back end must pass.
//!
//! # What passing lets us claim
//!
//! That on this back end, as it was opened, each property of [`property_names`] was seen to hold:
//! one-sided operations and sends move exactly their bytes, in the order and with the completions
//! that [`onesided_transport`] promises; what a peer may not touch is refused with the right
//! status and stays as it was; and every wait ends. A harness that is generic over
//! [`onesided_transport::Transport`] may then be moved between such back ends without its counts
//! changing their meaning.
//!
//! # What it does not
//!
//! * **Nothing about time.** No property measures; back ends differ in speed by orders of
//!   magnitude and only their own sources of truth say how much.
//! * **Nothing about what is outside the contract**: ordering between queue pairs, atomicity
//!   against the CPU, data seen in memory before the completion.
//! * **Nothing about races not met.** The properties are examples with fixed seeds, not proofs.
//! * **Nothing about how often a message arrives over an unreliable connection**: one try of three is enough
//!   where a fixture says that messages may be lost ([`Fixture::may_lose_messages`]).
//! * **Nothing about a property that was skipped.** Skips are counted and carry their reason; a
//!   back end with a known defect names it as a [`Quirk`] instead of weakening the property.
//!
//! # Over which service
//!
//! A property is of reliable connections, unless its name says otherwise. Those that hold of unreliable
//! connections, too, are run over both, and are properties of their own in every report
//! (`..._over_an_unreliable_connection`). Reads, atomics and all that a responder answers are not among them:
//! such connections have none, and that they refuse such requests is a property, too. Where a fixture
//! says that messages may be lost, a property that fails as it would by a lost message is tried up to three
//! times, and the report says so ([`Report::repeated`]); any other deviation counts at once, and so does
//! every one elsewhere. Where messages are lost on purpose, properties that need them to arrive are skipped
//! ([`Capability::UnreliableArrival`]).
//!
//! A completed write is expected to be visible to the responder's CPU. That holds where the
//! completion and the data take the same ordered way to memory, as they do for one device that
//! talks to itself, and for all back ends in software. Over an unreliable connection it is waited for.
//!
//! # How it is used
//!
//! ```text
//!   Fixture (of the back end's test) --client(), server()--> Bench --connect--> Pair
//!                                                              '---register---> Memory
//!   run_suite --one thread a property--> ok | FAIL | SKIPPED --> Report
//! ```
//!
//! [`far`] has the server's end in another process, on this host or another one;
//! [`mod@reference`] is the back end that tests without a device use.
//!
//! Every property has its own thread, because a call that blocks can only be told from outside.

mod bench;
mod deviation;
pub mod far;
mod fixture;
mod ledger;
mod memory;
mod pair;
mod pattern;
mod properties;
pub mod reference;
mod report;
mod requests;
mod suite;

pub use fixture::{Capability, Fixture, FixtureError, Patience, Quirk, Reach};
pub use memory::MARGIN as MARGIN_BYTES;
pub use report::{Failed, Repeated, Report, Skipped};
pub use suite::{Filter, property_names, run_suite, run_suite_into, skip_suite};
