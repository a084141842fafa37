//! Engine `fast`: a pipeline that takes a packet a cycle, while they are of distinct connections.
//!
//! ```text
//!  op_* ──► hold ──────► compare ──────► decide ───► choose ────► mask ──► search ──► finish ──► result ──► res_*, sack_*
//!            │   read     │ psn - EPSN     │ new?     │ segment     ▲ read   │ octet    │ bit
//!            ├──► control RAM              │ due?     │ of SACK     │        of the first missing
//!            └──► bitmap RAM ──► own word  ▼          ▼             │                   │
//!                     ▲──────────────── one bit    bitmap copy RAM ─┘                   │
//!   control RAM ◄───────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! [`interlock`] says which op is in which stage, and keeps those of one connection apart; [`place`] addresses the bitmap
//! RAMs; [`arrival`] looks at the word of the packet's PSN, [`super::packet_status`] says what the packet is, [`counts`] the bytes;
//! [`choose`] names the segment of the SACK, [`segment`] is its word, [`advance`] moves the EPSN.

mod advance;
mod arrival;
mod choose;
mod counts;
mod interlock;
mod place;
mod segment;
mod state;

use respray_hdl_macros::{LogicBlock, hdl_gen};
use rust_hdl::prelude::*;

use self::advance::Advance;
use self::arrival::Arrival;
use self::choose::Choose;
use self::counts::Counts;
use self::interlock::Interlock;
use self::place::Place;
use self::segment::Segment;
use self::state::{Echo, FastWord, Found};
use super::packet_status::PacketStatus;
use super::state::Packet;
use super::taken::Taken;
use crate::engine;
use crate::manifest::MemoryKind;
use crate::prims::{Delay, NarrowWrite, SimpleDualPort};

/// Clock edges from the one at which a packet starts to the one at which its result can be sampled.
pub const LATENCY_CYCLES: u32 = 8;

/// Clock edges between the starts of two ops of one connection: what stage 6 wrote is read in stage 0.
pub const SAME_CONNECTION_CYCLES: u32 = 7;

/// Clock edges that an `init` keeps others out for, beyond one per bit of the bitmap.
pub const INIT_CYCLES: u32 = 3;

engine! {
    /// The `sack_rx` core, engine `fast`. Its sizes are fields of [`SackSizes`](crate::cores::sizes::SackSizes).
    ///
    /// Only wires here: rustc compiles this block once per combination of sizes.
    #[derive(LogicBlock, Default)]
    pub struct Fast<
        const CONN: usize,
        const SEGMENT_ADDRESS: usize,
        const BIT_ADDRESS: usize,
        const PLACE: usize,
        const LAPPED_PLACE: usize,
        const SEGMENTS: usize,
        const LATER_SEGMENTS: usize,
        const PSN: usize,
        const SEGMENT_NUMBER: usize,
    > {
        pub clk: Signal<In, Clock>,
        pub rst: Signal<In, bool>,
        pub op_valid: Signal<In, bool>,
        pub op_ready: Signal<Out, bool>,
        pub op_kind: Signal<In, Bits<2>>,
        pub op_conn: Signal<In, Bits<CONN>>,
        pub op_psn: Signal<In, Bits<PSN>>,
        pub op_bytes: Signal<In, Bits<16>>,
        pub op_ecn: Signal<In, bool>,
        pub op_ev: Signal<In, Bits<16>>,
        pub op_timestamp: Signal<In, Bits<16>>,
        pub op_ack_request: Signal<In, bool>,
        pub op_probe: Signal<In, bool>,
        pub sack_threshold: Signal<In, Bits<16>>,
        pub res_valid: Signal<Out, bool>,
        pub res_conn: Signal<Out, Bits<CONN>>,
        pub res_status: Signal<Out, Bits<3>>,
        pub sack_valid: Signal<Out, bool>,
        pub sack_psn: Signal<Out, Bits<PSN>>,
        pub sack_epsn: Signal<Out, Bits<PSN>>,
        pub sack_base: Signal<Out, Bits<PSN>>,
        pub sack_bitmap: Signal<Out, Bits<64>>,
        pub sack_ooo: Signal<Out, Bits<12>>,
        pub sack_bytes_recvd: Signal<Out, Bits<32>>,
        pub sack_ecn: Signal<Out, bool>,
        pub sack_ev: Signal<Out, Bits<16>>,
        pub sack_timestamp: Signal<Out, Bits<16>>,
        pub sack_probe: Signal<Out, bool>,
        ;
        interlock: Interlock<CONN>,
        place: Place<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS, PSN>,
        control_ram: SimpleDualPort<Bits<CONN>, FastWord<PLACE, SEGMENTS, LATER_SEGMENTS, PSN>>,
        bitmap_ram: NarrowWrite<1, BIT_ADDRESS, 64, SEGMENT_ADDRESS>,
        bitmap_copy_ram: NarrowWrite<1, BIT_ADDRESS, 64, SEGMENT_ADDRESS>,
        arrival: Arrival,
        packet_status: PacketStatus<PLACE, SEGMENTS, PSN>,
        counts: Counts,
        choose: Choose<SEGMENTS, LATER_SEGMENTS, PSN>,
        segment: Segment,
        advance: Advance<PLACE, SEGMENTS, PSN, SEGMENT_NUMBER>,

        /// The packet in stages 0, 1, 2, and of it what comes out in stage 7.
        held: Taken<PSN>,
        compared: DFF<Packet<PSN>>,
        decided: DFF<Packet<PSN>>,
        chosen_psn: DFF<Bits<PSN>>,
        echo: Delay<Echo<PSN>, 5>,

        /// What the status and the advance need of the control word, in stages 2 and 3.
        initialised: DFF<bool>,
        lowest: DFF<Bits<SEGMENTS>>,
        epsn: DFF<Bits<PSN>>,
        chosen_epsn: DFF<Bits<PSN>>,
        ooo: DFF<Bits<PLACE>>,
        chosen_ooo: DFF<Bits<PLACE>>,
        is_init: DFF<bool>,
        is_close: DFF<bool>,
        is_new: DFF<bool>,

        lowest_after: Delay<Bits<SEGMENTS>, 3>,
        full_after: Delay<Bits<LATER_SEGMENTS>, 2>,
        found: Delay<Found, 3>,
        result: DFF<Found>,
        bytes_recvd: DFF<Bits<32>>,
    }
}

