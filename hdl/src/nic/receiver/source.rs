//! From where a packet comes.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::ports::WordCount;
use crate::comment;
use crate::prims::{Array, Param, Reg};

/// The half of a word of 4 bytes that begins with the source address of IPv6 where no tag stands before IP.
const FIRST_HALF: usize = 11;
/// Halves of an address.
const HALVES: usize = 8;
/// Words up to the last one of an address, behind two tags.
const WORDS: usize = (FIRST_HALF + 4 + HALVES).div_ceil(2);

/// Reads the source addresses of the frames that go by, a beat of `D` words an edge. That of a packet of the profile is there the edge
/// after its last beat; of what else goes by it may be anything. That of IPv4 is the second four bytes.
#[block]
pub struct Source<const W: usize, const D: usize> {
    pub beat_valid: Signal<In, bool>,
    pub data: Signal<In, Bits<W>>,
    pub is_last: Signal<In, bool>,
    /// As on the wire: the first byte in bits 7:0.
    pub address: Signal<Out, Bits<128>>,
    pub is_ipv6: Signal<Out, bool>,

    count: WordCount<D>,
    /// Bytes 12 to 23 of the frame, in the beat that has the last of them.
    window: Signal<Local, Bits<96>>,
    first: Signal<Local, Bits<8>>,
    tags: Signal<Local, Bits<2>>,
    is_here: Signal<Local, bool>,
    /// The last word of the beat before.
    last_word: Reg<Bits<32>>,
    tags_held: Reg<Bits<2>>,
    is_ipv6_held: Reg<bool>,
    /// The last one first.
    halves: Array<Reg<Bits<16>>, 8>,
    joined: Signal<Local, Bits<128>>,

    is_wide: Param<bool>,
    /// Words before the beat that has byte 23.
    begin_at: Param<Bits<5>>,
    behind_addresses: Param<Bits<10>>,
    last_shift: Param<Bits<10>>,
    half_bits: Param<Bits<5>>,
    /// Of each half behind no tag, one and two: words before its beat, and its place there.
    beats: Array<Param<Bits<5>>, 24>,
    shifts: Array<Param<Bits<10>>, 24>,
    numbers: Array<Param<Bits<2>>, 3>,
}

#[block]
impl<const W: usize, const D: usize> Source<W, D> {
    /// For beats of `D` words.
    ///
    /// # Panics
    /// If `W` bits are not `D` words.
    pub fn new() -> Self {
        assert!(W == 32 * D, "a beat of {W} bits has {} words, not {D}", W / 32);
        let mut block = Self {
            count: WordCount::up_to(WORDS),
            is_wide: Param::new(D >= 6),
            begin_at: Param::new(if D >= 6 { 0u64 } else { 4 }.into()),
            behind_addresses: Param::new(96u64.into()),
            last_shift: Param::new((W as u64 - 32).into()),
            half_bits: Param::new(16u64.into()),
            ..Default::default()
        };
        for tags in 0..3 {
            block.numbers[tags] = Param::new((tags as u64).into());
            for at in 0..HALVES {
                let half = FIRST_HALF + 2 * tags + HALVES - 1 - at;
                let beat = half / 2 / D * D;
                block.beats[HALVES * tags + at] = Param::new((beat as u64).into());
                block.shifts[HALVES * tags + at] = Param::new((16 * (half - 2 * beat) as u64).into());
            }
        }
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("module source: from where a packet comes");
        self.count.moves = self.beat_valid;
        self.count.is_last = self.is_last;
        comment!("Bytes 12 to 23: the EtherType, behind up to two tags, and the first byte of IP.");
        if self.beat_valid {
            self.last_word = bit_cast::<32, W>(self.data >> self.last_shift);
        }
        if self.is_wide {
            self.window = bit_cast::<96, W>(self.data >> self.behind_addresses);
        } else {
            self.window = (bit_cast::<96, W>(self.data) << 32) | bit_cast::<96, 32>(self.last_word);
        }
        comment!(
            "Of the types that a packet has only those of tags have bit 7 of their first byte, and not bit 2."
        );
        let is_tagged = self.window.get_bit(7) & !self.window.get_bit(2);
        let is_tagged_twice = is_tagged & self.window.get_bit(39) & !self.window.get_bit(34);
        self.first = self.window.get_bits::<8>(16);
        self.tags = 0;
        if is_tagged {
            self.first = self.window.get_bits::<8>(48);
            self.tags = 1;
        }
        if is_tagged_twice {
            self.first = self.window.get_bits::<8>(80);
            self.tags = 2;
        }
        comment!("They are known with that beat, and kept for those behind it.");
        self.is_here = self.beat_valid & !self.count.is_behind;
        if self.count.at == self.begin_at {
            if self.is_here {
                self.tags_held = self.tags;
                self.is_ipv6_held = self.first.get_bit(5);
            }
        } else {
            self.tags = self.tags_held;
        }
        for t in 0..3 {
            for i in 0..8 {
                if self.is_here & (self.tags == self.numbers[t]) & (self.count.at == self.beats[8 * t + i]) {
                    self.halves[i] = bit_cast::<16, W>(self.data >> self.shifts[8 * t + i]);
                }
            }
        }
        self.joined = 0;
        for i in 0..8 {
            self.joined = (self.joined << self.half_bits) | bit_cast::<128, 16>(self.halves[i]);
        }
        self.address = self.joined;
        self.is_ipv6 = self.is_ipv6_held;
    }
}
