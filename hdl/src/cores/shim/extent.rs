//! How long a frame is.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Counts the bytes of the frame in place 0 of the window up to the end of that beat, as far as 2^15 and a beat: beyond that the
/// count stays above 2^15.
#[block(no_reset)]
pub struct Extent<const BYTES: usize> {
    /// A beat comes to place 0; it is the first of a frame.
    pub advance: Signal<In, Bit>,
    pub is_first: Signal<In, Bit>,
    /// Of the beat in place 0.
    pub keep: Signal<In, Bits<BYTES>>,
    /// The bytes, less one.
    pub last_index: Signal<Out, Bits<16>>,

    earlier: Reg<Bits<16>>,
    index_bit: [Signal<Local, Bit>; 6],
    beat_bytes: Param<Bits<16>>,
}

#[block]
impl<const BYTES: usize> Extent<BYTES> {
    /// The block with its parameter, which follows from its size.
    pub fn new() -> Self {
        Self { beat_bytes: Param::new((BYTES as u64).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("Counts the bytes of the frame in place 0 of the window.");
        if self.advance {
            if !self.earlier.get_bit(15) {
                self.earlier = self.earlier + self.beat_bytes;
            }
            if self.is_first {
                self.earlier = 0;
            }
        }
        comment!(
            "The ones of tkeep are contiguous, so bit j of the last one's number is the parity of those at multiples of 2^j."
        );
        let enables: Bits<65> = resize(self.keep);
        for j in 0..6 {
            self.index_bit[j] = false;
        }
        for i in 1..64 {
            self.index_bit[0] = self.index_bit[0] ^ enables.get_bit(i);
        }
        for i in 1..32 {
            self.index_bit[1] = self.index_bit[1] ^ enables.get_bit(2 * i);
        }
        for i in 1..16 {
            self.index_bit[2] = self.index_bit[2] ^ enables.get_bit(4 * i);
        }
        for i in 1..8 {
            self.index_bit[3] = self.index_bit[3] ^ enables.get_bit(8 * i);
        }
        for i in 1..4 {
            self.index_bit[4] = self.index_bit[4] ^ enables.get_bit(16 * i);
        }
        self.index_bit[5] = enables.get_bit(32);
        let mut last_byte: Bits<16> = 0;
        for j in 0..6 {
            last_byte = last_byte.replace_bit(j, self.index_bit[j]);
        }
        self.last_index = self.earlier | last_byte;
    }
}
