//! The ops of the congestion control, and what follows from its windows.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::memory::Windows;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Reg, SimpleDualPort, resize};
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
#[block]
pub struct Window<const C: usize> {
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
    #[reset = 0]
    waiting: Reg<Bits<5>>,
    /// What was offered once stays so until it is taken.
    #[reset = false]
    offers_ack: Reg<bool>,
    #[reset = false]
    offers_open: Reg<bool>,

    head: Signal<Local, Asked<C>>,

    /// The connection of the op in work; a window that an init gives.
    conn: Reg<Bits<C>>,
    #[reset = false]
    has_first: Reg<bool>,
    first: Reg<Bits<10>>,
    ack_windows: Windows<C>,
    look_windows: Windows<C>,
    old_windows: SimpleDualPort<Bits<C>, Bits<12>>,
    looked: Reg<Bits<12>>,

    #[reset = false]
    has_event: Reg<bool>,
    changed_conn: Reg<Bits<C>>,
    changed_to: Reg<Bits<26>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("The ops of the congestion control, and what follows from its windows.");

        comment!("No more is let in than there is room for.");
        let has_room = !self.waiting.get_bit(4) & !self.waiting.get_bit(3);
        self.ack_valid = self.heard_valid & (has_room | self.offers_ack);
        self.offers_ack = self.ack_valid & !self.ack_taken;
        self.open_valid = self.opening & (has_room | self.offers_open);
        self.offers_open = self.open_valid & !self.opened;
        if self.push & !self.pop {
            self.waiting = self.waiting + 1;
        }
        if self.pop & !self.push {
            self.waiting = self.waiting - 1;
        }

        comment!("SACKs and inits in the order in which sack_tx takes them, and what it found of the SACKs.");
        self.push =
            self.sack_op_valid & self.sack_op_ready & ((self.sack_op_kind == 1) | (self.sack_op_kind == 3));
        self.ask.opens = self.sack_op_kind == 3;
        self.ask.conn = self.sack_op_conn;
        self.ask.ecn = self.ack_ecn;
        self.ask.probe = self.ack_probe;
        self.ask.rtt = self.ack_rtt;
        self.asked.in_valid = self.push;
        self.asked.in_data = self.ask;
        self.finding.is_believed = (self.answer_status == 0) | (self.answer_status == 1);
        self.finding.bytes = 0;
        if self.answer_status == 0 {
            self.finding.bytes = self.answer_bytes;
        }
        self.answers.in_valid = self.answered;
        self.answers.in_data = self.finding;

        comment!("An op; of a SACK that is not believed there is none.");
        self.head = self.asked.out_data;
        let is_op = self.asked.out_valid
            & (self.head.opens | (self.answers.out_valid & self.answers.out_data.is_believed));
        let is_dropped = self.asked.out_valid
            & !self.head.opens
            & self.answers.out_valid
            & !self.answers.out_data.is_believed;
        // The congestion control takes an ACK, an init.
        let takes_ack = is_op & self.op_ready & !self.head.opens;
        let takes_init = is_op & self.op_ready & self.head.opens;
        self.pop = takes_ack | takes_init | is_dropped;
        self.asked.out_ready = self.pop;
        self.answers.out_ready = takes_ack | is_dropped;
        self.op_valid = is_op;
        self.op_kind = 1;
        if self.head.opens {
            self.op_kind = 4;
        }
        self.op_conn = self.head.conn;
        self.op_ecn = self.head.ecn;
        self.op_probe = self.head.probe;
        self.op_bytes = self.answers.out_data.bytes;
        self.op_timestamp = self.wire_time - self.head.rtt;

        comment!("Its window. An init has no result: the largest window is written a cycle later.");
        if takes_ack | takes_init {
            self.conn = self.head.conn;
        }
        self.has_first = takes_init;
        if takes_init {
            self.first = self.max_cwnd;
            if !self.max_cwnd.any() {
                self.first = 1;
            }
        }
        let is_done = self.res_valid & (self.res_status == 0);
        let mut packets = self.res_packets;
        if self.has_first {
            packets = resize(self.first);
        }
        // A window changes.
        let writes = is_done | self.has_first;
        self.write_valid = writes;
        self.write_conn = self.conn;
        self.write_packets = packets;
        self.ack_windows.write_valid = writes;
        self.ack_windows.write_conn = self.conn;
        self.ack_windows.write_packets = packets;
        self.ack_windows.read_conn = self.ack_conn;
        self.ack_packets = self.ack_windows.packets;
        self.look_windows.write_valid = writes;
        self.look_windows.write_conn = self.conn;
        self.look_windows.write_packets = packets;
        self.look_windows.read_conn = self.look_conn;
        if self.look_taken {
            self.looked = self.look_windows.packets;
        }
        self.look_packets = self.looked;

        comment!("The host is told where the window has another number of packets.");
        self.old_windows.write_enable = writes;
        self.old_windows.write_address = self.conn;
        self.old_windows.write_data = packets;
        self.old_windows.read_address = self.conn;
        // The host is told of a window.
        let tells = self.has_event & self.event_ready;
        if tells {
            self.has_event = false;
        }
        if is_done & (self.old_windows.read_data != self.res_packets) {
            self.has_event = true;
            self.changed_conn = self.conn;
            self.changed_to = self.res_cwnd;
        }
        self.event_valid = self.has_event | self.freeze_valid;
        self.freeze_ready = self.event_ready & !self.has_event;
        self.event_kind = self.freeze_kind;
        self.event_conn = self.freeze_conn;
        self.event_detail = 0;
        self.event_value = 0;
        if self.has_event {
            self.event_kind = 12;
            self.event_conn = resize(self.changed_conn);
            self.event_detail = resize(self.changed_to.get_bits::<10>(16));
            self.event_value = resize(self.changed_to);
        }
    }
}
