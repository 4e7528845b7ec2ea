//! Verbs, transports, and which goes with which.

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Writes remote memory.
    Write,
    /// Reads remote memory.
    Read,
    /// Sends a message, which takes a RECV at the responder.
    Send,
    /// Receives a message: what a SEND costs at its responder.
    Recv,
    /// Compares 8 bytes of remote memory, and swaps them.
    CompareAndSwap,
    /// Adds to 8 bytes of remote memory.
    FetchAndAdd,
}

impl Verb {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Write, Self::Read, Self::Send, Self::Recv, Self::CompareAndSwap, Self::FetchAndAdd];

    /// Its word, as in every table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Send => "send",
            Self::Recv => "recv",
            Self::CompareAndSwap => "compare-and-swap",
            Self::FetchAndAdd => "fetch-and-add",
        }
    }

    /// Whether it reads, changes and writes 8 bytes.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::CompareAndSwap | Self::FetchAndAdd)
    }

    /// Whether a message goes with it, which may be empty.
    pub const fn is_message(self) -> bool {
        matches!(self, Self::Send | Self::Recv)
    }

    /// The sides at which it costs anything that is modelled: of a RECV only its own.
    pub const fn sides(self) -> &'static [Side] {
        match self {
            Self::Recv => &[Side::Responder],
            _ => &[Side::Requester, Side::Responder],
        }
    }
}

/// Who pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The host that asked.
    Requester,
    /// The host whose memory or RECV it is.
    Responder,
}

impl Side {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Requester => "requester",
            Self::Responder => "responder",
        }
    }
}

/// How queue pairs are connected, and whether loss is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transport {
    /// Reliable, connected (RC).
    ReliableConnected,
    /// Unreliable, connected (UC).
    UnreliableConnected,
    /// Unreliable datagrams (UD).
    UnreliableDatagram,
}

impl Transport {
    /// All of them.
    pub const ALL: [Self; 3] =
        [Self::ReliableConnected, Self::UnreliableConnected, Self::UnreliableDatagram];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ReliableConnected => "rc",
            Self::UnreliableConnected => "uc",
            Self::UnreliableDatagram => "ud",
        }
    }

    /// Whether it carries the verb: UC no READ and no atomic, UD messages only (003 Table 1).
    pub const fn supports(self, verb: Verb) -> bool {
        match self {
            Self::ReliableConnected => true,
            Self::UnreliableConnected => {
                matches!(verb, Verb::Write | Verb::Send | Verb::Recv)
            }
            Self::UnreliableDatagram => verb.is_message(),
        }
    }
}
