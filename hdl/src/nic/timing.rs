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

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Optional, Param, Reg, SimpleDualPort, resize};
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
#[block]
pub struct Timing<const C: usize> {
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
    /// Where the host says who the peers are: it comes from another address, and nothing of it is kept.
    pub ack_is_refused: Optional<Signal<In, bool>>,

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
    #[reset = false]
    probe_waits: Reg<bool>,
    waiting_conn: Reg<Bits<C>>,
    waiting_time: Reg<Bits<16>>,

    #[reset = false]
    is_ready: Reg<bool>,
    #[reset = 0]
    clear_at: Reg<Bits<C>>,
    /// The steps of an update.
    #[reset = false]
    reads: Reg<bool>,
    #[reset = false]
    comes: Reg<bool>,
    #[reset = false]
    compares: Reg<bool>,
    #[reset = false]
    writes: Reg<bool>,
    /// What it is for, and the PSN that is looked for.
    is_probe: Reg<bool>,
    is_ack: Reg<bool>,
    decision: Reg<Decision<C>>,
    is_foreign: Reg<bool>,
    key: Reg<Bits<24>>,

    answered: Reg<Bits<24>>,
    epsn: Reg<Bits<24>>,
    base: Reg<Bits<24>>,
    ooo: Reg<Bits<12>>,
    is_plain: Reg<bool>,
    says_no_bytes: Reg<bool>,

    kept: Reg<Kept>,
    /// The packet that is timed is the one looked for.
    is_it: Reg<bool>,
    is_passed: Reg<bool>,
    /// The ACK knows of fewer bytes than another one before.
    is_older: Reg<bool>,
    next: Signal<Local, Kept>,
    #[reset = false]
    is_heard: Reg<bool>,
    then: Reg<Bits<16>>,
    is_untimed: Reg<bool>,
    bytes: Reg<Bits<32>>,

    last_conn: Param<Bits<C>>,
    /// Bits of a connection's number that are 0 in all that exist.
    beyond: Param<Bits<24>>,
    /// Bits of a PSN that tell its segment.
    segment: Param<Bits<24>>,
    has_peers: Param<bool>,
}

