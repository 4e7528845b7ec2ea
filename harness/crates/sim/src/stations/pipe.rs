//! A link or a bus: what flows through it arrives in pieces.

use crate::time::{Moment, Span};

/// When the first and the last piece of something arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    pub(crate) first: Moment,
    pub(crate) last: Moment,
}

impl Flow {
    /// All at once.
    pub(crate) const fn at(moment: Moment) -> Self {
        Self { first: moment, last: moment }
    }

    /// The same, later.
    #[inline]
    pub(crate) fn after(self, span: Span) -> Self {
        Self { first: self.first + span, last: self.last + span }
    }
}

/// What a pipe does with a payload that comes in pieces: packets of a path MTU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segments {
    /// The first piece.
    pub(crate) first: Span,
    /// The last piece.
    pub(crate) last: Span,
    /// All pieces.
    pub(crate) all: Span,
}

impl Segments {
    /// `bytes` in pieces of `piece_bytes` at most, each of which costs `per_piece_ns` more. No
    /// bytes are one empty piece.
    pub(crate) fn of(bytes: u32, piece_bytes: u32, ns_per_byte: f64, per_piece_ns: f64) -> Self {
        let pieces = bytes.div_ceil(piece_bytes).max(1);
        let cost = |bytes: u32| Span::of_ns(f64::from(bytes) * ns_per_byte + per_piece_ns);
        let last_bytes = bytes - (pieces - 1) * piece_bytes;
        let all = f64::from(bytes) * ns_per_byte + f64::from(pieces) * per_piece_ns;
        Self { first: cost(bytes.min(piece_bytes)), last: cost(last_bytes), all: Span::of_ns(all) }
    }
}

/// Data bytes of a packet on PCI Express: what a completion carries (Kalia et al., section 2.1,
/// `C_rc`), and what a card writes after a reset (PCI Express Base Specification 3.0, 7.8.4).
const PCIE_PACKET_BYTES: u32 = 128;

impl Segments {
    /// `bytes` on PCI Express, which forwards them in pieces of `piece_bytes` at most and has a
    /// header of `header_ns` around every 128 bytes of a piece.
    pub(crate) fn on_pcie(bytes: u32, piece_bytes: u32, ns_per_byte: f64, header_ns: f64) -> Self {
        let pieces = bytes.div_ceil(piece_bytes).max(1);
        let cost = |bytes: u32| {
            let packets = bytes.div_ceil(PCIE_PACKET_BYTES).max(1);
            f64::from(bytes) * ns_per_byte + f64::from(packets) * header_ns
        };
        let last_bytes = bytes - (pieces - 1) * piece_bytes;
        let whole = if pieces > 1 { cost(piece_bytes) } else { 0.0 };
        Self {
            first: Span::of_ns(cost(bytes.min(piece_bytes))),
            last: Span::of_ns(cost(last_bytes)),
            all: Span::of_ns(f64::from(pieces - 1) * whole + cost(last_bytes)),
        }
    }
}

/// A pipe that forwards each piece when all of it is there.
///
/// ```text
///   in    first ....... last
///   out         first ....... last     last: all pieces through, and the last after it came
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pipe {
    free: Moment,
}

impl Pipe {
    /// Lets `flow` through, in the order of arrival.
    #[inline]
    pub(crate) fn forward(&mut self, flow: Flow, segments: &Segments) -> Flow {
        let start = flow.first.max(self.free);
        let last = (start + segments.all).max(flow.last + segments.last);
        self.free = last;
        Flow { first: start + segments.first, last }
    }

    /// Lets `flow` through without holding any of it back, but for what went before: the end of
    /// a link that others send into, too. `segments` say how long the flow keeps it.
    #[inline]
    pub(crate) fn pass(&mut self, flow: Flow, segments: &Segments) -> Flow {
        let starts = Moment(flow.first.0.saturating_sub(segments.first.0)).max(self.free);
        let late = (starts + segments.first).since(flow.first);
        let last = (starts + segments.all).max(flow.last + late);
        self.free = last;
        Flow { first: flow.first + late, last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_equal_pipes_cost_one_more_piece_not_one_more_message() {
        // 1024 bytes in packets of 256, a nanosecond a byte.
        let segments = Segments::of(1024, 256, 1.0, 0.0);
        let mut pipes = [Pipe::default(), Pipe::default()];
        let mut flow = Flow::at(Moment(0));
        for pipe in &mut pipes {
            flow = pipe.forward(flow, &segments);
        }
        assert_eq!(flow, Flow { first: Moment(512_000), last: Moment(1_280_000) });
    }

    #[test]
    fn the_slowest_pipe_decides_when_the_last_piece_is_through() {
        let fast = Segments::of(1000, 100, 1.0, 0.0);
        let slow = Segments::of(1000, 100, 3.0, 0.0);
        let flow = Pipe::default().forward(Flow::at(Moment(0)), &slow);
        let flow = Pipe::default().forward(flow, &fast);
        assert_eq!(flow.last, Moment(3_100_000));
    }

    #[test]
    fn what_passes_alone_is_not_delayed_and_two_at_once_take_turns() {
        let segments = Segments::of(512, 256, 1.0, 0.0);
        let flow = Flow { first: Moment(300_000), last: Moment(556_000) };
        let mut pipe = Pipe::default();
        assert_eq!(pipe.pass(flow, &segments), flow);
        let second = pipe.pass(flow, &segments);
        assert_eq!(second, Flow { first: Moment(812_000), last: Moment(1_068_000) });
    }

    #[test]
    fn pci_express_has_a_header_around_every_128_bytes_of_a_piece() {
        // 300 bytes in pieces of 256: packets of 128, 128 and 44 bytes.
        let segments = Segments::on_pcie(300, 256, 1.0, 22.0);
        assert_eq!((segments.first, segments.last), (Span(300_000), Span(66_000)));
        assert_eq!(segments.all, Span(366_000));
        assert_eq!(Segments::on_pcie(300, 256, 0.7, 0.0), Segments::of(300, 256, 0.7, 0.0));
    }

    #[test]
    fn a_payload_of_nothing_is_one_packet_and_the_rest_has_its_own_cost() {
        assert_eq!(Segments::of(0, 256, 1.0, 9.5).all, Span(9_500));
        let segments = Segments::of(300, 256, 1.0, 10.0);
        assert_eq!((segments.first, segments.last), (Span(266_000), Span(54_000)));
        assert_eq!(segments.all, Span(320_000));
    }
}
