//! `nic_flows`: what is known of each connection of Ultra Ethernet beside its engines: who its peer is, and when a packet left that
//! is timed.
//!
//! ```text
//!  first ACKs ──┐
//!  commands ────┤
//!  decisions ───┼──► one at a time ──► memories ──► compare ──► write back
//!  ACKs, NACKs ─┤                         │               └──► heard_*, to the scoreboard
//!  probes ──────┘                         └──► probe_*, to the prober
//!  packets ──────────────────────────► peers ──► refused, to the receiver
//! ```
//!
//! The sender times one packet of a connection at a time. A packet that left again is timed from then on; of one that left a third time
//! nothing is known. An ACK of it comes out with the time at which it left, as if its header had echoed that.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, Reg, SimpleDualPort, resize};
use crate::signal_struct;

signal_struct! {
    /// Who the peer of a connection is: 20 bits.
    pub struct PeerOf {
        /// The number by which it knows the connection, if it is bound.
        pub pdc: Bits<16>,
        pub is_bound: bool,
        /// The connection is open for sending, and for receiving.
        pub sends: bool,
        pub receives: bool,
        /// What it receives comes in order.
        pub is_ordered: bool,
    }
}

signal_struct! {
    /// The packet of a connection that is timed, if one is: 50 bits.
    pub struct TimedPacket {
        pub is_timed: bool,
        pub psn: Bits<32>,
        /// When it left last, in ticks of the wire.
        pub sent_at: Bits<16>,
        /// It left twice.
        pub is_again: bool,
    }
}

signal_struct! {
    /// What was decided about a packet of the host, or that a connection was opened or closed for sending.
    pub struct Departed<const C: usize> {
        pub conn: Bits<C>,
        pub psn: Bits<32>,
        /// In ticks of the wire.
        pub time: Bits<16>,
        pub is_again: bool,
        pub is_renewed: bool,
    }
}

signal_struct! {
    /// What an ACK or NACK says, as its header has it.
    pub struct AckHeader {
        pub conn: Bits<24>,
        pub source_pdc: Bits<16>,
        pub is_nack: bool,
        /// It answers a probe, whose opaque stands in the place of the offset.
        pub probe: bool,
        pub retransmit: bool,
        /// Cumulative PSN; of a NACK the PSN that it refuses.
        pub cack: Bits<32>,
        /// Of a NACK its code, in the upper half. From the cumulative PSN to that of the packet that is answered, and to the bitmap's bit 0.
        pub offset: Bits<16>,
        pub base: Bits<16>,
        pub ooo: Bits<16>,
    }
}

signal_struct! {
    /// What the scoreboard hears of it.
    pub struct HeardAck {
        /// When what it answers left, in ticks of the wire, unless nobody knows.
        pub timestamp: Bits<16>,
        pub untimed: bool,
        /// Of a NACK, as `psn`, the PSN that it refuses.
        pub cum_next: Bits<32>,
        pub psn: Bits<32>,
        /// Of a NACK.
        pub code: Bits<8>,
        pub base: Bits<32>,
        pub ooo: Bits<12>,
        /// It is not of the peer.
        pub is_refused: bool,
        /// If it is taken, it says who the peer is.
        pub is_unbound: bool,
    }
}

/// Keeps peers and times of `2^C` connections.
///
/// An update takes five cycles. First ACKs and commands come first, then decisions, then ACKs, then probes: a packet is timed before
/// anyone can answer it. While an ACK is in work that may say who the peer is, no further one is looked at.
///
/// A packet that comes is looked up at the edge of `look_valid`; two cycles later `refused` says what was found.
#[block]
pub struct Flows<const C: usize> {
    pub wire_time: Signal<In, Bits<16>>,
    /// Pulses, at most one of them in a cycle: a packet leaves for the first time, it leaves again, a connection is opened or closed.
    pub sent: Signal<In, bool>,
    pub again: Signal<In, bool>,
    pub renewed: Signal<In, bool>,
    pub conn: Signal<In, Bits<C>>,
    pub psn: Signal<In, Bits<32>>,

