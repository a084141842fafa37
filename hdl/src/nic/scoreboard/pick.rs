//! Whose op comes next.

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::found::Tag;
use crate::comment;
use crate::prims::{Optional, Param, Reg};

/// Chooses the next op of `sack_tx`, gives it, and says what it is for.
///
/// Commands come first, then the PSN that a look at a connection allowed. ACKs and packets of the host take turns. A connection
/// in recovery is looked at when neither waits, and after seven of them; one whose window is full makes all of them
/// wait for 32 cycles. What no engine has to be asked for, because the connection does not exist or the packet is a probe, keeps its
/// place in the order: it waits until no op is in work.
#[block]
pub struct Pick {
    /// The next ACK, when it was heard.
    pub ack_valid: Signal<In, bool>,
    pub ack_conn: Signal<In, Bits<24>>,
    pub ack_epsn: Signal<In, Bits<32>>,
    pub ack_rtt: Signal<In, Bits<16>>,
    pub ack_untimed: Signal<In, bool>,
    pub ack_ev: Signal<In, Bits<16>>,
    pub ack_ecn: Signal<In, bool>,
    pub ack_taken: Signal<Out, bool>,
    /// Where the host says who the peers are: it comes from another address.
    pub ack_is_refused: Optional<Signal<In, bool>>,
    /// The next packet of the host.
    pub req_valid: Signal<In, bool>,
    pub req_is_probe: Signal<In, bool>,
    pub req_conn: Signal<In, Bits<24>>,
    pub req_psn: Signal<In, Bits<32>>,
    pub req_ready: Signal<Out, bool>,
    /// The next connection in recovery.
    pub recovery_valid: Signal<In, bool>,
    pub recovery_conn: Signal<In, Bits<24>>,
    pub recovery_ready: Signal<Out, bool>,
    /// The connection that was looked at may send again, or its window is full.
    pub allowed: Signal<In, bool>,
    pub allowed_conn: Signal<In, Bits<24>>,
    pub is_full: Signal<In, bool>,
    /// PSNs to send again may be handed out.
    pub may_hand_out: Signal<In, bool>,
    pub open_valid: Signal<In, bool>,
    pub close_valid: Signal<In, bool>,
    pub read_valid: Signal<In, bool>,
    pub command_conn: Signal<In, Bits<24>>,
    pub command_psn: Signal<In, Bits<32>>,
    pub open_ready: Signal<Out, bool>,
    /// The result of a `close` came.
    pub closed: Signal<In, bool>,
    /// What was found has room for what the ops in work will find.
    pub has_room: Signal<In, bool>,
    /// Something else was found in this cycle.
    pub found: Signal<In, bool>,
    /// A result came.
    pub answered: Signal<In, bool>,
    pub op_ready: Signal<In, bool>,

    pub op_valid: Signal<Out, bool>,
    /// 0 sent, 1 sack, 2 next_rtx, 3 init, 4 read, 5 close.
    pub op_kind: Signal<Out, Bits<3>>,
    pub op_conn: Signal<Out, Bits<24>>,
    pub op_psn: Signal<Out, Bits<32>>,
    /// An op was taken that will have a result; what it is for.
    pub asked: Signal<Out, bool>,
    /// What was chosen needs no engine, and it is its turn: with status 7 if the connection does not exist, and else with 0.
    pub settled: Signal<Out, bool>,
    pub is_nowhere: Signal<Out, bool>,
    /// It is an ACK that is refused: with status 6.
    pub is_refused: Optional<Signal<Out, bool>>,
    pub tag: Signal<Out, Tag>,

    // Where the host hears of closes: the close is a read, by which a connection drains; the packet of the host is refused, if it is data, and
    // was: with status 4.
    pub drain_valid: Optional<Signal<In, bool>>,
    pub req_is_held: Optional<Signal<In, bool>>,
    pub is_held: Optional<Signal<Out, bool>>,
    drains: Optional<Reg<bool>>,
    holds: Optional<Reg<bool>>,

    // Of Ultra Ethernet: the PSN that an ACK answers or a NACK refuses, and whether it is a NACK; what else is said of it.
    pub ack_psn: Optional<Signal<In, Bits<32>>>,
    pub ack_is_nack: Optional<Signal<In, bool>>,
    has_types: Param<bool>,

