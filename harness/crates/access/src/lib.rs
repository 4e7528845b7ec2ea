//! What the host's own threads do to memory.
//!
//! | asked | module |
//! |---|---|
//! | how long one load takes, by node and working set | [`chase`] |
//! | threads that use memory while clients do | [`threads`] |
//!
//! Everything here touches memory as fast as the machine lets it, so set-up (which allocates) and
//! the loops (which do not) are in separate files.

pub mod chase;
pub mod threads;
