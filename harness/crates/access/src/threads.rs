//! Threads of this host that use memory, until they are told to stop.
