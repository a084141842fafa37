//! `nic_timing`: the round trips of `uet`, whose ACKs echo no timestamp.
//!
//! ```text
//!  decisions ──► queue ──┐
//!  probes ───────────────┼──► one at a time ──► memory ──► compare ──► write back
//!  ACKs ─────────────────┘                                        └──► heard_*, to the scoreboard
//! ```
//!
//! The sender times one packet of a connection at a time, and the first probe since the last ACK. An ACK of one of them comes out with
//! the time at which that one left, as if its header had echoed it. What else an ACK of `uet` says in other words than one of `strack`
//! comes out in those of `strack`: the lowest PSN that is not received, the PSN of the bitmap's bit 0, and all bytes received.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, SimpleDualPort};
use crate::signal_struct;

signal_struct! {
    /// What is kept of a connection: 90 bits.
    pub struct Kept {
        /// A packet is timed: its PSN, and when it left in ticks of the wire.
        pub is_timed: bool,
        pub psn: Bits<24>,
        pub sent_at: Bits<16>,
        /// A probe has left since the last ACK, and when the first of them did.
        pub is_probed: bool,
        pub probed_at: Bits<16>,
        /// Bytes that the receiver has got.
        pub bytes: Bits<32>,
    }
}

signal_struct! {
    /// What was decided about a packet of the host, or that a connection was opened or closed.
    pub struct Decision<const C: usize> {
        pub conn: Bits<C>,
        pub psn: Bits<24>,
        /// In ticks of the wire.
        pub time: Bits<16>,
        pub is_again: bool,
        pub is_renewed: bool,
    }
}

/// Keeps times and bytes of `2^C` connections, and says of each ACK what the scoreboard has to hear.
///
/// An update takes five cycles. Probes come first, then decisions, then ACKs: a packet is timed before anyone can answer it. Of
/// probes there is one in twenty cycles at most; decisions wait in a queue that holds more of them than the scoreboard has in work.
#[derive(LogicBlock, Default)]
pub struct Timing<const C: usize> {
    pub clk: Signal<In, Clock>,
    /// Nothing is kept of any connection, `2^C` cycles behind it.
    pub rst: Signal<In, bool>,
    pub wire_time: Signal<In, Bits<16>>,
    /// Pulses, at most one of them in a cycle: a packet leaves for the first time, it leaves again, a connection is opened or closed.
    pub sent: Signal<In, bool>,
    pub again: Signal<In, bool>,
    pub renewed: Signal<In, bool>,
    pub conn: Signal<In, Bits<C>>,
    pub psn: Signal<In, Bits<24>>,
    /// A pulse: a probe of the block's own leaves; the time at which its EV came, in ticks of the wire.
    pub probed: Signal<In, bool>,
    pub probe_conn: Signal<In, Bits<C>>,
    pub probe_time: Signal<In, Bits<16>>,

    /// The ACK that is next, as its header has it. All fields hold until `ack_ready`.
    pub ack_valid: Signal<In, bool>,
    pub ack_ready: Signal<Out, bool>,
    pub ack_conn: Signal<In, Bits<24>>,
    pub ack_probe: Signal<In, bool>,
    /// Cumulative PSN.
    pub ack_epsn: Signal<In, Bits<24>>,
    /// From the cumulative PSN to that of the packet that is answered, and to the bitmap's bit 0.
    pub ack_offset: Signal<In, Bits<16>>,
    pub ack_base: Signal<In, Bits<16>>,
    pub ack_ooo: Signal<In, Bits<16>>,
    pub ack_bytes: Signal<In, Bits<24>>,
    pub ack_bitmap: Signal<In, Bits<64>>,

    /// The same ACK for the scoreboard. All fields hold until `heard_ready`.
    pub heard_valid: Signal<Out, bool>,
    pub heard_ready: Signal<In, bool>,
    /// When what it answers left, in ticks of the wire, unless nobody knows.
    pub heard_timestamp: Signal<Out, Bits<16>>,
    pub heard_untimed: Signal<Out, bool>,
    pub heard_epsn: Signal<Out, Bits<24>>,
    pub heard_base: Signal<Out, Bits<24>>,
    pub heard_ooo: Signal<Out, Bits<12>>,
    pub heard_bytes: Signal<Out, Bits<32>>,

