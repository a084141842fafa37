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

mod named;
mod words;

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use self::named::Named;
use self::words::{AckHeader, Departed, HeardAck, PeerOf, TimedPacket};
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, Reg, SimpleDualPort, resize};

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

    named: Named,

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

        self.named.ack = self.ack;
        self.named.align = self.align;

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
            self.key = self.named.answered;
        }
        self.is_it = self.kept.is_timed & (self.kept.psn == self.key);
        comment!("A cumulative PSN passes the timed packet without answering it.");
        let behind = self.kept.psn - self.named.cum_next;
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
        self.heard.cum_next = self.named.cum_next;
        self.heard.psn = self.named.answered;
        self.heard.code = resize(self.ack.offset >> 8);
        self.heard.base = self.named.base;
        self.heard.ooo = self.named.ooo;
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
