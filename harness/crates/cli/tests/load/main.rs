//! `onesided load` through the real program.
//!
//! What passing lets us claim: it says where its memory is once it loads, and what each thread did
//! when it ends; it ends with its time, its parent or a signal; and what cannot be loaded is
//! refused by exit status 2 with what would be right.

mod ending;
mod loading;
mod program;
mod refusing;
