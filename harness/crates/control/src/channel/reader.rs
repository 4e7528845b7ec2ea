//! The thread that reads a connection and watches over the peer.

use std::{
    net::{Shutdown, TcpStream},
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    ChannelError, PeerState,
    waiting::Queue,
    writer::{Sign, Writer},
};
use crate::{
    frame::{self, CHUNK_BYTES, Frame, FrameParser, Kind},
    settings::{Heartbeat, Settings},
    socket::{self, Arrival},
};

/// Most questions that wait for an answer. The kernel repeats them until they arrive: more would ask
/// nothing new, and the kernel repeats evenly only where less than four packets are on the way.
const MOST_QUESTIONS: u32 = 2;

/// Reads frames until the connection ends.
pub(super) struct Reader {
    stream: TcpStream,
    writer: Arc<Writer>,
    peer: PeerState,
    queue: Queue,
    parser: FrameParser,
    heartbeat: Heartbeat,
    frame_within: Duration,
    next_ping: Instant,
    sequence: u64,
    /// Questions since anything has arrived.
    questions: u32,
    /// When the oldest question was asked since which nothing has arrived.
    ///
    /// Silence counts from there, not from the last arrival: had this process been stopped itself,
    /// it would otherwise blame the peer on waking up.
    unanswered_since: Option<Instant>,
    /// When the frame that is arriving began.
    frame_since: Option<Instant>,
}

impl Reader {
    pub(super) fn new(
        stream: TcpStream,
        parser: FrameParser,
        writer: Arc<Writer>,
        peer: PeerState,
        queue: Queue,
        settings: &Settings,
    ) -> Self {
        Self {
            stream,
            writer,
            peer,
            queue,
            parser,
            heartbeat: settings.heartbeat,
            frame_within: settings.frame_within,
            next_ping: Instant::now() + settings.heartbeat.interval(),
            sequence: 0,
            questions: 0,
            unanswered_since: None,
            frame_since: None,
        }
    }

    /// Reads until the connection ends, and records why it did.
    pub(super) fn run(mut self) {
        let mut chunk = [0; CHUNK_BYTES];
        let cause = loop {
            if let Err(cause) = self.step(&mut chunk) {
                break cause;
            }
        };
        // Lets a peer that is closing its end know that everything has been read. One that was
        // given up for its silence or its nonsense is not listened to any more.
        let how =
            if matches!(cause, ChannelError::Closed) { Shutdown::Write } else { Shutdown::Both };
        self.peer.bury(cause);
        self.writer.shut(how);
    }

    /// Waits for bytes or the next moment at which something is due.
    fn step(&mut self, chunk: &mut [u8]) -> Result<(), ChannelError> {
        self.ping_if_due(Instant::now());
        let buffer_bytes = self.parser.wanted().min(chunk.len());
        let wait = self.next_due().saturating_duration_since(Instant::now());
        match socket::read_within(&self.stream, &mut chunk[..buffer_bytes], wait)? {
            Arrival::Bytes(count) => self.absorb(&chunk[..count]),
            Arrival::EndOfStream => Err(self
                .parser
                .truncation()
                .map_or(ChannelError::Closed, ChannelError::from_stream)),
            // Judged only when nothing was there to be read.
            Arrival::Nothing => self.judge_silence(Instant::now()),
            Arrival::Interrupted => Ok(()),
        }
    }

    fn ping_if_due(&mut self, now: Instant) {
        if now < self.next_ping {
            return;
        }
        self.next_ping = now + self.heartbeat.interval();
        if self.questions >= MOST_QUESTIONS {
            return;
        }
        self.questions += 1;
        self.sequence += 1;
        // A question that could not be sent counts as well: the peer takes nothing, or another
        // thread is trying to send.
        self.unanswered_since.get_or_insert(now);
        self.writer.sign(Kind::Ping, Sign { sequence: self.sequence });
    }

    fn next_due(&self) -> Instant {
        let silence_ends = self.unanswered_since.map(|since| since + self.heartbeat.patience());
        let frame_ends = self.frame_since.map(|since| since + self.frame_within);
        [silence_ends, frame_ends].into_iter().flatten().fold(self.next_ping, Instant::min)
    }

    fn judge_silence(&self, now: Instant) -> Result<(), ChannelError> {
        let patience = self.heartbeat.patience();
        match self.unanswered_since.map(|since| now.duration_since(since)) {
            Some(silence) if silence >= patience => Err(ChannelError::Silent { silence, patience }),
            _ => self.judge_frame(now),
        }
    }

    /// Gives up a peer that sends a frame too slowly, however steadily.
    fn judge_frame(&self, now: Instant) -> Result<(), ChannelError> {
        match self.frame_since {
            Some(since) if now.duration_since(since) >= self.frame_within => {
                Err(ChannelError::TimedOut {
                    after: self.frame_within,
                    waiting_for: "rest of a frame that the peer began",
                })
            }
            _ => Ok(()),
        }
    }

    fn absorb(&mut self, arrived: &[u8]) -> Result<(), ChannelError> {
        let now = Instant::now();
        self.unanswered_since = None;
        self.questions = 0;
        self.frame_since.get_or_insert(now);
        let frame = self.parser.absorb(arrived).map_err(ChannelError::from_stream)?;
        match frame {
            Some(frame) => {
                self.frame_since = None;
                self.take(frame)
            }
            None => self.judge_frame(now),
        }
    }

    fn take(&self, frame: Frame) -> Result<(), ChannelError> {
        match frame.kind {
            Kind::Message => self.queue.append(frame.body),
            Kind::Ping => {
                let sign = frame::decode::<Sign>(&frame.body).map_err(ChannelError::from_stream)?;
                self.writer.sign(Kind::Answer, sign);
                Ok(())
            }
            // Any bytes are a sign of life; the number is for whoever reads a packet trace.
            Kind::Answer => {
                frame::decode::<Sign>(&frame.body).map(drop).map_err(ChannelError::from_stream)
            }
            Kind::Handshake => {
                Err(ChannelError::from_stream(frame.unexpected("message, ping or answer")))
            }
        }
    }
}