    /// What was chosen, one flag a kind.
    ack: Reg<bool>,
    request: Reg<bool>,
    recovery: Reg<bool>,
    again: Reg<bool>,
    open: Reg<bool>,
    close: Reg<bool>,
    read: Reg<bool>,
    /// It is an op.
    is_op: Reg<bool>,
    /// A `close` was taken, and its result is to come.
    awaits: Reg<bool>,
    /// It needs no engine.
    is_settled: Reg<bool>,
    is_beyond: Reg<bool>,
    is_of_another: Optional<Reg<bool>>,
    after_ack: Reg<bool>,
    since: Reg<Bits<3>>,
    /// A connection was chosen to be looked at, and what that found is not known yet.
    looks: Reg<bool>,
    armed: Reg<bool>,
    armed_conn: Reg<Bits<24>>,
    pause: Reg<Bits<5>>,
    /// Ops whose results are to come.
    in_work: Reg<Bits<3>>,

    /// Bits of a connection's number that are 0 in all that exist.
    beyond: Param<Bits<24>>,
    has_peers: Param<bool>,
    is_graceful: Param<bool>,
}

#[block]
impl Pick {
    /// The block for a number of connections, a power of two, and for a host that says who the peers are, or does not.
    pub fn new(connections: u32, has_peers: bool, is_graceful: bool, has_types: bool) -> Self {
        Self {
            ack_psn: Optional::new(has_types, Default::default),
            ack_is_nack: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            beyond: Param::new((0x100_0000 - u64::from(connections)).into()),
            ack_is_refused: Optional::new(has_peers, Default::default),
            is_refused: Optional::new(has_peers, Default::default),
            is_of_another: Optional::new(has_peers, Default::default),
            has_peers: Param::new(has_peers),
            drain_valid: Optional::new(is_graceful, Default::default),
            req_is_held: Optional::new(is_graceful, Default::default),
            is_held: Optional::new(is_graceful, Default::default),
            drains: Optional::new(is_graceful, Default::default),
            holds: Optional::new(is_graceful, Default::default),
            is_graceful: Param::new(is_graceful),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module pick: whose op of sack_tx comes next");
        let is_busy = self.is_op | self.is_settled | self.awaits;
        let take = self.is_op & self.op_ready;
        let settle = self.is_settled & !self.in_work.any() & !self.found;

        comment!(
            "Commands first; ACKs and packets in turns; recovery when neither waits, and after seven of them."
        );
        let choose = !is_busy & self.has_room;
        comment!("One look at a time: the PSN that it allows is asked for before the next one.");
        let can_recover = self.recovery_valid & self.may_hand_out & !self.looks & !self.pause.any();
        let is_traffic = self.ack_valid | self.req_valid;
        let choose_recovery = can_recover & (self.since.all() | !is_traffic);
        comment!("Whose turn it is where recovery, of which is known late, has none.");
        let choose_ack = self.ack_valid & !(self.req_valid & self.after_ack);
        let choose_request = self.req_valid & !choose_ack;
        comment!("Both numbers are looked at before it is known whose turn it is.");
        let ack_is_beyond = (self.ack_conn & self.beyond).any();
        let req_is_beyond = (self.req_conn & self.beyond).any();
        let traffic_is_beyond = (choose_ack & ack_is_beyond) | (!choose_ack & req_is_beyond);
        let mut needs_no_engine = traffic_is_beyond | (choose_request & self.req_is_probe);
        if self.has_peers {
            needs_no_engine = needs_no_engine | (choose_ack & self.ack_is_refused);
        }
        if self.has_types {
            comment!("A control packet that takes a PSN stands where others have a probe.");
            needs_no_engine = traffic_is_beyond | (choose_ack & self.ack_is_refused);
        }
        if self.is_graceful {
            needs_no_engine = needs_no_engine | (choose_request & self.req_is_held);
        }
        if choose {
            self.ack = false;
            self.request = false;
            self.recovery = false;
            self.again = false;
            self.open = false;
            self.close = false;
            self.read = false;
            self.is_beyond = false;
            if self.has_peers {
                self.is_of_another = false;
            }
            if self.is_graceful {
                self.drains = self.drain_valid;
                self.holds = false;
            }
            if self.open_valid {
                self.open = true;
                self.is_op = true;
            } else if self.close_valid {
                self.close = true;
                self.is_op = true;
            } else if self.read_valid {
                self.read = true;
                self.is_op = true;
            } else if self.armed {
                self.again = true;
                self.armed = false;
                self.is_op = true;
            } else if choose_recovery {
                self.recovery = true;
                self.looks = true;
                self.since = 0;
                self.is_op = true;
            } else if is_traffic {
                self.ack = choose_ack;
                self.request = choose_request;
                self.after_ack = choose_ack;
                self.is_beyond = traffic_is_beyond;
                if self.has_peers {
                    self.is_of_another = choose_ack & self.ack_is_refused;
                }
                if self.is_graceful {
                    self.holds = choose_request & self.req_is_held & !self.req_is_probe;
                }
                self.is_op = !needs_no_engine;
                self.is_settled = needs_no_engine;
                if !self.since.all() {
                    self.since = self.since + 1;
                }
            }
        }
        if take {
            self.is_op = false;
        }
        comment!("A command stands here until it is done: a close until its result comes.");
        if take & self.close {
            self.awaits = true;
        }
        if self.closed {
            self.awaits = false;
        }
        comment!("An init has no result: it is settled when the ops before it are.");
        if take & self.open {
            self.is_settled = true;
        }
        if settle {
            self.is_settled = false;
        }
        if self.allowed {
            self.armed = true;
            self.armed_conn = self.allowed_conn;
        }
        if self.allowed | self.is_full {
            self.looks = false;
        }
        if self.pause.any() {
            self.pause = self.pause - 1;
        }
        if self.is_full {
            self.pause = 31;
        }
        self.asked = take & !self.open;
        if take & !self.open & !self.answered {
            self.in_work = self.in_work + 1;
        }
        if self.answered & !(take & !self.open) {
            self.in_work = self.in_work - 1;
        }

        comment!("The op, and what it is for.");
        self.op_valid = self.is_op;
        self.op_kind = 0;
        self.op_conn = self.req_conn;
        self.op_psn = self.req_psn;
        self.tag.class = 1;
        self.tag.psn = self.req_psn;
        if self.req_is_probe {
            self.tag.class = 2;
        }
        if self.ack {
            self.op_kind = 1;
            self.op_conn = self.ack_conn;
            self.tag.class = 0;
            self.tag.psn = self.ack_epsn;
        }
        if self.has_types {
            if self.ack {
                self.op_psn = self.ack_psn;
                if self.ack_is_nack {
                    self.op_kind = 6;
                }
            }
        }
        if self.recovery {
            self.op_kind = 4;
            self.op_conn = self.recovery_conn;
            self.tag.class = 3;
        }
        if self.again {
            self.op_kind = 2;
            self.op_conn = self.armed_conn;
            self.tag.class = 4;
        }
        if self.read {
            self.op_kind = 4;
            self.op_conn = self.command_conn;
            self.tag.class = 5;
        }
        if self.close {
            self.op_kind = 5;
            self.op_conn = self.command_conn;
            self.tag.class = 7;
        }
        if self.open {
            self.op_kind = 3;
            self.op_conn = self.command_conn;
            self.op_psn = self.command_psn;
            self.tag.class = 7;
        }
        self.tag.conn = self.op_conn;
        self.tag.rtt = self.ack_rtt;
        self.tag.untimed = self.ack_untimed;
        self.tag.ev = self.ack_ev;
        self.tag.ecn = self.ack_ecn;
        if self.is_graceful {
            comment!(
                "What is no ACK has no time: with it stands whether a read drains, and whether 7 is a close."
            );
            if self.read {
                self.tag.untimed = false;
            }
            if self.close {
                self.tag.untimed = true;
                if self.drains {
                    self.op_kind = 4;
                    self.tag.class = 5;
                }
            }
            self.is_held = self.holds;
        }
        self.settled = settle;
        self.is_nowhere = self.is_beyond;
        if self.has_peers {
            self.is_refused = self.is_of_another;
        }
        self.ack_taken = self.ack & (take | settle);
        self.req_ready = self.request & (take | settle);
        self.recovery_ready = self.recovery & take;
        self.open_ready = self.open & settle;

        if self.rst {
            self.is_op = false;
            self.is_settled = false;
            self.awaits = false;
            self.after_ack = false;
            self.since = 0;
            self.looks = false;
            self.armed = false;
            self.pause = 0;
            self.in_work = 0;
        }
    }
}
