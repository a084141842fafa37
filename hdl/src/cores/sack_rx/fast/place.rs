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
/// `SEGMENT_ADDRESS = CONN + PLACE - 6` is the width of a word's address, `BIT_ADDRESS = CONN + PLACE` that of a bit's,
/// `LAPPED_PLACE = PLACE + 1 = SEGMENTS + 6` that of a PSN with its lap, `PSN` that of a whole one.
#[block]
pub struct Place<
    const CONN: usize,
    const SEGMENT_ADDRESS: usize,
    const BIT_ADDRESS: usize,
    const PLACE: usize,
    const LAPPED_PLACE: usize,
    const SEGMENTS: usize,
    const PSN: usize,
> {
    /// Stage 0, and of an `init` until its bits are written.
    pub conn: Signal<In, Bits<CONN>>,
    pub psn: Signal<In, Bits<PSN>>,
    /// `init` writes a bit, beginning at `psn`.
    pub fill: Signal<In, bool>,
    /// Stage 2.
    pub decide_conn: Signal<In, Bits<CONN>>,
    pub decide_psn: Signal<In, Bits<PSN>>,
    /// Stage 3: segment of the SACK, its low bits: lap and word.
    pub choose_conn: Signal<In, Bits<CONN>>,
    pub segment: Signal<In, Bits<SEGMENTS>>,

    /// Stage 0: word of the packet's PSN.
    pub own_address: Signal<Out, Bits<SEGMENT_ADDRESS>>,
    /// Stage 1: lap of the packet's PSN.
    pub own_lap: Signal<Out, bool>,
    pub write_address: Signal<Out, Bits<BIT_ADDRESS>>,
    pub write_data: Signal<Out, Bits<1>>,
    /// Fill: the last bit.
    pub filled: Signal<Out, bool>,
    /// Stage 3: word of the SACK.
    pub segment_address: Signal<Out, Bits<SEGMENT_ADDRESS>>,
    /// Stage 4: lap of the SACK's segment.
    pub segment_lap: Signal<Out, bool>,

    own_lap_after: Reg<bool>,
    segment_lap_after: Reg<bool>,
    #[reset = 0]
    count: Reg<Bits<PLACE>>,
    segment_bits: Param<Bits<3>>,
    lap_bit: Param<Bits<5>>,
    in_window: Param<Bits<SEGMENTS>>,
}

#[block]
impl<
    const CONN: usize,
    const SEGMENT_ADDRESS: usize,
    const BIT_ADDRESS: usize,
    const PLACE: usize,
    const LAPPED_PLACE: usize,
    const SEGMENTS: usize,
    const PSN: usize,
> Place<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS, PSN>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            segment_bits: Param::new((SEGMENTS as u64 - 1).into()),
            lap_bit: Param::new((PLACE as u64).into()),
            in_window: Param::new(((1u64 << (SEGMENTS - 1)) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module place: where a PSN's bit lies in the bitmap RAMs, and what it means there");

        comment!("The two words that are read.");
        let own_segment: Bits<SEGMENTS> = resize(self.psn >> 6);
        let own_word = own_segment & self.in_window;
        let own_conn: Bits<SEGMENT_ADDRESS> =
            bit_cast::<SEGMENT_ADDRESS, CONN>(self.conn) << self.segment_bits;
        self.own_address = own_conn | bit_cast::<SEGMENT_ADDRESS, SEGMENTS>(own_word);
        self.own_lap_after = own_segment.get_bit(self.segment_bits.index());
        self.own_lap = self.own_lap_after;
        let segment_word = self.segment & self.in_window;
        let segment_conn: Bits<SEGMENT_ADDRESS> =
            bit_cast::<SEGMENT_ADDRESS, CONN>(self.choose_conn) << self.segment_bits;
        self.segment_address = segment_conn | bit_cast::<SEGMENT_ADDRESS, SEGMENTS>(segment_word);
        self.segment_lap_after = self.segment.get_bit(self.segment_bits.index());
        self.segment_lap = self.segment_lap_after;

        comment!("A packet writes that it was received, init the whole window that nothing was.");
        let mut write: Bits<LAPPED_PLACE> = resize(self.decide_psn);
        let mut write_conn = self.decide_conn;
        if self.fill {
            write = bit_cast::<LAPPED_PLACE, PSN>(self.psn) + bit_cast::<LAPPED_PLACE, PLACE>(self.count);
            write_conn = self.conn;
            self.count = self.count + 1;
        }
        self.write_address = (bit_cast::<BIT_ADDRESS, CONN>(write_conn) << self.lap_bit)
            | bit_cast::<BIT_ADDRESS, PLACE>(bit_cast::<PLACE, LAPPED_PLACE>(write));
        let write_lap = write.get_bit(self.lap_bit.index()) ^ !self.fill;
        self.write_data = write_lap.into();
        self.filled = self.count.all();
    }
}
