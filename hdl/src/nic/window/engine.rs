//! The ops of the congestion control, and what follows from its windows.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::memory::Windows;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, SimpleDualPort};
use crate::{comment, signal_struct};

signal_struct! {
    /// An op of `sack_tx` that concerns a window.
    pub struct Asked<const C: usize> {
        /// The connection is opened; else a SACK came.
        pub opens: bool,
        pub conn: Bits<C>,
        pub ecn: bool,
        pub probe: bool,
        pub rtt: Bits<16>,
    }
}

signal_struct! {
    /// What `sack_tx` found of a SACK.
    pub struct Answer {
        /// It was taken, or is merely old.
        pub is_believed: bool,
        /// Newly acknowledged: of one that is old there are none.
        pub bytes: Bits<20>,
    }
}

/// Gives the congestion control its ops, keeps the windows for those who go by them, and tells the host of each that changes.
///
/// ```text
///  ops of sack_tx ──► asked ───┐                     ┌──► ack_windows ──► sack_tx
///                              ├──► congestion ──────┼──► look_windows ─► scoreboard
///  its answers ─────► answers ─┘    control          └──► old_windows ──► event, if it is another one
/// ```
///
/// A connection that is opened has the largest window. Its init keeps its place among the ACKs: both go in as `sack_tx` takes them. ACKs
/// and commands that open a connection are held back while eight ops wait, so that there is a place for each that was let in.
///
/// Who reads a window in a cycle gets that of all results up to the cycle before. `C` is the width of a connection's number.
#[derive(LogicBlock, Default)]
pub struct Window<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The next ACK, and whether the scoreboard may have it.
    pub heard_valid: Signal<In, bool>,
    pub ack_valid: Signal<Out, bool>,
    pub ack_taken: Signal<In, bool>,
    pub ack_conn: Signal<In, Bits<C>>,
    pub ack_ecn: Signal<In, bool>,
    pub ack_probe: Signal<In, bool>,
    pub ack_rtt: Signal<In, Bits<16>>,
    /// The command that opens a connection, the same.
    pub opening: Signal<In, bool>,
    pub open_valid: Signal<Out, bool>,
    pub opened: Signal<In, bool>,
    /// The ops of `sack_tx`: 1 sack, 3 init.
    pub sack_op_valid: Signal<In, bool>,
    pub sack_op_ready: Signal<In, bool>,
    pub sack_op_kind: Signal<In, Bits<3>>,
    pub sack_op_conn: Signal<In, Bits<C>>,
    /// A result of a SACK.
    pub answered: Signal<In, bool>,
    pub answer_status: Signal<In, Bits<3>>,
    pub answer_bytes: Signal<In, Bits<20>>,
    pub wire_time: Signal<In, Bits<16>>,
    /// Window of a connection that is opened, in packets; 0 is taken as 1.
    pub max_cwnd: Signal<In, Bits<10>>,
    /// To and from the congestion control.
    pub op_valid: Signal<Out, bool>,
    pub op_ready: Signal<In, bool>,
    /// 1 ack, 4 init.
    pub op_kind: Signal<Out, Bits<3>>,
    pub op_conn: Signal<Out, Bits<C>>,
    pub op_ecn: Signal<Out, bool>,
    pub op_probe: Signal<Out, bool>,
    pub op_bytes: Signal<Out, Bits<20>>,
    pub op_timestamp: Signal<Out, Bits<16>>,
    pub res_valid: Signal<In, bool>,
    pub res_status: Signal<In, Bits<3>>,
    pub res_cwnd: Signal<In, Bits<26>>,
    pub res_packets: Signal<In, Bits<12>>,
    /// A window as it changes, in packets.
    pub write_valid: Signal<Out, bool>,
    pub write_conn: Signal<Out, Bits<C>>,
    pub write_packets: Signal<Out, Bits<12>>,
    /// The window of the next ACK's connection.
    pub ack_packets: Signal<Out, Bits<12>>,
    /// The connection in recovery that is next, and the window of the last one that was looked at.
    pub look_conn: Signal<In, Bits<C>>,
    pub look_taken: Signal<In, bool>,
    pub look_packets: Signal<Out, Bits<12>>,
    /// Events: 12 the window changed; and those of freezing, which wait behind them.
    pub event_valid: Signal<Out, bool>,
    pub event_ready: Signal<In, bool>,
    pub event_kind: Signal<Out, Bits<4>>,
    pub event_conn: Signal<Out, Bits<24>>,
    pub event_detail: Signal<Out, Bits<16>>,
    pub event_value: Signal<Out, Bits<32>>,
    pub freeze_valid: Signal<In, bool>,
    pub freeze_ready: Signal<Out, bool>,
    pub freeze_kind: Signal<In, Bits<4>>,
    pub freeze_conn: Signal<In, Bits<24>>,

    asked: Fifo<Asked<C>, 4, 5>,
    answers: Fifo<Answer, 4, 5>,
    ask: Signal<Local, Asked<C>>,
    finding: Signal<Local, Answer>,
    push: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    /// Ops that wait.
    waiting: DFF<Bits<5>>,
    has_room: Signal<Local, bool>,
    /// What was offered once stays so until it is taken.
    offers_ack: DFF<bool>,
    offers_open: DFF<bool>,

    head: Signal<Local, Asked<C>>,
    is_op: Signal<Local, bool>,
    is_dropped: Signal<Local, bool>,
    /// The congestion control takes an ACK, an init.
    takes_ack: Signal<Local, bool>,
    takes_init: Signal<Local, bool>,

    /// The connection of the op in work; a window that an init gives.
    conn: DFF<Bits<C>>,
    has_first: DFF<bool>,
    first: DFF<Bits<10>>,
    is_done: Signal<Local, bool>,
    /// A window changes.
    writes: Signal<Local, bool>,
    packets: Signal<Local, Bits<12>>,
    ack_windows: Windows<C>,
    look_windows: Windows<C>,
    old_windows: SimpleDualPort<Bits<C>, Bits<12>>,
    looked: DFF<Bits<12>>,

    has_event: DFF<bool>,
    changed_conn: DFF<Bits<C>>,
    changed_to: DFF<Bits<26>>,
    /// The host is told of a window.
    tells: Signal<Local, bool>,
}