impl<
    const CONN: usize,
    const SEGMENT_ADDRESS: usize,
    const BIT_ADDRESS: usize,
    const PLACE: usize,
    const LAPPED_PLACE: usize,
    const SEGMENTS: usize,
    const LATER_SEGMENTS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
>
    Fast<
        CONN,
        SEGMENT_ADDRESS,
        BIT_ADDRESS,
        PLACE,
        LAPPED_PLACE,
        SEGMENTS,
        LATER_SEGMENTS,
        PSN,
        SEGMENT_NUMBER,
    >
{
    /// The engine with its sizes as types.
    pub fn new() -> Self {
        let bitmap = |name, about| NarrowWrite::new(name, about, MemoryKind::Block);
        let mut fast = Self {
            control_ram: SimpleDualPort::new(
                "control_ram",
                "state of every connection without its bitmap",
                MemoryKind::Block,
            ),
            bitmap_ram: bitmap(
                "bitmap_ram",
                "arrival bitmap of every connection, read for a packet's own PSN",
            ),
            bitmap_copy_ram: bitmap(
                "bitmap_copy_ram",
                "arrival bitmap of every connection, read for the SACK",
            ),
            place: Place::new(),
            packet_status: PacketStatus::new(),
            choose: Choose::new(),
            ..Default::default()
        };
        fast.connect_all();
        fast
    }
}

impl<
    const CONN: usize,
    const SEGMENT_ADDRESS: usize,
    const BIT_ADDRESS: usize,
    const PLACE: usize,
    const LAPPED_PLACE: usize,
    const SEGMENTS: usize,
    const LATER_SEGMENTS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
