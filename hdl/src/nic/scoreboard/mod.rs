//! The ops of `sack_tx`: whose comes next, and what follows from what each found.
//!
//! ```text
//!  ACKs ──► Hear ──┐
//!  packets ────────┤          ┌────────┐           ┌──► events
//!  in recovery ────┼─► Pick ─►│ sack_tx│─► Found ─►│    Dispatch ──► selector, decisions, lists
//!  commands ───────┘    │     └────────┘  ▲        └──► counters
//!                       └─► tags ─────────┘
//! ```

mod dispatch;
mod found;
mod pick;

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use self::dispatch::Dispatch;
use self::found::{Found, Tag};
use self::pick::Pick;
use super::hear::Hear;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, bits_of};

/// Everything of the block that joins the cores around `sack_tx`. Numbers of connections have 24 bits, PSNs 32, at every size: what an
/// engine lacks is 0.
#[derive(LogicBlock, Default)]
pub struct Scoreboard {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

    pub count_tx_data: Signal<Out, bool>,
    pub count_tx_again: Signal<Out, bool>,
    pub count_tx_refused: Signal<Out, bool>,
    /// A probe of the host is rewritten.
    pub host_probe: Signal<Out, bool>,
    pub count_rx_acks: Signal<Out, bool>,
    pub count_rx_acks_old: Signal<Out, bool>,
    pub count_rx_acks_bad: Signal<Out, bool>,
    pub count_loss_ooo: Signal<Out, bool>,
    pub count_loss_probe: Signal<Out, bool>,
    pub count_loss_timeout: Signal<Out, bool>,
    pub count_recovery_left: Signal<Out, bool>,
    pub count_handed_out: Signal<Out, bool>,

    hear: Hear,
    pick: Pick,
    tags: Fifo<Tag, 2, 3>,
    found: Fifo<Found, 4, 5>,
    dispatch: Dispatch,

    is_visit: Signal<Local, bool>,
    is_closed: Signal<Local, bool>,
    answer: Signal<Local, Found>,
    waiting: DFF<Bits<5>>,
    push: Signal<Local, bool>,
    pop: Signal<Local, bool>,
}

impl Scoreboard {
    /// The block for a number of connections, a power of two.
    pub fn new(connections: u32) -> Self {
        let kind = MemoryKind::Distributed;
        Self {
            pick: Pick::new(connections),
            tags: Fifo::new("tags", kind).with_votes(bits_of::<Tag>("class", "class")),
            found: Fifo::new("found", kind).with_votes(bits_of::<Found>("class", "class")),
            ..Default::default()
        }
    }
}

impl Logic for Scoreboard {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The ops of sack_tx: whose comes next, and what follows from what each found.");
        dff_setup!(self, clk, waiting);
        self.hear.clk.next = self.clk.val();
        self.hear.rst.next = self.rst.val();
        self.hear.ack_valid.next = self.ack_valid.val();
        self.hear.ack_timestamp.next = self.ack_timestamp.val();
        self.hear.ack_untimed.next = self.ack_untimed.val();
        self.hear.taken.next = self.pick.ack_taken.val();
        self.hear.wire_time.next = self.wire_time.val();
        self.hear.sack_time.next = self.sack_time.val();
        self.hear.wire_prescale.next = self.wire_prescale.val();
        self.hear.sack_prescale.next = self.sack_prescale.val();

        comment!("A visit's findings come without a result.");
        self.is_visit.next = (self.loss_timeout.val() | self.probe_due.val()) & !self.res_valid.val();

