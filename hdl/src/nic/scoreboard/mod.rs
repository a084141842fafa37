//! The ops of `sack_tx`: whose comes next, and what follows from what each found.
//!
//! ```text
//!  ACKs ──► Hear ──┐
//!  packets ────────┤          ┌────────┐           ┌──► events
//!  in recovery ────┼─► Pick ─►│ sack_tx│─► Found ─►│    Dispatch ──► selector, decisions, lists
//!  commands ───────┘    │     └────────┘  ▲        └──► counters
//!                       └─► tags ─────────┘
//! ```

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

mod dispatch;
mod found;
mod pick;

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use self::dispatch::{Dispatch, TypedPulses};
use self::found::{Found, Tag, TypedFound, TypedTag};
pub use self::pick::Pick;
use super::hear::Hear;
use crate::comment;
use crate::config::LossFeedback;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Optional, Param, Reg, bits_of};

/// Everything of the block that joins the cores around `sack_tx`. Numbers of connections have 24 bits, PSNs 32, at every size: what an
/// engine lacks is 0.
#[block]
pub struct Scoreboard {
    /// ACKs, in the order in which they came.
    pub ack_valid: Signal<In, bool>,
    pub ack_ready: Signal<Out, bool>,
    pub ack_conn: Signal<In, Bits<24>>,
    pub ack_epsn: Signal<In, Bits<32>>,
    pub ack_timestamp: Signal<In, Bits<16>>,
    /// It gives no RTT, as some of `uet` do.
    pub ack_untimed: Signal<In, bool>,
    pub ack_ev: Signal<In, Bits<16>>,
    pub ack_ecn: Signal<In, bool>,
    /// Where the host says who the peers are: it comes from another address.
    pub ack_is_refused: Optional<Signal<In, bool>>,
    /// Packets of the host, in order.
    pub req_valid: Signal<In, bool>,
    pub req_ready: Signal<Out, bool>,
    pub req_is_probe: Signal<In, bool>,
    pub req_conn: Signal<In, Bits<24>>,
    pub req_psn: Signal<In, Bits<32>>,
    /// The connection in recovery that waits longest.
    pub recovery_valid: Signal<In, bool>,
    pub recovery_ready: Signal<Out, bool>,
    pub recovery_conn: Signal<In, Bits<24>>,
    /// The host's queue has room for a PSN to send again, and events of this kind are enabled.
    pub event_room: Signal<In, bool>,
    pub hands_out: Signal<In, bool>,
    pub open_valid: Signal<In, bool>,
    pub open_ready: Signal<Out, bool>,
    pub close_valid: Signal<In, bool>,
    /// The command `close_tx` is done: its result stands at the outputs of `sack_tx`.
    pub close_ready: Signal<Out, bool>,
    // Where the host hears of closes: a read of `sack_tx` as it is when a connection drains, and its result is there; and what a close says.
    pub drain_valid: Optional<Signal<In, bool>>,
    pub drained: Optional<Signal<Out, bool>>,
    /// Where it does, and of Ultra Ethernet.
    pub res_snd_nxt: Optional<Signal<In, Bits<32>>>,
    /// The next packet of the host is refused, if it is data, because its connection drains.
    pub req_is_held: Optional<Signal<In, bool>>,
    /// A connection was opened or closed.
    pub renewed: Signal<Out, bool>,
    pub read_valid: Signal<In, bool>,
    /// The command `read` is done: its result stands at the outputs of `sack_tx`.
    pub read_ready: Signal<Out, bool>,
    pub command_conn: Signal<In, Bits<24>>,
    pub command_psn: Signal<In, Bits<32>>,
    pub wire_time: Signal<In, Bits<16>>,
    pub sack_time: Signal<In, Bits<16>>,
    pub wire_prescale: Signal<In, Bits<5>>,
    pub sack_prescale: Signal<In, Bits<5>>,
    pub cwnd_packets: Signal<In, Bits<12>>,

