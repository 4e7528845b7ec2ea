//! One direction of a channel, as its sender has it.

use onesided_transport::{Endpoint, Opcode, Region, RemoteMemory};

use crate::{
    credits::{COUNT_BITS, Credits},
    error::{ChannelError, SendError},
    line::{LINE_BYTES, Tag, WORDS, pack},
    memory::{Memory, remote_line},
    packet::{Header, Way, lines_of, longest_in},
    requests::{Purpose, Requests, request},
    settings::ALWAYS_PUSH,
};

/// What a sender knows and has.
pub struct Sending<R> {
    /// The peer's ring, and behind it the word in which it is told.
    pub mailbox: RemoteMemory,
    /// Lines of the peer's ring.
    pub lines: u64,
    /// A picture of the peer's ring, and the word to be told: what is being written.
    pub staging: Memory<R>,
    /// What the peer pulls messages from.
    pub outbox: Memory<R>,
    /// Lines of it.
    pub outbox_lines: u64,
    /// Messages below this length are pushed.
    pub threshold_bytes: u32,
    /// What the peer has said.
    pub heard: Credits,
    /// Lines written, and of these, lines whose writing has completed.
    pub posted: u64,
    pub written: u64,
    /// Lines of the outbox given out.
    pub taken: u64,
    /// Whether the word is being written.
    pub is_telling: bool,
}

impl<R: Region> Sending<R> {
    /// Sends a message if there is room for it, with what is to be told.
    #[inline]
    pub fn send<E: Endpoint>(
        &mut self,
        requests: &mut Requests<E>,
        told: Credits,
        bytes: &[u8],
    ) -> Result<(), SendError> {
        let length = bytes.len();
        let lines = lines_of(length);
        let pushed = match self.threshold_bytes {
            ALWAYS_PUSH if lines > self.lines => {
                let most = longest_in(self.lines as u32);
                return Err(SendError::TooLongToPush { length, most, lines });
            }
            ALWAYS_PUSH => true,
            // What the ring does not take is pulled, whatever its length.
            threshold => (length as u64) < u64::from(threshold) && lines <= self.lines,
        };
        requests.check()?;
        if pushed { self.push(requests, told, bytes) } else { self.offer(requests, told, bytes) }
    }

    /// Whether so many lines of the ring are free, and their picture, and requests for them.
    #[inline]
    fn has_room<E: Endpoint>(&self, requests: &Requests<E>, lines: u64) -> bool {
        let free = self.lines - (self.posted - self.heard.consumed.min(self.written));
        lines <= free && requests.room() >= 2
    }

    #[inline]
    fn push<E: Endpoint>(
        &mut self,
        requests: &mut Requests<E>,
        told: Credits,
        bytes: &[u8],
    ) -> Result<(), SendError> {
        let lines = lines_of(bytes.len());
        if !self.has_room(requests, lines) {
            return Err(SendError::Full);
        }
        let header = Header { way: Way::Push, length: bytes.len() as u32 };
        let mut picture = self.picture();
        picture.put(header.bits());
        picture.put(told.bits());
        pack(bytes, |bits| picture.put(bits));
        picture.fill_up();
        Ok(self.post(requests, lines)?)
    }

