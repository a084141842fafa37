//! The engine for peers that speak Ultra Ethernet: a state machine that works on one op at a time.
//!
//! It has the steps and the bitmap of the engine [`small`](super::small): [`steps`](super::small::steps) says which step the op is in,
//! [`place`](super::small::place) addresses the bitmap RAM, [`segment`](super::small::segment) is the bitmap word of the ACK,
//! [`advance`](super::small::advance) moves the EPSN. Its own are [`taken`], which holds the op, [`distance`], which says where its PSN
//! lies, [`verdict`], which says what the op is and what answers it, [`counts`] and [`cumulative`], what the ACK says beside the bitmap.

pub mod contract;
mod counts;
mod cumulative;
mod distance;
pub mod state;
mod taken;
mod verdict;
mod wires;

use respray_hdl_macros::LogicBlock;
use rust_hdl::prelude::*;

use self::counts::Counts;
use self::cumulative::Cumulative;
use self::distance::Distance;
use self::state::ControlWord;
use self::taken::Taken;
use self::verdict::Verdict;
use super::small::advance::Advance;
use super::small::place::Place;
use super::small::segment::Segment;
use super::small::steps::Steps;
use crate::engine;
use crate::manifest::MemoryKind;
use crate::prims::{NarrowWrite, Param, SimpleDualPort};

/// Bits of the number of a segment.
const SEGMENT_NUMBER: usize = 26;

engine! {
    /// The `sack_rx` core with `sack.acks` = uet. Its sizes are fields of [`UetRxSizes`](crate::cores::sizes::UetRxSizes).
    ///
    /// Only wires here: rustc compiles this block once per combination of sizes.
    #[derive(LogicBlock, Default)]
    pub struct Uet<
        const CONN: usize,
        const SEGMENT_ADDRESS: usize,
        const BIT_ADDRESS: usize,
        const PLACE: usize,
        const LAPPED_PLACE: usize,
        const SEGMENTS: usize,
    > {
        pub clk: Signal<In, Clock>,
        pub rst: Signal<In, bool>,
        pub op_valid: Signal<In, bool>,
        pub op_ready: Signal<Out, bool>,
        pub op_kind: Signal<In, Bits<3>>,
        pub op_conn: Signal<In, Bits<CONN>>,
        pub op_psn: Signal<In, Bits<32>>,
        pub op_cum_next: Signal<In, Bits<32>>,
        pub op_bytes: Signal<In, Bits<16>>,
        pub op_control: Signal<In, bool>,
        pub op_ack_request: Signal<In, bool>,
        pub op_syn: Signal<In, bool>,
        pub op_retransmit: Signal<In, bool>,
        pub op_ecn: Signal<In, bool>,
        pub op_ordered: Signal<In, bool>,
        pub op_host: Signal<In, bool>,
        pub op_last_hop: Signal<In, bool>,
        pub op_ev: Signal<In, Bits<16>>,
        pub op_echo: Signal<In, Bits<16>>,
        pub ack_gen_trigger: Signal<In, Bits<16>>,
        pub ack_gen_min: Signal<In, Bits<12>>,
        pub ack_on_ecn: Signal<In, bool>,
        pub nominal_extra: Signal<In, Bits<8>>,
        pub res_valid: Signal<Out, bool>,
        pub res_conn: Signal<Out, Bits<CONN>>,
        pub res_status: Signal<Out, Bits<3>>,
        pub res_psn: Signal<Out, Bits<32>>,
        pub res_epsn: Signal<Out, Bits<32>>,
        pub res_ecn: Signal<Out, bool>,
        pub res_retransmit: Signal<Out, bool>,
        pub res_ev: Signal<Out, Bits<16>>,
        pub res_echo: Signal<Out, Bits<16>>,
        pub sack_valid: Signal<Out, bool>,
        pub nack_valid: Signal<Out, bool>,
        pub nack_code: Signal<Out, Bits<8>>,
        pub sack_cum_next: Signal<Out, Bits<32>>,
        pub sack_base: Signal<Out, Bits<32>>,
        pub sack_bitmap: Signal<Out, Bits<64>>,
        pub sack_mpr: Signal<Out, Bits<8>>,
        pub sack_ooo: Signal<Out, Bits<12>>,
        pub sack_rcvd: Signal<Out, Bits<24>>,
        ;
        acked: Signal<Local, bool>,

        steps: Steps<CONN>,
        taken: Taken,
        control_ram: SimpleDualPort<Bits<CONN>, ControlWord<PLACE, SEGMENTS>>,
        place: Place<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS, 32>,
        bitmap_ram: NarrowWrite<1, BIT_ADDRESS, 64, SEGMENT_ADDRESS>,
        distance: Distance<PLACE, SEGMENTS>,
        verdict: Verdict,
        counts: Counts<SEGMENTS>,
        segment: Segment,
        advance: Advance<PLACE, SEGMENTS, 32, SEGMENT_NUMBER>,
        cumulative: Cumulative,
        window_units: Param<Bits<8>>,
    }
}

impl<
    const CONN: usize,
    const SEGMENT_ADDRESS: usize,
    const BIT_ADDRESS: usize,
    const PLACE: usize,
    const LAPPED_PLACE: usize,
    const SEGMENTS: usize,
> Uet<CONN, SEGMENT_ADDRESS, BIT_ADDRESS, PLACE, LAPPED_PLACE, SEGMENTS>
{
    /// The engine with its sizes as types.
    pub fn new() -> Self {
        let ram = MemoryKind::Block;
        let mut engine = Self {
            steps: Steps::new(false),
            control_ram: SimpleDualPort::new(
                "control_ram",
                "state of every connection without its bitmap",
                ram,
            ),
            bitmap_ram: NarrowWrite::new("bitmap_ram", "arrival bitmap of every connection", ram),
            place: Place::new(),
            distance: Distance::new(),
            counts: Counts::new(),
            advance: Advance::new(),
            window_units: Param::new((1u64 << (SEGMENTS - 2)).into()),
            ..Default::default()
        };
        engine.connect_all();
        engine
    }
}
