//! The emulated back end through the real program, in two processes, without root or RDMA.

mod attacks;
mod bundles;
mod crowds;
mod disturbed;
mod faults;
mod losses;
mod peers;
mod program;
mod runs;
mod tables;
