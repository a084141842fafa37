//! Probes of the block's own, and whose frame is made next.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Draws an EV for the probe that waits longest, and takes turns with SACKs for the block that makes frames.
///
/// A SACK goes first where both wait. What a probe is like, the first 64 bytes of the connection's last data packet, comes from the
/// memory of these; it is kept here, because the memory goes on being written. While no data packet of the connection has left, as
/// where `tx_out` pauses for longer than `probe_timeout`, nobody knows where to send a probe, and it is dropped: the next one is due
/// after another `probe_timeout`.
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
        self.probe_line = self.kept;
        self.answer_ready = done & !self.is_probe;
        self.count_tx_sacks = done & !self.is_probe;
        self.count_tx_probes = done & self.is_probe;
    }
}
