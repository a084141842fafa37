//! Where a PSN's bit lies in the two bitmap RAMs, and what it means there.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Addresses of the bitmap RAMs, which hold the same.
///
/// The bit of a PSN lies at PSN mod window. It means received when it differs from the PSN's lap, the bit above those:
/// when `epsn` advances the bits that it passes mean not received one window later, without being written. So a
/// packet writes one bit, and `init` the window, a bit a cycle.
///
/// `A = C + W - 6` is the width of a word's address, `B = C + W` that of a bit's, `V = W + 1 = R + 6` that of a PSN
/// with its lap, `P` that of a whole one.
#[block]
pub struct Place<
    const C: usize,
    const A: usize,
    const B: usize,
    const W: usize,
    const V: usize,
    const R: usize,
    const P: usize,
> {
    /// Stage 0, and of an `init` until its bits are written.
    pub conn: Signal<In, Bits<C>>,
    pub psn: Signal<In, Bits<P>>,
    /// `init` writes a bit, beginning at `psn`.
    pub fill: Signal<In, bool>,
    /// Stage 2.
    pub decide_conn: Signal<In, Bits<C>>,
    pub decide_psn: Signal<In, Bits<P>>,
    /// Stage 3: segment of the SACK, its low bits: lap and word.
    pub choose_conn: Signal<In, Bits<C>>,
    pub segment: Signal<In, Bits<R>>,

    /// Stage 0: word of the packet's PSN.
    pub own_address: Signal<Out, Bits<A>>,
    /// Stage 1: lap of the packet's PSN.
    pub own_lap: Signal<Out, bool>,
    pub write_address: Signal<Out, Bits<B>>,
    pub write_data: Signal<Out, Bits<1>>,
    /// Fill: the last bit.
    pub filled: Signal<Out, bool>,
    /// Stage 3: word of the SACK.
    pub segment_address: Signal<Out, Bits<A>>,
    /// Stage 4: lap of the SACK's segment.
    pub segment_lap: Signal<Out, bool>,

    own_lap_after: Reg<bool>,
    segment_lap_after: Reg<bool>,
    #[reset = 0]
    count: Reg<Bits<W>>,
    segment_bits: Param<Bits<3>>,
    lap_bit: Param<Bits<5>>,
    in_window: Param<Bits<R>>,
}

#[block]
impl<
    const C: usize,
    const A: usize,
    const B: usize,
    const W: usize,
    const V: usize,
    const R: usize,
    const P: usize,
> Place<C, A, B, W, V, R, P>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            segment_bits: Param::new((R as u64 - 1).into()),
            lap_bit: Param::new((W as u64).into()),
            in_window: Param::new(((1u64 << (R - 1)) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module place: where a PSN's bit lies in the bitmap RAMs, and what it means there");

        comment!("The two words that are read.");
        let own_segment: Bits<R> = resize(self.psn >> 6);
        let own_word = own_segment & self.in_window;
        let own_conn: Bits<A> = bit_cast::<A, C>(self.conn) << self.segment_bits;
        self.own_address = own_conn | bit_cast::<A, R>(own_word);
        self.own_lap_after = own_segment.get_bit(self.segment_bits.index());
        self.own_lap = self.own_lap_after;
        let segment_word = self.segment & self.in_window;
        let segment_conn: Bits<A> = bit_cast::<A, C>(self.choose_conn) << self.segment_bits;
        self.segment_address = segment_conn | bit_cast::<A, R>(segment_word);
        self.segment_lap_after = self.segment.get_bit(self.segment_bits.index());
        self.segment_lap = self.segment_lap_after;

        comment!("A packet writes that it was received, init the whole window that nothing was.");
        let mut write: Bits<V> = resize(self.decide_psn);
        let mut write_conn = self.decide_conn;
        if self.fill {
            write = bit_cast::<V, P>(self.psn) + bit_cast::<V, W>(self.count);
            write_conn = self.conn;
            self.count = self.count + 1;
        }
        self.write_address =
            (bit_cast::<B, C>(write_conn) << self.lap_bit) | bit_cast::<B, W>(bit_cast::<W, V>(write));
        let write_lap = write.get_bit(self.lap_bit.index()) ^ !self.fill;
        self.write_data = write_lap.into();
        self.filled = self.count.all();
    }
}
