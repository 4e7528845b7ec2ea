//! What made-up sysfs trees tell: machines and devices that are not at hand.

mod device;
mod topology;
mod tree;
