//! Frames as beats of the bus.

use crate::traffic::frames::mix;

/// A frame cut into beats: first byte on the wire in bits 7:0.
#[derive(Clone, Debug, Default)]
pub struct Beats {
    /// Beats after each other, each as many words as the bus has.
    words: Vec<u64>,
    bus_words: usize,
    /// `tkeep` of the last beat, and of the others.
    last_keep: u64,
    whole_keep: u64,
    /// Mixed into every `tuser`.
    tag: u64,
    /// Number of the beat whose `tuser` the last one has.
    last_user: usize,
}

impl Beats {
    /// Cuts `data` in place of what there was, whose memory is used again; `tag` tells the frame's `tuser` bits from those
    /// of others. What stands behind the last byte is noise.
    pub fn cut(&mut self, data: &[u8], bus_bytes: usize, tag: u64) {
        let bus_words = bus_bytes / 8;
        let count = data.len().div_ceil(bus_bytes);
        let whole = data.chunks_exact(8);
        let rest = whole.remainder();
        self.words.clear();
        self.words.reserve(count * bus_words);
        self.words.extend(whole.map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes"))));
        if !rest.is_empty() {
            let mut bytes = mix(tag).to_le_bytes();
            bytes[..rest.len()].copy_from_slice(rest);
            self.words.push(u64::from_le_bytes(bytes));
        }
        self.words.resize(count * bus_words, mix(!tag));
        let tail = data.len() - (count - 1) * bus_bytes;
        (self.bus_words, self.tag, self.last_user) = (bus_words, tag, count - 1);
        (self.last_keep, self.whole_keep) = (u64::MAX >> (64 - tail), u64::MAX >> (64 - bus_bytes));
    }

    /// Puts zeros behind the last byte.
    pub fn zero_unnamed(&mut self) {
        let bytes = (self.count() - 1) * 8 * self.bus_words + self.last_keep.count_ones() as usize;
        let (whole, rest) = (bytes / 8, bytes % 8);
        if let Some((first, others)) = self.words[whole..].split_first_mut() {
            *first &= (1 << (8 * rest)) - 1;
            others.fill(0);
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.words.len() / self.bus_words
    }

    /// `tdata`, lowest word first, `tkeep` and `tlast` of a beat.
    #[inline(always)]
    pub fn beat(&self, at: usize) -> (&[u64], u64, bool) {
        let (_, from) = self.words.split_at(at * self.bus_words);
        let (data, behind) = from.split_at(self.bus_words);
        let is_last = behind.is_empty();
        (data, if is_last { self.last_keep } else { self.whole_keep }, is_last)
    }

    /// The last beat, and beats that such a frame does not have, have the `tuser` of the last of a frame with so many beats.
    pub fn end_as(&mut self, count: usize) {
        self.last_user = count - 1;
    }

    /// `tuser`: a bit of no meaning, other for every beat.
    #[inline(always)]
    pub fn user(&self, beat: usize) -> u64 {
        let beat = if beat + 1 == self.count() { self.last_user } else { beat.min(self.last_user) };
        mix(self.tag ^ (beat as u64) << 32) & 1
    }
}