> Logic
    for Fast<
        CONN,
        SEGMENT_ADDRESS,
        BIT_ADDRESS,
        PLACE,
        LAPPED_PLACE,
        SEGMENTS,
        LATER_SEGMENTS,
        PSN,
        SEGMENT_NUMBER,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, compared, decided, chosen_psn, initialised, lowest, epsn, chosen_epsn, ooo);
        dff_setup!(self, clk, chosen_ooo, is_init, is_close, is_new, result, bytes_recvd);
        self.interlock.clk.next = self.clk.val();
        self.interlock.rst.next = self.rst.val();
        self.interlock.op_valid.next = self.op_valid.val();
        self.interlock.op_is_init.next = self.op_kind.val() == 1;
        self.interlock.op_is_close.next = self.op_kind.val().get_bit(1);
        self.interlock.op_conn.next = self.op_conn.val();
        self.interlock.filled.next = self.place.filled.val();
        self.op_ready.next = self.interlock.ready.val();

        self.held.clk.next = self.clk.val();
        self.held.ready.next = self.interlock.ready.val();
        self.held.op.next.psn = self.op_psn.val();
        self.held.op.next.bytes = self.op_bytes.val();
        self.held.op.next.ecn = self.op_ecn.val();
        self.held.op.next.ev = self.op_ev.val();
        self.held.op.next.timestamp = self.op_timestamp.val();
        self.held.op.next.ack_request = self.op_ack_request.val();
        self.held.op.next.probe = self.op_probe.val();
        self.held.op.next.threshold = self.sack_threshold.val();
        self.compared.d.next = self.held.packet.val();
        self.decided.d.next = self.compared.q.val();
        self.chosen_psn.d.next = self.decided.q.val().psn;
        self.echo.clk.next = self.clk.val();
        self.echo.input_value.next.psn = self.decided.q.val().psn;
        self.echo.input_value.next.ecn = self.decided.q.val().ecn;
        self.echo.input_value.next.ev = self.decided.q.val().ev;
        self.echo.input_value.next.timestamp = self.decided.q.val().timestamp;
        self.echo.input_value.next.probe = self.decided.q.val().probe;

        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.interlock.conn.val();
        self.control_ram.write_enable.next = (self.interlock.finish_any.val()
            & self.found.output_value.val().changed)
            | self.interlock.finish_clear.val();
        self.control_ram.write_address.next = self.interlock.finish_conn.val();
        self.control_ram.write_data.next.initialised =
            !(self.interlock.finish_clear.val() | self.found.output_value.val().closed);
        self.control_ram.write_data.next.epsn = self.advance.epsn_after.val();
        self.control_ram.write_data.next.ooo = self.advance.ooo_after.val();
        self.control_ram.write_data.next.bytes_recvd = self.counts.bytes_recvd.val();
        self.control_ram.write_data.next.since = self.counts.since.val();
        self.control_ram.write_data.next.lowest = self.lowest_after.output_value.val();
        self.control_ram.write_data.next.full = self.full_after.output_value.val();

        self.place.clk.next = self.clk.val();
        self.place.rst.next = self.rst.val();
        self.place.conn.next = self.interlock.conn.val();
        self.place.psn.next = self.held.packet.val().psn;
        self.place.fill.next = self.interlock.fill.val();
        self.place.decide_conn.next = self.interlock.decide_conn.val();
        self.place.decide_psn.next = self.decided.q.val().psn;
        self.place.choose_conn.next = self.interlock.choose_conn.val();
        self.place.segment.next = self.choose.segment.val();
        self.bitmap_ram.clk.next = self.clk.val();
        self.bitmap_ram.read_address.next = self.place.own_address.val();
        self.bitmap_ram.write_enable.next = (self.interlock.decide_packet.val()
            & self.packet_status.in_reach.val())
            | self.interlock.fill.val();
        self.bitmap_ram.write_address.next = self.place.write_address.val();
        self.bitmap_ram.write_data.next = self.place.write_data.val();
        self.bitmap_copy_ram.clk.next = self.clk.val();
        self.bitmap_copy_ram.read_address.next = self.place.segment_address.val();
        self.bitmap_copy_ram.write_enable.next = (self.interlock.decide_packet.val()
            & self.packet_status.in_reach.val())
            | self.interlock.fill.val();
        self.bitmap_copy_ram.write_address.next = self.place.write_address.val();
        self.bitmap_copy_ram.write_data.next = self.place.write_data.val();

        self.is_new.d.next = self.packet_status.is_new.val();
        self.is_init.d.next = self.interlock.decide_init.val();
        self.is_close.d.next = self.interlock.decide_close.val();
        self.initialised.d.next =
            self.control_ram.read_data.val().initialised & !self.interlock.compare_init.val();
        self.lowest.d.next = self.control_ram.read_data.val().lowest;
        self.epsn.d.next = self.control_ram.read_data.val().epsn;
        self.ooo.d.next = self.control_ram.read_data.val().ooo;
        if self.interlock.compare_init.val() {
            self.epsn.d.next = self.compared.q.val().psn;
            self.ooo.d.next = 0.into();
        }
        self.chosen_epsn.d.next = self.epsn.q.val();
        self.chosen_ooo.d.next = self.ooo.q.val();

        self.arrival.clk.next = self.clk.val();
        self.arrival.stored.next = self.bitmap_ram.read_data.val();
        self.arrival.lap.next = self.place.own_lap.val();
        self.arrival.place.next = bit_cast::<6, PSN>(self.compared.q.val().psn);
        self.arrival.is_expected.next = self.packet_status.is_expected.val();

        self.packet_status.clk.next = self.clk.val();
        self.packet_status.compare.next = true;
        self.packet_status.decide.next = true;
        self.packet_status.fill.next = self.interlock.decide_init.val();
        self.packet_status.psn.next = self.compared.q.val().psn;
        self.packet_status.epsn.next = self.control_ram.read_data.val().epsn;
        self.packet_status.probe.next = self.decided.q.val().probe;
        self.packet_status.ack_request.next = self.decided.q.val().ack_request;
        self.packet_status.initialised.next = self.initialised.q.val();
        self.packet_status.stored_lowest.next = self.lowest.q.val();
        self.packet_status.arrived.next = self.arrival.arrived.val();
        self.packet_status.reached.next = self.counts.reached.val();
        self.lowest_after.clk.next = self.clk.val();
        self.lowest_after.input_value.next = self.packet_status.lowest.val();
        self.full_after.clk.next = self.clk.val();
        self.full_after.input_value.next = self.choose.full.val();
        self.found.clk.next = self.clk.val();
        self.found.input_value.next.status = self.packet_status.status.val();
        self.found.input_value.next.changed =
            !self.packet_status.refused.val() | self.is_init.q.val() | self.is_close.q.val();
        self.found.input_value.next.closed = self.is_close.q.val();
        self.found.input_value.next.sack_due = self.packet_status.sack_due.val();

        self.result.d.next = self.found.output_value.val();
        self.bytes_recvd.d.next = self.counts.bytes_recvd.val();

        self.counts.clk.next = self.clk.val();
        self.counts.bytes.next = self.compared.q.val().bytes;
        self.counts.stored_bytes_recvd.next = self.control_ram.read_data.val().bytes_recvd;
        self.counts.stored_since.next = self.control_ram.read_data.val().since;
        self.counts.threshold.next = self.decided.q.val().threshold;
        self.counts.is_new.next = self.packet_status.is_new.val();
        self.counts.due.next = self.packet_status.due.val();
        self.counts.is_init.next = self.interlock.decide_init.val();

        self.choose.clk.next = self.clk.val();
        self.choose.stored_full.next = self.control_ram.read_data.val().full;
        self.choose.is_init.next = self.interlock.decide_init.val();
        self.choose.psn.next = self.compared.q.val().psn;
        self.choose.epsn.next = self.control_ram.read_data.val().epsn;
        self.choose.is_new.next = self.is_new.q.val();
        self.choose.in_order.next = self.packet_status.in_order.val();
        self.choose.completes.next = self.arrival.completes.val();
        self.choose.nearest.next = self.packet_status.segment.val();
        self.choose.epsn_segment.next = bit_cast::<SEGMENTS, PSN>(self.chosen_epsn.q.val() >> 6);

        self.segment.clk.next = self.clk.val();
        self.segment.epsn_place.next = bit_cast::<6, PSN>(self.epsn.q.val());
        self.segment.is_first.next = self.choose.is_first.val();
        self.segment.is_last.next = self.choose.is_last.val();
        self.segment.stored.next = self.bitmap_copy_ram.read_data.val();
        self.segment.lap.next = self.place.segment_lap.val();

        self.advance.clk.next = self.clk.val();
        self.advance.is_new.next = self.is_new.q.val();
        self.advance.in_order.next = self.packet_status.in_order.val();
        self.advance.psn.next = self.chosen_psn.q.val();
        self.advance.epsn.next = self.chosen_epsn.q.val();
        self.advance.ooo.next = self.chosen_ooo.q.val();
        self.advance.offset.next = self.choose.offset.val();
        self.advance.missing.next = self.segment.missing.val();

        self.res_valid.next = self.interlock.result_packet.val();
        self.res_conn.next = self.interlock.result_conn.val();
        self.res_status.next = self.result.q.val().status;
        self.sack_valid.next = self.interlock.result_packet.val() & self.result.q.val().sack_due;
        self.sack_psn.next = self.echo.output_value.val().psn;
        self.sack_epsn.next = self.advance.sack_epsn.val();
        self.sack_base.next = self.advance.base.val();
        self.sack_bitmap.next = self.segment.bitmap.val();
        self.sack_ooo.next = bit_cast::<12, PLACE>(self.advance.sack_ooo.val());
        self.sack_bytes_recvd.next = self.bytes_recvd.q.val();
        self.sack_ecn.next = self.echo.output_value.val().ecn;
        self.sack_ev.next = self.echo.output_value.val().ev;
        self.sack_timestamp.next = self.echo.output_value.val().timestamp;
        self.sack_probe.next = self.echo.output_value.val().probe;
    }
}
