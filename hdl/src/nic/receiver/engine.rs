//! The receive side: its ports, and the wires between its parts.

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::backlog::Backlog;
use super::closing::Closing;
use super::credit::Credit;
use super::event_credit::EventCredit;
use super::events::Events;
use super::intake::Intake;
use super::issue::Issue;
use super::judge::Judge;
use super::outcome::Outcome;
use super::patch::Patch;
use super::pending::Pending;
use super::ports::Ports;
use super::response::Response;
use super::ring::Ring;
use super::source::Source;
use super::types::Entry;
use super::words::{
    Ack, Answer, FramePulses, HostEvent, Meta, Packet, Record, ResultPulses, Rewriting, Sack, Said, TypedAck,
    TypedAnswer, TypedFramePulses, TypedMeta, TypedOp, TypedResultPulses, TypedSaid,
};
use crate::comment;
use crate::config::{self, Close, PeerTable, RssPort, RxCredit, Wire};
use crate::manifest::MemoryKind;
use crate::prims::{Axis, AxisUser, Fifo, Optional, Param, Reg, Stream, join, resize};

/// The block `nic_receiver`. Its sizes are fields of [`ReceiverSizes`](super::ReceiverSizes).
#[block]
pub struct Receiver<
    const DATA: usize,
    const BYTES: usize,
    const LANES: usize,
    const WORDS: usize,
    const CONN: usize,
    const PSN: usize,
