//! The receive side: its ports, and the wires between its parts.

use respray_hdl_macros::block;
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
use crate::prims::{Param, Reg, resize};

/// The block `nic_receiver`. Of [`ReceiverSizes`](super::ReceiverSizes) `W` is `data`, `K` `bytes`, `L` `lanes`, `C` `conn` and
/// `P` `psn`.
#[block]
pub struct Receiver<const W: usize, const K: usize, const L: usize, const C: usize, const P: usize> {
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
    record: Reg<Record>,
    held_ack: Reg<Ack>,
    source_pdc: Reg<Bits<16>>,
    retransmit: Reg<bool>,
    conn_bits: Param<Bits<4>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("The receive side, from rewrite_rx to the host, with the ops of sack_rx.");
        self.intake.tdata = self.s_axis_tdata;
        self.intake.tkeep = self.s_axis_tkeep;
        self.intake.tvalid = self.s_axis_tvalid;
        self.intake.tlast = self.s_axis_tlast;
        self.intake.tuser = self.s_axis_tuser;
        self.s_axis_tready = self.intake.tready;
        self.intake.meta_valid = self.meta_valid;
        self.meta_ready = self.intake.meta_ready;
        self.intake.kind = self.meta_kind;
        self.intake.error = self.meta_error;
        self.intake.bytes = self.meta_bytes;
        self.intake.ack_request = self.meta_ack_request;
        comment!("The record of the beat in the registers of the intake, if that is its frame's last.");
        self.record.kind = self.meta_kind;
        self.record.error = self.meta_error;
        self.record.conn = self.meta_conn;
        self.record.psn = self.meta_psn;
        self.record.bytes = self.meta_bytes;
        self.record.ecn = self.meta_ecn;
        self.record.ev = self.meta_ev;
        self.record.timestamp = self.meta_timestamp;
        self.record.ack_request = self.meta_ack_request;
        self.source_pdc = self.meta_source_pdc;
        self.retransmit = self.meta_retransmit;
        self.held_ack.conn = self.meta_conn;
        self.held_ack.ecn = self.ack_ecn;
        self.held_ack.probe = self.ack_probe;
        self.held_ack.flags = self.ack_flags;
        self.held_ack.ev = self.ack_ev;
        self.held_ack.timestamp = self.ack_timestamp;
        self.held_ack.bytes = self.ack_bytes;
        self.held_ack.epsn = self.ack_epsn;
        self.held_ack.offset = self.ack_offset;
        self.held_ack.ooo = self.ack_ooo;
        self.held_ack.base = self.ack_base;
        self.held_ack.bitmap = self.ack_bitmap;
        self.judge.has_host_room = self.ring.has_room;
        self.judge.has_ack_room = self.acks.has_room;
        self.judge.has_op_room = self.pending.has_room;
        self.judge.is_bad = self.intake.is_bad;
        self.judge.is_ack = self.intake.is_ack;
        self.judge.is_probe = self.intake.is_probe;
        self.judge.is_data = self.intake.is_data;
        self.judge.is_other = self.intake.is_other;
        self.judge.is_malformed = self.intake.is_malformed;
        self.rx_bad = self.judge.rx_bad;
        self.rx_other = self.judge.rx_other;
        self.rx_malformed = self.judge.rx_malformed;
        self.rx_dropped_host = self.judge.rx_dropped_host;
        self.rx_dropped_engine = self.judge.rx_dropped_engine;
        self.acks_dropped = self.judge.acks_dropped;
        self.acks.push = self.judge.push_ack;
        self.acks.item = self.held_ack;
        self.acks.pop = self.acks.valid & self.heard_ready;
        self.heard_valid = self.acks.valid;
        self.heard_conn = self.acks.head.conn;
        self.heard_ecn = self.acks.head.ecn;
        self.heard_probe = self.acks.head.probe;
        self.heard_flags = self.acks.head.flags;
        self.heard_ev = self.acks.head.ev;
        self.heard_timestamp = self.acks.head.timestamp;
        self.heard_bytes = self.acks.head.bytes;
        self.heard_epsn = self.acks.head.epsn;
        self.heard_offset = self.acks.head.offset;
        self.heard_ooo = self.acks.head.ooo;
        self.heard_base = self.acks.head.base;
        self.heard_bitmap = self.acks.head.bitmap;
        let is_foreign = (self.record.conn >> self.conn_bits) != 0;
        let is_marked = self.record.ecn == 3;
        self.issue.push = self.judge.push_op;
        self.issue.item.conn = resize(self.record.conn);
        self.issue.item.psn = resize(self.record.psn);
        self.issue.item.bytes = self.record.bytes;
        self.issue.item.ecn = is_marked;
        self.issue.item.ev = self.record.ev;
        self.issue.item.timestamp = self.record.timestamp;
        self.issue.item.ack_request = self.record.ack_request;
        self.issue.item.probe = self.intake.is_probe;
        self.issue.item.is_foreign = is_foreign;
        self.issue.open_valid = self.open_valid;
        self.issue.close_valid = self.close_valid;
        self.open_ready = self.issue.open_ready;
        self.issue.open_conn = self.open_conn;
        self.issue.open_psn = self.open_psn;
        self.rx_op_valid = self.issue.op_valid;
        self.issue.op_ready = self.rx_op_ready;
        self.rx_op_kind = self.issue.op_kind;
        self.rx_op_conn = self.issue.op.conn;
        self.rx_op_psn = self.issue.op.psn;
        self.rx_op_bytes = self.issue.op.bytes;
        self.rx_op_ecn = self.issue.op.ecn;
        self.rx_op_ev = self.issue.op.ev;
        self.rx_op_timestamp = self.issue.op.timestamp;
        self.rx_op_ack_request = self.issue.op.ack_request;
        self.rx_op_probe = self.issue.op.probe;
        self.pending.beat_valid = self.intake.valid;
        self.pending.is_last = self.intake.is_last;
        self.pending.data = self.intake.beat.data;
        self.pending.push = self.judge.push_op;
        self.pending.item.conn = self.record.conn;
        self.pending.item.psn = self.record.psn;
        self.pending.item.source_pdc = self.source_pdc;
        self.pending.item.retransmit = self.retransmit;
        self.pending.item.is_marked = is_marked;
        self.pending.item.is_probe = self.intake.is_probe;
        self.pending.item.is_foreign = is_foreign;
        self.pending.issued = self.issue.issued;
        self.pending.res_valid = self.rx_res_valid;
        self.outcome.done = self.pending.done;
        self.outcome.res_valid = self.rx_res_valid;
        self.outcome.res_status = self.rx_res_status;
        self.outcome.sack_valid = self.rx_sack_valid;
        self.outcome.is_marked = self.pending.head.is_marked;
        self.outcome.is_probe = self.pending.head.is_probe;
        self.outcome.has_answer_room = self.answers.has_room;
        self.rx_new = self.outcome.rx_new;
        self.rx_duplicate = self.outcome.rx_duplicate;
        self.rx_outside = self.outcome.rx_outside;
        self.rx_not_open = self.outcome.rx_not_open;
        self.rx_marked = self.outcome.rx_marked;
        self.rx_probes = self.outcome.rx_probes;
        self.sacks_dropped = self.outcome.sacks_dropped;
        self.answers.push = self.outcome.push_answer;
        self.line_valid = self.outcome.push_answer;
        self.line = self.pending.line;
        self.answers.item.psn = resize(self.rx_sack_psn);
        self.answers.item.epsn = resize(self.rx_sack_epsn);
        self.answers.item.base = resize(self.rx_sack_base);
        self.answers.item.bitmap = self.rx_sack_bitmap;
        self.answers.item.ooo = self.rx_sack_ooo;
        self.answers.item.bytes_recvd = self.rx_sack_bytes_recvd;
        self.answers.item.ecn = self.rx_sack_ecn;
        self.answers.item.ev = self.rx_sack_ev;
        self.answers.item.timestamp = self.rx_sack_timestamp;
        self.answers.item.probe = self.rx_sack_probe;
        self.answers.item.conn = self.pending.head.conn;
        self.answers.item.wire_psn = self.pending.head.psn;
        self.answers.item.source_pdc = self.pending.head.source_pdc;
        self.answers.item.retransmit = self.pending.head.retransmit;
        self.answers.pop = self.answers.valid & self.answer_ready;
        self.answer_valid = self.answers.valid;
        self.answer_psn = self.answers.head.psn;
        self.answer_epsn = self.answers.head.epsn;
        self.answer_base = self.answers.head.base;
        self.answer_bitmap = self.answers.head.bitmap;
        self.answer_ooo = self.answers.head.ooo;
        self.answer_bytes_recvd = self.answers.head.bytes_recvd;
        self.answer_ecn = self.answers.head.ecn;
        self.answer_ev = self.answers.head.ev;
        self.answer_timestamp = self.answers.head.timestamp;
        self.answer_probe = self.answers.head.probe;
        self.answer_conn = self.answers.head.conn;
        self.answer_wire_psn = self.answers.head.wire_psn;
        self.answer_source_pdc = self.answers.head.source_pdc;
        self.answer_retransmit = self.answers.head.retransmit;
        self.ring.push = self.intake.valid;
        self.ring.beat = self.intake.beat;
        self.ring.is_last = self.intake.is_last;
        self.ring.commit = self.judge.commit;
        self.ring.record = self.record;
        comment!("Data, kind 0, waits for its status; what else is here is of kind 3.");
        let has_data = !self.ring.head_record.kind.get_bit(0);
        let offers = self.ring.valid & (self.statuses.valid | !has_data);
        let leaves = offers & self.m_axis_tready;
        self.ring.pop = leaves;
        self.statuses.push = self.outcome.push_status;
        self.statuses.item = self.outcome.status;
        self.statuses.pop = leaves & self.ring.head.keep.get_bit(0) & has_data;
        self.m_axis_tdata = self.ring.head.data;
        self.m_axis_tkeep = self.ring.head.keep.replace_bit(0, true);
        self.m_axis_tvalid = offers;
        self.m_axis_tlast = offers & self.ring.head.keep.get_bit(0);
        self.rx_kind = self.ring.head_record.kind;
        self.rx_error = self.ring.head_record.error;
        self.rx_conn = self.ring.head_record.conn;
        self.rx_psn = self.ring.head_record.psn;
        self.rx_bytes = self.ring.head_record.bytes;
        self.rx_ecn = self.ring.head_record.ecn;
        self.rx_ev = self.ring.head_record.ev;
        self.rx_timestamp = self.ring.head_record.timestamp;
        self.rx_ack_request = self.ring.head_record.ack_request;
        self.rx_status = 4;
        if has_data {
            self.rx_status = self.statuses.head;
        }
        self.events.duplicate = self.outcome.tell_duplicate;
        self.events.stray = self.outcome.tell_stray;
        self.events.status = self.outcome.status;
        self.events.conn = self.pending.head.conn;
        comment!("An event names the PSN as the engines have it.");
        self.events.psn = resize(bit_cast::<P, 32>(self.pending.head.psn));
        self.events.malformed = self.judge.tell_malformed;
        self.events.error = self.record.error;
        self.event_valid = self.events.valid;
        self.events.ready = self.event_ready;
        self.event_kind = self.events.event.kind;
        self.event_conn = self.events.event.conn;
        self.event_psn = self.events.event.psn;
        self.event_detail = resize(self.events.event.detail);
        self.event_lost = self.events.lost;
    }
}