    /// To `sack_tx`; what else a SACK says it has from the ACK itself.
    pub op_valid: Signal<Out, bool>,
    pub op_ready: Signal<In, bool>,
    pub op_kind: Signal<Out, Bits<3>>,
    pub op_conn: Signal<Out, Bits<24>>,
    pub op_psn: Signal<Out, Bits<32>>,
    pub op_timestamp: Signal<Out, Bits<16>>,
    /// RTT of the ACK at the head, in ticks of the wire; and whether a result is that of an ACK.
    pub ack_rtt: Signal<Out, Bits<16>>,
    pub ack_answered: Signal<Out, bool>,
    pub res_valid: Signal<In, bool>,
    pub res_conn: Signal<In, Bits<24>>,
    pub res_status: Signal<In, Bits<3>>,
    pub res_psn: Signal<In, Bits<32>>,
    pub res_acked: Signal<In, Bits<16>>,
    pub res_in_flight: Signal<In, Bits<16>>,
    pub res_bytes_in_flight: Signal<In, Bits<32>>,
    pub loss_ooo: Signal<In, bool>,
    pub loss_probe: Signal<In, bool>,
    pub loss_timeout: Signal<In, bool>,
    pub probe_due: Signal<In, bool>,
    pub recovery_left: Signal<In, bool>,

    pub event_valid: Signal<Out, bool>,
    pub event_ready: Signal<In, bool>,
    pub event_kind: Signal<Out, Bits<4>>,
    pub event_conn: Signal<Out, Bits<24>>,
    pub event_psn: Signal<Out, Bits<32>>,
    pub event_detail: Signal<Out, Bits<16>>,
    pub event_in_flight: Signal<Out, Bits<16>>,
    pub event_value: Signal<Out, Bits<32>>,
    pub spray_valid: Signal<Out, bool>,
    pub spray_ready: Signal<In, bool>,
    pub spray_kind: Signal<Out, Bits<3>>,
    pub spray_conn: Signal<Out, Bits<24>>,
    pub spray_ev: Signal<Out, Bits<16>>,
    pub spray_ecn: Signal<Out, bool>,
    pub decide_valid: Signal<Out, bool>,
    pub decide_action: Signal<Out, Bits<2>>,
    /// Decisions have room for one more.
    pub decide_ready: Signal<In, bool>,
    pub recovery_add: Signal<Out, bool>,
    pub probe_add: Signal<Out, bool>,
    pub probe_cancel: Signal<Out, bool>,
    pub list_conn: Signal<Out, Bits<24>>,
    pub list_psn: Signal<Out, Bits<32>>,
    /// Of Ultra Ethernet, of a probe that is due: from the lowest PSN that is not acknowledged, in the lower half, to the next one.
    pub list_psns: Optional<Signal<Out, Bits<64>>>,

    pub count_tx_data: Signal<Out, bool>,
    pub count_tx_again: Signal<Out, bool>,
    pub count_tx_refused: Signal<Out, bool>,
    /// A probe of the host is rewritten.
    pub host_probe: Signal<Out, bool>,
    pub count_rx_acks: Signal<Out, bool>,
    pub count_rx_acks_old: Signal<Out, bool>,
    pub count_rx_acks_bad: Signal<Out, bool>,
    pub count_acks_other_address: Optional<Signal<Out, bool>>,
    pub count_loss_ooo: Signal<Out, bool>,
    pub count_loss_probe: Signal<Out, bool>,
    pub count_loss_timeout: Signal<Out, bool>,
    pub count_recovery_left: Signal<Out, bool>,
    pub count_handed_out: Signal<Out, bool>,