        self.pick.clk.next = self.clk.val();
        self.pick.rst.next = self.rst.val();
        self.pick.ack_valid.next = self.hear.heard_valid.val();
        self.pick.ack_conn.next = self.ack_conn.val();
        self.pick.ack_epsn.next = self.ack_epsn.val();
        self.pick.ack_rtt.next = self.hear.rtt.val();
        self.pick.ack_untimed.next = self.ack_untimed.val();
        self.pick.ack_ev.next = self.ack_ev.val();
        self.pick.ack_ecn.next = self.ack_ecn.val();
        self.ack_ready.next = self.pick.ack_taken.val();
        self.pick.req_valid.next = self.req_valid.val() & self.decide_ready.val();
        self.pick.req_is_probe.next = self.req_is_probe.val();
        self.pick.req_conn.next = self.req_conn.val();
        self.pick.req_psn.next = self.req_psn.val();
        self.req_ready.next = self.pick.req_ready.val();
        self.pick.recovery_valid.next = self.recovery_valid.val();
        self.pick.recovery_conn.next = self.recovery_conn.val();
        self.recovery_ready.next = self.pick.recovery_ready.val();
        self.pick.allowed.next = self.dispatch.allowed.val();
        self.pick.allowed_conn.next = self.dispatch.list_conn.val();
        self.pick.is_full.next = self.dispatch.is_full.val();
        self.pick.may_hand_out.next = self.event_room.val() & self.hands_out.val();
        self.pick.open_valid.next = self.open_valid.val();
        self.pick.read_valid.next = self.read_valid.val();
        self.pick.command_conn.next = self.command_conn.val();
        self.pick.command_psn.next = self.command_psn.val();
        self.pick.close_valid.next = self.close_valid.val();
        self.pick.closed.next = self.is_closed.val();
        self.open_ready.next = self.pick.open_ready.val();
        self.pick.found.next = self.is_visit.val();
        self.pick.answered.next = self.res_valid.val();
        self.pick.op_ready.next = self.op_ready.val();
        self.op_valid.next = self.pick.op_valid.val();
        self.op_kind.next = self.pick.op_kind.val();
        self.op_conn.next = self.pick.op_conn.val();
        self.op_psn.next = self.pick.op_psn.val();
        self.op_timestamp.next = self.hear.timestamp.val();
        self.ack_rtt.next = self.hear.rtt.val();

        self.tags.clk.next = self.clk.val();
        self.tags.rst.next = self.rst.val();
        self.tags.in_valid.next = self.pick.asked.val();
        self.tags.in_data.next = self.pick.tag.val();
        self.tags.out_ready.next = self.res_valid.val();
        self.read_ready.next = self.res_valid.val() & (self.tags.out_data.val().class == 5);
        self.is_closed.next = self.res_valid.val() & (self.tags.out_data.val().class == 7);
        self.close_ready.next = self.is_closed.val();
        self.renewed.next = self.is_closed.val() | self.pick.open_ready.val();
        self.ack_answered.next = self.res_valid.val() & (self.tags.out_data.val().class == 0);

