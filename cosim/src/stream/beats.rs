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
        (self.bus_words, self.tag) = (bus_words, tag);
        (self.last_keep, self.whole_keep) = (u64::MAX >> (64 - tail), u64::MAX >> (64 - bus_bytes));
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

    /// `tuser`: a bit of no meaning, other for every beat.
    #[inline(always)]
    pub fn user(&self, beat: usize) -> u64 {
        mix(self.tag ^ (beat as u64) << 32) & 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_hold_the_bytes_in_the_order_of_the_wire() {
        let data: Vec<u8> = (0..70).collect();
        let mut beats = Beats::default();
        beats.cut(&[0xff; 200], 16, 3);
        for bus_bytes in [8, 16, 32, 64] {
            beats.cut(&data, bus_bytes, 7);
            assert_eq!(beats.count(), 70_usize.div_ceil(bus_bytes));
            let mut seen: Vec<u8> = Vec::new();
            for beat in 0..beats.count() {
                let (data, keep, is_last) = beats.beat(beat);
                let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
                assert_eq!(bytes.len(), bus_bytes);
                assert_eq!(keep & keep.wrapping_add(1), 0, "contiguous from bit 0");
                seen.extend(&bytes[..keep.count_ones() as usize]);
                assert_eq!(is_last, seen.len() == 70);
            }
            assert_eq!(seen, data);
        }
    }
}
