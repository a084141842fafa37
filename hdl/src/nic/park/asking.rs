//! The ops of a selector that lets packets wait, one after the other, and who waits for what.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::words::{Ack, Connection, Control, Decided, Parked, Told};
use crate::comment;
use crate::manifest::MemoryKind;
use crate::nic::spray::Freeze;
use crate::parts::LATENCY_CYCLES;
use crate::prims::{DirectMemory, Fifo, Param, SimpleDualPort};

/// Most bytes of payload that the selector can count.
pub const MOST_BYTES: u32 = (1 << 14) - 1;

/// Gives the selector its ops one at a time, and parks the packets that it tells to wait.
///
/// Where several wait, what ACKs, timeouts and commands say comes first, then places that become free, parked packets that are to ask
/// again, probes, and the packets of the host in their order. All that a connection has to be remembered for stands in one word of a memory,
/// which is read with each job and written with its end. `C` is the width of a connection's number.
#[derive(LogicBlock, Default)]
pub struct Asking<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// From the scoreboard: 0 send, 1 ack, 3 timeout, 4 init. A send is known by its decision.
    pub spray_valid: Signal<In, bool>,
    pub spray_ready: Signal<Out, bool>,
    pub spray_kind: Signal<In, Bits<3>>,
    pub spray_conn: Signal<In, Bits<24>>,
    pub decide_valid: Signal<In, bool>,
    pub decide_ready: Signal<Out, bool>,
    pub decide_action: Signal<In, Bits<2>>,
    /// With a decision: the packet was sent before.
    pub decide_again: Signal<In, bool>,
    /// A packet of the host is taken to be decided about, and what it says.
    pub asked_valid: Signal<In, bool>,
    pub asked_conn: Signal<In, Bits<24>>,
    pub asked_bytes: Signal<In, Bits<16>>,
    pub asked_is_probe: Signal<In, bool>,
    /// Its connection, or one that does not exist where its bytes cannot be counted.
    pub counted_conn: Signal<Out, Bits<24>>,
    /// An ACK is executed, and what it says; it was not believed.
    pub ack_valid: Signal<In, bool>,
    pub ack_bytes: Signal<In, Bits<24>>,
    pub ack_timestamp: Signal<In, Bits<16>>,
    pub ack_bad: Signal<In, bool>,
    /// The commands `nack` and `set_min`, and what registers say with them and with the command that opens a connection.
    pub nack_valid: Signal<In, bool>,
    pub nack_ready: Signal<Out, bool>,
    pub nack_conn: Signal<In, Bits<24>>,
    pub set_min_valid: Signal<In, bool>,
    pub set_min_ready: Signal<Out, bool>,
    pub command_class: Signal<In, Bits<4>>,
    pub command_rtt: Signal<In, Bits<16>>,
    /// A probe wants an EV; one at a time.
    pub probe_valid: Signal<In, bool>,
    pub probe_ready: Signal<Out, bool>,
    pub probe_conn: Signal<In, Bits<24>>,
    pub probe_ev_valid: Signal<Out, bool>,
    pub probe_ev: Signal<Out, Bits<16>>,
    /// To and from the selector.
    pub op_valid: Signal<Out, bool>,
    pub op_ready: Signal<In, bool>,
    pub op_kind: Signal<Out, Bits<3>>,
    pub op_conn: Signal<Out, Bits<24>>,
    pub op_bytes: Signal<Out, Bits<14>>,
    pub op_rtx: Signal<Out, bool>,
    pub op_recvd: Signal<Out, Bits<24>>,
    pub op_timestamp: Signal<Out, Bits<16>>,
    pub op_class: Signal<Out, Bits<4>>,
    /// Whose op it is: 0 of ACKs, timeouts and commands, 1 of a parked packet, 2 of a probe, 3 of the host.
    pub op_from: Signal<Out, Bits<2>>,
    pub res_kind: Signal<In, Bits<2>>,
    pub res_ev: Signal<In, Bits<16>>,
    pub res_draining: Signal<In, bool>,
    pub drain_started: Signal<In, bool>,
    pub drain_done: Signal<In, bool>,
    pub drain_given_up: Signal<In, bool>,
    pub ack_refused: Signal<In, bool>,
    /// Always taken: 0 rewrite, 1 pass, 2 drop.
    pub grant_valid: Signal<Out, bool>,
    pub grant_action: Signal<Out, Bits<2>>,
    pub grant_ev: Signal<Out, Bits<16>>,
    /// Beside a grant: it is of data that is rewritten, and whether its frame is parked.
    pub way_valid: Signal<Out, bool>,
    pub way_parks: Signal<Out, bool>,
    pub way_place: Signal<Out, Bits<5>>,
    /// A parked packet leaves with this EV. Always taken.
    pub release_valid: Signal<Out, bool>,
    pub release_place: Signal<Out, Bits<5>>,
    pub release_ev: Signal<Out, Bits<16>>,
    /// The frame of a place has left.
    pub left_valid: Signal<In, bool>,
    pub left_ready: Signal<Out, bool>,
    pub left_place: Signal<In, Bits<5>>,
    /// Events: 13 XOFF, 14 XON.
    pub event_valid: Signal<Out, bool>,
    pub event_ready: Signal<In, bool>,
    pub event_kind: Signal<Out, Bits<4>>,
    pub event_conn: Signal<Out, Bits<24>>,
    /// One that found no room.
    pub event_lost: Signal<Out, bool>,
    pub count_explore: Signal<Out, bool>,
    pub count_recycle: Signal<Out, bool>,
    pub count_replay: Signal<Out, bool>,
    pub count_tx_parked: Signal<Out, bool>,
    /// The host's packet that is next holds up those behind it.
    pub count_tx_held: Signal<Out, bool>,

    told: Fifo<Told, 4, 5>,
    acks: Fifo<Ack, 4, 5>,
    controls: Fifo<Control, 4, 5>,
    host: Fifo<Decided, 4, 5>,
    freezes: Fifo<Freeze, 4, 5>,
    /// Places of packets that are to ask again, and places without one.
    wakes: Fifo<Bits<5>, 5, 6>,
    free: Fifo<Bits<5>, 5, 6>,
    parked: DirectMemory<Parked>,
    connections: SimpleDualPort<Bits<C>, Connection>,

    is_send: Signal<Local, bool>,
    wanted: Signal<Local, Control>,
    takes_ack: Signal<Local, bool>,
    is_beyond: Signal<Local, bool>,
    decided: Signal<Local, Decided>,
    /// Packets of the host that were decided about and are not granted yet.
    deciding: DFF<Bits<4>>,

    /// Words of connections that are to be cleared, and places that are to be given.
    clearing: DFF<bool>,
    clear_at: DFF<Bits<C>>,
    filling: DFF<bool>,
    fill_at: DFF<Bits<5>>,
    is_up: Signal<Local, bool>,

    reads: DFF<bool>,
    acts: DFF<bool>,
    answers: DFF<Bits<3>>,
    /// What is done: 0 an op of ACKs, timeouts and commands, 1 of a parked packet, 2 of a probe, 3 of the host; 4 a place becomes free, 5 the
    /// host's packet is parked that was told to wait. It takes three cycles, or nine with an op.
    job: DFF<Bits<3>>,
    kind: DFF<Bits<3>>,
    conn: DFF<Bits<24>>,
    bytes: DFF<Bits<14>>,
    rtx: DFF<bool>,
    recvd: DFF<Bits<24>>,
    timestamp: DFF<Bits<16>>,
    place: DFF<Bits<5>>,
    is_idle: Signal<Local, bool>,
    from_control: Signal<Local, bool>,
    from_left: Signal<Local, bool>,
    from_wakes: Signal<Local, bool>,
    from_probe: Signal<Local, bool>,
    from_host: Signal<Local, bool>,
    settles: Signal<Local, bool>,
    parks_head: Signal<Local, bool>,

    /// The packet of the host that is next: it waits for one of its connection that is parked; it was told to wait, by a drain; it was counted.
    head_held: DFF<bool>,
    head_waits: DFF<bool>,
    head_draining: DFF<bool>,
    head_counted: DFF<bool>,
    head: Signal<Local, Decided>,
    is_first: Signal<Local, bool>,
    fits: Signal<Local, bool>,
    is_head: Signal<Local, bool>,

    word: Signal<Local, Connection>,
    after: Signal<Local, Connection>,
    writes: Signal<Local, bool>,
    is_held: Signal<Local, bool>,
    is_op: Signal<Local, bool>,
    takes: Signal<Local, bool>,
    answered: Signal<Local, bool>,
    waits: Signal<Local, bool>,
    wakes_all: Signal<Local, bool>,
    wakes_some: Signal<Local, bool>,
    wakes_parked: Signal<Local, bool>,
    is_left: Signal<Local, bool>,
    parks: Signal<Local, bool>,
    grants: Signal<Local, bool>,
    counts_held: Signal<Local, bool>,
    change: Signal<Local, Freeze>,
    is_change: Signal<Local, bool>,

    most_bytes: Param<Bits<14>>,
    last_place: Param<Bits<5>>,
    latency: Param<Bits<3>>,
}

