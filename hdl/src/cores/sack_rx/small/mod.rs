//! Engine `small`: a state machine that works on one op at a time.
//!
//! [`steps`] says which step the op is in, [`super::taken`] holds it, [`place`] addresses the bitmap RAM, [`super::packet_status`] says
//! what the packet is, [`counts`] the bytes, [`segment`] is the bitmap word of the SACK, [`advance`] moves the EPSN. With parity, [`loss`]
//! finds words with a flipped bit.

pub(super) mod advance;
mod counts;
mod loss;
pub(super) mod place;
pub(super) mod segment;
pub(super) mod steps;

use respray_hdl_macros::{LogicBlock, hdl_gen};
use rust_hdl::prelude::*;

use self::advance::Advance;
use self::counts::Counts;
use self::loss::{Loss, Turned};
use self::place::Place;
use self::segment::Segment;
use self::steps::Steps;
use super::packet_status::PacketStatus;
use super::state::ControlWord;
use super::taken::Taken;
use crate::config::Config;
use crate::engine;
use crate::manifest::MemoryKind;
use crate::prims::{NarrowWrite, Optional, Param, SimpleDualPort};

engine! {
    /// The `sack_rx` core, engine `small`. Its sizes are fields of [`SackSizes`](crate::cores::sizes::SackSizes).
    ///
    /// Only wires here: rustc compiles this block once per combination of sizes.
    #[derive(LogicBlock, Default)]
    pub struct Small<
        const CONN: usize,
        const SEGMENT_ADDRESS: usize,
        const BIT_ADDRESS: usize,
        const PLACE: usize,
        const LAPPED_PLACE: usize,
        const SEGMENTS: usize,
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
        optional pub state_lost,
        ;
        steps: Steps<CONN>,
        taken: Taken<PSN>,
        control_ram: SimpleDualPort<Bits<CONN>, ControlWord<PLACE, SEGMENTS, PSN>>,
        place: Place<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS, PSN>,
        bitmap_ram: NarrowWrite<1, BIT_ADDRESS, 64, SEGMENT_ADDRESS>,
        packet_status: PacketStatus<PLACE, SEGMENTS, PSN>,
        counts: Counts,
        segment: Segment,
        advance: Advance<PLACE, SEGMENTS, PSN, SEGMENT_NUMBER>,
        /// With parity: the parity bits of the words of the bitmap.
        bitmap_parity_ram: Optional<SimpleDualPort<Bits<SEGMENT_ADDRESS>, bool>>,
        turned: Optional<Turned<SEGMENT_ADDRESS, BIT_ADDRESS, PSN>>,
        loss: Optional<Loss<PLACE, SEGMENTS, PSN>>,
        has_parity: Param<bool>,
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
    const SEGMENT_NUMBER: usize,
> Small<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS, PSN, SEGMENT_NUMBER>
{
    /// The engine of a configuration, with its sizes as types.
    pub fn new(config: &Config) -> Self {
        let has_parity = config.has_parity();
        let mut small = Self {
            state_lost: Optional::new(has_parity, Default::default),
            bitmap_parity_ram: Optional::new(has_parity, || {
                let about = "parity of the words of the arrival bitmaps";
                SimpleDualPort::new("bitmap_parity_ram", about, MemoryKind::Block).with_held_reads(true)
            }),
            turned: Optional::new(has_parity, Default::default),
            loss: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            steps: Steps::new(has_parity),
            control_ram: SimpleDualPort::new(
                "control_ram",
                "state of every connection without its bitmap",
                MemoryKind::Block,
            )
            .with_parity(has_parity)
            .with_held_reads(has_parity),
            bitmap_ram: NarrowWrite::new(
                "bitmap_ram",
                "arrival bitmap of every connection",
                MemoryKind::Block,
            )
            .with_held_reads(has_parity),
            place: Place::new(),
            packet_status: PacketStatus::new(),
            advance: Advance::new(),
            ..Default::default()
        };
        small.connect_all();
        small
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
    const SEGMENT_NUMBER: usize,
> Logic for Small<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS, PSN, SEGMENT_NUMBER>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.steps.clk.next = self.clk.val();
        self.steps.rst.next = self.rst.val();
        self.steps.op_valid.next = self.op_valid.val();
        self.steps.op_is_init.next = self.op_kind.val() == 1;
        self.steps.op_is_close.next = self.op_kind.val().get_bit(1);
        self.steps.op_conn.next = self.op_conn.val();
        if self.has_parity.val() {
            self.steps.again.next = self.advance.again.val() & !self.loss.ends.val();
        } else {
            self.steps.again.next = self.advance.again.val();
        }
        self.steps.refused.next = self.packet_status.refused.val();
        self.steps.sack_due.next = self.packet_status.sack_due.val();
        self.steps.filled.next = self.place.filled.val();
        self.op_ready.next = self.steps.ready.val();

        self.taken.clk.next = self.clk.val();
        self.taken.ready.next = self.steps.ready.val();
        self.taken.op.next.psn = self.op_psn.val();
        self.taken.op.next.bytes = self.op_bytes.val();
        self.taken.op.next.ecn = self.op_ecn.val();
        self.taken.op.next.ev = self.op_ev.val();
        self.taken.op.next.timestamp = self.op_timestamp.val();
        self.taken.op.next.ack_request = self.op_ack_request.val();
        self.taken.op.next.probe = self.op_probe.val();
        self.taken.op.next.threshold = self.sack_threshold.val();

        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.steps.conn.val();
        if self.has_parity.val() {
            self.control_ram.read_enable.next = self.steps.fetch.val();
            self.control_ram.write_enable.next = self.steps.write.val() | self.loss.lost.val();
        } else {
            self.control_ram.write_enable.next = self.steps.write.val();
        }
        self.control_ram.write_address.next = self.steps.conn.val();
        if self.has_parity.val() {
            self.control_ram.write_data.next.initialised =
                !(self.steps.clearing.val() | self.steps.close.val() | self.loss.lost.val());
        } else {
            self.control_ram.write_data.next.initialised =
                !(self.steps.clearing.val() | self.steps.close.val());
        }
        self.control_ram.write_data.next.epsn = self.advance.epsn.val();
        self.control_ram.write_data.next.ooo = self.advance.ooo.val();
        self.control_ram.write_data.next.bytes_recvd = self.counts.bytes_recvd.val();
        self.control_ram.write_data.next.since = self.counts.since.val();
        self.control_ram.write_data.next.lowest = self.packet_status.lowest.val();

        self.place.clk.next = self.clk.val();
        self.place.rst.next = self.rst.val();
        self.place.conn.next = self.steps.conn.val();
        self.place.psn.next = self.taken.packet.val().psn;
        self.place.look.next = self.steps.look.val();
        self.place.segment.next = self.advance.read_segment.val();
        self.place.fill.next = self.steps.fill.val();
        self.bitmap_ram.clk.next = self.clk.val();
        self.bitmap_ram.read_address.next = self.place.read_address.val();
        self.bitmap_ram.write_enable.next =
            (self.steps.decide.val() & self.packet_status.in_reach.val()) | self.steps.fill.val();
        self.bitmap_ram.write_address.next = self.place.write_address.val();
        self.bitmap_ram.write_data.next = self.place.write_data.val();
        if self.has_parity.val() {
            self.bitmap_ram.read_enable.next = self.steps.fetch.val() | self.steps.look.val();
            self.turned.write_address.next = self.place.write_address.val();
            self.turned.own_word.next = self.place.read_address.val();
            self.turned.psn.next = self.taken.packet.val().psn;
            self.turned.fill.next = self.steps.fill.val();
            self.turned.parity.next = self.bitmap_parity_ram.read_data.val();
            self.turned.is_new.next = self.packet_status.is_new.val();
            self.bitmap_parity_ram.clk.next = self.clk.val();
            self.bitmap_parity_ram.read_address.next = self.place.read_address.val();
            self.bitmap_parity_ram.read_enable.next = self.steps.fetch.val() | self.steps.look.val();
            self.bitmap_parity_ram.write_enable.next =
                (self.steps.decide.val() & self.packet_status.in_reach.val()) | self.steps.fill.val();
            self.bitmap_parity_ram.write_address.next = self.turned.word.val();
            self.bitmap_parity_ram.write_data.next = self.turned.after.val();

            self.loss.clk.next = self.clk.val();
            self.loss.rst.next = self.rst.val();
            self.loss.compare.next = self.steps.compare.val();
            self.loss.decide.next = self.steps.decide.val();
            self.loss.look.next = self.steps.look.val();
            self.loss.finish.next = self.steps.finish.val();
            self.loss.result.next = self.steps.res_valid.val();
            self.loss.sack.next = self.steps.sack_valid.val();
            self.loss.control.next = self.control_ram.read_data.val();
            self.loss.control_parity.next = self.control_ram.read_parity.val();
            self.loss.word.next = self.bitmap_ram.read_data.val();
            self.loss.parity.next = self.bitmap_parity_ram.read_data.val();
            self.loss.in_order.next = self.packet_status.in_order.val();
            self.loss.goes_on.next = self.advance.again.val();
        }

        self.advance.psn.next = self.taken.packet.val().psn;
        if self.has_parity.val() {
            // a word that is cleared holds what the reset leaves here, so that its parity is known
            self.packet_status.fill.next = self.steps.fill.val() | self.rst.val();
            self.counts.fill.next = self.steps.fill.val() | self.rst.val();
            self.advance.fill.next = self.steps.fill.val() | self.rst.val();
            if self.rst.val() {
                self.advance.psn.next = 0.into();
            }
        } else {
            self.packet_status.fill.next = self.steps.fill.val();
            self.counts.fill.next = self.steps.fill.val();
            self.advance.fill.next = self.steps.fill.val();
        }
        self.packet_status.clk.next = self.clk.val();
        self.packet_status.compare.next = self.steps.compare.val();
        self.packet_status.decide.next = self.steps.decide.val();
        self.packet_status.psn.next = self.taken.packet.val().psn;
        self.packet_status.probe.next = self.taken.packet.val().probe;
        self.packet_status.ack_request.next = self.taken.packet.val().ack_request;
        if self.has_parity.val() {
            self.packet_status.initialised.next = self.loss.initialised.val();
        } else {
            self.packet_status.initialised.next = self.control_ram.read_data.val().initialised;
        }
        self.packet_status.epsn.next = self.control_ram.read_data.val().epsn;
        self.packet_status.stored_lowest.next = self.control_ram.read_data.val().lowest;
        self.packet_status.arrived.next = self.segment.arrived.val();
        self.packet_status.reached.next = self.counts.reached.val();

        self.counts.clk.next = self.clk.val();
        self.counts.compare.next = self.steps.compare.val();
        self.counts.decide.next = self.steps.decide.val();
        self.counts.bytes.next = self.taken.packet.val().bytes;
        self.counts.threshold.next = self.taken.packet.val().threshold;
        self.counts.stored_bytes_recvd.next = self.control_ram.read_data.val().bytes_recvd;
        self.counts.stored_since.next = self.control_ram.read_data.val().since;
        self.counts.is_new.next = self.packet_status.is_new.val();
        self.counts.due.next = self.packet_status.due.val();

        self.segment.clk.next = self.clk.val();
        self.segment.look.next = self.steps.look.val();
        self.segment.load.next = self.steps.decide.val()
            | (self.steps.finish.val() & (!self.packet_status.in_order.val() | self.advance.again.val()));
        self.segment.stored.next = self.bitmap_ram.read_data.val();
        self.segment.lap.next = self.place.lap.val();
        self.segment.place.next = bit_cast::<6, PSN>(self.taken.packet.val().psn);
        self.segment.epsn_place.next = bit_cast::<6, PSN>(self.control_ram.read_data.val().epsn);
        self.segment.is_first.next = self.advance.is_first.val();
        self.segment.is_last.next = self.advance.is_last.val();

        self.advance.clk.next = self.clk.val();
        self.advance.decide.next = self.steps.decide.val();
        self.advance.look.next = self.steps.look.val();
        self.advance.finish.next = self.steps.finish.val();
        self.advance.stored_epsn.next = self.control_ram.read_data.val().epsn;
        self.advance.stored_ooo.next = self.control_ram.read_data.val().ooo;
        self.advance.was_new.next = self.packet_status.status.val() == 0;
        self.advance.first_segment.next = self.packet_status.segment.val();
        self.advance.in_order.next = self.packet_status.in_order.val();
        self.advance.full.next = self.segment.full.val();
        self.advance.missing.next = self.segment.missing.val();

        self.res_valid.next = self.steps.res_valid.val();
        self.res_conn.next = self.steps.conn.val();
        self.res_status.next = self.packet_status.status.val();
        if self.has_parity.val() {
            self.sack_valid.next = self.steps.sack_valid.val() & !self.loss.lost.val();
            if self.loss.lost.val() {
                self.res_status.next = 7.into();
            }
            self.state_lost.next = self.loss.lost.val();
        } else {
            self.sack_valid.next = self.steps.sack_valid.val();
        }
        self.sack_psn.next = self.taken.packet.val().psn;
        self.sack_epsn.next = self.advance.epsn.val();
        self.sack_base.next = self.advance.base.val();
        self.sack_bitmap.next = self.segment.bitmap.val();
        self.sack_ooo.next = bit_cast::<12, PLACE>(self.advance.ooo.val());
        self.sack_bytes_recvd.next = self.counts.bytes_recvd.val();
        self.sack_ecn.next = self.taken.packet.val().ecn;
        self.sack_ev.next = self.taken.packet.val().ev;
        self.sack_timestamp.next = self.taken.packet.val().timestamp;
        self.sack_probe.next = self.taken.packet.val().probe;
    }
}
