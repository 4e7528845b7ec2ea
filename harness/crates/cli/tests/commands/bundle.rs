//! `onesided bundle` and `onesided check` of what it packs, through the real program.
//!
//! What passing lets us claim: a bundle holds what results have and nothing else, whole or not at all, in
//! the same bytes each time; and `check` accepts it packed and unpacked, says which file was changed by a
//! byte, and refuses every archive that another program would unpack to something else, before anything
//! is written. Neither leaves anything behind where the disk is full or a signal ends it.

mod disk;
mod hostile;
mod limits;
mod meanwhile;
mod packing;
mod place;
mod signals;
mod tampering;