impl<const C: usize> Asking<C> {
    /// The block for so many places, each for a frame with at most so many bytes of payload.
    pub fn new(places: u32, most_bytes: u32) -> Self {
        let kind = MemoryKind::Distributed;
        Self {
            told: Fifo::new("told", kind),
            acks: Fifo::new("acks", kind),
            controls: Fifo::new("controls", kind),
            host: Fifo::new("host", kind),
            freezes: Fifo::new("freezes", kind),
            wakes: Fifo::new("wakes", kind),
            free: Fifo::new("free", kind),
            parked: DirectMemory::new("parked_memory", "whose packets are parked"),
            connections: SimpleDualPort::new(
                "connection_memory",
                "paths and parked packet of every connection",
                MemoryKind::Block,
            ),
            most_bytes: Param::new(u64::from(most_bytes.min(MOST_BYTES)).into()),
            last_place: Param::new(u64::from(places - 1).into()),
            latency: Param::new(u64::from(LATENCY_CYCLES).into()),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Asking<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "The ops of a selector that lets packets wait, one after the other, and who waits for what."
        );
        dff_setup!(self, clk, deciding, clearing, clear_at, filling, fill_at, reads, acts, answers, job);
        dff_setup!(self, clk, kind, conn, bytes, rtx, recvd, timestamp, place);
        dff_setup!(self, clk, head_held, head_waits, head_draining, head_counted);
        self.told.clk.next = self.clk.val();
        self.acks.clk.next = self.clk.val();
        self.controls.clk.next = self.clk.val();
        self.host.clk.next = self.clk.val();
        self.freezes.clk.next = self.clk.val();
        self.wakes.clk.next = self.clk.val();
        self.free.clk.next = self.clk.val();
        self.parked.clk.next = self.clk.val();
        self.connections.clk.next = self.clk.val();
        self.told.rst.next = self.rst.val();
        self.acks.rst.next = self.rst.val();
        self.controls.rst.next = self.rst.val();
        self.host.rst.next = self.rst.val();
        self.freezes.rst.next = self.rst.val();
        self.wakes.rst.next = self.rst.val();
        self.free.rst.next = self.rst.val();

        comment!("What packets and ACKs say waits until sack_tx has decided about them.");
        self.is_beyond.next = self.asked_bytes.val().get_bits::<2>(14).any() & !self.asked_is_probe.val();
        self.counted_conn.next = self.asked_conn.val();
        if self.is_beyond.val() {
            self.counted_conn.next = bits::<24>(0xff_ffff);
        }
        self.told.in_valid.next = self.asked_valid.val();
        self.told.in_data.next.bytes = self.asked_bytes.val().get_bits::<14>(0);
        self.told.in_data.next.is_data = !self.asked_is_probe.val();
        self.told.out_ready.next = self.decide_valid.val();
        self.acks.in_valid.next = self.ack_valid.val();
        self.acks.in_data.next.recvd = self.ack_bytes.val();
        self.acks.in_data.next.timestamp = self.ack_timestamp.val();

        comment!("Ops that are no sends: of the scoreboard first, then of commands.");
        self.is_send.next = self.spray_kind.val() == bits::<3>(0);
        self.wanted.next.kind = self.spray_kind.val();
        self.wanted.next.conn = self.spray_conn.val();
        self.wanted.next.recvd = self.acks.out_data.val().recvd;
        self.wanted.next.timestamp = self.acks.out_data.val().timestamp;
        if !self.spray_valid.val() | self.is_send.val() {
            self.wanted.next.kind = bits::<3>(2);
            self.wanted.next.conn = self.nack_conn.val();
            if !self.nack_valid.val() {
                self.wanted.next.kind = bits::<3>(5);
            }
        }
        self.controls.in_data.next = self.wanted.val();
        self.controls.in_valid.next =
            (self.spray_valid.val() & !self.is_send.val()) | self.nack_valid.val() | self.set_min_valid.val();
        self.spray_ready.next = self.is_send.val() | self.controls.in_ready.val();
        self.nack_ready.next = self.controls.in_ready.val() & !(self.spray_valid.val() & !self.is_send.val());
        self.set_min_ready.next = self.controls.in_ready.val()
            & !(self.spray_valid.val() & !self.is_send.val())
            & !self.nack_valid.val();
        self.takes_ack.next =
            self.spray_valid.val() & (self.spray_kind.val() == bits::<3>(1)) & self.controls.in_ready.val();
        self.acks.out_ready.next = self.takes_ack.val() | self.ack_bad.val();

        comment!(
            "Packets of the host, as they are decided about. Room is kept for those that are on their way."
        );
        self.decided.next.action = self.decide_action.val();
        self.decided.next.conn = self.spray_conn.val();
        self.decided.next.bytes = self.told.out_data.val().bytes;
        if !self.told.out_data.val().is_data {
            self.decided.next.bytes = bits::<14>(0);
        }
        self.decided.next.is_data = self.told.out_data.val().is_data;
        self.decided.next.again = self.decide_again.val();
        self.host.in_valid.next = self.decide_valid.val();
        self.host.in_data.next = self.decided.val();
        if self.decide_valid.val() & !self.grants.val() {
            self.deciding.d.next = self.deciding.q.val() + 1;
        }
        if self.grants.val() & !self.decide_valid.val() {
            self.deciding.d.next = self.deciding.q.val() - 1;
        }
        self.decide_ready.next = !self.deciding.q.val().get_bit(3);

        comment!("After a reset no connection has a packet here, and every place is free.");
        self.is_up.next = !self.clearing.q.val() & !self.filling.q.val();
        if self.clearing.q.val() {
            self.clear_at.d.next = self.clear_at.q.val() + 1;
            if self.clear_at.q.val().all() {
                self.clearing.d.next = false;
            }
        }
        if self.filling.q.val() & self.free.in_ready.val() {
            self.fill_at.d.next = self.fill_at.q.val() + 1;
            if self.fill_at.q.val() == self.last_place.val() {
                self.filling.d.next = false;
            }
        }

        comment!("The next job.");
        self.head.next = self.host.out_data.val();
        self.is_first.next = self.head.val().is_data & !self.head.val().again;
        self.fits.next = self.head.val().bytes <= self.most_bytes.val();
        self.is_idle.next =
            self.is_up.val() & !self.reads.q.val() & !self.acts.q.val() & !self.answers.q.val().any();
        self.from_control.next = self.is_idle.val() & self.controls.out_valid.val();
        self.from_left.next = self.is_idle.val() & !self.controls.out_valid.val() & self.left_valid.val();
        self.from_wakes.next = self.is_idle.val()
            & !self.controls.out_valid.val()
            & !self.left_valid.val()
            & self.wakes.out_valid.val();
        self.from_probe.next = self.is_idle.val()
            & !self.controls.out_valid.val()
            & !self.left_valid.val()
            & !self.wakes.out_valid.val()
            & self.probe_valid.val();
        self.from_host.next = self.is_idle.val()
            & !self.controls.out_valid.val()
            & !self.left_valid.val()
            & !self.wakes.out_valid.val()
            & !self.probe_valid.val()
            & self.host.out_valid.val();
        self.settles.next = self.from_host.val() & self.head.val().action.any();
        self.parks_head.next = self.head_waits.q.val() & self.free.out_valid.val() & self.fits.val();
        self.controls.out_ready.next = self.from_control.val();
        self.wakes.out_ready.next = self.from_wakes.val();
        self.probe_ready.next = self.from_probe.val();
        self.parked.read_address.next = self.wakes.out_data.val();
        if self.left_valid.val() {
            self.parked.read_address.next = self.left_place.val();
        }
        if self.is_idle.val() {
            self.kind.d.next = bits::<3>(0);
            self.bytes.d.next = bits::<14>(0);
            self.rtx.d.next = false;
            self.recvd.d.next = self.controls.out_data.val().recvd;
            self.timestamp.d.next = self.controls.out_data.val().timestamp;
            self.place.d.next = self.wakes.out_data.val();
            self.conn.d.next = self.parked.read_data.val().conn;
        }
        if self.from_control.val() {
            self.job.d.next = bits::<3>(0);
            self.kind.d.next = self.controls.out_data.val().kind;
            self.conn.d.next = self.controls.out_data.val().conn;
            self.reads.d.next = true;
        }
        if self.from_left.val() {
            self.job.d.next = bits::<3>(4);
            self.place.d.next = self.left_place.val();
            self.reads.d.next = true;
        }
        if self.from_wakes.val() {
            self.job.d.next = bits::<3>(1);
            self.bytes.d.next = self.parked.read_data.val().bytes;
            self.reads.d.next = true;
        }
        if self.from_probe.val() {
            self.job.d.next = bits::<3>(2);
            self.conn.d.next = self.probe_conn.val();
            self.reads.d.next = true;
        }
        if self.from_host.val() & !self.settles.val() {
            self.conn.d.next = self.head.val().conn;
            self.bytes.d.next = self.head.val().bytes;
            self.rtx.d.next = self.head.val().again;
            if self.parks_head.val() {
                self.job.d.next = bits::<3>(5);
                self.reads.d.next = true;
            } else {
                self.job.d.next = bits::<3>(3);
                self.reads.d.next = !self.head_held.q.val() & !self.head_waits.q.val();
            }
        }

        comment!(
            "The word of its connection is read, and then the op is given, or the job is done without one."
        );
        self.connections.read_address.next = self.conn.q.val().get_bits::<C>(0);
        self.word.next = self.connections.read_data.val();
        if self.reads.q.val() {
            self.reads.d.next = false;
            self.acts.d.next = true;
        }
        self.is_held.next = (self.job.q.val() == bits::<3>(3)) & self.is_first.val() & self.word.val().parked;
        self.is_op.next = self.acts.q.val() & !self.job.q.val().get_bit(2) & !self.is_held.val();
        self.takes.next = self.is_op.val() & self.op_ready.val();
        if self.takes.val() | (self.acts.q.val() & !self.is_op.val()) {
            self.acts.d.next = false;
        }
        if self.takes.val() {
            self.answers.d.next = self.latency.val();
        }
        if self.answers.q.val().any() {
            self.answers.d.next = self.answers.q.val() - 1;
        }
        self.op_valid.next = self.is_op.val();
        self.op_kind.next = self.kind.q.val();
        self.op_conn.next = self.conn.q.val();
        self.op_bytes.next = self.bytes.q.val();
        self.op_rtx.next = self.rtx.q.val();
        self.op_recvd.next = self.recvd.q.val();
        self.op_timestamp.next = self.timestamp.q.val();
        self.op_class.next = self.word.val().path_class;
        if self.kind.q.val().get_bit(2) {
            self.op_recvd.next = bits::<24>(0);
            self.op_timestamp.next = self.command_rtt.val();
            self.op_class.next = self.command_class.val();
        }
        self.op_from.next = self.job.q.val().get_bits::<2>(0);

        comment!("What came of it.");
        self.answered.next = self.answers.q.val() == bits::<3>(1);
        self.waits.next = self.res_kind.val() == bits::<2>(3);
        self.is_head.next = self.host.out_valid.val() & (self.conn.q.val() == self.head.val().conn);
        self.is_left.next = self.acts.q.val() & (self.job.q.val() == bits::<3>(4));
        self.after.next = self.word.val();
        self.writes.next = false;

        comment!("Of a drain that ends, or of an init; and of an ACK, for who does not wait for a drain.");
        self.wakes_all.next = self.answered.val()
            & (self.job.q.val() == bits::<3>(0))
            & (self.drain_done.val() | self.drain_given_up.val() | (self.kind.q.val() == bits::<3>(4)));
        self.wakes_some.next = self.answered.val()
            & (self.job.q.val() == bits::<3>(0))
            & (self.kind.q.val() == bits::<3>(1))
            & !self.ack_refused.val();
        self.wakes_parked.next = self.word.val().parked
            & self.word.val().asleep
            & (self.wakes_all.val() | (self.wakes_some.val() & !self.word.val().draining));
        self.wakes.in_valid.next = self.wakes_parked.val();
        self.wakes.in_data.next = self.word.val().place;
        if self.wakes_parked.val() {
            self.writes.next = true;
            self.after.next.asleep = false;
        }
        if self.is_head.val() & (self.wakes_all.val() | (self.wakes_some.val() & !self.head_draining.q.val()))
        {
            self.head_waits.d.next = false;
        }
        if self.answered.val() & (self.job.q.val() == bits::<3>(0)) & (self.kind.q.val() == bits::<3>(4)) {
            self.writes.next = true;
            self.after.next.path_class = self.command_class.val();
        }

        comment!("Of a parked packet that asked again.");
        self.release_valid.next =
            self.answered.val() & (self.job.q.val() == bits::<3>(1)) & !self.waits.val();
        self.release_place.next = self.place.q.val();
        self.release_ev.next = self.res_ev.val();
        if self.answered.val() & (self.job.q.val() == bits::<3>(1)) & self.waits.val() {
            self.writes.next = true;
            self.after.next.asleep = true;
            self.after.next.draining = self.res_draining.val();
        }

        comment!("Of a frame that has left its place.");
        self.left_ready.next = self.is_left.val();
        self.free.in_valid.next = self.filling.q.val() | self.is_left.val();
        self.free.in_data.next = self.place.q.val();
        if self.filling.q.val() {
            self.free.in_data.next = self.fill_at.q.val();
        }
        if self.is_left.val() {
            self.writes.next = true;
            self.after.next.parked = false;
            if self.is_head.val() {
                self.head_held.d.next = false;
            }
        }

        comment!("Of a packet of the host: it goes on, it is parked, or it holds up what is behind it.");
        self.parks.next = (self.acts.q.val() & (self.job.q.val() == bits::<3>(5)))
            | (self.answered.val()
                & (self.job.q.val() == bits::<3>(3))
                & self.waits.val()
                & self.free.out_valid.val()
                & self.fits.val());
        self.grants.next = self.settles.val()
            | self.parks.val()
            | (self.answered.val() & (self.job.q.val() == bits::<3>(3)) & !self.waits.val());
        self.counts_held.next = false;
        if self.acts.q.val() & self.is_held.val() {
            self.head_held.d.next = true;
            self.counts_held.next = !self.head_counted.q.val();
        }
        if self.answered.val() & (self.job.q.val() == bits::<3>(3)) & self.waits.val() & !self.parks.val() {
            self.head_waits.d.next = true;
            self.head_draining.d.next = self.res_draining.val();
            self.counts_held.next = !self.head_counted.q.val();
        }
        if self.counts_held.val() {
            self.head_counted.d.next = true;
        }
        self.free.out_ready.next = self.parks.val();
        self.parked.write_enable.next = self.parks.val();
        self.parked.write_address.next = self.free.out_data.val();
        self.parked.write_data.next.conn = self.conn.q.val();
        self.parked.write_data.next.bytes = self.bytes.q.val();
        if self.parks.val() {
            self.writes.next = true;
            self.after.next.parked = true;
            self.after.next.asleep = true;
            self.after.next.place = self.free.out_data.val();
            self.after.next.draining = self.res_draining.val();
            if self.acts.q.val() {
                self.after.next.draining = self.head_draining.q.val();
            }
        }
        self.host.out_ready.next = self.grants.val();
        if self.grants.val() {
            self.head_held.d.next = false;
            self.head_waits.d.next = false;
            self.head_counted.d.next = false;
        }
        self.grant_valid.next = self.grants.val();
        self.grant_action.next = self.head.val().action;
        self.grant_ev.next = self.res_ev.val();
        self.way_valid.next = self.grants.val() & !self.settles.val() & self.head.val().is_data;
        self.way_parks.next = self.parks.val();
        self.way_place.next = self.free.out_data.val();
        self.probe_ev_valid.next = self.answered.val() & (self.job.q.val() == bits::<3>(2));
        self.probe_ev.next = self.res_ev.val();
        self.connections.write_enable.next = self.writes.val() | self.clearing.q.val();
        self.connections.write_address.next = self.conn.q.val().get_bits::<C>(0);
        self.connections.write_data.next = self.after.val();
        if self.clearing.q.val() {
            self.connections.write_address.next = self.clear_at.q.val();
            self.connections.write_data.next.path_class = bits::<4>(0);
            self.connections.write_data.next.parked = false;
            self.connections.write_data.next.asleep = false;
            self.connections.write_data.next.draining = false;
            self.connections.write_data.next.place = bits::<5>(0);
        }

        comment!("The host is told of drains.");
        self.is_change.next = self.answered.val()
            & (self.drain_started.val() | self.drain_done.val() | self.drain_given_up.val());
        self.change.next.conn = self.conn.q.val();
        self.change.next.left = !self.drain_started.val();
        self.freezes.in_valid.next = self.is_change.val();
        self.freezes.in_data.next = self.change.val();
        self.event_lost.next = self.is_change.val() & !self.freezes.in_ready.val();
        self.freezes.out_ready.next = self.event_ready.val();
        self.event_valid.next = self.freezes.out_valid.val();
        self.event_conn.next = self.freezes.out_data.val().conn;
        self.event_kind.next = bits::<4>(13);
        if self.freezes.out_data.val().left {
            self.event_kind.next = bits::<4>(14);
        }
        self.count_explore.next =
            self.answered.val() & (self.kind.q.val() == bits::<3>(0)) & (self.res_kind.val() == bits::<2>(0));
        self.count_recycle.next = false;
        self.count_replay.next =
            self.answered.val() & (self.kind.q.val() == bits::<3>(0)) & (self.res_kind.val() == bits::<2>(2));
        self.count_tx_parked.next = self.parks.val();
        self.count_tx_held.next = self.counts_held.val();

        if self.rst.val() {
            self.deciding.d.next = bits::<4>(0);
            self.clearing.d.next = true;
            self.clear_at.d.next = bits::<C>(0);
            self.filling.d.next = true;
            self.fill_at.d.next = bits::<5>(0);
            self.reads.d.next = false;
            self.acts.d.next = false;
            self.answers.d.next = bits::<3>(0);
            self.head_held.d.next = false;
            self.head_waits.d.next = false;
            self.head_counted.d.next = false;
        }
    }
}
