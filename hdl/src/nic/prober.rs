//! Probes of the block's own, and whose frame is made next.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Optional, Param, Reg};

/// Draws an EV for the probe that waits longest, and takes turns with SACKs for the block that makes frames.
///
/// A SACK goes first where both wait. What a probe is like, the first 64 bytes of the connection's last data packet, comes from the
/// memory of these; it is kept here, because the memory goes on being written. While no data packet of the connection has left, as
/// where `tx_out` pauses for longer than `probe_timeout`, nobody knows where to send a probe, and it is dropped: the next one is due
/// after another `probe_timeout`.
///
/// A probe of Ultra Ethernet draws no EV, since the control class does not see the queues of data: its EV is the time that it carries,
/// within the EV set. It is dropped where the block sends none, or where nobody knows the peer.
#[block]
pub struct Prober {
    /// Probes that are due.
    pub due_valid: Signal<In, bool>,
    pub due_ready: Signal<Out, bool>,
    pub due_conn: Signal<In, Bits<24>>,
    pub due_psn: Signal<In, Bits<32>>,
    /// An EV is asked for, and comes.
    pub draw_valid: Signal<Out, bool>,
    pub draw_ready: Signal<In, bool>,
    pub draw_conn: Signal<Out, Bits<24>>,
    pub ev_valid: Signal<In, bool>,
    pub ev: Signal<In, Bits<16>>,
    /// The last data packet of `draw_conn`; not while it is written.
    pub line_valid: Signal<In, bool>,
    pub line: Signal<In, Bits<512>>,
    /// The connection has sent it.
    pub line_known: Signal<In, bool>,
    pub wire_time: Signal<In, Bits<16>>,
    /// SACKs that wait.
    pub answer_valid: Signal<In, bool>,
    pub answer_ready: Signal<Out, bool>,
    pub answer_conn: Signal<In, Bits<24>>,
    pub answer_psn: Signal<In, Bits<32>>,
    pub answer_ev: Signal<In, Bits<16>>,
    pub answer_timestamp: Signal<In, Bits<16>>,
    /// The frame that is made next.
    pub job_valid: Signal<Out, bool>,
    pub job_ready: Signal<In, bool>,
    pub job_is_probe: Signal<Out, bool>,
    pub job_conn: Signal<Out, Bits<24>>,
    pub job_psn: Signal<Out, Bits<32>>,
    pub job_ev: Signal<Out, Bits<16>>,
    pub job_timestamp: Signal<Out, Bits<16>>,
    /// What a probe is like.
    pub probe_line: Signal<Out, Bits<512>>,
    pub count_tx_sacks: Signal<Out, bool>,
    pub count_tx_probes: Signal<Out, bool>,

    // Of Ultra Ethernet: the block sends probes; both PSNs of the one that is due; who its peer is, which `timing` looks up; the PDC of
    // the peer, of a SACK and of the frame that is made; where the bitmap is to begin that a probe asks for.
    pub own_probes: Optional<Signal<In, Bits<1>>>,
    pub due_psns: Optional<Signal<In, Bits<64>>>,
    pub look_valid: Optional<Signal<Out, bool>>,
    pub looked: Optional<Signal<In, bool>>,
    pub looked_is_bound: Optional<Signal<In, bool>>,
    pub looked_pdc: Optional<Signal<In, Bits<16>>>,
    pub answer_peer: Optional<Signal<In, Bits<16>>>,
    pub job_peer: Optional<Signal<Out, Bits<16>>>,
    pub job_from: Optional<Signal<Out, Bits<32>>>,
    from: Optional<Reg<Bits<32>>>,
    peer: Optional<Reg<Bits<16>>>,
    is_looked_up: Optional<Reg<bool>>,
    ev_base: Param<Bits<16>>,
    ev_mask: Param<Bits<16>>,
    has_types: Param<bool>,

    #[reset = false]
    has_probe: Reg<bool>,
    #[reset = false]
    is_drawn: Reg<bool>,
    #[reset = false]
    has_ev: Reg<bool>,
    conn: Reg<Bits<24>>,
    psn: Reg<Bits<32>>,
    probe_ev: Reg<Bits<16>>,
    kept: Reg<Bits<512>>,
    #[reset = false]
    has_line: Reg<bool>,
    left_at: Reg<Bits<16>>,
    #[reset = false]
    asks: Reg<bool>,
    settles: Reg<Bits<2>>,
    #[reset = false]
    is_probe: Reg<bool>,
}

