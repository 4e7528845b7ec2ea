//! `onesided import nurdma` on small hand-made releases, through the real program.
//!
//! What passing lets us claim: a release that is not as the study's is answered by exit status 2
//! and a message that names the file, the line and what was expected, and leaves no table; a
//! release that is gives the same tables whatever the number of threads.

mod committed;
mod refusals;
mod release;
mod tables;
