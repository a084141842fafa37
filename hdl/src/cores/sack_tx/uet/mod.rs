//! The engine for peers that speak Ultra Ethernet: a state machine that works on one op at a time and visits a connection when there is
//! none.
//!
//! [`steps`] says which step the op is in, [`taken`] holds it, [`distance`] makes places of its PSNs, [`order`] compares them,
//! [`allowance`] has the limit, [`op_status`] and [`refusal`] say what the op comes to, [`cumulative`] how far `una` moves; [`walk`]
//! goes over the acked bitmap, 16 PSNs a cycle, [`funnel`] and [`named`] say what the op names there, [`word`] is what is found;
//! [`tally`] counts packets, [`accounts`] bytes and times, [`backoff`] and [`phase`] the timers; [`rules`] finds losses, [`renew`] is
//! what is stored then.

mod accounts;
mod allowance;
mod backoff;
pub mod contract;
mod cumulative;
mod distance;
mod funnel;
mod named;
mod op_status;
mod order;
mod phase;
mod pick;
mod refusal;
mod renew;
mod rules;
pub mod state;
mod steps;
mod taken;
mod tally;
mod walk;
mod wires;
mod word;

use respray_hdl_macros::LogicBlock;
use rust_hdl::prelude::*;

use self::accounts::Accounts;
use self::allowance::Allowance;
use self::backoff::Backoff;
use self::cumulative::Cumulative;
use self::distance::Distance;
use self::funnel::Funnel;
use self::named::Named;
use self::op_status::OpStatus;
use self::order::Order;
use self::phase::Phase;
use self::pick::Pick;
use self::refusal::Refusal;
use self::renew::Renew;
use self::rules::Rules;
use self::state::{ControlWord, TimeWord};
use self::steps::Steps;
use self::taken::Taken;
use self::tally::Tally;
use self::walk::Walk;
use self::word::Word;
use crate::engine;
use crate::manifest::MemoryKind;
use crate::prims::SimpleDualPort;

engine! {
    /// The `sack_tx` core with `sack.acks` = uet. Its sizes are fields of [`UetTxSizes`](crate::cores::sizes::UetTxSizes).
    ///
    /// Only wires here: rustc compiles this block once per combination of sizes.
    #[derive(LogicBlock, Default)]
    pub struct Uet<
        const CONN: usize,
        const WORD_ADDRESS: usize,
        const BYTES_ADDRESS: usize,
        const TIME_ADDRESS: usize,
        const PACKETS: usize,
        const PACKETS_DIFFERENCE: usize,
        const SEGMENTS: usize,
        const WORDS: usize,
        const SIGNED_WORDS: usize,
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
        pub op_ordered: Signal<In, bool>,
        pub op_code: Signal<In, Bits<8>>,
        pub op_mpr: Signal<In, Bits<8>>,
        pub op_cum_next: Signal<In, Bits<PSN>>,
        pub op_probe: Signal<In, bool>,
        pub op_has_sack: Signal<In, bool>,
        pub op_base: Signal<In, Bits<PSN>>,
        pub op_bitmap: Signal<In, Bits<64>>,
        pub op_has_state: Signal<In, bool>,
        pub op_rcvd: Signal<In, Bits<24>>,
        pub op_ooo: Signal<In, Bits<12>>,
        pub op_timestamp: Signal<In, Bits<16>>,
        pub now: Signal<In, Bits<16>>,
        pub ooo_packets: Signal<In, Bits<12>>,
        pub probe_timeout: Signal<In, Bits<16>>,
        pub probe_rtt: Signal<In, Bits<16>>,
        pub rto: Signal<In, Bits<16>>,
        pub rto_backoff_max: Signal<In, Bits<3>>,
        pub rules: Signal<In, Bits<2>>,
        pub max_rto_retx: Signal<In, Bits<4>>,
        pub res_valid: Signal<Out, bool>,
        pub res_conn: Signal<Out, Bits<CONN>>,
        pub res_status: Signal<Out, Bits<3>>,
        pub res_psn: Signal<Out, Bits<PSN>>,
        pub res_snd_nxt: Signal<Out, Bits<PSN>>,
        pub res_acked: Signal<Out, Bits<PACKETS>>,
        pub res_in_flight: Signal<Out, Bits<PACKETS>>,
        pub res_bytes_in_flight: Signal<Out, Bits<32>>,
        pub res_bytes_acked: Signal<Out, Bits<32>>,
        pub res_in_recovery: Signal<Out, bool>,
        pub res_rtt_valid: Signal<Out, bool>,
        pub res_rtt: Signal<Out, Bits<16>>,
        pub loss_ooo: Signal<Out, bool>,
        pub loss_probe: Signal<Out, bool>,
        pub loss_timeout: Signal<Out, bool>,
        pub loss_nack: Signal<Out, bool>,
        pub retransmit: Signal<Out, bool>,
        pub ack_request: Signal<Out, bool>,
        pub dead: Signal<Out, bool>,
        pub probe_due: Signal<Out, bool>,
        pub recovery_left: Signal<Out, bool>,
        ;
        step: Signal<Local, Bits<13>>,
        scan: Signal<Local, bool>,
        has_bitmap: Signal<Local, bool>,
        has_psn: Signal<Local, bool>,
        single: Signal<Local, bool>,
        back: Signal<Local, bool>,
        changed: Signal<Local, bool>,
        moves: Signal<Local, bool>,

        steps: Steps<CONN>,
        taken: Taken<PSN>,
        control_ram: SimpleDualPort<Bits<CONN>, ControlWord<PACKETS, PSN>>,
        distance: Distance<PACKETS, PACKETS_DIFFERENCE, SEGMENTS, PSN, SEGMENT_NUMBER, SEGMENT_NUMBER_MAGNITUDE>,
        order: Order<PACKETS, PACKETS_DIFFERENCE>,
        allowance: Allowance<SEGMENTS>,
        op_status: OpStatus,
        refusal: Refusal,
        cumulative: Cumulative<PACKETS, SEGMENTS>,
        walk: Walk<CONN, WORD_ADDRESS, PACKETS, SEGMENTS, WORDS, PSN>,
        funnel: Funnel<SIGNED_WORDS>,
        named: Named<PACKETS, WORDS>,
        acked_ram: SimpleDualPort<Bits<WORD_ADDRESS>, Bits<16>>,
        word: Word,
        pick: Pick<PACKETS, PACKETS_DIFFERENCE, SEGMENTS, WORDS, PSN, SEGMENT_NUMBER>,
        tally: Tally<PACKETS>,
        bytes_ram: SimpleDualPort<Bits<BYTES_ADDRESS>, Bits<16>>,
        times_ram: SimpleDualPort<Bits<TIME_ADDRESS>, TimeWord>,
        phase: Phase,
        backoff: Backoff,
        accounts: Accounts,
        loss: Rules,
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
    const SIGNED_WORDS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
    const SEGMENT_NUMBER_MAGNITUDE: usize,
>
    Uet<
        CONN,
        WORD_ADDRESS,
        BYTES_ADDRESS,
        TIME_ADDRESS,
        PACKETS,
        PACKETS_DIFFERENCE,
        SEGMENTS,
        WORDS,
        SIGNED_WORDS,
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
            allowance: Allowance::new(),
            walk: Walk::new(),
            pick: Pick::new(),
            ..Default::default()
        };
        engine.connect_all();
        engine
    }
}