    /// Leaves a message in the outbox, and says so.
    #[inline]
    fn offer<E: Endpoint>(
        &mut self,
        requests: &mut Requests<E>,
        told: Credits,
        bytes: &[u8],
    ) -> Result<(), SendError> {
        let (length, all) = (bytes.len(), self.outbox_lines);
        let lines = length.div_ceil(LINE_BYTES) as u64;
        if lines > all {
            let most = all as usize * LINE_BYTES;
            return Err(SendError::TooLongToPull { length, most });
        }
        // A message is in one piece: what is left before the end is skipped.
        let left = all - self.taken % all;
        let start = if lines > left { self.taken + left } else { self.taken };
        let is_empty = self.taken == self.heard.released;
        let fits = is_empty || start + lines - self.heard.released <= all;
        if !fits || !self.has_room(requests, 1) {
            return Err(SendError::Full);
        }
        let (offset, end) = (start % all, start + lines);
        // SAFETY: the peer has released these lines, or never read them, so they are this side's.
        unsafe { self.outbox.at(offset).copy_from_nonoverlapping(bytes.as_ptr(), length) };
        let header = Header { way: Way::Pull, length: length as u32 };
        let place = offset | (end & ((1 << COUNT_BITS) - 1)) << COUNT_BITS;
        let mut picture = self.picture();
        picture.put(header.bits());
        picture.put(told.bits());
        picture.put(place);
        picture.fill_up();
        self.post(requests, 1)?;
        self.taken = end;
        Ok(())
    }

    /// The free lines of the picture of the ring, to be written from the first.
    #[inline]
    fn picture(&self) -> Picture {
        let first = self.posted % self.lines;
        Picture {
            start: self.staging.at(0).cast(),
            word: first as usize * WORDS,
            words: self.lines as usize * WORDS,
            tag: Tag::of(self.posted, self.lines),
            next: Tag::of(self.posted + self.lines, self.lines),
        }
    }

    /// Writes the next lines of the picture to the ring: in one request, or two around its end.
    #[inline]
    fn post<E: Endpoint>(
        &mut self,
        requests: &mut Requests<E>,
        lines: u64,
    ) -> Result<(), ChannelError> {
        let first = self.posted % self.lines;
        let before = lines.min(self.lines - first);
        let part = |line: u64, count: u64, end: u64| {
            let local = self.staging.segment(line, count as u32 * LINE_BYTES as u32);
            let remote = remote_line(self.mailbox, line);
            request(Purpose::Packets(end), Opcode::Write, local, remote)
        };
        let end = self.posted + lines;
        let both = [part(first, before, self.posted + before), part(0, lines - before, end)];
        let count = if before < lines { 2 } else { 1 };
        // SAFETY: the picture lives as long as the endpoint, and its lines stay as they are until
        // they are written (`has_room`).
        unsafe { requests.post(&both[..count]) }?;
        self.posted = end;
        Ok(())
    }

    /// Tells the peer by a word of its own, unless that is being done; whether it was begun.
    pub fn tell<E: Endpoint>(
        &mut self,
        requests: &mut Requests<E>,
        told: Credits,
    ) -> Result<bool, ChannelError> {
        if self.is_telling || requests.room() == 0 {
            return Ok(false);
        }
        // SAFETY: the word is aligned, behind the picture, and not being written to the peer.
        unsafe { self.staging.at(self.lines).cast::<u64>().write(told.bits()) };
        let (local, remote) =
            (self.staging.segment(self.lines, 8), remote_line(self.mailbox, self.lines));
        // SAFETY: the word stays as it is until it is written.
        unsafe { requests.post(&[request(Purpose::Word, Opcode::Write, local, remote)]) }?;
        self.is_telling = true;
        Ok(true)
    }

    /// Whether the peer has received everything.
    pub fn is_drained(&self) -> bool {
        self.heard.consumed == self.posted && self.heard.released == self.taken
    }
}

/// Where words of a message go.
struct Picture {
    start: *mut u64,
    word: usize,
    words: usize,
    tag: Tag,
    /// That of the lines behind the end of the ring.
    next: Tag,
}

impl Picture {
    #[inline]
    fn put(&mut self, bits: u64) {
        // SAFETY: within the picture; there is room for the message, so these lines are free.
        unsafe { self.start.add(self.word).write(self.tag.word(bits)) };
        self.word += 1;
        if self.word == self.words {
            self.word = 0;
            self.tag = self.next;
        }
    }

    /// The rest of the last line.
    #[inline]
    fn fill_up(&mut self) {
        while !self.word.is_multiple_of(WORDS) {
            self.put(0);
        }
    }
}