    memory: SimpleDualPort<Bits<C>, Kept>,
    decisions: Fifo<Decision<C>, 4, 5>,
    probe_waits: DFF<bool>,
    waiting_conn: DFF<Bits<C>>,
    waiting_time: DFF<Bits<16>>,

    is_ready: DFF<bool>,
    clear_at: DFF<Bits<C>>,
    /// The steps of an update.
    reads: DFF<bool>,
    comes: DFF<bool>,
    compares: DFF<bool>,
    writes: DFF<bool>,
    is_free: Signal<Local, bool>,
    take_probe: Signal<Local, bool>,
    take_decision: Signal<Local, bool>,
    take_ack: Signal<Local, bool>,
    /// What it is for, and the PSN that is looked for.
    is_probe: DFF<bool>,
    is_ack: DFF<bool>,
    decision: DFF<Decision<C>>,
    is_foreign: DFF<bool>,
    key: DFF<Bits<24>>,

    /// Of the ACK that is next.
    from_answered: Signal<Local, Bits<24>>,
    from_base: Signal<Local, Bits<24>>,
    answered: DFF<Bits<24>>,
    epsn: DFF<Bits<24>>,
    base: DFF<Bits<24>>,
    ooo: DFF<Bits<12>>,
    is_plain: DFF<bool>,
    says_no_bytes: DFF<bool>,

    kept: DFF<Kept>,
    /// The packet that is timed is the one looked for.
    is_it: DFF<bool>,
    behind: Signal<Local, Bits<24>>,
    is_passed: DFF<bool>,
    less: Signal<Local, Bits<24>>,
    /// The ACK knows of fewer bytes than another one before.
    is_older: DFF<bool>,
    is_below: Signal<Local, bool>,
    upper: Signal<Local, Bits<8>>,
    count: Signal<Local, Bits<32>>,
    is_cleared: Signal<Local, bool>,
    next: Signal<Local, Kept>,
    is_heard: DFF<bool>,
    then: DFF<Bits<16>>,
    is_untimed: DFF<bool>,
    bytes: DFF<Bits<32>>,

    last_conn: Param<Bits<C>>,
    /// Bits of a connection's number that are 0 in all that exist.
    beyond: Param<Bits<24>>,
    /// Bits of a PSN that tell its segment.
    segment: Param<Bits<24>>,
}

