//! Where a packet ends.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// Finds the last byte of a packet: that of its frame, or of a packet that ends in one of the bytes 48 to 63 of its frame, by IP, that
/// byte, as the frame may be padded. No packet of the profile with a trailer ends before.
///
/// It is told once for each packet, beside the beat that holds the byte.
#[block]
pub struct Ending<const N: usize> {
    /// Beside register 1.
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    pub last_byte: Signal<In, Bits<6>>,
    pub front: Signal<In, Bits<16>>,
    /// Beside register 2: IP's length, that of the payload alone in IPv6.
    pub length: Signal<In, Bits<16>>,
    pub tags: Signal<In, Bits<2>>,
    pub is_ip4: Signal<In, Bit>,
    /// Beside register 3: the bytes 48 to 63 of the frame, as far as they are in the beat, that lie behind the packet.
    pub behind: Signal<Out, Bits<16>>,
    /// Beside register 4: the packet ends in the beat, with this byte of it.
    pub ends: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<6>>,

    #[reset = false]
    valid_2: Reg<Bit>,
    first_2: Reg<Bit>,
    last_2: Reg<Bit>,
    last_byte_2: Reg<Bits<6>>,
    /// The bytes from 48 on are in the beat, those from 56 on.
    has_48_2: Reg<Bit>,
    has_56_2: Reg<Bit>,
    #[reset = false]
    valid_3: Reg<Bit>,
    first_3: Reg<Bit>,
    last_3: Reg<Bit>,
    last_byte_3: Reg<Bits<6>>,
    has_48_3: Reg<Bit>,
    has_56_3: Reg<Bit>,
    /// The packet ends in one of the bytes 48 to 63, in this one of the sixteen.
    is_early_3: Reg<Bit>,
    early_3: Reg<Bits<4>>,
    /// The packet has ended in an earlier beat.
    has_ended: Reg<Bit>,
    #[reset = false]
    ends_4: Reg<Bit>,
    index_4: Reg<Bits<6>>,
    in_beat: Param<Bits<6>>,
}

#[block]
impl<const N: usize> Ending<N> {
    /// The block with its parameter, which follows from its size.
    pub fn new() -> Self {
        Self { in_beat: Param::new((4 * N as u64 - 1).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("Finds the last byte of a packet.");
        self.valid_2 = self.valid;
        self.first_2 = self.first;
        self.last_2 = self.last;
        self.last_byte_2 = self.last_byte;
        self.has_48_2 = self.front.get_bit(12);
        self.has_56_2 = self.front.get_bit(14);
        comment!("Register 3: its number by IP, where that is below 64.");
        let mut in_front: Bits<8> = 13;
        if self.tags == 1 {
            in_front = 17;
        }
        if self.tags == 2 {
            in_front = 21;
        }
        if !self.is_ip4 {
            in_front = in_front + 40;
        }
        let low: Bits<8> = bit_cast::<8, 7>(self.length.get_bits::<7>(0)) + in_front;
        self.is_early_3 = (self.length.get_bits::<9>(7) == 0) && (low.get_bits::<4>(4) == 3);
        self.early_3 = low.get_bits::<4>(0);
        self.valid_3 = self.valid_2;
        self.first_3 = self.first_2;
        self.last_3 = self.last_2;
        self.last_byte_3 = self.last_byte_2;
        self.has_48_3 = self.has_48_2;
        self.has_56_3 = self.has_56_2;
        comment!("Register 4.");
        let mut is_here = self.is_early_3 && self.has_48_3;
        if self.early_3.get_bit(3) {
            is_here = self.is_early_3 && self.has_56_3;
        }
        let early: Bits<6> = (48 | bit_cast::<6, 4>(self.early_3)) & self.in_beat;
        let ends_early = is_here && (early <= self.last_byte_3);
        let is_end = self.valid_3 && (self.first_3 || !self.has_ended) && (ends_early || self.last_3);
        if self.valid_3 {
            self.has_ended = is_end || (self.has_ended && !self.first_3);
        }
        self.ends_4 = is_end;
        self.index_4 = self.last_byte_3;
        if ends_early {
            self.index_4 = early;
        }
        self.behind = 0;
        if self.is_early_3 {
            self.behind = bits::<16>(0xFFFE) << self.early_3;
        }
        if !self.has_48_3 {
            self.behind = self.behind & 0xFF00;
        }
        if !self.has_56_3 {
            self.behind = self.behind & 0x00FF;
        }
        self.ends = self.ends_4;
        self.index = self.index_4;
    }
}
