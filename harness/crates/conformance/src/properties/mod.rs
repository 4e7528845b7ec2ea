//! The properties, by what they are about. A function's name is the sentence that it checks.

mod atomics;
mod connection;
mod data;
mod datagram;
mod flushing;
mod identity;
mod immediate;
mod limits;
mod ordering;
mod peer_loss;
mod protection;
mod send;
mod shared_receives;
mod unreliable;

use crate::{
    bench::Bench,
    deviation::Verdict,
    fixture::{Capability, Fixture},
};

/// One property.
pub(crate) struct Property<F: Fixture> {
    pub(crate) name: &'static str,
    /// Without all of these it is skipped.
    pub(crate) needs: &'static [Capability],
    pub(crate) check: fn(&Bench<'_, F>) -> Verdict,
}

/// A property named as its function, and the capabilities that it needs.
macro_rules! property {
    ($check:ident) => {
        property!($check,)
    };
    ($check:ident, $($needs:ident),*) => {
        $crate::properties::Property {
            name: stringify!($check),
            needs: &[$($crate::fixture::Capability::$needs),*],
            check: $check::<F>,
        }
    };
}
use property;

/// The table of all properties, in the order in which they run.
pub(crate) fn all<F: Fixture>() -> Vec<Property<F>> {
    let mut all = Vec::new();
    all.extend(data::properties());
    all.extend(immediate::properties());
    all.extend(send::properties());
    all.extend(unreliable::properties());
    all.extend(datagram::properties());
    all.extend(shared_receives::properties());
    all.extend(atomics::properties());
    all.extend(ordering::properties());
    all.extend(protection::properties());
    all.extend(flushing::properties());
    all.extend(limits::properties());
    all.extend(identity::properties());
    all.extend(connection::properties());
    all.extend(peer_loss::properties());
    all
}