#[block]
impl<const C: usize> Timing<C> {
    /// The block for a host that says who the peers are, or does not.
    pub fn new(has_peers: bool) -> Self {
        let about = "of each connection which packet is timed, when it left, and the bytes received";
        Self {
            memory: SimpleDualPort::new("timing_memory", about, MemoryKind::Block),
            decisions: Fifo::new("decisions", MemoryKind::Distributed),
            last_conn: Param::new(((1u64 << C) - 1).into()),
            beyond: Param::new((0x100_0000 - (1u64 << C)).into()),
            segment: Param::new(0xff_ffc0u64.into()),
            ack_is_refused: Optional::new(has_peers, Default::default),
            has_peers: Param::new(has_peers),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("The round trips of uet, whose ACKs echo no timestamp.");
        comment!("What waits. The time is that of the pulse.");
        self.decisions.in_valid = self.sent | self.again | self.renewed;
        self.decisions.in_data.conn = self.conn;
        self.decisions.in_data.psn = self.psn;
        self.decisions.in_data.time = self.wire_time;
        self.decisions.in_data.is_again = self.again;
        self.decisions.in_data.is_renewed = self.renewed;

        comment!("Probes first, then decisions, then the ACK that is next, once.");
        let is_free = self.is_ready & !self.reads & !self.comes & !self.compares & !self.writes;
        let take_probe = is_free & self.probe_waits;
        let take_decision = is_free & !self.probe_waits & self.decisions.out_valid;
        let take_ack =
            is_free & !self.probe_waits & !self.decisions.out_valid & self.ack_valid & !self.is_heard;
        self.decisions.out_ready = take_decision;
        if take_probe {
            self.probe_waits = false;
        }
        if self.probed {
            self.probe_waits = true;
            self.waiting_conn = self.probe_conn;
            self.waiting_time = self.probe_time;
        }
        if is_free {
            self.is_probe = take_probe;
            self.is_ack = take_ack;
            self.is_foreign = take_ack & (self.ack_conn & self.beyond).any();
            if self.has_peers {
                self.is_foreign = take_ack & ((self.ack_conn & self.beyond).any() | self.ack_is_refused);
            }
            self.decision = self.decisions.out_data;
            self.key = self.decisions.out_data.psn;
            if take_ack {
                self.decision.conn = resize(self.ack_conn);
            }
            if take_probe {
                self.decision.conn = self.waiting_conn;
                self.decision.time = self.waiting_time;
            }
        }

        comment!("PSNs of the ACK that is next, a cycle behind it.");
        // Of the ACK that is next.
        let mut from_answered: Bits<24> = resize(self.ack_offset);
        if self.ack_offset.get_bit(15) {
            from_answered = bit_cast::<24, 16>(self.ack_offset) | bits::<24>(0xff_0000);
        }
        let mut from_base: Bits<24> = resize(self.ack_base);
        if self.ack_base.get_bit(15) {
            from_base = bit_cast::<24, 16>(self.ack_base) | bits::<24>(0xff_0000);
        }
        self.answered = self.ack_epsn + from_answered;
        self.epsn = self.ack_epsn + 1;
        comment!("An ACK without the fields of congestion control has them as 0.");
        comment!("One whose state is not read has the bytes and the count as 0.");
        self.is_plain = !(self.ack_bitmap.any() | self.ack_ooo.any() | self.ack_bytes.any());
        self.says_no_bytes = !(self.ack_ooo.any() | self.ack_bytes.any());
        self.base = self.ack_epsn + from_base;
        self.ooo = self.ack_ooo.get_bits::<12>(0);
        if self.ack_ooo.get_bits::<4>(12).any() {
            self.ooo = 0xfff;
        }

        comment!("The word of the connection comes, and is compared with what happened.");
        self.reads = take_probe | take_decision | take_ack;
        self.comes = self.reads;
        self.compares = self.comes;
        self.writes = self.compares;
        self.memory.read_address = self.decision.conn;
        if self.comes {
            self.kept = self.memory.read_data;
        }
        if self.reads & self.is_ack {
            self.key = self.answered;
        }
        self.is_it = self.kept.is_timed & (self.kept.psn == self.key);
        comment!("A cumulative acknowledgement passes the timed packet without answering it.");
        let behind = self.kept.psn - self.epsn;
        self.is_passed = behind.get_bit(23);
        comment!(
            "The ACK has the lower 24 bits of the bytes received: they are counted on by the sign of the difference."
        );
        let less = self.ack_bytes - self.kept.bytes.get_bits::<24>(0);
        self.is_older = less.get_bit(23);

        comment!("The word afterwards. The upper bits go along where the lower ones wrap.");
        let is_below = (!self.ack_bytes.get_bit(23) & self.kept.bytes.get_bit(23))
            | ((self.ack_bytes.get_bit(23) == self.kept.bytes.get_bit(23)) & self.is_older);
        let mut upper = self.kept.bytes.get_bits::<8>(24);
        if is_below & !self.is_older {
            upper = self.kept.bytes.get_bits::<8>(24) + 1;
        }
        if self.is_older & !is_below {
            upper = self.kept.bytes.get_bits::<8>(24) - 1;
        }
        let count = (bit_cast::<32, 8>(upper) << 24) | bit_cast::<32, 24>(self.ack_bytes);
        self.next = self.kept;
        if self.is_ack {
            self.next.is_probed = false;
            self.next.is_timed = self.kept.is_timed & !self.is_passed & (self.ack_probe | !self.is_it);
            if !self.says_no_bytes & !self.is_older {
                self.next.bytes = count;
            }
        } else if self.is_probe {
            comment!("Of several probes the first one counts: an RTT that is too long proves no loss.");
            self.next.is_probed = true;
            if !self.kept.is_probed {
                self.next.probed_at = self.decision.time;
            }
        } else if self.decision.is_again {
            comment!("Which of the two is answered cannot be known (Karn's rule).");
            self.next.is_timed = self.kept.is_timed & !self.is_it;
        } else {
            self.next.is_timed = true;
            if !self.kept.is_timed {
                self.next.psn = self.key;
                self.next.sent_at = self.decision.time;
            }
        }
        let is_cleared = !self.is_probe & !self.is_ack & self.decision.is_renewed;
        if is_cleared | !self.is_ready {
            self.next.is_timed = false;
            self.next.is_probed = false;
            self.next.bytes = 0;
        }
        self.memory.write_enable = !self.is_ready | (self.writes & !self.is_foreign);
        self.memory.write_data = self.next;
        self.memory.write_address = self.decision.conn;
        comment!("After a reset nothing is kept of any connection.");
        if !self.is_ready {
            self.memory.write_address = self.clear_at;
        }
        self.clear_at = self.clear_at + 1;
        if self.clear_at == self.last_conn {
            self.is_ready = true;
        }

        comment!("What the scoreboard hears.");
        if self.writes & self.is_ack {
            self.is_heard = true;
            self.then = self.kept.sent_at;
            self.is_untimed = !self.is_it;
            if self.ack_probe {
                self.then = self.kept.probed_at;
                self.is_untimed = !self.kept.is_probed;
            }
            self.bytes = count;
            if self.says_no_bytes {
                self.bytes = self.kept.bytes;
            }
        }
        self.ack_ready = self.is_heard & self.heard_ready;
        if self.is_heard & self.heard_ready {
            self.is_heard = false;
        }
        self.heard_valid = self.is_heard;
        self.heard_timestamp = self.then;
        self.heard_untimed = self.is_untimed;
        self.heard_epsn = self.epsn;
        self.heard_base = self.base;
        if self.is_plain {
            self.heard_base = self.epsn & self.segment;
        }
        self.heard_ooo = self.ooo;
        self.heard_bytes = self.bytes;
    }
}
