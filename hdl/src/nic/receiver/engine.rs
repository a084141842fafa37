//! The receive side: its ports, and the wires between its parts.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::backlog::Backlog;
use super::events::Events;
use super::intake::Intake;
use super::issue::Issue;
use super::judge::Judge;
use super::outcome::Outcome;
use super::pending::Pending;
use super::ring::Ring;
use super::words::{Ack, Answer, Record};
use crate::comment;
use crate::config::Wire;
use crate::prims::Param;

/// The block `nic_receiver`. Of [`ReceiverSizes`](super::ReceiverSizes) `W` is `data`, `K` `bytes`, `L` `lanes`, `C` `conn` and
/// `P` `psn`.
#[derive(LogicBlock, Default)]
pub struct Receiver<const W: usize, const K: usize, const L: usize, const C: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,

    // What `rewrite_rx` passes on. `tuser` with the last beat: the MAC found the frame bad.
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tready: Signal<Out, bool>,

    // Its records, one a frame.
    pub meta_valid: Signal<In, bool>,
    pub meta_ready: Signal<Out, bool>,
    pub meta_kind: Signal<In, Bits<2>>,
    pub meta_error: Signal<In, Bits<3>>,
    pub meta_conn: Signal<In, Bits<24>>,
    pub meta_psn: Signal<In, Bits<32>>,
    pub meta_bytes: Signal<In, Bits<16>>,
    pub meta_ecn: Signal<In, Bits<2>>,
    pub meta_ev: Signal<In, Bits<16>>,
    pub meta_timestamp: Signal<In, Bits<16>>,
    pub meta_ack_request: Signal<In, bool>,
    /// Of a request of `uet`: source PDC, and whether it is a retransmission; 0 of others.
    pub meta_source_pdc: Signal<In, Bits<16>>,
    pub meta_retransmit: Signal<In, bool>,
    pub ack_ecn: Signal<In, bool>,
    pub ack_probe: Signal<In, bool>,
    pub ack_flags: Signal<In, Bits<2>>,
    pub ack_ev: Signal<In, Bits<16>>,
    pub ack_timestamp: Signal<In, Bits<16>>,
    pub ack_bytes: Signal<In, Bits<32>>,
    pub ack_epsn: Signal<In, Bits<32>>,
    pub ack_offset: Signal<In, Bits<16>>,
    pub ack_ooo: Signal<In, Bits<16>>,
    pub ack_base: Signal<In, Bits<32>>,
    pub ack_bitmap: Signal<In, Bits<64>>,

    // ACKs for the scoreboard: the record's connection, and its ports `ack_*`.
    pub heard_valid: Signal<Out, bool>,
    pub heard_ready: Signal<In, bool>,
    pub heard_conn: Signal<Out, Bits<24>>,
    pub heard_ecn: Signal<Out, bool>,
    pub heard_probe: Signal<Out, bool>,
    pub heard_flags: Signal<Out, Bits<2>>,
    pub heard_ev: Signal<Out, Bits<16>>,
    pub heard_timestamp: Signal<Out, Bits<16>>,
    pub heard_bytes: Signal<Out, Bits<32>>,
    pub heard_epsn: Signal<Out, Bits<32>>,
    pub heard_offset: Signal<Out, Bits<16>>,
    pub heard_ooo: Signal<Out, Bits<16>>,
    pub heard_base: Signal<Out, Bits<32>>,
    pub heard_bitmap: Signal<Out, Bits<64>>,

    // A command opens or closes a connection for receiving: it is taken with `open_ready`, before the packets that wait.
    pub open_valid: Signal<In, bool>,
    pub close_valid: Signal<In, bool>,
    pub open_ready: Signal<Out, bool>,
    pub open_conn: Signal<In, Bits<C>>,
    pub open_psn: Signal<In, Bits<P>>,

    // Ops and results of `sack_rx`, as it has them.
    pub rx_op_valid: Signal<Out, bool>,
    pub rx_op_ready: Signal<In, bool>,
    pub rx_op_kind: Signal<Out, Bits<2>>,
    pub rx_op_conn: Signal<Out, Bits<C>>,
    pub rx_op_psn: Signal<Out, Bits<P>>,
    pub rx_op_bytes: Signal<Out, Bits<16>>,
    pub rx_op_ecn: Signal<Out, bool>,
    pub rx_op_ev: Signal<Out, Bits<16>>,
    pub rx_op_timestamp: Signal<Out, Bits<16>>,
    pub rx_op_ack_request: Signal<Out, bool>,
    pub rx_op_probe: Signal<Out, bool>,
    pub rx_res_valid: Signal<In, bool>,
    pub rx_res_status: Signal<In, Bits<3>>,
    pub rx_sack_valid: Signal<In, bool>,
    pub rx_sack_psn: Signal<In, Bits<P>>,
    pub rx_sack_epsn: Signal<In, Bits<P>>,
    pub rx_sack_base: Signal<In, Bits<P>>,
    pub rx_sack_bitmap: Signal<In, Bits<64>>,
    pub rx_sack_ooo: Signal<In, Bits<12>>,
    pub rx_sack_bytes_recvd: Signal<In, Bits<32>>,
    pub rx_sack_ecn: Signal<In, bool>,
    pub rx_sack_ev: Signal<In, Bits<16>>,
    pub rx_sack_timestamp: Signal<In, Bits<16>>,
    pub rx_sack_probe: Signal<In, bool>,

    // Frames for the host. What is beside the beats holds during a frame; of `rx_status` 4 is a frame without data.
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tlast: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    pub rx_kind: Signal<Out, Bits<2>>,
    pub rx_error: Signal<Out, Bits<3>>,
    pub rx_conn: Signal<Out, Bits<24>>,
    pub rx_psn: Signal<Out, Bits<32>>,
    pub rx_bytes: Signal<Out, Bits<16>>,
    pub rx_ecn: Signal<Out, Bits<2>>,
    pub rx_ev: Signal<Out, Bits<16>>,
    pub rx_timestamp: Signal<Out, Bits<16>>,
    pub rx_ack_request: Signal<Out, bool>,
    pub rx_status: Signal<Out, Bits<3>>,

    // A SACK becomes due: the first 64 bytes of the packet that it answers.
    pub line_valid: Signal<Out, bool>,
    pub line: Signal<Out, Bits<512>>,

    // SACKs that are due. All fields hold until `answer_ready`.
    pub answer_valid: Signal<Out, bool>,
    pub answer_ready: Signal<In, bool>,
    pub answer_psn: Signal<Out, Bits<32>>,
    pub answer_epsn: Signal<Out, Bits<32>>,
    pub answer_base: Signal<Out, Bits<32>>,
    pub answer_bitmap: Signal<Out, Bits<64>>,
    pub answer_ooo: Signal<Out, Bits<12>>,
    pub answer_bytes_recvd: Signal<Out, Bits<32>>,
    pub answer_ecn: Signal<Out, bool>,
    pub answer_ev: Signal<Out, Bits<16>>,
    pub answer_timestamp: Signal<Out, Bits<16>>,
    pub answer_probe: Signal<Out, bool>,
    pub answer_conn: Signal<Out, Bits<24>>,
    pub answer_wire_psn: Signal<Out, Bits<32>>,
    pub answer_source_pdc: Signal<Out, Bits<16>>,
    pub answer_retransmit: Signal<Out, bool>,

    // Events for the host.
    pub event_valid: Signal<Out, bool>,
    pub event_ready: Signal<In, bool>,
    pub event_kind: Signal<Out, Bits<4>>,
    pub event_conn: Signal<Out, Bits<24>>,
    pub event_psn: Signal<Out, Bits<32>>,
    pub event_detail: Signal<Out, Bits<16>>,
    pub event_lost: Signal<Out, bool>,

    // Pulses, one for each step of the counter of that name.
    pub rx_bad: Signal<Out, bool>,
    pub rx_other: Signal<Out, bool>,
    pub rx_malformed: Signal<Out, bool>,
    pub rx_dropped_host: Signal<Out, bool>,
    pub rx_dropped_engine: Signal<Out, bool>,
    pub acks_dropped: Signal<Out, bool>,
    pub rx_new: Signal<Out, bool>,
    pub rx_duplicate: Signal<Out, bool>,
    pub rx_outside: Signal<Out, bool>,
    pub rx_not_open: Signal<Out, bool>,
    pub rx_marked: Signal<Out, bool>,
    pub rx_probes: Signal<Out, bool>,
    pub sacks_dropped: Signal<Out, bool>,

    intake: Intake<W, K>,
    judge: Judge,
    ring: Ring<W, K>,
    acks: Backlog<Ack, 6, 7>,
    issue: Issue<C, P>,
    pending: Pending<W, L>,
    outcome: Outcome,
    statuses: Backlog<Bits<3>, 9, 10>,
    answers: Backlog<Answer, 6, 7>,
    events: Events,

    /// The record of the beat in the intake's registers, if that is its frame's last.
    record: DFF<Record>,
    held_ack: DFF<Ack>,
    source_pdc: DFF<Bits<16>>,
    retransmit: DFF<bool>,
    is_foreign: Signal<Local, bool>,
    is_marked: Signal<Local, bool>,
    has_data: Signal<Local, bool>,
    offers: Signal<Local, bool>,
    leaves: Signal<Local, bool>,
    conn_bits: Param<Bits<4>>,
}

