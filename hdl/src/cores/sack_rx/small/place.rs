//! Where a PSN's bit lies in the bitmap RAM, and what it means there.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Addresses of the bitmap RAM.
///
/// The bit of a PSN lies at PSN mod window. It means received when it differs from the PSN's lap, the bit above those:
/// when `epsn` advances the bits that it passes mean not received one window later, without being written. So a
/// packet writes one bit, and `init` the window, a bit a cycle.
///
/// `SEGMENT_ADDRESS = CONN + PLACE - 6` is the width of a word's address, `BIT_ADDRESS = CONN + PLACE` that of a bit's,
/// `LAPPED_PLACE = PLACE + 1 = SEGMENTS + 6` that of a PSN with its lap, `PSN` that of a whole one.
#[derive(LogicBlock, Default, Part)]
pub struct Place<
    const CONN: usize,
    const SEGMENT_ADDRESS: usize,
    const BIT_ADDRESS: usize,
    const PLACE: usize,
    const LAPPED_PLACE: usize,
    const SEGMENTS: usize,
    const PSN: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub conn: Signal<In, Bits<CONN>>,
    pub psn: Signal<In, Bits<PSN>>,
    /// Look: the segment is read, otherwise the packet's own.
    pub look: Signal<In, bool>,
    pub segment: Signal<In, Bits<SEGMENTS>>,
    /// `init` writes a bit, beginning at `psn`.
    pub fill: Signal<In, bool>,

    pub read_address: Signal<Out, Bits<SEGMENT_ADDRESS>>,
    /// Lap of the word read last.
    pub lap: Signal<Out, bool>,
    pub write_address: Signal<Out, Bits<BIT_ADDRESS>>,
    pub write_data: Signal<Out, Bits<1>>,
    /// Fill: the last bit.
    pub filled: Signal<Out, bool>,

    read: Signal<Local, Bits<SEGMENTS>>,
    read_word: Signal<Local, Bits<SEGMENTS>>,
    write: Signal<Local, Bits<LAPPED_PLACE>>,
    write_lap: Signal<Local, bool>,
    conn_part: Signal<Local, Bits<SEGMENT_ADDRESS>>,
    read_lap: DFF<bool>,
    count: DFF<Bits<PLACE>>,
    segment_bits: Param<Bits<3>>,
    lap_bit: Param<Bits<5>>,
    in_window: Param<Bits<SEGMENTS>>,
}

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
}

impl<
    const CONN: usize,
    const SEGMENT_ADDRESS: usize,
    const BIT_ADDRESS: usize,
    const PLACE: usize,
    const LAPPED_PLACE: usize,
    const SEGMENTS: usize,
    const PSN: usize,
> Logic for Place<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS, PSN>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module place: where a PSN's bit lies in the bitmap RAM, and what it means there");
        dff_setup!(self, clk, read_lap, count);
        self.conn_part.next = bit_cast::<SEGMENT_ADDRESS, CONN>(self.conn.val()) << self.segment_bits.val();

        self.read.next = bit_cast::<SEGMENTS, PSN>(self.psn.val() >> 6);
        if self.look.val() {
            self.read.next = self.segment.val();
        }
        self.read_word.next = self.read.val() & self.in_window.val();
        self.read_address.next =
            self.conn_part.val() | bit_cast::<SEGMENT_ADDRESS, SEGMENTS>(self.read_word.val());
        self.read_lap.d.next = self.read.val().get_bit(self.segment_bits.val().index());
        self.lap.next = self.read_lap.q.val();

        comment!("A packet writes that it was received, init the whole window that nothing was.");
        self.write.next = bit_cast::<LAPPED_PLACE, PSN>(self.psn.val())
            + bit_cast::<LAPPED_PLACE, PLACE>(self.count.q.val());
        self.write_address.next = (bit_cast::<BIT_ADDRESS, CONN>(self.conn.val()) << self.lap_bit.val())
            | bit_cast::<BIT_ADDRESS, PLACE>(bit_cast::<PLACE, LAPPED_PLACE>(self.write.val()));
        self.write_lap.next = self.write.val().get_bit(self.lap_bit.val().index()) ^ !self.fill.val();
        self.write_data.next = self.write_lap.val().into();
        if self.fill.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.filled.next = self.count.q.val().all();
        if self.rst.val() {
            self.count.d.next = 0.into();
        }
    }
}
