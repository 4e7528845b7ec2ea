//! The machine below the operating system, asked and, where that is wanted, told.
//!
//! | asked | module |
//! |---|---|
//! | is some memory in the caches, and put it there or not | [`cache`] |
//! | may the card write into the last-level cache | [`direct_io`] |
//! | what was counted outside the cores | [`uncore`] |
//! | does somebody else measure on this host | [`measuring`] |

pub mod cache;
pub mod direct_io;
pub mod measuring;
pub mod uncore;
