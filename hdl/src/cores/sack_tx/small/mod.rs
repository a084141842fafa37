//! Engine `small`: a state machine that works on one op at a time and visits a connection when there is none.
//!
//! [`steps`] says which step the op is in, [`super::taken`] holds it, [`super::distance`] makes places of its PSNs, [`order`] compares
//! them, [`super::op_status`] says what the op comes to; [`walk`] goes over the acked bitmap, 16 PSNs a cycle, [`word`] is what it
//! finds, [`tally`] counts packets, [`accounts`] bytes and times; [`rules`] finds losses, [`super::renew`] is what is stored then.

mod accounts;
mod backoff;
pub(super) mod bounds;
mod order;
mod pick;
mod rules;
mod steps;
mod tally;
mod walk;
mod wires;
mod word;

use respray_hdl_macros::LogicBlock;
use rust_hdl::prelude::*;

use self::accounts::Accounts;
use self::backoff::Backoff;
use self::order::Order;
use self::pick::Pick;
use self::rules::Rules;
use self::steps::Steps;
use self::tally::Tally;
use self::walk::Walk;
use self::word::Word;
use super::contradiction::Contradiction;
use super::distance::Distance;
use super::op_status::OpStatus;
use super::renew::Renew;
use super::state::{ControlWord, TimeWord};
use super::taken::Taken;
use crate::engine;
use crate::manifest::MemoryKind;
use crate::prims::SimpleDualPort;

/// PSNs that the walk over the acked bitmap takes a cycle.
pub const WALKED_PSNS: u32 = 16;

engine! {
    /// The `sack_tx` core, engine `small`. Its sizes are fields of [`SackSizes`](crate::cores::sizes::SackSizes).
    ///
    /// Only wires here: rustc compiles this block once per combination of sizes.
    #[derive(LogicBlock, Default)]
    pub struct Small<
        const CONN: usize,
        const WORD_ADDRESS: usize,
        const BYTES_ADDRESS: usize,
        const TIME_ADDRESS: usize,
        const PACKETS: usize,
        const PACKETS_DIFFERENCE: usize,
        const SEGMENTS: usize,
        const WORDS: usize,
        const PSN: usize,
        const SEGMENT_NUMBER: usize,
        const SEGMENT_NUMBER_MAGNITUDE: usize,
    > {
        pub clk: Signal<In, Clock>,
        pub rst: Signal<In, bool>,
        pub op_valid: Signal<In, bool>,
        pub op_ready: Signal<Out, bool>,
        pub op_kind: Signal<In, Bits<3>>,
        pub op_conn: Signal<In, Bits<CONN>>,
        pub op_psn: Signal<In, Bits<PSN>>,
        pub op_bytes: Signal<In, Bits<16>>,
        pub op_epsn: Signal<In, Bits<PSN>>,
        pub op_base: Signal<In, Bits<PSN>>,
        pub op_bitmap: Signal<In, Bits<64>>,
        pub op_ooo: Signal<In, Bits<12>>,
        pub op_bytes_recvd: Signal<In, Bits<32>>,
        pub op_timestamp: Signal<In, Bits<16>>,
        pub op_probe: Signal<In, bool>,
        pub now: Signal<In, Bits<16>>,
        pub cwnd_packets: Signal<In, Bits<12>>,
        pub probe_timeout: Signal<In, Bits<16>>,
        pub probe_rtt: Signal<In, Bits<16>>,
        pub rto: Signal<In, Bits<16>>,
        pub rto_backoff_max: Signal<In, Bits<3>>,
        pub res_valid: Signal<Out, bool>,
        pub res_conn: Signal<Out, Bits<CONN>>,
        pub res_status: Signal<Out, Bits<3>>,
        pub res_psn: Signal<Out, Bits<PSN>>,
        pub res_snd_nxt: Signal<Out, Bits<PSN>>,
        pub res_acked: Signal<Out, Bits<PACKETS>>,
        pub res_in_flight: Signal<Out, Bits<PACKETS>>,
        pub res_bytes_in_flight: Signal<Out, Bits<32>>,
        pub res_bytes_acked: Signal<Out, Bits<20>>,
        pub res_in_recovery: Signal<Out, bool>,
        pub res_rtt_valid: Signal<Out, bool>,
        pub res_rtt: Signal<Out, Bits<16>>,
        pub loss_ooo: Signal<Out, bool>,
        pub loss_probe: Signal<Out, bool>,
        pub loss_timeout: Signal<Out, bool>,
        pub probe_due: Signal<Out, bool>,
        pub recovery_left: Signal<Out, bool>,
        ;
        step: Signal<Local, Bits<13>>,
        changed: Signal<Local, bool>,
        scan: Signal<Local, bool>,
        sack_bits: Signal<Local, Bits<16>>,

        steps: Steps<CONN>,
        taken: Taken<PSN>,
        control_ram: SimpleDualPort<Bits<CONN>, ControlWord<PACKETS, PSN>>,
        distance: Distance<PACKETS, SEGMENTS, PSN, SEGMENT_NUMBER, SEGMENT_NUMBER_MAGNITUDE>,
        order: Order<PACKETS, PACKETS_DIFFERENCE>,
        contradiction: Contradiction<SEGMENTS>,
        op_status: OpStatus<PACKETS, SEGMENTS>,
        walk: Walk<CONN, WORD_ADDRESS, PACKETS, SEGMENTS, WORDS, PSN>,
        acked_ram: SimpleDualPort<Bits<WORD_ADDRESS>, Bits<16>>,
        word: Word,
        pick: Pick<PACKETS, SEGMENTS, WORDS, PSN, SEGMENT_NUMBER>,
        tally: Tally<PACKETS>,
        bytes_ram: SimpleDualPort<Bits<BYTES_ADDRESS>, Bits<16>>,
        times_ram: SimpleDualPort<Bits<TIME_ADDRESS>, TimeWord>,
        backoff: Backoff,
        accounts: Accounts,
        rules: Rules,
        renew: Renew<PACKETS, SEGMENTS, PSN>,
    }
}

impl<
    const CONN: usize,
    const WORD_ADDRESS: usize,
    const BYTES_ADDRESS: usize,
    const TIME_ADDRESS: usize,
    const PACKETS: usize,
    const PACKETS_DIFFERENCE: usize,
    const SEGMENTS: usize,
    const WORDS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
    const SEGMENT_NUMBER_MAGNITUDE: usize,
>
    Small<
        CONN,
        WORD_ADDRESS,
        BYTES_ADDRESS,
        TIME_ADDRESS,
        PACKETS,
        PACKETS_DIFFERENCE,
        SEGMENTS,
        WORDS,
        PSN,
        SEGMENT_NUMBER,
        SEGMENT_NUMBER_MAGNITUDE,
    >
{
    /// The engine with its sizes as types.
    pub fn new() -> Self {
        let ram = MemoryKind::Block;
        let mut engine = Self {
            control_ram: SimpleDualPort::new("control_ram", "state of every connection", ram),
            acked_ram: SimpleDualPort::new("acked_ram", "acked bitmap of every connection", ram),
            bytes_ram: SimpleDualPort::new("bytes_ram", "byte counts of every connection", ram),
            times_ram: SimpleDualPort::new("times_ram", "times of every connection", ram),
            distance: Distance::new(),
            order: Order::new(),
            op_status: OpStatus::new(),
            walk: Walk::new(),
            ..Default::default()
        };
        engine.connect_all();
        engine
    }
}
