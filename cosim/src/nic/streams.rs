//! Frames on a stream, beat by beat.

use std::collections::VecDeque;

use super::device::{Device, Stream};

/// A frame that is to be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub bytes: Vec<u8>,
    /// `tuser` of its last beat.
    pub user: bool,
}

impl From<Vec<u8>> for Given {
    /// A frame with nothing wrong.
    fn from(bytes: Vec<u8>) -> Given {
        Given { bytes, user: false }
    }
}

/// Frames into the block.
#[derive(Debug, Default)]
pub(super) struct Feeder {
    waiting: VecDeque<Given>,
    /// Bytes of the first one that are given.
    at: usize,
    /// The beat on the stream is not taken yet.
    is_offered: bool,
    /// Its frame was given by [`Feeder::begun`].
    is_begun: bool,
    /// Beats so far.
    pub beats: u64,
}

impl Feeder {
    pub fn push(&mut self, frame: Given) {
        self.waiting.push_back(frame);
    }

    /// Frames that wait, the one that is being given included.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Those of them of which no beat was given.
    pub fn not_begun(&self) -> usize {
        self.waiting.len() - usize::from(self.is_begun)
    }

    /// The frame whose first beat is on the stream, once.
    pub fn begun(&mut self) -> Option<&Given> {
        let is_new = self.is_offered && self.at == 0 && !self.is_begun;
        self.is_begun |= is_new;
        self.waiting.front().filter(|_| is_new)
    }

    /// The frames that wait do not come.
    pub fn forget(&mut self, device: &mut Device, stream: Stream) {
        self.waiting.clear();
        self.at = 0;
        (self.is_offered, self.is_begun) = (false, false);
        device.set(stream.valid, 0);
    }

    /// Sets the inputs of the coming cycle. While `pauses`, no further beat is offered.
    pub fn offer(&mut self, device: &mut Device, stream: Stream, pauses: bool) {
        if self.is_offered {
            return;
        }
        let Some(frame) = self.waiting.front().filter(|_| !pauses) else {
            return device.set(stream.valid, 0);
        };
        let rest = &frame.bytes[self.at..];
        let bytes = rest.len().min(device.beat_bytes);
        let is_last = rest.len() <= device.beat_bytes;
        let words = &mut device.inputs[stream.data..stream.data + device.beat_bytes / 8];
        let mut chunks = rest[..bytes].chunks(8);
        for word in words {
            // nobody may look at what stands behind the last byte
            let mut eight = [UNNAMED; 8];
            if let Some(chunk) = chunks.next() {
                eight[..chunk.len()].copy_from_slice(chunk);
            }
            *word = u64::from_le_bytes(eight);
        }
        device.set(stream.keep, u64::MAX >> (64 - bytes));
        device.set(stream.last, is_last.into());
        if let Some(user) = stream.user {
            device.set(user, (is_last && frame.user).into());
        }
        device.set(stream.valid, 1);
        self.is_offered = true;
    }

    /// The cycle is over: whether its beat was taken.
    pub fn take(&mut self, device: &Device, stream: Stream) -> bool {
        if !self.is_offered || !device.is(stream.ready) {
            return false;
        }
        self.is_offered = false;
        self.beats += 1;
        self.at += device.beat_bytes;
        if self.at >= self.waiting[0].bytes.len() {
            self.waiting.pop_front();
            (self.at, self.is_begun) = (0, false);
        }
        true
    }
}

/// A byte of a beat that `tkeep` does not name.
const UNNAMED: u8 = 0x5a;

/// A frame that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Came {
    pub bytes: Vec<u8>,
    /// `tuser` in one of its beats.
    pub user: bool,
}

/// Frames out of the block.
#[derive(Debug, Default)]
pub(super) struct Collector {
    frame: Vec<u8>,
    user: bool,
    /// Beats so far.
    pub beats: u64,
}

impl Collector {
    /// Whether a frame has begun.
    pub fn is_within(&self) -> bool {
        !self.frame.is_empty()
    }

    /// The rest of the frame that has begun does not come.
    pub fn forget(&mut self) {
        (self.frame, self.user) = Default::default();
    }

    /// The beat of this cycle, which `ready` let go; a frame that is whole.
    ///
    /// # Errors
    /// A sentence, if the beat is not as a beat has to be.
    pub fn collect(&mut self, device: &Device, stream: Stream) -> Result<Option<Came>, String> {
        if !device.is(stream.valid) || device.inputs[stream.ready] == 0 {
            return Ok(None);
        }
        self.beats += 1;
        let keep = device.get(stream.keep);
        let bytes = keep.trailing_ones() as usize;
        let is_last = device.is(stream.last);
        let is_contiguous = keep.count_ones() as usize == bytes && bytes > 0;
        if !is_contiguous || (bytes < device.beat_bytes && !is_last) {
            return Err(format!("tkeep is {keep:#x}, with tlast {}", u8::from(is_last)));
        }
        let words = &device.outputs[stream.data..stream.data + device.beat_bytes / 8];
        let mut left = bytes;
        for word in words {
            let eight = word.to_le_bytes();
            let (named, unnamed) = eight.split_at(left.min(8));
            self.frame.extend(named);
            left -= named.len();
            if unnamed.iter().any(|byte| *byte != 0) {
                return Err(format!("tkeep names {bytes} bytes, and tdata is not 0 behind them"));
            }
        }
        self.user |= stream.user.is_some_and(|user| device.is(user));
        if !is_last {
            return Ok(None);
        }
        let came = Came { bytes: std::mem::take(&mut self.frame), user: self.user };
        self.user = false;
        Ok(Some(came))
    }
}