> {
    /// What `rewrite_rx` passes on. `tuser` with the last beat: the MAC found the frame bad.
    pub s_axis: AxisUser<In, DATA, BYTES>,
    /// Its records, one a frame, and what an ACK says.
    pub meta: Stream<In, Meta>,
    pub ack: Signal<In, Said>,
    /// ACKs for the scoreboard.
    pub heard: Stream<Out, Ack>,

    // A command opens or closes a connection for receiving: it is taken with `open_ready`, before the packets that wait.
    pub open_valid: Signal<In, bool>,
    pub close_valid: Signal<In, bool>,
    pub open_ready: Signal<Out, bool>,
    pub open_conn: Signal<In, Bits<CONN>>,
    pub open_psn: Signal<In, Bits<PSN>>,

    // Ops and results of `sack_rx`, as it has them.
    pub rx_op_valid: Signal<Out, bool>,
    pub rx_op_ready: Signal<In, bool>,
    pub rx_op_kind: Signal<Out, Bits<2>>,
    pub rx_op: Signal<Out, Packet<CONN, PSN>>,
    pub rx_res_valid: Signal<In, bool>,
    pub rx_res_status: Signal<In, Bits<3>>,
    pub rx_sack_valid: Signal<In, bool>,
    pub rx_sack: Signal<In, Sack<PSN>>,

    /// Frames for the host. What is beside the beats holds during a frame; of `rx_status` 4 is a frame without data.
    pub m_axis: Axis<Out, DATA, BYTES>,
    pub rx: Signal<Out, Record>,
    pub rx_status: Signal<Out, Bits<3>>,

    /// A SACK becomes due: the first 64 bytes of the packet that it answers.
    pub line_valid: Signal<Out, bool>,
    pub line: Signal<Out, Bits<512>>,
    /// SACKs that are due. All fields hold until `answer_ready`.
    pub answer: Stream<Out, Answer>,
    /// Events for the host.
    pub event: Stream<Out, HostEvent>,
    pub event_lost: Signal<Out, bool>,

    // Where the host grants frames: a grant, and frames that were granted and that went.
    pub grant_valid: Optional<Signal<In, bool>>,
    pub grant: Optional<Signal<In, Bits<16>>>,
    pub credit_state: Optional<Signal<Out, Bits<32>>>,
    // And events go to it in frames: one is to begin, and has the credit that it needs.
    pub event_frame_wanted: Optional<Signal<In, bool>>,
    pub event_frame_granted: Optional<Signal<Out, bool>>,

    /// Where data goes to the host with ports of connections: that of connection 0, or 0.
    pub rss_port_base: Optional<Signal<In, Bits<16>>>,

    // Where the host says who the peers are: a packet or an ACK of this connection comes; a cycle later from where, with an address of IPv4 in
    // the second four bytes; two cycles later whether it is refused.
    pub look_valid: Optional<Signal<Out, bool>>,
    pub look_conn: Optional<Signal<Out, Bits<CONN>>>,
    pub source: Optional<Signal<Out, Bits<128>>>,
    pub source_is_ipv6: Optional<Signal<Out, bool>>,
    pub refused: Optional<Signal<In, bool>>,
    /// Beside `heard`: it is from another address.
    pub heard_is_refused: Optional<Signal<Out, bool>>,

    // Of Ultra Ethernet: what else `rewrite_rx` says, what else ACKs, ops and answers are, what else `sack_rx` says; of a packet that is looked
    // up its source, whether nothing is known of it, and its kind of delivery if it has one; beside `rx_status` its fourth bit.
    pub meta_typed: Optional<Signal<In, TypedMeta>>,
    pub ack_typed: Optional<Signal<In, TypedSaid>>,
    pub heard_typed: Optional<Signal<Out, TypedAck>>,
    pub rx_op_typed: Optional<Signal<Out, TypedOp>>,
    pub nack_valid: Optional<Signal<In, bool>>,
    pub nack_code: Optional<Signal<In, Bits<8>>>,
    pub answer_typed: Optional<Signal<Out, TypedAnswer>>,
    pub look_source: Optional<Signal<Out, Bits<16>>>,
    pub look_is_exempt: Optional<Signal<Out, bool>>,
    pub look_has_order: Optional<Signal<Out, bool>>,
    pub look_is_ordered: Optional<Signal<Out, bool>>,
    pub rx_status_high: Optional<Signal<Out, bool>>,
    /// The host has a packet with SYN taken in, of the PSN of a command; with `accept_ready` it is, and what became of it.
    pub accept_valid: Optional<Signal<In, bool>>,
    pub accept_conn: Optional<Signal<In, Bits<CONN>>>,
    pub accept_bytes: Optional<Signal<In, Bits<16>>>,
    pub accept_flags: Optional<Signal<In, Bits<3>>>,
    pub accept_ready: Optional<Signal<Out, bool>>,
    pub accept_status: Optional<Signal<Out, Bits<3>>>,
    pub accept_nack: Optional<Signal<Out, Bits<8>>>,
    pub rx_op_syn: Optional<Signal<Out, bool>>,
    /// Which ACKs go to the host, too: 0 none, 1 those that ask it for something or have a response that is not the default one, 2 all; and a
    /// pulse with the status of such a one, in their order.
    pub rx_acks: Optional<Signal<In, Bits<2>>>,
    pub ack_told_valid: Optional<Signal<In, bool>>,
    pub ack_told_status: Optional<Signal<In, Bits<3>>>,
    #[flat]
    pub typed_frame_pulses: Optional<Signal<Out, TypedFramePulses>>,
    #[flat]
    pub typed_result_pulses: Optional<Signal<Out, TypedResultPulses>>,

    // Pulses, one for each step of the counter of that name.
    #[flat]
    pub frame_pulses: Signal<Out, FramePulses>,
    #[flat]
    pub result_pulses: Signal<Out, ResultPulses>,
    pub rx_no_credit: Optional<Signal<Out, bool>>,
    pub rx_credit_refused: Optional<Signal<Out, bool>>,
    pub rx_other_address: Optional<Signal<Out, bool>>,
    /// A frame does not go to the host, for want of room or of credit.
    pub rx_held_back: Optional<Signal<Out, bool>>,

    intake: Intake<DATA, BYTES>,
    judge: Judge,
    credit: Optional<Credit>,
    event_credit: Optional<EventCredit>,
    ring: Ring<DATA, BYTES>,
    acks: Backlog<Ack, 6, 7>,
    issue: Issue<CONN, PSN>,
    pending: Pending<DATA, LANES>,
    outcome: Outcome,
    statuses: Backlog<Bits<3>, 9, 10>,
    ports: Optional<Ports<DATA, WORDS>>,
    rewritings: Optional<Backlog<Rewriting, 9, 10>>,
    patch: Optional<Patch<DATA, WORDS>>,
    answers: Backlog<Answer, 6, 7>,
    events: Events,

    /// The record of the beat in the intake's registers, if that is its frame's last.
    record: Reg<Record>,
    held_ack: Reg<Ack>,
    source_pdc: Reg<Bits<16>>,
    retransmit: Reg<bool>,
    conn_bits: Param<Bits<4>>,
    has_credit: Param<bool>,
    has_event_credit: Param<bool>,
    has_ports: Param<bool>,
    /// Where a packet comes from, and what is kept of an ACK until it is known whether it is refused.
    source_reader: Optional<Source<DATA, WORDS>>,
    is_ack_1: Optional<Reg<bool>>,
    is_ack_2: Optional<Reg<bool>>,
    is_foreign_1: Optional<Reg<bool>>,
    is_foreign_2: Optional<Reg<bool>>,
    refusals: Optional<Fifo<Bits<1>, 6, 7>>,
    has_peers: Param<bool>,
    /// Of Ultra Ethernet, beside the record and the queues of the same names.
    typed: Optional<Reg<TypedMeta>>,
    entry: Optional<Entry>,
    typed_said: Optional<Reg<TypedSaid>>,
    typed_acks: Optional<Backlog<TypedAck, 6, 7>>,
    typed_answers: Optional<Backlog<TypedAnswer, 6, 7>>,
    unbound: Optional<Backlog<bool, 9, 10>>,
    response: Optional<Response<DATA, WORDS>>,
    is_ack_for_host: Optional<Signal<Local, bool>>,
    has_opcode: Optional<Signal<Local, bool>>,
    told: Optional<Backlog<Bits<3>, 9, 10>>,
    has_types: Param<bool>,
    /// Where the host hears of closes.
    closing: Optional<Closing<CONN>>,
    is_graceful: Param<bool>,
}

