//! Where a PSN's bit lies in the two bitmap RAMs, and what it means there.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Addresses of the bitmap RAMs, which hold the same.
///
/// The bit of a PSN lies at PSN mod window. It means received when it differs from the PSN's lap, the bit above those:
/// when `epsn` advances the bits that it passes mean not received one window later, without being written. So a
/// packet writes one bit, and `init` the window, a bit a cycle.
///
/// `A = C + W - 6` is the width of a word's address, `B = C + W` that of a bit's, `V = W + 1 = R + 6` that of a PSN
/// with its lap, `P` that of a whole one.
#[derive(LogicBlock, Default)]
pub struct Place<
    const C: usize,
    const A: usize,
    const B: usize,
    const W: usize,
    const V: usize,
    const R: usize,
    const P: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

    own_segment: Signal<Local, Bits<R>>,
    own_word: Signal<Local, Bits<R>>,
    own_conn: Signal<Local, Bits<A>>,
    segment_word: Signal<Local, Bits<R>>,
    segment_conn: Signal<Local, Bits<A>>,
    write: Signal<Local, Bits<V>>,
    write_conn: Signal<Local, Bits<C>>,
    write_lap: Signal<Local, bool>,
    own_lap_after: DFF<bool>,
    segment_lap_after: DFF<bool>,
    count: DFF<Bits<W>>,
    segment_bits: Param<Bits<3>>,
    lap_bit: Param<Bits<5>>,
    in_window: Param<Bits<R>>,
}

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
}

impl<
    const C: usize,
    const A: usize,
    const B: usize,
    const W: usize,
    const V: usize,
    const R: usize,
    const P: usize,
> Logic for Place<C, A, B, W, V, R, P>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module place: where a PSN's bit lies in the bitmap RAMs, and what it means there");
        dff_setup!(self, clk, own_lap_after, segment_lap_after, count);

        comment!("The two words that are read.");
        self.own_segment.next = bit_cast::<R, P>(self.psn.val() >> 6);
        self.own_word.next = self.own_segment.val() & self.in_window.val();
        self.own_conn.next = bit_cast::<A, C>(self.conn.val()) << self.segment_bits.val();
        self.own_address.next = self.own_conn.val() | bit_cast::<A, R>(self.own_word.val());
        self.own_lap_after.d.next = self.own_segment.val().get_bit(self.segment_bits.val().index());
        self.own_lap.next = self.own_lap_after.q.val();
        self.segment_word.next = self.segment.val() & self.in_window.val();
        self.segment_conn.next = bit_cast::<A, C>(self.choose_conn.val()) << self.segment_bits.val();
        self.segment_address.next = self.segment_conn.val() | bit_cast::<A, R>(self.segment_word.val());
        self.segment_lap_after.d.next = self.segment.val().get_bit(self.segment_bits.val().index());
        self.segment_lap.next = self.segment_lap_after.q.val();

        comment!("A packet writes that it was received, init the whole window that nothing was.");
        self.write.next = bit_cast::<V, P>(self.decide_psn.val());
        self.write_conn.next = self.decide_conn.val();
        if self.fill.val() {
            self.write.next = bit_cast::<V, P>(self.psn.val()) + bit_cast::<V, W>(self.count.q.val());
            self.write_conn.next = self.conn.val();
            self.count.d.next = self.count.q.val() + 1;
        }
        self.write_address.next = (bit_cast::<B, C>(self.write_conn.val()) << self.lap_bit.val())
            | bit_cast::<B, W>(bit_cast::<W, V>(self.write.val()));
        self.write_lap.next = self.write.val().get_bit(self.lap_bit.val().index()) ^ !self.fill.val();
        self.write_data.next = self.write_lap.val().into();
        self.filled.next = self.count.q.val().all();
        if self.rst.val() {
            self.count.d.next = 0.into();
        }
    }
}
