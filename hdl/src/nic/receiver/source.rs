//! From where a packet comes.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::layers::Layers;
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

    layers: Layers<W, D>,
    tags: Signal<Local, Bits<2>>,
    tags_held: Reg<Bits<2>>,
    is_ipv6_held: Reg<bool>,
    /// The last one first.
    halves: Array<Reg<Bits<16>>, 8>,
    joined: Signal<Local, Bits<128>>,

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
        let mut block =
            Self { layers: Layers::up_to(WORDS), half_bits: Param::new(16u64.into()), ..Default::default() };
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
        self.layers.beat_valid = self.beat_valid;
        self.layers.data = self.data;
        self.layers.is_last = self.is_last;
        comment!(
            "Tags and version are known with the beat that has the first byte of IP, and kept for those behind it."
        );
        self.tags = self.tags_held;
        if self.layers.begins {
            self.tags = self.layers.tags;
            self.tags_held = self.layers.tags;
            self.is_ipv6_held = self.layers.first.get_bit(5);
        }
        for t in 0..3 {
            for i in 0..8 {
                if self.layers.is_here
                    & (self.tags == self.numbers[t])
                    & (self.layers.at == self.beats[8 * t + i])
                {
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
