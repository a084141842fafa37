//! Frames as beats of the bus.

use crate::traffic::frames::mix;

/// Words of the widest beat.
pub const BEAT_WORDS: usize = 8;

/// A frame cut into beats: first byte on the wire in bits 7:0.
#[derive(Clone, Debug, Default)]
pub struct Beats {
    /// Beats after each other, each as many words as the bus has.
    words: Vec<u64>,
    bus_words: usize,
    /// `tkeep` of the last beat.
    last_keep: u64,
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
        (self.bus_words, self.last_keep, self.tag) = (bus_words, u64::MAX >> (64 - tail), tag);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.words.len() / self.bus_words
    }

    /// `tdata`, lowest word first.
    #[inline(always)]
    pub fn data(&self, beat: usize) -> &[u64] {
        &self.words[beat * self.bus_words..(beat + 1) * self.bus_words]
    }

    /// `tkeep`.
    #[inline(always)]
    pub fn keep(&self, beat: usize) -> u64 {
        if self.is_last(beat) { self.last_keep } else { u64::MAX >> (64 - 8 * self.bus_words) }
    }

    /// `tlast`.
    #[inline(always)]
    pub fn is_last(&self, beat: usize) -> bool {
        (beat + 1) * self.bus_words == self.words.len()
    }

    /// `tuser`: a bit of no meaning, other for every beat.
    #[inline(always)]
    pub fn user(&self, beat: usize) -> u64 {
        mix(self.tag ^ (beat as u64) << 32) & 1
    }
}

/// A word's bytes of which `keep` has the bit set.
#[inline(always)]
pub fn kept_bytes(keep: u64, word: usize) -> u64 {
    let bits = keep >> (8 * word) & 0xff;
    if bits == 0xff {
        return u64::MAX;
    }
    (0..8).filter(|bit| bits >> bit & 1 == 1).fold(0, |mask, bit| mask | 0xff << (8 * bit))
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
                let bytes: Vec<u8> = beats.data(beat).iter().flat_map(|word| word.to_le_bytes()).collect();
                assert_eq!(bytes.len(), bus_bytes);
                let keep = beats.keep(beat);
                assert_eq!(keep & keep.wrapping_add(1), 0, "contiguous from bit 0");
                seen.extend(&bytes[..keep.count_ones() as usize]);
                assert_eq!(beats.is_last(beat), seen.len() == 70);
            }
            assert_eq!(seen, data);
        }
    }

    #[test]
    fn kept_bytes_are_those_of_the_word() {
        assert_eq!(kept_bytes(0x3ff, 0), u64::MAX);
        assert_eq!(kept_bytes(0x3ff, 1), 0xffff);
        assert_eq!(kept_bytes(0x3ff, 2), 0);
    }
}