impl<const C: usize> Timing<C> {
    /// The block.
    pub fn new() -> Self {
        let about = "of each connection which packet is timed, when it left, and the bytes received";
        Self {
            memory: SimpleDualPort::new("timing_memory", about, MemoryKind::Block),
            decisions: Fifo::new("decisions", MemoryKind::Distributed),
            last_conn: Param::new(((1u64 << C) - 1).into()),
            beyond: Param::new((0x100_0000 - (1u64 << C)).into()),
            segment: Param::new(0xff_ffc0u64.into()),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Timing<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The round trips of uet, whose ACKs echo no timestamp.");
        dff_setup!(self, clk, probe_waits, waiting_conn, waiting_time, is_ready, clear_at);
        dff_setup!(self, clk, reads, comes, compares, writes, is_probe, is_ack, decision, is_foreign, key);
        dff_setup!(
            self,
            clk,
            answered,
            epsn,
            base,
            ooo,
            is_plain,
            says_no_bytes,
            kept,
            is_it,
            is_passed,
            is_older
        );
        dff_setup!(self, clk, is_heard, then, is_untimed, bytes);
        self.memory.clk.next = self.clk.val();
        self.decisions.clk.next = self.clk.val();
        self.decisions.rst.next = self.rst.val();
        comment!("What waits. The time is that of the pulse.");
        self.decisions.in_valid.next = self.sent.val() | self.again.val() | self.renewed.val();
        self.decisions.in_data.next.conn = self.conn.val();
        self.decisions.in_data.next.psn = self.psn.val();
        self.decisions.in_data.next.time = self.wire_time.val();
        self.decisions.in_data.next.is_again = self.again.val();
        self.decisions.in_data.next.is_renewed = self.renewed.val();

        comment!("Probes first, then decisions, then the ACK that is next, once.");
        self.is_free.next = self.is_ready.q.val()
            & !self.reads.q.val()
            & !self.comes.q.val()
            & !self.compares.q.val()
            & !self.writes.q.val();
        self.take_probe.next = self.is_free.val() & self.probe_waits.q.val();
        self.take_decision.next =
            self.is_free.val() & !self.probe_waits.q.val() & self.decisions.out_valid.val();
        self.take_ack.next = self.is_free.val()
            & !self.probe_waits.q.val()
            & !self.decisions.out_valid.val()
            & self.ack_valid.val()
            & !self.is_heard.q.val();
        self.decisions.out_ready.next = self.take_decision.val();
        if self.take_probe.val() {
            self.probe_waits.d.next = false;
        }
        if self.probed.val() {
            self.probe_waits.d.next = true;
            self.waiting_conn.d.next = self.probe_conn.val();
            self.waiting_time.d.next = self.probe_time.val();
        }
        if self.is_free.val() {
            self.is_probe.d.next = self.take_probe.val();
            self.is_ack.d.next = self.take_ack.val();
            self.is_foreign.d.next = self.take_ack.val() & (self.ack_conn.val() & self.beyond.val()).any();
            self.decision.d.next = self.decisions.out_data.val();
            self.key.d.next = self.decisions.out_data.val().psn;
            if self.take_ack.val() {
                self.decision.d.next.conn = bit_cast::<C, 24>(self.ack_conn.val());
            }
            if self.take_probe.val() {
                self.decision.d.next.conn = self.waiting_conn.q.val();
                self.decision.d.next.time = self.waiting_time.q.val();
            }
        }

        comment!("PSNs of the ACK that is next, a cycle behind it.");
        self.from_answered.next = bit_cast::<24, 16>(self.ack_offset.val());
        if self.ack_offset.val().get_bit(15) {
            self.from_answered.next = bit_cast::<24, 16>(self.ack_offset.val()) | bits::<24>(0xff_0000);
        }
        self.from_base.next = bit_cast::<24, 16>(self.ack_base.val());
        if self.ack_base.val().get_bit(15) {
            self.from_base.next = bit_cast::<24, 16>(self.ack_base.val()) | bits::<24>(0xff_0000);
        }
        self.answered.d.next = self.ack_epsn.val() + self.from_answered.val();
        self.epsn.d.next = self.ack_epsn.val() + 1;
        comment!("An ACK without the fields of congestion control has them as 0.");
        comment!("One whose state is not read has the bytes and the count as 0.");
        self.is_plain.d.next =
            !(self.ack_bitmap.val().any() | self.ack_ooo.val().any() | self.ack_bytes.val().any());
        self.says_no_bytes.d.next = !(self.ack_ooo.val().any() | self.ack_bytes.val().any());
        self.base.d.next = self.ack_epsn.val() + self.from_base.val();
        self.ooo.d.next = self.ack_ooo.val().get_bits::<12>(0);
        if self.ack_ooo.val().get_bits::<4>(12).any() {
            self.ooo.d.next = bits::<12>(0xfff);
        }

        comment!("The word of the connection comes, and is compared with what happened.");
        self.reads.d.next = self.take_probe.val() | self.take_decision.val() | self.take_ack.val();
        self.comes.d.next = self.reads.q.val();
        self.compares.d.next = self.comes.q.val();
        self.writes.d.next = self.compares.q.val();
        self.memory.read_address.next = self.decision.q.val().conn;
        if self.comes.q.val() {
            self.kept.d.next = self.memory.read_data.val();
        }
        if self.reads.q.val() & self.is_ack.q.val() {
            self.key.d.next = self.answered.q.val();
        }
        self.is_it.d.next = self.kept.q.val().is_timed & (self.kept.q.val().psn == self.key.q.val());
        comment!("A cumulative acknowledgement passes the timed packet without answering it.");
        self.behind.next = self.kept.q.val().psn - self.epsn.q.val();
        self.is_passed.d.next = self.behind.val().get_bit(23);
        comment!(
            "The ACK has the lower 24 bits of the bytes received: they are counted on by the sign of the difference."
        );
        self.less.next = self.ack_bytes.val() - self.kept.q.val().bytes.get_bits::<24>(0);
        self.is_older.d.next = self.less.val().get_bit(23);

        comment!("The word afterwards. The upper bits go along where the lower ones wrap.");
        self.is_below.next = (!self.ack_bytes.val().get_bit(23) & self.kept.q.val().bytes.get_bit(23))
            | ((self.ack_bytes.val().get_bit(23) == self.kept.q.val().bytes.get_bit(23))
                & self.is_older.q.val());
        self.upper.next = self.kept.q.val().bytes.get_bits::<8>(24);
        if self.is_below.val() & !self.is_older.q.val() {
            self.upper.next = self.kept.q.val().bytes.get_bits::<8>(24) + 1;
        }
        if self.is_older.q.val() & !self.is_below.val() {
            self.upper.next = self.kept.q.val().bytes.get_bits::<8>(24) - 1;
        }
        self.count.next =
            (bit_cast::<32, 8>(self.upper.val()) << 24) | bit_cast::<32, 24>(self.ack_bytes.val());
        self.next.next = self.kept.q.val();
        if self.is_ack.q.val() {
            self.next.next.is_probed = false;
            self.next.next.is_timed = self.kept.q.val().is_timed
                & !self.is_passed.q.val()
                & (self.ack_probe.val() | !self.is_it.q.val());
            if !self.says_no_bytes.q.val() & !self.is_older.q.val() {
                self.next.next.bytes = self.count.val();
            }
        } else if self.is_probe.q.val() {
            comment!("Of several probes the first one counts: an RTT that is too long proves no loss.");
            self.next.next.is_probed = true;
            if !self.kept.q.val().is_probed {
                self.next.next.probed_at = self.decision.q.val().time;
            }
        } else if self.decision.q.val().is_again {
            comment!("Which of the two is answered cannot be known (Karn's rule).");
            self.next.next.is_timed = self.kept.q.val().is_timed & !self.is_it.q.val();
        } else {
            self.next.next.is_timed = true;
            if !self.kept.q.val().is_timed {
                self.next.next.psn = self.key.q.val();
                self.next.next.sent_at = self.decision.q.val().time;
            }
        }
        self.is_cleared.next =
            !self.is_probe.q.val() & !self.is_ack.q.val() & self.decision.q.val().is_renewed;
        if self.is_cleared.val() | !self.is_ready.q.val() {
            self.next.next.is_timed = false;
            self.next.next.is_probed = false;
            self.next.next.bytes = bits::<32>(0);
        }
        self.memory.write_enable.next =
            !self.is_ready.q.val() | (self.writes.q.val() & !self.is_foreign.q.val());
        self.memory.write_data.next = self.next.val();
        self.memory.write_address.next = self.decision.q.val().conn;
        comment!("After a reset nothing is kept of any connection.");
        if !self.is_ready.q.val() {
            self.memory.write_address.next = self.clear_at.q.val();
        }
        self.clear_at.d.next = self.clear_at.q.val() + 1;
        if self.clear_at.q.val() == self.last_conn.val() {
            self.is_ready.d.next = true;
        }

        comment!("What the scoreboard hears.");
        if self.writes.q.val() & self.is_ack.q.val() {
            self.is_heard.d.next = true;
            self.then.d.next = self.kept.q.val().sent_at;
            self.is_untimed.d.next = !self.is_it.q.val();
            if self.ack_probe.val() {
                self.then.d.next = self.kept.q.val().probed_at;
                self.is_untimed.d.next = !self.kept.q.val().is_probed;
            }
            self.bytes.d.next = self.count.val();
            if self.says_no_bytes.q.val() {
                self.bytes.d.next = self.kept.q.val().bytes;
            }
        }
        self.ack_ready.next = self.is_heard.q.val() & self.heard_ready.val();
        if self.is_heard.q.val() & self.heard_ready.val() {
            self.is_heard.d.next = false;
        }
        self.heard_valid.next = self.is_heard.q.val();
        self.heard_timestamp.next = self.then.q.val();
        self.heard_untimed.next = self.is_untimed.q.val();
        self.heard_epsn.next = self.epsn.q.val();
        self.heard_base.next = self.base.q.val();
        if self.is_plain.q.val() {
            self.heard_base.next = self.epsn.q.val() & self.segment.val();
        }
        self.heard_ooo.next = self.ooo.q.val();
        self.heard_bytes.next = self.bytes.q.val();
        if self.rst.val() {
            self.probe_waits.d.next = false;
            self.is_ready.d.next = false;
            self.clear_at.d.next = 0.into();
            self.reads.d.next = false;
            self.comes.d.next = false;
            self.compares.d.next = false;
            self.writes.d.next = false;
            self.is_heard.d.next = false;
        }
    }
}