#[block]
impl<
    const DATA: usize,
    const BYTES: usize,
    const LANES: usize,
    const WORDS: usize,
    const CONN: usize,
    const PSN: usize,
> Receiver<DATA, BYTES, LANES, WORDS, CONN, PSN>
{
    /// The block for a profile, for a host that grants frames or does not, for ports of data that are EVs or those of connections, and for
    /// events that take credit, because they are frames, or do not; for a host that says who the peers are, or does not.
    /// With types, where they are those of Ultra Ethernet.
    pub fn new(wire: Wire, nic: &config::Nic, has_types: bool) -> Self {
        let has_credit = nic.rx_credit == RxCredit::Frames;
        let has_event_credit = has_credit && nic.events == config::Events::Frames;
        let has_ports = nic.rss_port == RssPort::Stable;
        let has_peers = nic.peer_table == PeerTable::On;
        let is_graceful = nic.close == Close::Graceful;
        let is_late = has_peers || has_types;
        Self {
            intake: Intake::new(wire, has_types),
            judge: Judge::new(has_credit, has_types),
            meta_typed: Optional::new(has_types, Default::default),
            ack_typed: Optional::new(has_types, Default::default),
            heard_typed: Optional::new(has_types, Default::default),
            rx_op_typed: Optional::new(has_types, Default::default),
            nack_valid: Optional::new(has_types, Default::default),
            nack_code: Optional::new(has_types, Default::default),
            answer_typed: Optional::new(has_types, Default::default),
            look_source: Optional::new(has_types, Default::default),
            look_is_exempt: Optional::new(has_types, Default::default),
            look_has_order: Optional::new(has_types, Default::default),
            look_is_ordered: Optional::new(has_types, Default::default),
            rx_status_high: Optional::new(has_types, Default::default),
            accept_valid: Optional::new(has_types, Default::default),
            accept_conn: Optional::new(has_types, Default::default),
            accept_bytes: Optional::new(has_types, Default::default),
            accept_flags: Optional::new(has_types, Default::default),
            accept_ready: Optional::new(has_types, Default::default),
            accept_status: Optional::new(has_types, Default::default),
            accept_nack: Optional::new(has_types, Default::default),
            rx_op_syn: Optional::new(has_types, Default::default),
            typed_frame_pulses: Optional::new(has_types, Default::default),
            typed_result_pulses: Optional::new(has_types, Default::default),
            typed: Optional::new(has_types, Default::default),
            entry: Optional::new(has_types, Default::default),
            typed_said: Optional::new(has_types, Default::default),
            typed_acks: Optional::new(has_types, || {
                Backlog::new("typed_ack_ram", "what else ACKs say that wait for the scoreboard")
            }),
            typed_answers: Optional::new(has_types, || {
                Backlog::new("typed_answer_ram", "what else answers are that are due")
            }),
            unbound: Optional::new(has_types, || {
                Backlog::new("unbound_ram", "for which frames in the ring the host is to open a connection")
                    .with_head_bit("ack_bit_ram", "which of them are ACKs, that wait for their status")
            }),
            rx_acks: Optional::new(has_types, Default::default),
            ack_told_valid: Optional::new(has_types, Default::default),
            ack_told_status: Optional::new(has_types, Default::default),
            response: Optional::new(has_types, Response::new),
            is_ack_for_host: Optional::new(has_types, Default::default),
            has_opcode: Optional::new(has_types, Default::default),
            told: Optional::new(has_types, || {
                Backlog::new("told_ram", "status of ACKs that wait for the host")
            }),
            has_types: Param::new(has_types),
            credit: Optional::new(has_credit, Default::default),
            grant_valid: Optional::new(has_credit, Default::default),
            grant: Optional::new(has_credit, Default::default),
            credit_state: Optional::new(has_credit, Default::default),
            rx_no_credit: Optional::new(has_credit, Default::default),
            rx_credit_refused: Optional::new(has_credit, Default::default),
            rx_held_back: Optional::new(has_credit, Default::default),
            has_credit: Param::new(has_credit),
            event_credit: Optional::new(has_event_credit, Default::default),
            event_frame_wanted: Optional::new(has_event_credit, Default::default),
            event_frame_granted: Optional::new(has_event_credit, Default::default),
            has_event_credit: Param::new(has_event_credit),
            rss_port_base: Optional::new(has_ports, Default::default),
            ports: Optional::new(has_ports, Ports::new),
            rewritings: Optional::new(has_ports, || {
                Backlog::new("rewriting_ram", "what is written into data on its way to the host")
            }),
            patch: Optional::new(has_ports, Patch::new),
            has_ports: Param::new(has_ports),
            look_valid: Optional::new(is_late, Default::default),
            look_conn: Optional::new(is_late, Default::default),
            source: Optional::new(has_peers, Default::default),
            source_is_ipv6: Optional::new(has_peers, Default::default),
            refused: Optional::new(is_late, Default::default),
            heard_is_refused: Optional::new(has_peers, Default::default),
            rx_other_address: Optional::new(is_late, Default::default),
            source_reader: Optional::new(has_peers, Source::new),
            is_ack_1: Optional::new(has_peers, Default::default),
            is_ack_2: Optional::new(has_peers, Default::default),
            is_foreign_1: Optional::new(has_peers, Default::default),
            is_foreign_2: Optional::new(has_peers, Default::default),
            refusals: Optional::new(has_peers, || Fifo::new("refusals", MemoryKind::Distributed)),
            has_peers: Param::new(has_peers),
            closing: Optional::new(is_graceful, Closing::new),
            is_graceful: Param::new(is_graceful),
            outcome: Outcome::new(is_late, has_types),
            ring: Ring::new(has_types),
            acks: Backlog::new("ack_ram", "ACKs that wait for the scoreboard"),
            issue: Issue::new(is_late, has_types),
            pending: Pending::new(is_late, has_types),
            statuses: Backlog::new("status_ram", "status of data that waits for the host"),
            answers: Backlog::new("answer_ram", "SACKs that are due"),
            events: Events::new(),
            conn_bits: Param::new((CONN as u64).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("The receive side, from rewrite_rx to the host, with the ops of sack_rx.");
        join(self.intake.s_axis, self.s_axis);
        self.intake.meta_valid = self.meta.valid;
        self.meta.ready = self.intake.meta_ready;
        self.intake.kind = self.meta.item.record.kind;
        self.intake.error = self.meta.item.record.error;
        self.intake.bytes = self.meta.item.record.bytes;
        self.intake.ack_request = self.meta.item.record.ack_request;
        comment!("The record of the beat in the registers of the intake, if that is its frame's last.");
        self.record = self.meta.item.record;
        self.source_pdc = self.meta.item.source_pdc;
        self.retransmit = self.meta.item.retransmit;
        self.held_ack.conn = self.meta.item.record.conn;
        self.held_ack.said = self.ack;

        if self.has_types {
            self.intake.typed = self.meta_typed;
            self.typed = self.meta_typed;
            self.typed_said = self.ack_typed;
            comment!("Of a NACK stands there what it refuses, its code and its payload.");
            if (self.meta.item.record.kind == 3) & (self.meta_typed.other == 1) {
                self.held_ack.said.epsn = self.meta.item.record.psn;
                self.held_ack.said.offset = self.meta_typed.detail;
                self.held_ack.said.bytes = self.meta_typed.payload;
                self.held_ack.said.ev = self.meta.item.record.ev;
                self.held_ack.said.ecn = self.meta_typed.flags.get_bit(5);
            }
            comment!("Which ACKs go to the host, too.");
            self.response.beat_valid = self.s_axis.tvalid & self.intake.s_axis.tready;
            self.response.data = self.s_axis.tdata;
            self.response.is_last = self.s_axis.tlast;
            self.has_opcode = self.response.in_ack;
            if self.typed.kind == 8 {
                self.has_opcode = self.response.in_ack_cc;
            }
            if self.typed.kind == 9 {
                self.has_opcode = self.response.in_ack_ccx;
            }
            self.is_ack_for_host = (self.record.kind == 1)
                & (self.rx_acks.get_bit(1)
                    | (self.rx_acks.get_bit(0)
                        & (self.intake.is_ack_with_more | (self.intake.is_ack_by_opcode & self.has_opcode))));
            self.judge.is_ack_for_host = self.is_ack_for_host;
            self.judge.is_unbound = self.intake.is_unbound;
            self.judge.is_trimmed_other = self.intake.is_trimmed_other;
            self.typed_frame_pulses = self.judge.typed_pulses;
        }
        self.judge.has_host_room = self.ring.has_room;
        self.judge.has_ack_room = self.acks.has_room;
        self.judge.has_op_room = self.pending.has_room;
        self.judge.found = self.intake.found;
        self.frame_pulses = self.judge.pulses;
        if self.has_credit {
            comment!("A frame that goes to the host takes a credit, which only data has to have.");
            self.credit.grant_valid = self.grant_valid;
            self.credit.grant = self.grant;
            self.credit.takes = self.judge.commit;
            if self.has_event_credit {
                self.event_credit.wanted = self.event_frame_wanted;
                self.event_credit.has_credit = self.credit.has_credit;
                self.event_credit.commit = self.judge.commit;
                self.event_frame_granted = self.event_credit.granted;
                self.credit.takes = self.event_credit.takes;
            }
            self.judge.has_credit = self.credit.has_credit;
            self.credit_state = self.credit.state;
            self.credit.is_without = self.judge.is_without_credit;
            self.rx_no_credit = self.credit.missed;
            self.rx_credit_refused = self.credit.refused;
            self.rx_held_back = self.credit.missed | self.judge.pulses.rx_dropped_host;
        }

        self.acks.push = self.judge.push_ack;
        self.acks.item = self.held_ack;
        self.acks.pop = self.acks.valid & self.heard.ready;
        self.heard.valid = self.acks.valid;
        self.heard.item = self.acks.head;
        if self.has_peers {
            comment!("An ACK is there when it is known whether it is refused.");
            self.acks.pop = self.acks.valid & self.refusals.out_valid & self.heard.ready;
            self.refusals.out_ready = self.acks.valid & self.heard.ready;
            self.heard.valid = self.acks.valid & self.refusals.out_valid;
            self.heard_is_refused = self.refusals.out_data.any();
        }

        if self.has_types {
            self.typed_acks.push = self.judge.push_ack;
            self.typed_acks.item.source_pdc = self.source_pdc;
            self.typed_acks.item.is_nack = self.record.kind == 3;
            self.typed_acks.item.retransmit = self.typed.flags.get_bit(4);
            self.typed_acks.item.request = self.typed.flags.get_bits::<2>(1);
            self.typed_acks.item.is_for_host = self.is_ack_for_host;
            self.typed_acks.item.said = self.typed_said;
            self.typed_acks.pop = self.acks.valid & self.heard.ready;
            self.heard_typed = self.typed_acks.head;
        }

        let is_foreign = (self.record.conn >> self.conn_bits) != 0;
        let is_marked = self.record.ecn == 3;
        self.issue.push = self.judge.push_op;
        self.issue.item.packet.conn = resize(self.record.conn);
        self.issue.item.packet.psn = resize(self.record.psn);
        self.issue.item.packet.bytes = self.record.bytes;
        self.issue.item.packet.ecn = is_marked;
        self.issue.item.packet.ev = self.record.ev;
        self.issue.item.packet.timestamp = self.record.timestamp;
        self.issue.item.packet.ack_request = self.record.ack_request;
        self.issue.item.packet.probe = self.intake.found.is_probe;
        self.issue.item.is_foreign = is_foreign;
        self.issue.open_valid = self.open_valid;
        self.issue.close_valid = self.close_valid;
        self.open_ready = self.issue.open_ready;
        self.issue.open_conn = self.open_conn;
        self.issue.open_psn = self.open_psn;
        self.rx_op_valid = self.issue.op_valid;
        self.issue.op_ready = self.rx_op_ready;
        self.rx_op_kind = self.issue.op_kind;
        self.rx_op = self.issue.op.packet;

        self.pending.beat_valid = self.intake.valid;
        self.pending.is_last = self.intake.is_last;
        self.pending.data = self.intake.beat.data;
        self.pending.push = self.judge.push_op;
        self.pending.item.conn = self.record.conn;
        self.pending.item.psn = self.record.psn;
        self.pending.item.source_pdc = self.source_pdc;
        self.pending.item.retransmit = self.retransmit;
        self.pending.item.is_marked = is_marked;
        self.pending.item.is_probe = self.intake.found.is_probe;
        self.pending.item.is_foreign = is_foreign;
        if self.has_types {
            comment!("The op that a packet is, and what its answer needs.");
            self.entry.kind = self.record.kind;
            self.entry.typed = self.typed;
            self.entry.psn = self.record.psn;
            self.entry.bytes = self.record.bytes;
            self.entry.retransmit = self.retransmit;
            self.entry.is_beyond = is_foreign;
            self.issue.item.packet.psn = resize(self.entry.op_psn);
            self.issue.item.packet.bytes = self.entry.op_bytes;
            self.issue.item.packet.probe = false;
            self.issue.item.is_foreign = self.entry.is_foreign;
            self.issue.typed_item = self.entry.op;
            self.rx_op_typed = self.issue.typed_op;
            self.pending.item.is_foreign = self.entry.is_foreign;
            self.pending.typed_item = self.entry.trigger;
            comment!("Two cycles later it is known whether it is of the peer.");
            self.look_valid = self.intake.found.is_probe | self.intake.found.is_data;
            self.look_conn = resize(self.record.conn);
            self.look_source = self.source_pdc;
            self.look_is_exempt = self.entry.is_exempt;
            self.look_has_order = self.entry.has_order;
            self.look_is_ordered = self.entry.is_ordered;
            self.issue.is_refused = self.refused;
            self.pending.is_refused = self.refused;
        }
        if self.has_peers {
            comment!("Two cycles later it is known whether a packet is refused.");
            self.source_reader.beat_valid = self.intake.valid;
            self.source_reader.data = self.intake.beat.data;
            self.source_reader.is_last = self.intake.is_last;
            self.look_valid =
                self.intake.found.is_ack | self.intake.found.is_probe | self.intake.found.is_data;
            self.look_conn = resize(self.record.conn);
            self.source = self.source_reader.address;
            self.source_is_ipv6 = self.source_reader.is_ipv6;
            self.is_ack_1 = self.judge.push_ack;
            self.is_ack_2 = self.is_ack_1;
            if self.rst {
                self.is_ack_1 = false;
                self.is_ack_2 = false;
            }
            self.is_foreign_1 = is_foreign;
            self.is_foreign_2 = self.is_foreign_1;
            self.issue.is_refused = self.refused;
            self.pending.is_refused = self.refused;
            self.refusals.in_valid = self.is_ack_2;
            self.refusals.in_data = (self.refused & !self.is_foreign_2).into();
        }
        self.pending.issued = self.issue.issued;
        self.pending.res_valid = self.rx_res_valid;

        self.outcome.done = self.pending.done;
        self.outcome.res_valid = self.rx_res_valid;
        self.outcome.res_status = self.rx_res_status;
        self.outcome.sack_valid = self.rx_sack_valid;
        self.outcome.is_marked = self.pending.head.is_marked;
        self.outcome.is_probe = self.pending.head.is_probe;
        self.outcome.has_answer_room = self.answers.has_room;
        self.result_pulses = self.outcome.pulses;
        if self.has_types {
            self.outcome.typed = self.pending.typed_head;
            self.outcome.nack_valid = self.nack_valid & !self.issue.accepts;
            comment!("The result of a packet that the host has taken in is for the host alone.");
            self.issue.accept_valid = self.accept_valid;
            self.issue.accept_conn = self.accept_conn;
            self.issue.accept_bytes = self.accept_bytes;
            self.issue.accept_flags = self.accept_flags;
            self.issue.is_idle = self.pending.is_idle;
            self.issue.res_valid = self.rx_res_valid;
            self.rx_op_syn = self.issue.accept_is_next;
            self.pending.res_valid = self.rx_res_valid & !self.issue.accepts;
            self.outcome.res_valid = self.rx_res_valid & !self.issue.accepts;
            self.outcome.sack_valid = self.rx_sack_valid & !self.issue.accepts;
            self.outcome.accepted = self.rx_res_valid & self.issue.accepts;
            self.accept_ready = self.rx_res_valid & self.issue.accepts;
            self.accept_status = self.rx_res_status;
            self.accept_nack = 0;
            if self.nack_valid {
                self.accept_nack = self.nack_code;
            }
            self.outcome.is_of_another = !self.pending.typed_head.is_beyond;
            self.rx_other_address = self.outcome.rx_other_address;
            self.typed_result_pulses = self.outcome.typed_pulses;
        }
        if self.has_peers {
            comment!("A packet that sack_rx is not asked about is of no connection, or it is refused.");
            self.outcome.is_of_another = (self.pending.head.conn >> self.conn_bits) == 0;
            self.rx_other_address = self.outcome.rx_other_address;
        }

        self.answers.push = self.outcome.push_answer;
        self.line_valid = self.outcome.push_answer;
        self.line = self.pending.line;
        self.answers.item.psn = resize(self.rx_sack.psn);
        self.answers.item.epsn = resize(self.rx_sack.epsn);
        self.answers.item.base = resize(self.rx_sack.base);
        self.answers.item.state = self.rx_sack.state;
        self.answers.item.conn = self.pending.head.conn;
        self.answers.item.wire_psn = self.pending.head.psn;
        self.answers.item.source_pdc = self.pending.head.source_pdc;
        self.answers.item.retransmit = self.pending.head.retransmit;
        if self.has_types {
            self.answers.item.state.ecn = self.pending.head.is_marked & (self.pending.typed_head.says != 3);
            if self.pending.typed_head.is_mute
                | (self.pending.typed_head.is_trimmed & (self.rx_res_status == 7))
            {
                self.answers.item.conn = 0;
            }
            self.typed_answers.push = self.outcome.push_answer;
            self.typed_answers.item.is_nack = self.nack_valid;
            self.typed_answers.item.code = self.nack_code;
            self.typed_answers.item.says = self.pending.typed_head.says;
            self.typed_answers.pop = self.answers.valid & self.answer.ready;
            self.answer_typed = self.typed_answers.head;
        }
        self.answers.pop = self.answers.valid & self.answer.ready;
        self.answer.valid = self.answers.valid;
        self.answer.item = self.answers.head;

        self.ring.push = self.intake.valid;
        self.ring.beat = self.intake.beat;
        self.ring.is_last = self.intake.is_last;
        self.ring.commit = self.judge.commit;
        self.ring.record = self.record;
        if self.has_types {
            self.ring.is_no_data = !self.intake.found.is_data;
            self.unbound.push = self.judge.commit;
            self.unbound.item = self.intake.is_unbound;
            self.unbound.item_bit = self.intake.found.is_ack;
            self.told.push = self.ack_told_valid;
            self.told.item = self.ack_told_status;
        }
        comment!("Data waits for its status; what else is here has none.");
        let has_data = self.ring.has_data;
        let mut is_known = self.statuses.valid;
        if self.has_ports {
            self.ports.beat_valid = self.intake.valid;
            self.ports.data = self.intake.beat.data;
            self.ports.is_last = self.intake.is_last;
            self.ports.takes = self.judge.commit & self.intake.found.is_data;
            self.ports.conn = resize(self.record.conn);
            self.ports.ev = self.record.ev;
            self.ports.base = self.rss_port_base;
            self.rewritings.push = self.ports.push;
            self.rewritings.item = self.ports.item;
            is_known = self.statuses.valid & self.rewritings.valid;
        }
        let mut is_decided = is_known | !has_data;
        if self.has_types {
            comment!("An ACK waits for the scoreboard.");
            if self.unbound.head_bit {
                is_decided = self.told.valid;
            }
        }
        let offers = self.ring.valid & is_decided;
        let leaves = offers & self.m_axis.tready;
        self.ring.pop = leaves;
        self.statuses.push = self.outcome.push_status;
        self.statuses.item = self.outcome.status;
        self.statuses.pop = leaves & self.ring.head.keep.get_bit(0) & has_data;
        self.m_axis.tdata = self.ring.head.data;
        if self.has_ports {
            comment!("Of a connection that is not open, status 7, there is no port.");
            self.rewritings.pop = self.statuses.pop;
            self.patch.is_written = has_data & (self.statuses.head != 7);
            if self.has_peers {
                self.patch.is_written = has_data & (self.statuses.head.get_bits::<2>(1) != 3);
            }
            self.patch.item = self.rewritings.head;
            self.patch.data = self.ring.head.data;
            self.patch.leaves = leaves;
            self.patch.is_last = self.ring.head.keep.get_bit(0);
            self.m_axis.tdata = self.patch.patched;
        }
        self.m_axis.tkeep = self.ring.head.keep.replace_bit(0, true);
        self.m_axis.tvalid = offers;
        self.m_axis.tlast = offers & self.ring.head.keep.get_bit(0);
        self.rx = self.ring.head_record;
        self.rx_status = 4;
        if has_data {
            self.rx_status = self.statuses.head;
        }
        if self.has_types {
            comment!("8: the host is to open a connection. 9: ahead in a connection in order.");
            self.unbound.pop = leaves & self.ring.head.keep.get_bit(0);
            self.told.pop = self.unbound.pop & self.unbound.head_bit;
            self.rx_status_high = false;
            if self.unbound.head_bit {
                self.rx_status = self.told.head;
            }
            if !has_data & self.unbound.head {
                self.rx_status = 0;
                self.rx_status_high = true;
            }
            if has_data & (self.statuses.head == 3) {
                self.rx_status = 1;
                self.rx_status_high = true;
            }
        }

        self.events.duplicate = self.outcome.tell_duplicate;
        self.events.stray = self.outcome.tell_stray;
        self.events.status = self.outcome.status;
        self.events.conn = self.pending.head.conn;
        comment!("An event names the PSN as the engines have it.");
        self.events.psn = resize(bit_cast::<PSN, 32>(self.pending.head.psn));
        self.events.malformed = self.judge.tell_malformed;
        self.events.error = self.record.error;
        self.event.valid = self.events.valid;
        self.events.ready = self.event.ready;
        self.event.item.packet = self.events.event.packet;
        self.event.item.detail = resize(self.events.event.detail);
        if self.has_types {
            if (self.events.event.packet.kind == 10) & (self.events.event.detail == 3) {
                self.event.item.detail = 9;
            }
        }
        if self.is_graceful {
            comment!("Between them the host is told of connections that are closed.");
            self.closing.closes = self.close_valid & self.issue.open_ready;
            self.closing.conn = self.open_conn;
            self.closing.commit = self.judge.commit;
            self.closing.leaves = leaves & self.ring.head.keep.get_bit(0);
            self.closing.may_tell = !self.events.valid & self.event.ready;
            self.event.valid = self.events.valid | self.closing.tells;
            if !self.events.valid {
                self.event.item.packet.kind = 15;
                self.event.item.packet.conn = resize(self.closing.closed_conn);
                self.event.item.packet.psn = 0;
                self.event.item.detail = 2;
            }
        }
        self.event_lost = self.events.lost;
    }
}
