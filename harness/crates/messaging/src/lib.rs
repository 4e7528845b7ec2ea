//! Send, receive and a barrier over one-sided operations, on any back end.
//!
//! What Scale-Out NUMA's library does for programs that want messages (004 §5.3), over
//! [`onesided_transport`]: reads and writes of a reliable connection, and no receive request.
//!
//! ```text
//!   sender                                                receiver
//!   push   picture of the ring --write, whole lines-->    ring, polled
//!   pull   outbox              --write, a descriptor-->   ring, polled
//!                              <-----------one read---    inbox
//!   told   <-- with each message of the other direction, or by a word of its own ---
//! ```
//!
//! A [`Channel`] is made of an [`Opening`] on either side, of which each has the other's
//! [`Invitation`]; a [`Barrier`] likewise.
//!
//! ```
//! use onesided_messaging::{Opening, Settings};
//! # use onesided_rmc::{RmcDevice, RmcOptions};
//! # use onesided_transport::ConnectionAttributes;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let fabric = tempfile::tempdir_in("/dev/shm")?;
//! # let options = RmcOptions { fabric: fabric.path().to_owned(), ..RmcOptions::default() };
//! # let (here, there) = (RmcDevice::open(&options)?, RmcDevice::open(&options)?);
//! # let attributes = ConnectionAttributes::reliable(16);
//! // On either side, `here` and `there` being devices of any back end:
//! let one = Opening::new(&here, &Settings::default())?;
//! let other = Opening::new(&there, &Settings::default())?;
//! // Credits to each other by whatever way there is: invitations can be serialised.
//! let (told, back) = (one.invitation(None), other.invitation(None));
//! let mut one = one.connect(&here, &back, &attributes)?;
//! let mut other = other.connect(&there, &told, &attributes)?;
//!
//! one.send(b"a short one is pushed")?;
//! one.send(&[7; 5_000])?; // A long one is pulled.
//! other.receive_with(|bytes| assert_eq!(bytes, b"a short one is pushed"))?;
//! let mut buffer = [0; 8_192];
//! assert_eq!(other.receive(&mut buffer)?, 5_000);
//! # Ok(())
//! # }
//! ```
//!
//! # Push and pull
//!
//! A message below the channel's threshold is *pushed*: cut into lines, written into the bounded
//! ring of the peer. Others are *pulled*: the bytes stay in the sender's outbox, a line says where,
//! the receiver reads them with one operation, and what it tells then, without a payload, frees
//! them. With [`ALWAYS_PUSH`] and [`ALWAYS_PULL`] there is only one way; the default is
//! [`DEFAULT_THRESHOLD_BYTES`]. What the ring does not take at all is pulled, but for
//! [`ALWAYS_PUSH`], where it is an error.
//!
//! # What is assumed of a back end
//!
//! A receiver polls memory that a device writes. Neither the contract nor InfiniBand promises that
//! bytes of a write become visible in the order of their addresses before the write's completion
//! (IB spec vol. 1, 9.5), nor that lines of one write do, or two writes. So every word of a line has
//! the number of the ring's lap in its upper byte, and a line has arrived when all its words have it
//! (`line`). It costs an eighth of the ring's bytes, and makes lines right that arrive in any order.
//!
//! What is left to be assumed is that the bytes of one aligned word of 8 bytes are seen together, or
//! in the order of their addresses: the tag is the last of them, and a count of which only lower
//! bytes are new is one from between. Of rmc this is so by its atomic stores. Adapters write
//! memory in bursts of whole aligned words. Soft-RoCE has the kernel's `memcpy`, which says nothing
//! of this; that the suite passes there is evidence, no proof.
//!
//! That what a descriptor names is in the outbox before the descriptor is found is the order in which
//! a device reads what is posted; rmc releases what it stores.
//!
//! # Credits
//!
//! A sender knows how many lines of ring and outbox are free from what the receiver tells, as
//! counts from the beginning (`told`). They travel with each message of the other direction. Where
//! there is none, they are written to a word of their own when a quarter is not told, or when
//! nothing came for some microseconds. That word takes no place in a ring, so two full rings never
//! wait for each other. Two sides that both send and never receive do.
//!
//! # A peer that dies
//!
//! Memory that nobody writes never changes, so a side that has waited for 20 ms with nothing
//! under way writes its word once more: the failure of that tells ([`ChannelError::PeerGone`]).
//! What had arrived is still received; then every call ends with the error. A barrier names the
//! node that will not come, and the others can go on without it.
//!
//! # Data path
//!
//! Sending and receiving take no lock, allocate nothing, and call the kernel only when nothing has
//! come for a thousand looks: to find whether others want the CPU, and then to sleep for a moment,
//! so that more nodes than CPUs get on.

mod atomic;
mod barrier;
mod channel;
mod credits;
mod error;
mod line;
mod memory;
mod opening;
mod packet;
mod receiving;
mod requests;
mod ring;
mod sending;
mod settings;
mod waiting;

pub use barrier::{Barrier, BarrierInvitation, OpeningBarrier};
pub use channel::Channel;
pub use error::{BarrierError, ChannelError, ReceiveError, SendError, SetUpError};
pub use opening::{Invitation, Opening};
pub use settings::{ALWAYS_PULL, ALWAYS_PUSH, DEFAULT_THRESHOLD_BYTES, Settings, SettingsError};
