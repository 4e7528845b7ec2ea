//! Which transport carries which verb, and at which end a verb costs anything.

use crate::{Side, Transport, Verb};

/// The sides at which a verb costs anything that is modelled: of a RECV only its own.
pub const fn sides(verb: Verb) -> &'static [Side] {
    match verb {
        Verb::Recv => &[Side::Responder],
        _ => &[Side::Requester, Side::Responder],
    }
}

/// Whether a transport carries a verb: UC no READ and no atomic, UD messages only (003 Table 1).
pub const fn supports(transport: Transport, verb: Verb) -> bool {
    match transport {
        Transport::Rc => true,
        Transport::Uc => matches!(verb, Verb::Write | Verb::Send | Verb::Recv),
        Transport::Ud => verb.is_message(),
    }
}

/// Whether a payload can go with the WQE of a verb, or with the completion of a RECV.
pub const fn can_inline(verb: Verb) -> bool {
    matches!(verb, Verb::Write | Verb::Send | Verb::Recv)
}