    // Of Ultra Ethernet: what else the ACK or NACK at the head says, and what else the engine finds.
    pub ack_typed: Optional<Signal<In, TypedTag>>,
    pub res_in_recovery: Optional<Signal<In, bool>>,
    pub loss_nack: Optional<Signal<In, bool>>,
    pub retransmit: Optional<Signal<In, bool>>,
    pub ack_request: Optional<Signal<In, bool>>,
    pub dead: Optional<Signal<In, bool>>,
    /// The MPR of an ACK, and that of a connection that is opened; that of the op.
    pub ack_mpr: Optional<Signal<In, Bits<8>>>,
    pub default_mpr: Optional<Signal<In, Bits<8>>>,
    pub op_mpr: Optional<Signal<Out, Bits<8>>>,
    /// The result of an ACK that may say who the peer is, and whether it does.
    pub bind_valid: Optional<Signal<Out, bool>>,
    pub bind_takes: Optional<Signal<Out, bool>>,
    pub bind_conn: Optional<Signal<Out, Bits<24>>>,
    pub bind_pdc: Optional<Signal<Out, Bits<16>>>,
    /// A pulse, in the order of the ACKs: the status of one whose frame goes to the host, too.
    pub ack_told_valid: Optional<Signal<Out, bool>>,
    pub ack_told_status: Optional<Signal<Out, Bits<3>>>,
    /// The connection that a command opens sends in order.
    pub opens_in_order: Optional<Signal<In, bool>>,
    /// The fifth bit of the kind of an event.
    pub event_kind_high: Optional<Signal<Out, bool>>,
    #[flat]
    pub typed_pulses: Optional<Signal<Out, TypedPulses>>,
    typed_tags: Optional<Fifo<TypedTag, 2, 3>>,
    typed_found: Optional<Fifo<TypedFound, 4, 5>>,
    typed_answer: Optional<Signal<Local, TypedFound>>,
    told: Optional<Reg<bool>>,
    told_status: Optional<Reg<Bits<3>>>,
    has_types: Param<bool>,

    hear: Hear,
    pick: Pick,
    tags: Fifo<Tag, 2, 3>,
    found: Fifo<Found, 4, 5>,
    dispatch: Dispatch,

    is_closed: Signal<Local, bool>,
    is_drained: Optional<Signal<Local, bool>>,
    answer: Signal<Local, Found>,
    #[reset = 0]
    waiting: Reg<Bits<5>>,
    has_peers: Param<bool>,
    is_graceful: Param<bool>,
}

