//! The ops of a selector that lets packets wait, one after the other, and who waits for what.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::words::{Ack, Connection, Control, Decided, Parked, Told};
use crate::comment;
use crate::manifest::MemoryKind;
use crate::nic::spray::Freeze;
use crate::parts::LATENCY_CYCLES;
use crate::prims::{DirectMemory, Fifo, Param, Reg, SimpleDualPort};

/// Most bytes of payload that the selector can count.
pub const MOST_BYTES: u32 = (1 << 14) - 1;

/// Gives the selector its ops one at a time, and parks the packets that it tells to wait.
///
/// Where several wait, what ACKs, timeouts and commands say comes first, then places that become free, parked packets that are to ask
/// again, probes, and the packets of the host in their order. All that a connection has to be remembered for stands in one word of a memory,
/// which is read with each job and written with its end. `C` is the width of a connection's number.
#[block]
pub struct Asking<const C: usize> {
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

    wanted: Signal<Local, Control>,
    decided: Signal<Local, Decided>,
    /// Packets of the host that were decided about and are not granted yet.
    #[reset = 0]
    deciding: Reg<Bits<4>>,

    /// Words of connections that are to be cleared, and places that are to be given.
    #[reset = true]
    clearing: Reg<bool>,
    #[reset = 0]
    clear_at: Reg<Bits<C>>,
    #[reset = true]
    filling: Reg<bool>,
    #[reset = 0]
    fill_at: Reg<Bits<5>>,

    #[reset = false]
    reads: Reg<bool>,
    #[reset = false]
    acts: Reg<bool>,
    #[reset = 0]
    answers: Reg<Bits<3>>,
    /// What is done: 0 an op of ACKs, timeouts and commands, 1 of a parked packet, 2 of a probe, 3 of the host; 4 a place becomes free, 5 the
    /// host's packet is parked that was told to wait. It takes three cycles, or nine with an op.
    job: Reg<Bits<3>>,
    kind: Reg<Bits<3>>,
    conn: Reg<Bits<24>>,
    bytes: Reg<Bits<14>>,
    rtx: Reg<bool>,
    recvd: Reg<Bits<24>>,
    timestamp: Reg<Bits<16>>,
    place: Reg<Bits<5>>,

    /// The packet of the host that is next: it waits for one of its connection that is parked; it was told to wait, by a drain; it was counted.
    #[reset = false]
    head_held: Reg<bool>,
    #[reset = false]
    head_waits: Reg<bool>,
    head_draining: Reg<bool>,
    #[reset = false]
    head_counted: Reg<bool>,
    head: Signal<Local, Decided>,

    word: Signal<Local, Connection>,
    after: Signal<Local, Connection>,
    grants: Signal<Local, bool>,
    change: Signal<Local, Freeze>,

    most_bytes: Param<Bits<14>>,
    last_place: Param<Bits<5>>,
    latency: Param<Bits<3>>,
}

