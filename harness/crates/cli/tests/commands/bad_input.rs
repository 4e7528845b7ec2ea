//! Bad input and missing things, through the real program, on a machine without any device.
//!
//! What passing lets us claim: a wrong word, flag, unit, table, design or path is answered within
//! bounded time by exit status 2 and a message that names it and says what would be right; files
//! that are damaged or missing by status 1; and stdout holds nothing but results. What needs a
//! device is in `ci/test.d/faults`.

mod designs;
mod host_flags;
mod library;
mod output;
mod results;
mod stored;
mod tables;
mod unheard;
mod words;