    /// Pulses: the command to open or to close a connection was executed, for sending and for receiving. What it says is there in that cycle.
    pub tx_changed: Signal<In, bool>,
    pub opens_tx: Signal<In, bool>,
    pub rx_ready: Signal<In, bool>,
    pub opens_rx: Signal<In, bool>,
    pub closes_rx: Signal<In, bool>,
    pub command_conn: Signal<In, Bits<C>>,
    /// 0: what is known stays.
    pub command_peer: Signal<In, Bits<16>>,
    pub command_mode: Signal<In, Bits<2>>,

    /// A pulse: the result of an ACK that may say who the peer is, and whether it does.
    pub bind_valid: Signal<In, bool>,
    pub bind_takes: Signal<In, bool>,
    pub bind_conn: Signal<In, Bits<C>>,
    pub bind_pdc: Signal<In, Bits<16>>,

    /// A packet comes: its source, and of some the kind of delivery. Nothing is known of an exempt one.
    pub look_valid: Signal<In, bool>,
    pub look_conn: Signal<In, Bits<C>>,
    pub look_source: Signal<In, Bits<16>>,
    pub look_is_exempt: Signal<In, bool>,
    pub look_has_order: Signal<In, bool>,
    pub look_is_ordered: Signal<In, bool>,
    pub refused: Signal<Out, bool>,

    /// The ACK or NACK that is next. All fields hold until `ack_ready`.
    pub ack_valid: Signal<In, bool>,
    pub ack_ready: Signal<Out, bool>,
    pub ack: Signal<In, AckHeader>,
    /// The cumulative PSN is rounded down to a multiple of 2^n before the offset of a bitmap counts.
    pub align: Signal<In, Bits<2>>,
    /// The same for the scoreboard. All fields hold until `heard_ready`.
    pub heard_valid: Signal<Out, bool>,
    pub heard_ready: Signal<In, bool>,
    pub heard: Signal<Out, HeardAck>,

    /// The connection of a probe is looked up, and holds until a pulse says who its peer is.
    pub probe_valid: Signal<In, bool>,
    pub probe_conn: Signal<In, Bits<C>>,
    pub probe_looked: Signal<Out, bool>,
    pub probe_is_bound: Signal<Out, bool>,
    pub probe_pdc: Signal<Out, Bits<16>>,

    /// Pulses: what a command, a first ACK says is known from this cycle on.
    pub command_known: Signal<Out, bool>,
    pub bind_known: Signal<Out, bool>,

    peers: SimpleDualPort<Bits<C>, PeerOf>,
    /// The same for packets.
    sources: SimpleDualPort<Bits<C>, PeerOf>,
    times: SimpleDualPort<Bits<C>, TimedPacket>,
    decisions: Fifo<Departed<C>, 4, 5>,

    #[reset = false]
    is_ready: Reg<bool>,
    #[reset = 0]
    clear_at: Reg<Bits<C>>,

    /// A command, a first ACK whose change is not written yet.
    #[reset = false]
    command_waits: Reg<bool>,
    waiting_conn: Reg<Bits<C>>,
    waiting_peer: Reg<Bits<16>>,
    waiting_order: Reg<bool>,
    waiting_is_tx: Reg<bool>,
    waiting_opens: Reg<bool>,
    #[reset = false]
    bind_waits: Reg<bool>,
    binding_conn: Reg<Bits<C>>,
    binding_pdc: Reg<Bits<16>>,
    /// An ACK is in work that may say who the peer is.
    #[reset = false]
    awaits_bind: Reg<bool>,

    /// The probe was taken, and is not done with.
    #[reset = false]
    probe_waits: Reg<bool>,

    /// The steps of an update.
    #[reset = false]
    reads: Reg<bool>,
    #[reset = false]
    comes: Reg<bool>,
    #[reset = false]
    compares: Reg<bool>,
    #[reset = false]
    writes: Reg<bool>,
    is_bind: Reg<bool>,
    is_command: Reg<bool>,
    is_ack: Reg<bool>,
    is_probe: Reg<bool>,
    is_foreign: Reg<bool>,
    decision: Reg<Departed<C>>,
    key: Reg<Bits<32>>,

    answered: Reg<Bits<32>>,
    cum_next: Reg<Bits<32>>,
    base: Reg<Bits<32>>,
    ooo: Reg<Bits<12>>,