#[block]
impl Scoreboard {
    /// The block for a number of connections, a power of two, for a selector that hears of these losses, and for a host that says who the
    /// peers are, or does not; with types, where they are those of Ultra Ethernet.
    pub fn new(
        connections: u32,
        losses: LossFeedback,
        has_peers: bool,
        is_graceful: bool,
        has_types: bool,
    ) -> Self {
        let kind = MemoryKind::Distributed;
        Self {
            pick: Pick::new(connections, has_peers, is_graceful, has_types),
            dispatch: Dispatch::new(losses, has_peers, is_graceful, has_types),
            ack_typed: Optional::new(has_types, Default::default),
            res_in_recovery: Optional::new(has_types, Default::default),
            loss_nack: Optional::new(has_types, Default::default),
            retransmit: Optional::new(has_types, Default::default),
            ack_request: Optional::new(has_types, Default::default),
            dead: Optional::new(has_types, Default::default),
            ack_mpr: Optional::new(has_types, Default::default),
            default_mpr: Optional::new(has_types, Default::default),
            op_mpr: Optional::new(has_types, Default::default),
            bind_valid: Optional::new(has_types, Default::default),
            bind_takes: Optional::new(has_types, Default::default),
            bind_conn: Optional::new(has_types, Default::default),
            bind_pdc: Optional::new(has_types, Default::default),
            ack_told_valid: Optional::new(has_types, Default::default),
            ack_told_status: Optional::new(has_types, Default::default),
            opens_in_order: Optional::new(has_types, Default::default),
            told: Optional::new(has_types, Default::default),
            told_status: Optional::new(has_types, Default::default),
            event_kind_high: Optional::new(has_types, Default::default),
            typed_pulses: Optional::new(has_types, Default::default),
            typed_tags: Optional::new(has_types, || Fifo::new("typed_tags", kind)),
            typed_found: Optional::new(has_types, || Fifo::new("typed_found", kind)),
            typed_answer: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            drain_valid: Optional::new(is_graceful, Default::default),
            drained: Optional::new(is_graceful, Default::default),
            res_snd_nxt: Optional::new(is_graceful || has_types, Default::default),
            list_psns: Optional::new(has_types, Default::default),
            req_is_held: Optional::new(is_graceful, Default::default),
            is_drained: Optional::new(is_graceful, Default::default),
            is_graceful: Param::new(is_graceful),
            ack_is_refused: Optional::new(has_peers, Default::default),
            count_acks_other_address: Optional::new(has_peers, Default::default),
            has_peers: Param::new(has_peers),
            tags: Fifo::new("tags", kind).with_votes(bits_of::<Tag>("class", "class")),
            found: Fifo::new("found", kind).with_votes(bits_of::<Found>("class", "class")),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("The ops of sack_tx: whose comes next, and what follows from what each found.");
        self.hear.ack_valid = self.ack_valid;
        self.hear.ack_timestamp = self.ack_timestamp;
        self.hear.ack_untimed = self.ack_untimed;
        self.hear.taken = self.pick.ack_taken;
        self.hear.wire_time = self.wire_time;
        self.hear.sack_time = self.sack_time;
        self.hear.wire_prescale = self.wire_prescale;
        self.hear.sack_prescale = self.sack_prescale;

        comment!("A visit's findings come without a result.");
        let mut is_visit = (self.loss_timeout | self.probe_due) & !self.res_valid;
        if self.has_types {
            is_visit = (self.loss_timeout | self.ack_request | self.dead | self.probe_due) & !self.res_valid;
            self.pick.ack_psn = self.ack_typed.psn;
            self.pick.ack_is_nack = self.ack_typed.is_nack;
            self.op_mpr = self.ack_mpr;
            if self.pick.op_kind == 3 {
                self.op_mpr = self.default_mpr;
            }
        }
        self.pick.ack_valid = self.hear.heard_valid;
        self.pick.ack_conn = self.ack_conn;
        self.pick.ack_epsn = self.ack_epsn;
        self.pick.ack_rtt = self.hear.rtt;
        self.pick.ack_untimed = self.ack_untimed;
        self.pick.ack_ev = self.ack_ev;
        self.pick.ack_ecn = self.ack_ecn;
        if self.has_peers {
            self.pick.ack_is_refused = self.ack_is_refused;
        }
        self.ack_ready = self.pick.ack_taken;
        self.pick.req_valid = self.req_valid & self.decide_ready;
        self.pick.req_is_probe = self.req_is_probe;
        self.pick.req_conn = self.req_conn;
        self.pick.req_psn = self.req_psn;
        self.req_ready = self.pick.req_ready;
        self.pick.recovery_valid = self.recovery_valid;
        self.pick.recovery_conn = self.recovery_conn;
        self.recovery_ready = self.pick.recovery_ready;
        self.pick.allowed = self.dispatch.allowed;
        self.pick.allowed_conn = self.dispatch.list_conn;
        self.pick.is_full = self.dispatch.is_full;
        self.pick.may_hand_out = self.event_room & self.hands_out;
        self.pick.open_valid = self.open_valid;
        self.pick.read_valid = self.read_valid;
        self.pick.command_conn = self.command_conn;
        self.pick.command_psn = self.command_psn;
        self.pick.close_valid = self.close_valid;
        self.pick.closed = self.is_closed;
        if self.is_graceful {
            comment!("A drain is a read that is done once, as a close is.");
            self.pick.close_valid = self.close_valid | self.drain_valid;
            self.pick.drain_valid = self.drain_valid;
            self.pick.closed = self.is_closed | self.is_drained;
            self.pick.req_is_held = self.req_is_held;
        }
        self.open_ready = self.pick.open_ready;
        self.pick.found = is_visit;
        self.pick.answered = self.res_valid;
        self.pick.op_ready = self.op_ready;
        self.op_valid = self.pick.op_valid;
        self.op_kind = self.pick.op_kind;
        self.op_conn = self.pick.op_conn;
        self.op_psn = self.pick.op_psn;
        self.op_timestamp = self.hear.timestamp;
        self.ack_rtt = self.hear.rtt;
        self.tags.in_valid = self.pick.asked;
        self.tags.in_data = self.pick.tag;
        self.tags.out_ready = self.res_valid;
        self.read_ready = self.res_valid & (self.tags.out_data.class == 5);
        self.is_closed = self.res_valid & (self.tags.out_data.class == 7);
        self.close_ready = self.is_closed;
        self.renewed = self.is_closed | self.pick.open_ready;
        if self.is_graceful {
            self.is_drained = self.res_valid & (self.tags.out_data.class == 5) & self.tags.out_data.untimed;
            self.drained = self.is_drained;
            self.read_ready = self.res_valid & (self.tags.out_data.class == 5) & !self.tags.out_data.untimed;
        }
        if self.has_types {
            self.typed_tags.in_valid = self.pick.asked;
            self.typed_tags.in_data = self.ack_typed;
            self.typed_tags.out_ready = self.res_valid;
            self.bind_valid = self.res_valid
                & (self.tags.out_data.class == 0)
                & self.typed_tags.out_data.is_unbound
                & !self.typed_tags.out_data.is_nack;
            self.bind_takes = (self.res_status == 0) | (self.res_status == 1);
            self.bind_conn = self.tags.out_data.conn;
            self.bind_pdc = self.typed_tags.out_data.source_pdc;
        }
        self.ack_answered = self.res_valid & (self.tags.out_data.class == 0);

        comment!("What was found: by an op, which has a tag, by a visit, or without an engine.");
        self.answer.class = self.tags.out_data.class;
        self.answer.status = self.res_status;
        self.answer.conn = self.tags.out_data.conn;
        self.answer.psn = self.tags.out_data.psn;
        self.answer.rtt = self.tags.out_data.rtt;
        self.answer.untimed = self.tags.out_data.untimed;
        self.answer.ev = self.tags.out_data.ev;
        self.answer.ecn = self.tags.out_data.ecn;
        if (self.tags.out_data.class == 4) | is_visit {
            self.answer.psn = self.res_psn;
        }
        if self.has_types {
            comment!("An ACK that is taken tells the lowest PSN that is not acknowledged.");
            if (self.tags.out_data.class == 0)
                & !self.typed_tags.out_data.is_nack
                & ((self.res_status == 0) | (self.res_status == 1))
            {
                self.answer.psn = self.res_psn;
            }
            self.typed_answer.tag = self.typed_tags.out_data;
            self.typed_answer.in_recovery = self.res_in_recovery;
            self.typed_answer.loss_nack = self.loss_nack;
            self.typed_answer.retransmit = self.retransmit;
            self.typed_answer.ack_request = self.ack_request;
            self.typed_answer.dead = self.dead;
            self.typed_answer.opens_in_order = self.pick.open_ready & self.opens_in_order;
            self.typed_answer.snd_nxt = self.res_snd_nxt;
            if self.pick.settled {
                self.typed_answer.tag = self.ack_typed;
            }
        }
        if self.is_graceful {
            comment!("What a close says: the next PSN, and below the lowest one that is not acknowledged.");
            if self.is_closed {
                self.answer.psn = self.res_snd_nxt;
            }
        }
        if is_visit {
            self.answer.class = 6;
            self.answer.conn = self.res_conn;
        }
        if self.pick.settled {
            self.answer.class = self.pick.tag.class;
            self.answer.conn = self.pick.tag.conn;
            self.answer.psn = self.pick.tag.psn;
            self.answer.status = 0;
            if self.pick.is_nowhere {
                self.answer.status = 7;
            }
            if self.has_peers {
                if self.pick.is_refused {
                    self.answer.status = 6;
                }
            }
            if self.is_graceful {
                comment!("An init has no result, and is no close.");
                self.answer.untimed = false;
                if self.pick.is_held & !self.pick.is_nowhere {
                    self.answer.status = 4;
                }
            }
        }
        self.answer.acked = self.res_acked;
        self.answer.in_flight = self.res_in_flight;
        self.answer.bytes_in_flight = self.res_bytes_in_flight;
        if self.is_graceful {
            if self.is_closed {
                self.answer.bytes_in_flight = self.res_psn;
            }
        }
        self.answer.recovery_left = self.recovery_left;
        self.answer.loss_ooo = self.loss_ooo;
        self.answer.loss_probe = self.loss_probe;
        self.answer.loss_timeout = self.loss_timeout;
        self.answer.probe_due = self.probe_due;
        let push = self.res_valid | is_visit | self.pick.settled;
        let pop = self.found.out_valid & self.dispatch.found_ready;
        if self.has_types {
            self.told = push & (self.answer.class == 0) & self.typed_answer.tag.is_for_host;
            self.told_status = self.answer.status;
            if self.rst {
                self.told = false;
            }
            self.ack_told_valid = self.told;
            self.ack_told_status = self.told_status;
            self.typed_found.in_valid = push;
            self.typed_found.in_data = self.typed_answer;
            self.typed_found.out_ready = self.dispatch.found_ready;
            self.dispatch.typed = self.typed_found.out_data;
            self.event_kind_high = self.dispatch.event_kind_high;
            self.typed_pulses = self.dispatch.typed_pulses;
        }
        self.found.in_valid = push;
        self.found.in_data = self.answer;
        self.found.out_ready = self.dispatch.found_ready;
        comment!("The walker cannot be made to wait: eight places are kept for its visits.");
        if push & !pop {
            self.waiting = self.waiting + 1;
        }
        if pop & !push {
            self.waiting = self.waiting - 1;
        }
        self.pick.has_room = !self.waiting.get_bit(4) & !self.waiting.get_bit(3) & !self.waiting.get_bit(2);
        self.dispatch.found_valid = self.found.out_valid;
        self.dispatch.found = self.found.out_data;
        self.dispatch.cwnd_packets = self.cwnd_packets;
        self.event_valid = self.dispatch.event_valid;
        self.dispatch.event_ready = self.event_ready;
        self.event_kind = self.dispatch.event_kind;
        self.event_conn = self.dispatch.event_conn;
        self.event_psn = self.dispatch.event_psn;
        self.event_detail = self.dispatch.event_detail;
        self.event_in_flight = self.dispatch.event_in_flight;
        self.event_value = self.dispatch.event_value;
        self.spray_valid = self.dispatch.spray_valid;
        self.dispatch.spray_ready = self.spray_ready;
        self.spray_kind = self.dispatch.spray_kind;
        self.spray_conn = self.dispatch.spray_conn;
        self.spray_ev = self.dispatch.spray_ev;
        self.spray_ecn = self.dispatch.spray_ecn;
        self.decide_valid = self.dispatch.decide_valid;
        self.decide_action = self.dispatch.decide_action;
        self.recovery_add = self.dispatch.recovery_add;
        self.probe_add = self.dispatch.probe_add;
        self.probe_cancel = self.dispatch.probe_cancel;
        self.list_conn = self.dispatch.list_conn;
        self.list_psn = self.dispatch.list_psn;
        if self.has_types {
            self.list_psns = self.dispatch.list_psns;
        }
        self.count_tx_data = self.dispatch.count_tx_data;
        self.count_tx_again = self.dispatch.count_tx_again;
        self.count_tx_refused = self.dispatch.count_tx_refused;
        self.host_probe = self.dispatch.host_probe;
        self.count_rx_acks = self.dispatch.count_rx_acks;
        self.count_rx_acks_old = self.dispatch.count_rx_acks_old;
        self.count_rx_acks_bad = self.dispatch.count_rx_acks_bad;
        if self.has_peers {
            self.count_acks_other_address = self.dispatch.count_acks_other_address;
        }
        self.count_loss_ooo = self.dispatch.count_loss_ooo;
        self.count_loss_probe = self.dispatch.count_loss_probe;
        self.count_loss_timeout = self.dispatch.count_loss_timeout;
        self.count_recovery_left = self.dispatch.count_recovery_left;
        self.count_handed_out = self.dispatch.count_handed_out;
    }
}
