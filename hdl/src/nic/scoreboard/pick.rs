//! Whose op comes next.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::found::Tag;
use crate::comment;
use crate::prims::Param;

/// Chooses the next op of `sack_tx`, gives it, and says what it is for.
///
/// Commands come first, then the PSN that a look at a connection allowed. ACKs and packets of the host take turns. A connection
/// in recovery is looked at when neither waits, and after seven of them; one whose window is full makes all of them
/// wait for 32 cycles. What no engine has to be asked for, because the connection does not exist or the packet is a probe, keeps its
/// place in the order: it waits until no op is in work.
#[derive(LogicBlock, Default)]
pub struct Pick {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The next ACK, when it was heard.
    pub ack_valid: Signal<In, bool>,
    pub ack_conn: Signal<In, Bits<24>>,
    pub ack_epsn: Signal<In, Bits<32>>,
    pub ack_rtt: Signal<In, Bits<16>>,
    pub ack_untimed: Signal<In, bool>,
    pub ack_ev: Signal<In, Bits<16>>,
    pub ack_ecn: Signal<In, bool>,
    pub ack_taken: Signal<Out, bool>,
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
    pub tag: Signal<Out, Tag>,

    choose: Signal<Local, bool>,
    can_recover: Signal<Local, bool>,
    is_traffic: Signal<Local, bool>,
    choose_recovery: Signal<Local, bool>,
    choose_ack: Signal<Local, bool>,
    choose_request: Signal<Local, bool>,
    number: Signal<Local, Bits<24>>,
    take: Signal<Local, bool>,
    settle: Signal<Local, bool>,

    /// What was chosen, one flag a kind.
    ack: DFF<bool>,
    request: DFF<bool>,
    recovery: DFF<bool>,
    again: DFF<bool>,
    open: DFF<bool>,
    close: DFF<bool>,
    read: DFF<bool>,
    /// It is an op.
    is_op: DFF<bool>,
    /// A `close` was taken, and its result is to come.
    awaits: DFF<bool>,
    /// It needs no engine.
    is_settled: DFF<bool>,
    is_beyond: DFF<bool>,
    after_ack: DFF<bool>,
    since: DFF<Bits<3>>,
    /// A connection was chosen to be looked at, and what that found is not known yet.
    looks: DFF<bool>,
    armed: DFF<bool>,
    armed_conn: DFF<Bits<24>>,
    pause: DFF<Bits<5>>,
    /// Ops whose results are to come.
    in_work: DFF<Bits<3>>,
    is_busy: Signal<Local, bool>,

    /// Bits of a connection's number that are 0 in all that exist.
    beyond: Param<Bits<24>>,
}

impl Pick {
    /// The block for a number of connections, a power of two.
    pub fn new(connections: u32) -> Self {
        Self { beyond: Param::new((0x100_0000 - u64::from(connections)).into()), ..Default::default() }
    }
}

impl Logic for Pick {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module pick: whose op of sack_tx comes next");
        dff_setup!(self, clk, ack, request, recovery, again, open, close, read, is_op, is_settled, is_beyond);
        dff_setup!(self, clk, awaits, after_ack, since, looks, armed, armed_conn, pause, in_work);
        self.is_busy.next = self.is_op.q.val() | self.is_settled.q.val() | self.awaits.q.val();
        self.take.next = self.is_op.q.val() & self.op_ready.val();
        self.settle.next = self.is_settled.q.val() & !self.in_work.q.val().any() & !self.found.val();