#[block]
impl Prober {
    /// The block; that of Ultra Ethernet with the first EV of the set, and the bits in which EVs differ.
    pub fn new(evs: Option<(u64, u64)>) -> Self {
        let has_types = evs.is_some();
        let (base, mask) = evs.unwrap_or_default();
        Self {
            own_probes: Optional::new(has_types, Default::default),
            due_psns: Optional::new(has_types, Default::default),
            look_valid: Optional::new(has_types, Default::default),
            looked: Optional::new(has_types, Default::default),
            looked_is_bound: Optional::new(has_types, Default::default),
            looked_pdc: Optional::new(has_types, Default::default),
            answer_peer: Optional::new(has_types, Default::default),
            job_peer: Optional::new(has_types, Default::default),
            job_from: Optional::new(has_types, Default::default),
            from: Optional::new(has_types, Default::default),
            peer: Optional::new(has_types, Default::default),
            is_looked_up: Optional::new(has_types, Default::default),
            ev_base: Param::new(base.into()),
            ev_mask: Param::new(mask.into()),
            has_types: Param::new(has_types),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Probes of the block's own, and whose frame is made next.");
        let done = self.asks & self.job_ready;

        comment!("A probe: its EV, the time at which that comes, and the packet that it is like.");
        self.due_ready = self.due_valid & !self.has_probe;
        if self.due_ready {
            self.has_probe = true;
            self.is_drawn = false;
            self.settles = 0;
            self.conn = self.due_conn;
            self.psn = self.due_psn;
        }
        self.draw_valid = self.has_line & !self.is_drawn;
        self.draw_conn = self.conn;
        if self.draw_valid & self.draw_ready {
            self.is_drawn = true;
        }
        if self.ev_valid {
            self.has_ev = true;
            self.probe_ev = self.ev;
            self.left_at = self.wire_time;
        }
        comment!("The memory has read the connection's line two edges after its number is known.");
        if self.has_probe & !self.settles.all() {
            self.settles = self.settles + 1;
        }
        let judges = self.has_probe & self.settles.all() & self.line_valid & !self.has_line;
        if judges {
            self.has_line = self.line_known;
            self.has_probe = self.line_known;
            self.kept = self.line;
        }
        if self.has_types {
            comment!(
                "One of Ultra Ethernet says up to which PSN packets have left, and asks from where on they arrived."
            );
            if self.due_ready {
                self.from = self.due_psn & 0xffff_ffc0;
                self.psn = self.due_psns.get_bits::<32>(32) - 1;
                self.is_looked_up = false;
            }
            self.look_valid = self.has_probe & !self.is_looked_up;
            if !self.is_looked_up {
                self.settles = 0;
            }
            if self.looked {
                self.is_looked_up = true;
                self.peer = self.looked_pdc;
                if !self.looked_is_bound | !self.own_probes.any() {
                    self.has_probe = false;
                }
            }
            self.draw_valid = false;
            if judges & self.line_known {
                self.has_ev = true;
                self.probe_ev = (self.wire_time & self.ev_mask) | self.ev_base;
                self.left_at = self.wire_time;
            }
        }

        comment!("SACKs first.");
        if !self.asks {
            self.asks = self.answer_valid | self.has_ev;
            self.is_probe = !self.answer_valid;
        }
        if done {
            self.asks = false;
            if self.is_probe {
                self.has_probe = false;
                self.has_line = false;
                self.has_ev = false;
            }
        }
        self.job_valid = self.asks;
        self.job_is_probe = self.is_probe;
        self.job_conn = self.answer_conn;
        self.job_psn = self.answer_psn;
        self.job_ev = self.answer_ev;
        self.job_timestamp = self.answer_timestamp;
        if self.is_probe {
            self.job_conn = self.conn;
            self.job_psn = self.psn;
            self.job_ev = self.probe_ev;
            self.job_timestamp = self.left_at;
        }
        if self.has_types {
            self.job_peer = self.answer_peer;
            if self.is_probe {
                self.job_peer = self.peer;
            }
            self.job_from = self.from;
            if self.rst {
                self.is_looked_up = false;
            }
        }
        self.probe_line = self.kept;
        self.answer_ready = done & !self.is_probe;
        self.count_tx_sacks = done & !self.is_probe;
        self.count_tx_probes = done & self.is_probe;
    }
}