impl<const W: usize, const K: usize, const L: usize, const C: usize, const P: usize> Receiver<W, K, L, C, P> {
    /// The block for a profile.
    pub fn new(wire: Wire) -> Self {
        Self {
            intake: Intake::new(wire),
            ring: Ring::new(),
            acks: Backlog::new("ack_ram", "ACKs that wait for the scoreboard"),
            issue: Issue::new(),
            pending: Pending::new(),
            statuses: Backlog::new("status_ram", "status of data that waits for the host"),
            answers: Backlog::new("answer_ram", "SACKs that are due"),
            events: Events::new(),
            conn_bits: Param::new((C as u64).into()),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const L: usize, const C: usize, const P: usize> Logic
    for Receiver<W, K, L, C, P>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The receive side, from rewrite_rx to the host, with the ops of sack_rx.");
        dff_setup!(self, clk, record, held_ack, source_pdc, retransmit);
        self.intake.clk.next = self.clk.val();
        self.intake.rst.next = self.rst.val();
        self.judge.clk.next = self.clk.val();
        self.judge.rst.next = self.rst.val();
        self.ring.clk.next = self.clk.val();
        self.ring.rst.next = self.rst.val();
        self.acks.clk.next = self.clk.val();
        self.acks.rst.next = self.rst.val();
        self.issue.clk.next = self.clk.val();
        self.issue.rst.next = self.rst.val();
        self.pending.clk.next = self.clk.val();
        self.pending.rst.next = self.rst.val();
        self.outcome.clk.next = self.clk.val();
        self.outcome.rst.next = self.rst.val();
        self.statuses.clk.next = self.clk.val();
        self.statuses.rst.next = self.rst.val();
        self.answers.clk.next = self.clk.val();
        self.answers.rst.next = self.rst.val();
        self.events.clk.next = self.clk.val();
        self.events.rst.next = self.rst.val();
        self.intake.tdata.next = self.s_axis_tdata.val();
        self.intake.tkeep.next = self.s_axis_tkeep.val();
        self.intake.tvalid.next = self.s_axis_tvalid.val();
        self.intake.tlast.next = self.s_axis_tlast.val();
        self.intake.tuser.next = self.s_axis_tuser.val();
        self.s_axis_tready.next = self.intake.tready.val();
        self.intake.meta_valid.next = self.meta_valid.val();
        self.meta_ready.next = self.intake.meta_ready.val();
        self.intake.kind.next = self.meta_kind.val();
        self.intake.error.next = self.meta_error.val();
        self.intake.bytes.next = self.meta_bytes.val();
        self.intake.ack_request.next = self.meta_ack_request.val();
        comment!("The record of the beat in the registers of the intake, if that is its frame's last.");
        self.record.d.next.kind = self.meta_kind.val();
        self.record.d.next.error = self.meta_error.val();
        self.record.d.next.conn = self.meta_conn.val();
        self.record.d.next.psn = self.meta_psn.val();
        self.record.d.next.bytes = self.meta_bytes.val();
        self.record.d.next.ecn = self.meta_ecn.val();
        self.record.d.next.ev = self.meta_ev.val();
        self.record.d.next.timestamp = self.meta_timestamp.val();
        self.record.d.next.ack_request = self.meta_ack_request.val();
        self.source_pdc.d.next = self.meta_source_pdc.val();
        self.retransmit.d.next = self.meta_retransmit.val();
        self.held_ack.d.next.conn = self.meta_conn.val();
        self.held_ack.d.next.ecn = self.ack_ecn.val();
        self.held_ack.d.next.probe = self.ack_probe.val();
        self.held_ack.d.next.flags = self.ack_flags.val();
        self.held_ack.d.next.ev = self.ack_ev.val();
        self.held_ack.d.next.timestamp = self.ack_timestamp.val();
        self.held_ack.d.next.bytes = self.ack_bytes.val();
        self.held_ack.d.next.epsn = self.ack_epsn.val();
        self.held_ack.d.next.offset = self.ack_offset.val();
        self.held_ack.d.next.ooo = self.ack_ooo.val();
        self.held_ack.d.next.base = self.ack_base.val();
        self.held_ack.d.next.bitmap = self.ack_bitmap.val();

        self.judge.has_host_room.next = self.ring.has_room.val();
        self.judge.has_ack_room.next = self.acks.has_room.val();
        self.judge.has_op_room.next = self.pending.has_room.val();
        self.judge.is_bad.next = self.intake.is_bad.val();
        self.judge.is_ack.next = self.intake.is_ack.val();
        self.judge.is_probe.next = self.intake.is_probe.val();
        self.judge.is_data.next = self.intake.is_data.val();
        self.judge.is_other.next = self.intake.is_other.val();
        self.judge.is_malformed.next = self.intake.is_malformed.val();
        self.rx_bad.next = self.judge.rx_bad.val();
        self.rx_other.next = self.judge.rx_other.val();
        self.rx_malformed.next = self.judge.rx_malformed.val();
        self.rx_dropped_host.next = self.judge.rx_dropped_host.val();
        self.rx_dropped_engine.next = self.judge.rx_dropped_engine.val();
        self.acks_dropped.next = self.judge.acks_dropped.val();

        self.acks.push.next = self.judge.push_ack.val();
        self.acks.item.next = self.held_ack.q.val();
        self.acks.pop.next = self.acks.valid.val() & self.heard_ready.val();
        self.heard_valid.next = self.acks.valid.val();
        self.heard_conn.next = self.acks.head.val().conn;
        self.heard_ecn.next = self.acks.head.val().ecn;
        self.heard_probe.next = self.acks.head.val().probe;
        self.heard_flags.next = self.acks.head.val().flags;
        self.heard_ev.next = self.acks.head.val().ev;
        self.heard_timestamp.next = self.acks.head.val().timestamp;
        self.heard_bytes.next = self.acks.head.val().bytes;
        self.heard_epsn.next = self.acks.head.val().epsn;
        self.heard_offset.next = self.acks.head.val().offset;
        self.heard_ooo.next = self.acks.head.val().ooo;
        self.heard_base.next = self.acks.head.val().base;
        self.heard_bitmap.next = self.acks.head.val().bitmap;

        self.is_foreign.next = (self.record.q.val().conn >> self.conn_bits.val()) != bits::<24>(0);
        self.is_marked.next = self.record.q.val().ecn == bits::<2>(3);
        self.issue.push.next = self.judge.push_op.val();
        self.issue.item.next.conn = bit_cast::<C, 24>(self.record.q.val().conn);
        self.issue.item.next.psn = bit_cast::<P, 32>(self.record.q.val().psn);
        self.issue.item.next.bytes = self.record.q.val().bytes;
        self.issue.item.next.ecn = self.is_marked.val();
        self.issue.item.next.ev = self.record.q.val().ev;
        self.issue.item.next.timestamp = self.record.q.val().timestamp;
        self.issue.item.next.ack_request = self.record.q.val().ack_request;
        self.issue.item.next.probe = self.intake.is_probe.val();
        self.issue.item.next.is_foreign = self.is_foreign.val();
        self.issue.open_valid.next = self.open_valid.val();
        self.issue.close_valid.next = self.close_valid.val();
        self.open_ready.next = self.issue.open_ready.val();
        self.issue.open_conn.next = self.open_conn.val();
        self.issue.open_psn.next = self.open_psn.val();
        self.rx_op_valid.next = self.issue.op_valid.val();
        self.issue.op_ready.next = self.rx_op_ready.val();
        self.rx_op_kind.next = self.issue.op_kind.val();
        self.rx_op_conn.next = self.issue.op.val().conn;
        self.rx_op_psn.next = self.issue.op.val().psn;
        self.rx_op_bytes.next = self.issue.op.val().bytes;
        self.rx_op_ecn.next = self.issue.op.val().ecn;
        self.rx_op_ev.next = self.issue.op.val().ev;
        self.rx_op_timestamp.next = self.issue.op.val().timestamp;
        self.rx_op_ack_request.next = self.issue.op.val().ack_request;
        self.rx_op_probe.next = self.issue.op.val().probe;

        self.pending.beat_valid.next = self.intake.valid.val();
        self.pending.is_last.next = self.intake.is_last.val();
        self.pending.data.next = self.intake.beat.val().data;
        self.pending.push.next = self.judge.push_op.val();
        self.pending.item.next.conn = self.record.q.val().conn;
        self.pending.item.next.psn = self.record.q.val().psn;
        self.pending.item.next.source_pdc = self.source_pdc.q.val();
        self.pending.item.next.retransmit = self.retransmit.q.val();
        self.pending.item.next.is_marked = self.is_marked.val();
        self.pending.item.next.is_probe = self.intake.is_probe.val();
        self.pending.item.next.is_foreign = self.is_foreign.val();
        self.pending.issued.next = self.issue.issued.val();
        self.pending.res_valid.next = self.rx_res_valid.val();

        self.outcome.done.next = self.pending.done.val();
        self.outcome.res_valid.next = self.rx_res_valid.val();
        self.outcome.res_status.next = self.rx_res_status.val();
        self.outcome.sack_valid.next = self.rx_sack_valid.val();
        self.outcome.is_marked.next = self.pending.head.val().is_marked;
        self.outcome.is_probe.next = self.pending.head.val().is_probe;
        self.outcome.has_answer_room.next = self.answers.has_room.val();
        self.rx_new.next = self.outcome.rx_new.val();
        self.rx_duplicate.next = self.outcome.rx_duplicate.val();
        self.rx_outside.next = self.outcome.rx_outside.val();
        self.rx_not_open.next = self.outcome.rx_not_open.val();
        self.rx_marked.next = self.outcome.rx_marked.val();
        self.rx_probes.next = self.outcome.rx_probes.val();
        self.sacks_dropped.next = self.outcome.sacks_dropped.val();

        self.answers.push.next = self.outcome.push_answer.val();
        self.line_valid.next = self.outcome.push_answer.val();
        self.line.next = self.pending.line.val();
        self.answers.item.next.psn = bit_cast::<32, P>(self.rx_sack_psn.val());
        self.answers.item.next.epsn = bit_cast::<32, P>(self.rx_sack_epsn.val());
        self.answers.item.next.base = bit_cast::<32, P>(self.rx_sack_base.val());
        self.answers.item.next.bitmap = self.rx_sack_bitmap.val();
        self.answers.item.next.ooo = self.rx_sack_ooo.val();
        self.answers.item.next.bytes_recvd = self.rx_sack_bytes_recvd.val();
        self.answers.item.next.ecn = self.rx_sack_ecn.val();
        self.answers.item.next.ev = self.rx_sack_ev.val();
        self.answers.item.next.timestamp = self.rx_sack_timestamp.val();
        self.answers.item.next.probe = self.rx_sack_probe.val();
        self.answers.item.next.conn = self.pending.head.val().conn;
        self.answers.item.next.wire_psn = self.pending.head.val().psn;
        self.answers.item.next.source_pdc = self.pending.head.val().source_pdc;
        self.answers.item.next.retransmit = self.pending.head.val().retransmit;
        self.answers.pop.next = self.answers.valid.val() & self.answer_ready.val();
        self.answer_valid.next = self.answers.valid.val();
        self.answer_psn.next = self.answers.head.val().psn;
        self.answer_epsn.next = self.answers.head.val().epsn;
        self.answer_base.next = self.answers.head.val().base;
        self.answer_bitmap.next = self.answers.head.val().bitmap;
        self.answer_ooo.next = self.answers.head.val().ooo;
        self.answer_bytes_recvd.next = self.answers.head.val().bytes_recvd;
        self.answer_ecn.next = self.answers.head.val().ecn;
        self.answer_ev.next = self.answers.head.val().ev;
        self.answer_timestamp.next = self.answers.head.val().timestamp;
        self.answer_probe.next = self.answers.head.val().probe;
        self.answer_conn.next = self.answers.head.val().conn;
        self.answer_wire_psn.next = self.answers.head.val().wire_psn;
        self.answer_source_pdc.next = self.answers.head.val().source_pdc;
        self.answer_retransmit.next = self.answers.head.val().retransmit;

        self.ring.push.next = self.intake.valid.val();
        self.ring.beat.next = self.intake.beat.val();
        self.ring.is_last.next = self.intake.is_last.val();
        self.ring.commit.next = self.judge.commit.val();
        self.ring.record.next = self.record.q.val();
        comment!("Data waits for its status; what else is here has none.");
        self.has_data.next = self.ring.has_data.val();
        self.offers.next = self.ring.valid.val() & (self.statuses.valid.val() | !self.has_data.val());
        self.leaves.next = self.offers.val() & self.m_axis_tready.val();
        self.ring.pop.next = self.leaves.val();
        self.statuses.push.next = self.outcome.push_status.val();
        self.statuses.item.next = self.outcome.status.val();
        self.statuses.pop.next =
            self.leaves.val() & self.ring.head.val().keep.get_bit(0) & self.has_data.val();
        self.m_axis_tdata.next = self.ring.head.val().data;
        self.m_axis_tkeep.next = self.ring.head.val().keep.replace_bit(0, true);
        self.m_axis_tvalid.next = self.offers.val();
        self.m_axis_tlast.next = self.offers.val() & self.ring.head.val().keep.get_bit(0);
        self.rx_kind.next = self.ring.head_record.val().kind;
        self.rx_error.next = self.ring.head_record.val().error;
        self.rx_conn.next = self.ring.head_record.val().conn;
        self.rx_psn.next = self.ring.head_record.val().psn;
        self.rx_bytes.next = self.ring.head_record.val().bytes;
        self.rx_ecn.next = self.ring.head_record.val().ecn;
        self.rx_ev.next = self.ring.head_record.val().ev;
        self.rx_timestamp.next = self.ring.head_record.val().timestamp;
        self.rx_ack_request.next = self.ring.head_record.val().ack_request;
        self.rx_status.next = bits::<3>(4);
        if self.has_data.val() {
            self.rx_status.next = self.statuses.head.val();
        }

        self.events.duplicate.next = self.outcome.tell_duplicate.val();
        self.events.stray.next = self.outcome.tell_stray.val();
        self.events.status.next = self.outcome.status.val();
        self.events.conn.next = self.pending.head.val().conn;
        comment!("An event names the PSN as the engines have it.");
        self.events.psn.next = bit_cast::<32, P>(bit_cast::<P, 32>(self.pending.head.val().psn));
        self.events.malformed.next = self.judge.tell_malformed.val();
        self.events.error.next = self.record.q.val().error;
        self.event_valid.next = self.events.valid.val();
        self.events.ready.next = self.event_ready.val();
        self.event_kind.next = self.events.event.val().kind;
        self.event_conn.next = self.events.event.val().conn;
        self.event_psn.next = self.events.event.val().psn;
        self.event_detail.next = bit_cast::<16, 3>(self.events.event.val().detail);
        self.event_lost.next = self.events.lost.val();
    }
}
