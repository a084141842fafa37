//! How long a frame is.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Counts the bytes of the frame in place 0 of the window up to the end of that beat, as far as 2^15 and a beat: beyond that the
/// count stays above 2^15.
#[derive(LogicBlock, Default)]
pub struct Extent<const K: usize> {
    pub clk: Signal<In, Clock>,
    /// A beat comes to place 0; it is the first of a frame.
    pub advance: Signal<In, Bit>,
    pub is_first: Signal<In, Bit>,
    /// Of the beat in place 0.
    pub keep: Signal<In, Bits<K>>,
    /// The bytes, less one.
    pub last_index: Signal<Out, Bits<16>>,

    earlier: DFF<Bits<16>>,
    enables: Signal<Local, Bits<65>>,
    index_bit: [Signal<Local, Bit>; 6],
    last_byte: Signal<Local, Bits<16>>,
    beat_bytes: Param<Bits<16>>,
}

impl<const K: usize> Extent<K> {
    /// The block with its parameter, which follows from its size.
    pub fn new() -> Self {
        Self { beat_bytes: Param::new((K as u64).into()), ..Default::default() }
    }
}

impl<const K: usize> Logic for Extent<K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Counts the bytes of the frame in place 0 of the window.");
        dff_setup!(self, clk, earlier);
        if self.advance.val() {
            if !self.earlier.q.val().get_bit(15) {
                self.earlier.d.next = self.earlier.q.val() + self.beat_bytes.val();
            }
            if self.is_first.val() {
                self.earlier.d.next = bits::<16>(0);
            }
        }
        comment!(
            "The ones of tkeep are contiguous, so bit j of the last one's number is the parity of those at multiples of 2^j."
        );
        self.enables.next = bit_cast::<65, K>(self.keep.val());
        for j in 0..6 {
            self.index_bit[j].next = false;
        }
        for i in 1..64 {
            self.index_bit[0].next = self.index_bit[0].val() ^ self.enables.val().get_bit(i);
        }
        for i in 1..32 {
            self.index_bit[1].next = self.index_bit[1].val() ^ self.enables.val().get_bit(2 * i);
        }
        for i in 1..16 {
            self.index_bit[2].next = self.index_bit[2].val() ^ self.enables.val().get_bit(4 * i);
        }
        for i in 1..8 {
            self.index_bit[3].next = self.index_bit[3].val() ^ self.enables.val().get_bit(8 * i);
        }
        for i in 1..4 {
            self.index_bit[4].next = self.index_bit[4].val() ^ self.enables.val().get_bit(16 * i);
        }
        self.index_bit[5].next = self.enables.val().get_bit(32);
        self.last_byte.next = bits::<16>(0);
        for j in 0..6 {
            self.last_byte.next = self.last_byte.val().replace_bit(j, self.index_bit[j].val());
        }
        self.last_index.next = self.earlier.q.val() | self.last_byte.val();
    }
}
