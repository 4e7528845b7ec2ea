//! Intel Data Direct I/O at a card's root port.