        comment!(
            "Commands first; ACKs and packets in turns; recovery when neither waits, and after seven of them."
        );
        self.choose.next = !self.is_busy.val() & self.has_room.val();
        comment!("One look at a time: the PSN that it allows is asked for before the next one.");
        self.can_recover.next = self.recovery_valid.val()
            & self.may_hand_out.val()
            & !self.looks.q.val()
            & !self.pause.q.val().any();
        self.is_traffic.next = self.ack_valid.val() | self.req_valid.val();
        self.choose_recovery.next =
            self.can_recover.val() & (self.since.q.val().all() | !self.is_traffic.val());
        self.choose_ack.next = self.ack_valid.val()
            & !self.choose_recovery.val()
            & !(self.req_valid.val() & self.after_ack.q.val());
        self.choose_request.next =
            self.req_valid.val() & !self.choose_recovery.val() & !self.choose_ack.val();
        self.number.next = self.req_conn.val();
        if self.choose_ack.val() {
            self.number.next = self.ack_conn.val();
        }
        if self.choose.val() {
            self.ack.d.next = false;
            self.request.d.next = false;
            self.recovery.d.next = false;
            self.again.d.next = false;
            self.open.d.next = false;
            self.close.d.next = false;
            self.read.d.next = false;
            self.is_beyond.d.next = false;
            if self.open_valid.val() {
                self.open.d.next = true;
                self.is_op.d.next = true;
            } else if self.close_valid.val() {
                self.close.d.next = true;
                self.is_op.d.next = true;
            } else if self.read_valid.val() {
                self.read.d.next = true;
                self.is_op.d.next = true;
            } else if self.armed.q.val() {
                self.again.d.next = true;
                self.armed.d.next = false;
                self.is_op.d.next = true;
            } else if self.choose_recovery.val() {
                self.recovery.d.next = true;
                self.looks.d.next = true;
                self.since.d.next = 0.into();
                self.is_op.d.next = true;
            } else if self.is_traffic.val() {
                self.ack.d.next = self.choose_ack.val();
                self.request.d.next = self.choose_request.val();
                self.after_ack.d.next = self.choose_ack.val();
                self.is_beyond.d.next = (self.number.val() & self.beyond.val()).any();
                self.is_op.d.next = !(self.number.val() & self.beyond.val()).any()
                    & !(self.choose_request.val() & self.req_is_probe.val());
                self.is_settled.d.next = (self.number.val() & self.beyond.val()).any()
                    | (self.choose_request.val() & self.req_is_probe.val());
                if !self.since.q.val().all() {
                    self.since.d.next = self.since.q.val() + 1;
                }
            }
        }
        if self.take.val() {
            self.is_op.d.next = false;
        }
        comment!("A command stands here until it is done: a close until its result comes.");
        if self.take.val() & self.close.q.val() {
            self.awaits.d.next = true;
        }
        if self.closed.val() {
            self.awaits.d.next = false;
        }
        comment!("An init has no result: it is settled when the ops before it are.");
        if self.take.val() & self.open.q.val() {
            self.is_settled.d.next = true;
        }
        if self.settle.val() {
            self.is_settled.d.next = false;
        }
        if self.allowed.val() {
            self.armed.d.next = true;
            self.armed_conn.d.next = self.allowed_conn.val();
        }
        if self.allowed.val() | self.is_full.val() {
            self.looks.d.next = false;
        }
        if self.pause.q.val().any() {
            self.pause.d.next = self.pause.q.val() - 1;
        }
        if self.is_full.val() {
            self.pause.d.next = 31.into();
        }
        self.asked.next = self.take.val() & !self.open.q.val();
        if self.take.val() & !self.open.q.val() & !self.answered.val() {
            self.in_work.d.next = self.in_work.q.val() + 1;
        }
        if self.answered.val() & !(self.take.val() & !self.open.q.val()) {
            self.in_work.d.next = self.in_work.q.val() - 1;
        }

        comment!("The op, and what it is for.");
        self.op_valid.next = self.is_op.q.val();
        self.op_kind.next = 0.into();
        self.op_conn.next = self.req_conn.val();
        self.op_psn.next = self.req_psn.val();
        self.tag.next.class = 1.into();
        self.tag.next.psn = self.req_psn.val();
        if self.req_is_probe.val() {
            self.tag.next.class = 2.into();
        }
        if self.ack.q.val() {
            self.op_kind.next = 1.into();
            self.op_conn.next = self.ack_conn.val();
            self.tag.next.class = 0.into();
            self.tag.next.psn = self.ack_epsn.val();
        }
        if self.recovery.q.val() {
            self.op_kind.next = 4.into();
            self.op_conn.next = self.recovery_conn.val();
            self.tag.next.class = 3.into();
        }
        if self.again.q.val() {
            self.op_kind.next = 2.into();
            self.op_conn.next = self.armed_conn.q.val();
            self.tag.next.class = 4.into();
        }
        if self.read.q.val() {
            self.op_kind.next = 4.into();
            self.op_conn.next = self.command_conn.val();
            self.tag.next.class = 5.into();
        }
        if self.close.q.val() {
            self.op_kind.next = 5.into();
            self.op_conn.next = self.command_conn.val();
            self.tag.next.class = 7.into();
        }
        if self.open.q.val() {
            self.op_kind.next = 3.into();
            self.op_conn.next = self.command_conn.val();
            self.op_psn.next = self.command_psn.val();
            self.tag.next.class = 7.into();
        }
        self.tag.next.conn = self.op_conn.val();
        self.tag.next.rtt = self.ack_rtt.val();
        self.tag.next.untimed = self.ack_untimed.val();
        self.tag.next.ev = self.ack_ev.val();
        self.tag.next.ecn = self.ack_ecn.val();
        self.settled.next = self.settle.val();
        self.is_nowhere.next = self.is_beyond.q.val();
        self.ack_taken.next = self.ack.q.val() & (self.take.val() | self.settle.val());
        self.req_ready.next = self.request.q.val() & (self.take.val() | self.settle.val());
        self.recovery_ready.next = self.recovery.q.val() & self.take.val();
        self.open_ready.next = self.open.q.val() & self.settle.val();

        if self.rst.val() {
            self.is_op.d.next = false;
            self.is_settled.d.next = false;
            self.awaits.d.next = false;
            self.after_ack.d.next = false;
            self.since.d.next = 0.into();
            self.looks.d.next = false;
            self.armed.d.next = false;
            self.pause.d.next = 0.into();
            self.in_work.d.next = 0.into();
        }
    }
}