#[block]
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

    fn update(&mut self) {
        comment!(
            "The ops of a selector that lets packets wait, one after the other, and who waits for what."
        );

        comment!("What packets and ACKs say waits until sack_tx has decided about them.");
        let is_beyond = self.asked_bytes.get_bits::<2>(14).any() & !self.asked_is_probe;
        self.counted_conn = self.asked_conn;
        if is_beyond {
            self.counted_conn = 0xff_ffff;
        }
        self.told.in_valid = self.asked_valid;
        self.told.in_data.bytes = self.asked_bytes.get_bits::<14>(0);
        self.told.in_data.is_data = !self.asked_is_probe;
        self.told.out_ready = self.decide_valid;
        self.acks.in_valid = self.ack_valid;
        self.acks.in_data.recvd = self.ack_bytes;
        self.acks.in_data.timestamp = self.ack_timestamp;

        comment!("Ops that are no sends: of the scoreboard first, then of commands.");
        let is_send = self.spray_kind == 0;
        self.wanted.kind = self.spray_kind;
        self.wanted.conn = self.spray_conn;
        self.wanted.recvd = self.acks.out_data.recvd;
        self.wanted.timestamp = self.acks.out_data.timestamp;
        if !self.spray_valid | is_send {
            self.wanted.kind = 2;
            self.wanted.conn = self.nack_conn;
            if !self.nack_valid {
                self.wanted.kind = 5;
            }
        }
        self.controls.in_data = self.wanted;
        self.controls.in_valid = (self.spray_valid & !is_send) | self.nack_valid | self.set_min_valid;
        self.spray_ready = is_send | self.controls.in_ready;
        self.nack_ready = self.controls.in_ready & !(self.spray_valid & !is_send);
        self.set_min_ready = self.controls.in_ready & !(self.spray_valid & !is_send) & !self.nack_valid;
        let takes_ack = self.spray_valid & (self.spray_kind == 1) & self.controls.in_ready;
        self.acks.out_ready = takes_ack | self.ack_bad;

        comment!(
            "Packets of the host, as they are decided about. Room is kept for those that are on their way."
        );
        self.decided.action = self.decide_action;
        self.decided.conn = self.spray_conn;
        self.decided.bytes = self.told.out_data.bytes;
        if !self.told.out_data.is_data {
            self.decided.bytes = 0;
        }
        self.decided.is_data = self.told.out_data.is_data;
        self.decided.again = self.decide_again;
        self.host.in_valid = self.decide_valid;
        self.host.in_data = self.decided;
        if self.decide_valid & !self.grants {
            self.deciding = self.deciding + 1;
        }
        if self.grants & !self.decide_valid {
            self.deciding = self.deciding - 1;
        }
        self.decide_ready = !self.deciding.get_bit(3);

        comment!("After a reset no connection has a packet here, and every place is free.");
        let is_up = !self.clearing & !self.filling;
        if self.clearing {
            self.clear_at = self.clear_at + 1;
            if self.clear_at.all() {
                self.clearing = false;
            }
        }
        if self.filling & self.free.in_ready {
            self.fill_at = self.fill_at + 1;
            if self.fill_at == self.last_place {
                self.filling = false;
            }
        }

        comment!("The next job.");
        self.head = self.host.out_data;
        let is_first = self.head.is_data & !self.head.again;
        let fits = self.head.bytes <= self.most_bytes;
        let is_idle = is_up & !self.reads & !self.acts & !self.answers.any();
        let from_control = is_idle & self.controls.out_valid;
        let from_left = is_idle & !self.controls.out_valid & self.left_valid;
        let from_wakes = is_idle & !self.controls.out_valid & !self.left_valid & self.wakes.out_valid;
        let from_probe =
            is_idle & !self.controls.out_valid & !self.left_valid & !self.wakes.out_valid & self.probe_valid;
        let from_host = is_idle
            & !self.controls.out_valid
            & !self.left_valid
            & !self.wakes.out_valid
            & !self.probe_valid
            & self.host.out_valid;
        let settles = from_host & self.head.action.any();
        let parks_head = self.head_waits & self.free.out_valid & fits;
        self.controls.out_ready = from_control;
        self.wakes.out_ready = from_wakes;
        self.probe_ready = from_probe;
        self.parked.read_address = self.wakes.out_data;
        if self.left_valid {
            self.parked.read_address = self.left_place;
        }
        if is_idle {
            self.kind = 0;
            self.bytes = 0;
            self.rtx = false;
            self.recvd = self.controls.out_data.recvd;
            self.timestamp = self.controls.out_data.timestamp;
            self.place = self.wakes.out_data;
            self.conn = self.parked.read_data.conn;
        }
        if from_control {
            self.job = 0;
            self.kind = self.controls.out_data.kind;
            self.conn = self.controls.out_data.conn;
            self.reads = true;
        }
        if from_left {
            self.job = 4;
            self.place = self.left_place;
            self.reads = true;
        }
        if from_wakes {
            self.job = 1;
            self.bytes = self.parked.read_data.bytes;
            self.reads = true;
        }
        if from_probe {
            self.job = 2;
            self.conn = self.probe_conn;
            self.reads = true;
        }
        if from_host & !settles {
            self.conn = self.head.conn;
            self.bytes = self.head.bytes;
            self.rtx = self.head.again;
            if parks_head {
                self.job = 5;
                self.reads = true;
            } else {
                self.job = 3;
                self.reads = !self.head_held & !self.head_waits;
            }
        }

        comment!(
            "The word of its connection is read, and then the op is given, or the job is done without one."
        );
        self.connections.read_address = self.conn.get_bits::<C>(0);
        self.word = self.connections.read_data;
        if self.reads {
            self.reads = false;
            self.acts = true;
        }
        let is_held = (self.job == 3) & is_first & self.word.parked;
        let is_op = self.acts & !self.job.get_bit(2) & !is_held;
        let takes = is_op & self.op_ready;
        if takes | (self.acts & !is_op) {
            self.acts = false;
        }
        if takes {
            self.answers = self.latency;
        }
        if self.answers.any() {
            self.answers = self.answers - 1;
        }
        self.op_valid = is_op;
        self.op_kind = self.kind;
        self.op_conn = self.conn;
        self.op_bytes = self.bytes;
        self.op_rtx = self.rtx;
        self.op_recvd = self.recvd;
        self.op_timestamp = self.timestamp;
        self.op_class = self.word.path_class;
        if self.kind.get_bit(2) {
            self.op_recvd = 0;
            self.op_timestamp = self.command_rtt;
            self.op_class = self.command_class;
        }
        self.op_from = self.job.get_bits::<2>(0);

        comment!("What came of it.");
        let answered = self.answers == 1;
        let waits = self.res_kind == 3;
        let is_head = self.host.out_valid & (self.conn == self.head.conn);
        let is_left = self.acts & (self.job == 4);
        self.after = self.word;
        let mut writes = false;

        comment!("Of a drain that ends, or of an init; and of an ACK, for who does not wait for a drain.");
        let wakes_all =
            answered & (self.job == 0) & (self.drain_done | self.drain_given_up | (self.kind == 4));
        let wakes_some = answered & (self.job == 0) & (self.kind == 1) & !self.ack_refused;
        let wakes_parked =
            self.word.parked & self.word.asleep & (wakes_all | (wakes_some & !self.word.draining));
        self.wakes.in_valid = wakes_parked;
        self.wakes.in_data = self.word.place;
        if wakes_parked {
            writes = true;
            self.after.asleep = false;
        }
        if is_head & (wakes_all | (wakes_some & !self.head_draining)) {
            self.head_waits = false;
        }
        if answered & (self.job == 0) & (self.kind == 4) {
            writes = true;
            self.after.path_class = self.command_class;
        }

        comment!("Of a parked packet that asked again.");
        self.release_valid = answered & (self.job == 1) & !waits;
        self.release_place = self.place;
        self.release_ev = self.res_ev;
        if answered & (self.job == 1) & waits {
            writes = true;
            self.after.asleep = true;
            self.after.draining = self.res_draining;
        }

        comment!("Of a frame that has left its place.");
        self.left_ready = is_left;
        self.free.in_valid = self.filling | is_left;
        self.free.in_data = self.place;
        if self.filling {
            self.free.in_data = self.fill_at;
        }
        if is_left {
            writes = true;
            self.after.parked = false;
            if is_head {
                self.head_held = false;
            }
        }

        comment!("Of a packet of the host: it goes on, it is parked, or it holds up what is behind it.");
        let parks =
            (self.acts & (self.job == 5)) | (answered & (self.job == 3) & waits & self.free.out_valid & fits);
        self.grants = settles | parks | (answered & (self.job == 3) & !waits);
        let mut counts_held = false;
        if self.acts & is_held {
            self.head_held = true;
            counts_held = !self.head_counted;
        }
        if answered & (self.job == 3) & waits & !parks {
            self.head_waits = true;
            self.head_draining = self.res_draining;
            counts_held = !self.head_counted;
        }
        if counts_held {
            self.head_counted = true;
        }
        self.free.out_ready = parks;
        self.parked.write_enable = parks;
        self.parked.write_address = self.free.out_data;
        self.parked.write_data.conn = self.conn;
        self.parked.write_data.bytes = self.bytes;
        if parks {
            writes = true;
            self.after.parked = true;
            self.after.asleep = true;
            self.after.place = self.free.out_data;
            self.after.draining = self.res_draining;
            if self.acts {
                self.after.draining = self.head_draining;
            }
        }
        self.host.out_ready = self.grants;
        if self.grants {
            self.head_held = false;
            self.head_waits = false;
            self.head_counted = false;
        }
        self.grant_valid = self.grants;
        self.grant_action = self.head.action;
        self.grant_ev = self.res_ev;
        self.way_valid = self.grants & !settles & self.head.is_data;
        self.way_parks = parks;
        self.way_place = self.free.out_data;
        self.probe_ev_valid = answered & (self.job == 2);
        self.probe_ev = self.res_ev;
        self.connections.write_enable = writes | self.clearing;
        self.connections.write_address = self.conn.get_bits::<C>(0);
        self.connections.write_data = self.after;
        if self.clearing {
            self.connections.write_address = self.clear_at;
            self.connections.write_data.path_class = 0;
            self.connections.write_data.parked = false;
            self.connections.write_data.asleep = false;
            self.connections.write_data.draining = false;
            self.connections.write_data.place = 0;
        }

        comment!("The host is told of drains.");
        let is_change = answered & (self.drain_started | self.drain_done | self.drain_given_up);
        self.change.conn = self.conn;
        self.change.left = !self.drain_started;
        self.freezes.in_valid = is_change;
        self.freezes.in_data = self.change;
        self.event_lost = is_change & !self.freezes.in_ready;
        self.freezes.out_ready = self.event_ready;
        self.event_valid = self.freezes.out_valid;
        self.event_conn = self.freezes.out_data.conn;
        self.event_kind = 13;
        if self.freezes.out_data.left {
            self.event_kind = 14;
        }
        self.count_explore = answered & (self.kind == 0) & (self.res_kind == 0);
        self.count_recycle = false;
        self.count_replay = answered & (self.kind == 0) & (self.res_kind == 2);
        self.count_tx_parked = parks;
        self.count_tx_held = counts_held;
    }
}
