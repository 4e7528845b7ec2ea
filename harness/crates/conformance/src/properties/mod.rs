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

use std::iter;

use onesided_transport::Service;

use crate::{
    bench::Bench,
    deviation::Verdict,
    fixture::{Capability, Fixture},
};

/// One property.
pub(crate) struct Property<F: Fixture> {
    pub(crate) name: &'static str,
    /// Its name over unreliable connections, where it holds of those, too.
    unreliable_name: Option<&'static str>,
    /// Of its connections, unless it asks for another one.
    pub(crate) service: Service,
    /// Without all of these it is skipped.
    pub(crate) needs: &'static [Capability],
    pub(crate) check: fn(&Bench<'_, F>) -> Verdict,
}

/// A property named as its function, and the capabilities that it needs.
macro_rules! property {
    ($check:ident) => {
        property!($check,)
    };
    ($check:ident, $($needs:ident),* $(,)?) => {
        $crate::properties::Property {
            name: stringify!($check),
            unreliable_name: None,
            service: ::onesided_transport::Service::ReliableConnection,
            needs: &[$($crate::fixture::Capability::$needs),*],
            check: $check::<F>,
        }
    };
}
use property;

/// A property that holds of unreliable connections, too: of those that need `UnreliableArrival`, where messages
/// are not lost. No property of reads, of atomics or of what a responder answers does: such connections have neither.
macro_rules! connected {
    ($check:ident $(, $needs:ident)* $(,)?) => {
        $crate::properties::Property {
            unreliable_name: Some(concat!(stringify!($check), "_over_an_unreliable_connection")),
            ..$crate::properties::property!($check, $($needs),*)
        }
    };
}
use connected;

impl<F: Fixture> Property<F> {
    /// The same over unreliable connections, where it holds of those.
    fn over_unreliable(&self) -> Option<Self> {
        let service = Service::UnreliableConnection;
        let Self { unreliable_name, needs, check, .. } = *self;
        unreliable_name.map(|name| Self { name, unreliable_name: None, service, needs, check })
    }
}

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
    let both = |property: Property<F>| {
        let over_unreliable = property.over_unreliable();
        iter::once(property).chain(over_unreliable)
    };
    all.into_iter().flat_map(both).collect()
}