impl<const C: usize> Window<C> {
    /// The block.
    pub fn new() -> Self {
        let kind = MemoryKind::Distributed;
        Self {
            asked: Fifo::new("asked", kind),
            answers: Fifo::new("answers", kind),
            ack_windows: Windows::new("ack_windows", "window of every connection, for its ACKs"),
            look_windows: Windows::new("look_windows", "window of every connection, for its recovery"),
            old_windows: SimpleDualPort::new(
                "old_windows",
                "window of every connection, to be compared with the next",
                MemoryKind::Block,
            ),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Window<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The ops of the congestion control, and what follows from its windows.");
        dff_setup!(self, clk, waiting, offers_ack, offers_open, conn, has_first, first, looked);
        dff_setup!(self, clk, has_event, changed_conn, changed_to);
        self.asked.clk.next = self.clk.val();
        self.asked.rst.next = self.rst.val();
        self.answers.clk.next = self.clk.val();
        self.answers.rst.next = self.rst.val();

        comment!("No more is let in than there is room for.");
        self.has_room.next = !self.waiting.q.val().get_bit(4) & !self.waiting.q.val().get_bit(3);
        self.ack_valid.next = self.heard_valid.val() & (self.has_room.val() | self.offers_ack.q.val());
        self.offers_ack.d.next = self.ack_valid.val() & !self.ack_taken.val();
        self.open_valid.next = self.opening.val() & (self.has_room.val() | self.offers_open.q.val());
        self.offers_open.d.next = self.open_valid.val() & !self.opened.val();
        if self.push.val() & !self.pop.val() {
            self.waiting.d.next = self.waiting.q.val() + 1;
        }
        if self.pop.val() & !self.push.val() {
            self.waiting.d.next = self.waiting.q.val() - 1;
        }

        comment!("SACKs and inits in the order in which sack_tx takes them, and what it found of the SACKs.");
        self.push.next = self.sack_op_valid.val()
            & self.sack_op_ready.val()
            & ((self.sack_op_kind.val() == 1) | (self.sack_op_kind.val() == 3));
        self.ask.next.opens = self.sack_op_kind.val() == 3;
        self.ask.next.conn = self.sack_op_conn.val();
        self.ask.next.ecn = self.ack_ecn.val();
        self.ask.next.probe = self.ack_probe.val();
        self.ask.next.rtt = self.ack_rtt.val();
        self.asked.in_valid.next = self.push.val();
        self.asked.in_data.next = self.ask.val();
        self.finding.next.is_believed = (self.answer_status.val() == 0) | (self.answer_status.val() == 1);
        self.finding.next.bytes = 0.into();
        if self.answer_status.val() == 0 {
            self.finding.next.bytes = self.answer_bytes.val();
        }
        self.answers.in_valid.next = self.answered.val();
        self.answers.in_data.next = self.finding.val();

        comment!("An op; of a SACK that is not believed there is none.");
        self.head.next = self.asked.out_data.val();
        self.is_op.next = self.asked.out_valid.val()
            & (self.head.val().opens
                | (self.answers.out_valid.val() & self.answers.out_data.val().is_believed));
        self.is_dropped.next = self.asked.out_valid.val()
            & !self.head.val().opens
            & self.answers.out_valid.val()
            & !self.answers.out_data.val().is_believed;
        self.takes_ack.next = self.is_op.val() & self.op_ready.val() & !self.head.val().opens;
        self.takes_init.next = self.is_op.val() & self.op_ready.val() & self.head.val().opens;
        self.pop.next = self.takes_ack.val() | self.takes_init.val() | self.is_dropped.val();
        self.asked.out_ready.next = self.pop.val();
        self.answers.out_ready.next = self.takes_ack.val() | self.is_dropped.val();
        self.op_valid.next = self.is_op.val();
        self.op_kind.next = 1.into();
        if self.head.val().opens {
            self.op_kind.next = 4.into();
        }
        self.op_conn.next = self.head.val().conn;
        self.op_ecn.next = self.head.val().ecn;
        self.op_probe.next = self.head.val().probe;
        self.op_bytes.next = self.answers.out_data.val().bytes;
        self.op_timestamp.next = self.wire_time.val() - self.head.val().rtt;

        comment!("Its window. An init has no result: the largest window is written a cycle later.");
        if self.takes_ack.val() | self.takes_init.val() {
            self.conn.d.next = self.head.val().conn;
        }
        self.has_first.d.next = self.takes_init.val();
        if self.takes_init.val() {
            self.first.d.next = self.max_cwnd.val();
            if !self.max_cwnd.val().any() {
                self.first.d.next = 1.into();
            }
        }
        self.is_done.next = self.res_valid.val() & (self.res_status.val() == 0);
        self.packets.next = self.res_packets.val();
        if self.has_first.q.val() {
            self.packets.next = bit_cast::<12, 10>(self.first.q.val());
        }
        self.writes.next = self.is_done.val() | self.has_first.q.val();
        self.write_valid.next = self.writes.val();
        self.write_conn.next = self.conn.q.val();
        self.write_packets.next = self.packets.val();
        self.ack_windows.clk.next = self.clk.val();
        self.ack_windows.write_valid.next = self.writes.val();
        self.ack_windows.write_conn.next = self.conn.q.val();
        self.ack_windows.write_packets.next = self.packets.val();
        self.ack_windows.read_conn.next = self.ack_conn.val();
        self.ack_packets.next = self.ack_windows.packets.val();
        self.look_windows.clk.next = self.clk.val();
        self.look_windows.write_valid.next = self.writes.val();
        self.look_windows.write_conn.next = self.conn.q.val();
        self.look_windows.write_packets.next = self.packets.val();
        self.look_windows.read_conn.next = self.look_conn.val();
        if self.look_taken.val() {
            self.looked.d.next = self.look_windows.packets.val();
        }
        self.look_packets.next = self.looked.q.val();

        comment!("The host is told where the window has another number of packets.");
        self.old_windows.clk.next = self.clk.val();
        self.old_windows.write_enable.next = self.writes.val();
        self.old_windows.write_address.next = self.conn.q.val();
        self.old_windows.write_data.next = self.packets.val();
        self.old_windows.read_address.next = self.conn.q.val();
        self.tells.next = self.has_event.q.val() & self.event_ready.val();
        if self.tells.val() {
            self.has_event.d.next = false;
        }
        if self.is_done.val() & (self.old_windows.read_data.val() != self.res_packets.val()) {
            self.has_event.d.next = true;
            self.changed_conn.d.next = self.conn.q.val();
            self.changed_to.d.next = self.res_cwnd.val();
        }
        self.event_valid.next = self.has_event.q.val() | self.freeze_valid.val();
        self.freeze_ready.next = self.event_ready.val() & !self.has_event.q.val();
        self.event_kind.next = self.freeze_kind.val();
        self.event_conn.next = self.freeze_conn.val();
        self.event_detail.next = 0.into();
        self.event_value.next = 0.into();
        if self.has_event.q.val() {
            self.event_kind.next = 12.into();
            self.event_conn.next = bit_cast::<24, C>(self.changed_conn.q.val());
            self.event_detail.next = bit_cast::<16, 10>(self.changed_to.q.val().get_bits::<10>(16));
            self.event_value.next = bit_cast::<32, 26>(self.changed_to.q.val());
        }

        if self.rst.val() {
            self.waiting.d.next = 0.into();
            self.offers_ack.d.next = false;
            self.offers_open.d.next = false;
            self.has_first.d.next = false;
            self.has_event.d.next = false;
        }
    }
}
