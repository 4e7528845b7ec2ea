//! What two processes share, and how it is accessed. Everything `unsafe` that concerns it is here
//! or says here why it may be done.
//!
//! | module | what is there |
//! |---|---|
//! | `atomic` | what rings and versions are made of, or the same in a model |
//! | `ring` | a lane: a bounded ring with one sender and one receiver |
//! | `packet` | requests and replies as header words |
//! | `line` | bytes of a packet into memory that others use, and back |
//! | `lines` | whole lines of it, by registers of 32 bytes, or of 16 where there are none |
//! | `version` | tells readers whether what they have copied was stored meanwhile |
//! | `region` | what peers know of a region, to copy from it themselves |
//! | `delay` | the emulated time on the fabric |
//! | `layout` | a node's file |
//! | `mapping`, `lock`, `sleep` | the file mapped, held, waited on |
//! | `lost` | what is said when the file was cut off |

mod atomic;
pub mod delay;
pub mod layout;
pub mod line;
mod lines;
pub mod lock;
pub mod lost;
pub mod mapping;
pub mod packet;
pub mod region;
pub mod ring;
pub mod sleep;
pub mod version;