        comment!("What was found: by an op, which has a tag, by a visit, or without an engine.");
        self.answer.next.class = self.tags.out_data.val().class;
        self.answer.next.status = self.res_status.val();
        self.answer.next.conn = self.tags.out_data.val().conn;
        self.answer.next.psn = self.tags.out_data.val().psn;
        self.answer.next.rtt = self.tags.out_data.val().rtt;
        self.answer.next.untimed = self.tags.out_data.val().untimed;
        self.answer.next.ev = self.tags.out_data.val().ev;
        self.answer.next.ecn = self.tags.out_data.val().ecn;
        if (self.tags.out_data.val().class == 4) | self.is_visit.val() {
            self.answer.next.psn = self.res_psn.val();
        }
        if self.is_visit.val() {
            self.answer.next.class = 6.into();
            self.answer.next.conn = self.res_conn.val();
        }
        if self.pick.settled.val() {
            self.answer.next.class = self.pick.tag.val().class;
            self.answer.next.conn = self.pick.tag.val().conn;
            self.answer.next.psn = self.pick.tag.val().psn;
            self.answer.next.status = 0.into();
            if self.pick.is_nowhere.val() {
                self.answer.next.status = 7.into();
            }
        }
        self.answer.next.acked = self.res_acked.val();
        self.answer.next.in_flight = self.res_in_flight.val();
        self.answer.next.bytes_in_flight = self.res_bytes_in_flight.val();
        self.answer.next.recovery_left = self.recovery_left.val();
        self.answer.next.loss_ooo = self.loss_ooo.val();
        self.answer.next.loss_probe = self.loss_probe.val();
        self.answer.next.loss_timeout = self.loss_timeout.val();
        self.answer.next.probe_due = self.probe_due.val();
        self.found.clk.next = self.clk.val();
        self.found.rst.next = self.rst.val();
        self.push.next = self.res_valid.val() | self.is_visit.val() | self.pick.settled.val();
        self.pop.next = self.found.out_valid.val() & self.dispatch.found_ready.val();
        self.found.in_valid.next = self.push.val();
        self.found.in_data.next = self.answer.val();
        self.found.out_ready.next = self.dispatch.found_ready.val();
        comment!("The walker cannot be made to wait: eight places are kept for its visits.");
        if self.push.val() & !self.pop.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if self.pop.val() & !self.push.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }
        self.pick.has_room.next = !self.waiting.q.val().get_bit(4)
            & !self.waiting.q.val().get_bit(3)
            & !self.waiting.q.val().get_bit(2);

        self.dispatch.clk.next = self.clk.val();
        self.dispatch.rst.next = self.rst.val();
        self.dispatch.found_valid.next = self.found.out_valid.val();
        self.dispatch.found.next = self.found.out_data.val();
        self.dispatch.cwnd_packets.next = self.cwnd_packets.val();
        self.event_valid.next = self.dispatch.event_valid.val();
        self.dispatch.event_ready.next = self.event_ready.val();
        self.event_kind.next = self.dispatch.event_kind.val();
        self.event_conn.next = self.dispatch.event_conn.val();
        self.event_psn.next = self.dispatch.event_psn.val();
        self.event_detail.next = self.dispatch.event_detail.val();
        self.event_in_flight.next = self.dispatch.event_in_flight.val();
        self.event_value.next = self.dispatch.event_value.val();
        self.spray_valid.next = self.dispatch.spray_valid.val();
        self.dispatch.spray_ready.next = self.spray_ready.val();
        self.spray_kind.next = self.dispatch.spray_kind.val();
        self.spray_conn.next = self.dispatch.spray_conn.val();
        self.spray_ev.next = self.dispatch.spray_ev.val();
        self.spray_ecn.next = self.dispatch.spray_ecn.val();
        self.decide_valid.next = self.dispatch.decide_valid.val();
        self.decide_action.next = self.dispatch.decide_action.val();
        self.recovery_add.next = self.dispatch.recovery_add.val();
        self.probe_add.next = self.dispatch.probe_add.val();
        self.probe_cancel.next = self.dispatch.probe_cancel.val();
        self.list_conn.next = self.dispatch.list_conn.val();
        self.list_psn.next = self.dispatch.list_psn.val();
        self.count_tx_data.next = self.dispatch.count_tx_data.val();
        self.count_tx_again.next = self.dispatch.count_tx_again.val();
        self.count_tx_refused.next = self.dispatch.count_tx_refused.val();
        self.host_probe.next = self.dispatch.host_probe.val();
        self.count_rx_acks.next = self.dispatch.count_rx_acks.val();
        self.count_rx_acks_old.next = self.dispatch.count_rx_acks_old.val();
        self.count_rx_acks_bad.next = self.dispatch.count_rx_acks_bad.val();
        self.count_loss_ooo.next = self.dispatch.count_loss_ooo.val();
        self.count_loss_probe.next = self.dispatch.count_loss_probe.val();
        self.count_loss_timeout.next = self.dispatch.count_loss_timeout.val();
        self.count_recovery_left.next = self.dispatch.count_recovery_left.val();
        self.count_handed_out.next = self.dispatch.count_handed_out.val();
        if self.rst.val() {
            self.waiting.d.next = 0.into();
        }
    }
}