    kept: Reg<TimedPacket>,
    peer: Reg<PeerOf>,
    is_it: Reg<bool>,
    is_passed: Reg<bool>,
    is_other: Reg<bool>,
    next: Signal<Local, TimedPacket>,
    next_peer: Signal<Local, PeerOf>,

    #[reset = false]
    is_heard: Reg<bool>,
    then: Reg<Bits<16>>,
    is_untimed: Reg<bool>,
    is_refused: Reg<bool>,
    is_unbound: Reg<bool>,

    source_1: Reg<Bits<16>>,
    /// The word was just being written, so that the memory promises nothing of it, and what was written.
    collides_1: Reg<bool>,
    written_1: Reg<PeerOf>,
    looked_up: Signal<Local, PeerOf>,
    exempt_1: Reg<bool>,
    has_order_1: Reg<bool>,
    order_1: Reg<bool>,
    #[reset = false]
    was_ready: Reg<bool>,
    refused_2: Reg<bool>,

    last_conn: Param<Bits<C>>,
    /// Bits of a connection's number that are 0 in all that exist.
    beyond: Param<Bits<24>>,
}

#[block]
impl<const C: usize> Flows<C> {
    /// Nothing is known of any connection.
    pub fn new() -> Self {
        let peer = "who the peer of every connection is, and which ways of it are open";
        Self {
            peers: SimpleDualPort::new("peer_memory", peer, MemoryKind::Block),
            sources: SimpleDualPort::new("source_memory", peer, MemoryKind::Block),
            times: SimpleDualPort::new(
                "timing_memory",
                "of each connection which packet is timed, and when it left",
                MemoryKind::Block,
            ),
            decisions: Fifo::new("decisions", MemoryKind::Distributed),
            last_conn: Param::new(((1u64 << C) - 1).into()),
            beyond: Param::new((0x100_0000 - (1u64 << C)).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("What is known of each connection of Ultra Ethernet beside its engines.");
        comment!("What waits. The time of a packet is that of the pulse.");
        self.decisions.in_valid = self.sent | self.again | self.renewed;
        self.decisions.in_data.conn = self.conn;
        self.decisions.in_data.psn = self.psn;
        self.decisions.in_data.time = self.wire_time;
        self.decisions.in_data.is_again = self.again;
        self.decisions.in_data.is_renewed = self.renewed;

        comment!("One at a time.");
        let is_free = self.is_ready & !self.reads & !self.comes & !self.compares & !self.writes;
        let take_bind = is_free & self.bind_waits;
        let take_command = is_free & !self.bind_waits & self.command_waits;
        let has_change = self.bind_waits | self.command_waits;
        let take_decision = is_free & !has_change & self.decisions.out_valid;
        let take_ack = is_free
            & !has_change
            & !self.decisions.out_valid
            & self.ack_valid
            & !self.is_heard
            & !self.awaits_bind;
        let take_probe = is_free
            & !has_change
            & !self.decisions.out_valid
            & !take_ack
            & self.probe_valid
            & !self.probe_waits;
        self.decisions.out_ready = take_decision;
        if take_probe {
            self.probe_waits = true;
        }
        if !self.probe_valid {
            self.probe_waits = false;
        }
        if take_bind {
            self.bind_waits = false;
        }
        if take_command {
            self.command_waits = false;
        }
        let rx_changed = self.rx_ready & (self.opens_rx | self.closes_rx);
        if self.tx_changed | rx_changed {
            self.command_waits = true;
            self.waiting_conn = self.command_conn;
            self.waiting_peer = self.command_peer;
            self.waiting_order = self.command_mode.get_bit(0);
            self.waiting_is_tx = self.tx_changed;
            self.waiting_opens = (self.tx_changed & self.opens_tx) | (!self.tx_changed & self.opens_rx);
        }
        if self.bind_valid {
            self.bind_waits = self.bind_takes;
            self.awaits_bind = self.bind_takes;
            self.binding_conn = self.bind_conn;
            self.binding_pdc = self.bind_pdc;
        }
        if is_free {
            self.is_bind = take_bind;
            self.is_command = take_command;
            self.is_ack = take_ack;
            self.is_probe = take_probe;
            self.is_foreign = take_ack & (self.ack.conn & self.beyond).any();
            self.decision = self.decisions.out_data;
            self.key = self.decisions.out_data.psn;
            if take_ack {
                self.decision.conn = resize(self.ack.conn);
            }
            if take_probe {
                self.decision.conn = self.probe_conn;
            }
            if take_bind {
                self.decision.conn = self.binding_conn;
            }
            if take_command {
                self.decision.conn = self.waiting_conn;
            }
        }

        comment!("PSNs of the ACK that is next.");
        let mut from_answered: Bits<32> = resize(self.ack.offset);
        if self.ack.offset.get_bit(15) {
            from_answered = bit_cast::<32, 16>(self.ack.offset) | bits::<32>(0xffff_0000);
        }
        let mut from_base: Bits<32> = resize(self.ack.base);
        if self.ack.base.get_bit(15) {
            from_base = bit_cast::<32, 16>(self.ack.base) | bits::<32>(0xffff_0000);
        }
        let mut aligned: Bits<32> = self.ack.cack;
        if self.align.any() {
            aligned = aligned & 0xffff_fffe;
        }
        if self.align.get_bit(1) {
            aligned = aligned & 0xffff_fffc;
        }
        if self.align == 3 {
            aligned = aligned & 0xffff_fff8;
        }
        self.answered = self.ack.cack + from_answered;
        self.cum_next = self.ack.cack + 1;
        self.base = aligned + from_base;
        if self.ack.is_nack {
            self.answered = self.ack.cack;
            self.cum_next = self.ack.cack;
        }
        comment!("A count of ones says that there is none.");
        self.ooo = self.ack.ooo.get_bits::<12>(0);
        if self.ack.ooo.get_bits::<4>(12).any() {
            self.ooo = 0xfff;
        }
        if self.ack.ooo.all() {
            self.ooo = 0;
        }

        comment!("The words of the connection come, and are compared with what happened.");
        self.reads = take_bind | take_command | take_decision | take_ack | take_probe;
        self.comes = self.reads;
        self.compares = self.comes;
        self.writes = self.compares;
        self.peers.read_address = self.decision.conn;
        self.times.read_address = self.decision.conn;
        if self.comes {
            self.kept = self.times.read_data;
            self.peer = self.peers.read_data;
        }
        if self.reads & self.is_ack {
            self.key = self.answered;
        }
        self.is_it = self.kept.is_timed & (self.kept.psn == self.key);
        comment!("A cumulative PSN passes the timed packet without answering it.");
        let behind = self.kept.psn - self.cum_next;
        self.is_passed = behind.get_bit(31);
        comment!("A peer without the connection has no number for it, and may say so in a NACK.");
        let has_source = self.ack.source_pdc.any();
        let differs = self.peer.is_bound & (self.peer.pdc != self.ack.source_pdc);
        self.is_other = (!has_source & !self.ack.is_nack) | (has_source & differs);

        comment!("The words afterwards.");
        let is_heard_of = self.peer.sends & !self.is_other & !self.is_foreign & !self.ack.is_nack;
        self.next = self.kept;
        if self.is_ack {
            if is_heard_of {
                self.next.is_timed = self.kept.is_timed & !self.is_passed & (self.ack.probe | !self.is_it);
            }
        } else if self.decision.is_renewed {
            self.next.is_timed = false;
        } else if self.decision.is_again {
            comment!("Of a packet that left a third time its ACK cannot say which copy it answers.");
            if self.is_it {
                self.next.is_timed = !self.kept.is_again;
                self.next.is_again = true;
                self.next.sent_at = self.decision.time;
            }
        } else if !self.kept.is_timed {
            self.next.is_timed = true;
            self.next.psn = self.key;
            self.next.sent_at = self.decision.time;
            self.next.is_again = false;
        }
        self.next_peer = self.peer;
        let was_open = self.peer.sends | self.peer.receives;
        if self.is_bind {
            if was_open & !self.peer.is_bound {
                self.next_peer.is_bound = true;
                self.next_peer.pdc = self.binding_pdc;
            }
        } else if self.waiting_opens {
            if self.waiting_peer.any() {
                self.next_peer.is_bound = true;
                self.next_peer.pdc = self.waiting_peer;
            } else if !was_open {
                self.next_peer.is_bound = false;
            }
            if self.waiting_is_tx {
                self.next_peer.sends = true;
            } else {
                self.next_peer.receives = true;
                self.next_peer.is_ordered = self.waiting_order;
            }
        } else {
            comment!("Behind the last way nothing is known of the peer.");
            if self.waiting_is_tx {
                self.next_peer.sends = false;
                self.next_peer.is_bound = self.peer.is_bound & self.peer.receives;
            } else {
                self.next_peer.receives = false;
                self.next_peer.is_bound = self.peer.is_bound & self.peer.sends;
            }
        }
        comment!("After a reset nothing is known of any connection.");
        let changes = self.writes & (self.is_bind | self.is_command);
        if !self.is_ready {
            self.next.is_timed = false;
            self.next_peer.is_bound = false;
            self.next_peer.sends = false;
            self.next_peer.receives = false;
        }
        self.times.write_enable = !self.is_ready
            | (self.writes & !self.is_bind & !self.is_command & !self.is_probe & !self.is_foreign);
        self.times.write_data = self.next;
        self.times.write_address = self.decision.conn;
        self.peers.write_enable = !self.is_ready | changes;
        self.peers.write_data = self.next_peer;
        self.peers.write_address = self.decision.conn;
        self.sources.write_enable = !self.is_ready | changes;
        self.sources.write_data = self.next_peer;
        self.sources.write_address = self.decision.conn;
        if !self.is_ready {
            self.times.write_address = self.clear_at;
            self.peers.write_address = self.clear_at;
            self.sources.write_address = self.clear_at;
        }
        self.clear_at = self.clear_at + 1;
        if self.clear_at == self.last_conn {
            self.is_ready = true;
        }
        self.command_known = self.writes & self.is_command;
        self.bind_known = self.writes & self.is_bind;
        self.probe_looked = self.writes & self.is_probe;
        self.probe_is_bound = self.peer.is_bound;
        self.probe_pdc = self.peer.pdc;
        if self.writes & self.is_bind {
            self.awaits_bind = false;
        }

        comment!("What the scoreboard hears.");
        if self.writes & self.is_ack {
            self.is_heard = true;
            self.then = self.kept.sent_at;
            self.is_untimed = !(self.is_it & (self.kept.is_again == self.ack.retransmit));
            if self.ack.probe {
                self.then = self.ack.offset;
                self.is_untimed = false;
            }
            self.is_refused = self.peer.sends & self.is_other & !self.is_foreign;
            self.is_unbound = is_heard_of & !self.peer.is_bound & !self.ack.probe;
            if is_heard_of & !self.peer.is_bound & !self.ack.probe {
                self.awaits_bind = true;
            }
        }
        self.ack_ready = self.is_heard & self.heard_ready;
        if self.is_heard & self.heard_ready {
            self.is_heard = false;
        }
        self.heard_valid = self.is_heard;
        self.heard.timestamp = self.then;
        self.heard.untimed = self.is_untimed;
        self.heard.cum_next = self.cum_next;
        self.heard.psn = self.answered;
        self.heard.code = resize(self.ack.offset >> 8);
        self.heard.base = self.base;
        self.heard.ooo = self.ooo;
        self.heard.is_refused = self.is_refused;
        self.heard.is_unbound = self.is_unbound;

        comment!("Packets: of another source than the peer's, or of the other kind of delivery.");
        self.sources.read_address = self.look_conn;
        self.source_1 = self.look_source;
        self.exempt_1 = self.look_is_exempt;
        self.has_order_1 = self.look_has_order;
        self.order_1 = self.look_is_ordered;
        self.was_ready = self.is_ready;
        self.collides_1 = changes & (self.decision.conn == self.look_conn);
        self.written_1 = self.next_peer;
        self.looked_up = self.sources.read_data;
        if self.collides_1 {
            self.looked_up = self.written_1;
        }
        let is_of_peer = self.looked_up.is_bound & (self.looked_up.pdc == self.source_1);
        let is_of_order = !self.has_order_1 | (self.looked_up.is_ordered == self.order_1);
        self.refused_2 =
            self.was_ready & self.looked_up.receives & !self.exempt_1 & !(is_of_peer & is_of_order);
        self.refused = self.refused_2;
    }
}
