//! The server's end in another process, on this machine or on another one.
//!
//! [`serve`] runs there: it opens devices of the back end under test and does what it is asked, one
//! line of JSON a question. [`Other`] asks, over any pair of streams; the devices that it opens
//! there are [`FarDevice`]s, and the suite's transport is [`Either`] of the two kinds. The memory
//! of such a device is the other process's: a [`crate::Fixture`] that has one says so by
//! [`crate::Fixture::reach`], and the suite looks at it by questions, too.
//!
//! Only what the suite asks of its server's end is carried over: one-sided requests without inline
//! payloads, and receive requests.
//!
//! Nothing here authenticates anybody: listen on addresses that only the test can reach.

mod device;
mod either;
mod messages;
mod other;
mod serving;

pub use device::{FarDevice, FarEndpoint, FarRegion};
pub use either::Either;
pub use other::Other;
pub use serving::serve;
