//! Whole runs, client and server over loopback TCP, on the back end `reference-in-process`.
//!
//! Every configuration that a design may ask for comes to its end with counts that agree with each
//! other, and what a back end, a peer or a network may do wrong ends up in the record. Nothing here
//! says anything about speed: the back end copies bytes under a lock.

mod census;
mod counters;
mod counting;
mod defects;
mod evidence;
mod fabrics;
mod foreign_datagrams;
mod hosts;
mod limits;
mod loads;
mod loss;
mod observed;
mod proxy;
mod refusals;
mod scarcity;
mod services;
mod session;
mod shared_receives;
mod together;
mod together_faults;
