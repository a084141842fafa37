//! Probes of the block's own, and whose frame is made next.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Draws an EV for the probe that waits longest, and takes turns with SACKs for the block that makes frames.
///
/// A SACK goes first where both wait. What a probe is like, the first 64 bytes of the connection's last data packet, comes from the
/// memory of these; it is kept here, because the memory goes on being written. While no data packet of the connection has left, as
/// where `tx_out` pauses for longer than `probe_timeout`, nobody knows where to send a probe, and it is dropped: the next one is due
/// after another `probe_timeout`.
#[derive(LogicBlock, Default)]
pub struct Prober {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

    has_probe: DFF<bool>,
    is_drawn: DFF<bool>,
    has_ev: DFF<bool>,
    conn: DFF<Bits<24>>,
    psn: DFF<Bits<32>>,
    probe_ev: DFF<Bits<16>>,
    kept: DFF<Bits<512>>,
    has_line: DFF<bool>,
    left_at: DFF<Bits<16>>,
    asks: DFF<bool>,
    settles: DFF<Bits<2>>,
    is_probe: DFF<bool>,
    judges: Signal<Local, bool>,
    done: Signal<Local, bool>,
}

impl Logic for Prober {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Probes of the block's own, and whose frame is made next.");
        dff_setup!(self, clk, has_probe, is_drawn, has_ev, conn, psn, probe_ev, kept, has_line, left_at);
        dff_setup!(self, clk, asks, settles, is_probe);
        self.done.next = self.asks.q.val() & self.job_ready.val();

        comment!("A probe: its EV, the time at which that comes, and the packet that it is like.");
        self.due_ready.next = !self.has_probe.q.val();
        if self.due_valid.val() & !self.has_probe.q.val() {
            self.has_probe.d.next = true;
            self.is_drawn.d.next = false;
            self.settles.d.next = 0.into();
            self.conn.d.next = self.due_conn.val();
            self.psn.d.next = self.due_psn.val();
        }
        self.draw_valid.next = self.has_line.q.val() & !self.is_drawn.q.val();
        self.draw_conn.next = self.conn.q.val();
        if self.draw_valid.val() & self.draw_ready.val() {
            self.is_drawn.d.next = true;
        }
        if self.ev_valid.val() {
            self.has_ev.d.next = true;
            self.probe_ev.d.next = self.ev.val();
            self.left_at.d.next = self.wire_time.val();
        }
        comment!("The memory has read the connection's line two edges after its number is known.");
        if self.has_probe.q.val() & !self.settles.q.val().all() {
            self.settles.d.next = self.settles.q.val() + 1;
        }
        self.judges.next = self.has_probe.q.val()
            & self.settles.q.val().all()
            & self.line_valid.val()
            & !self.has_line.q.val();
        if self.judges.val() {
            self.has_line.d.next = self.line_known.val();
            self.has_probe.d.next = self.line_known.val();
            self.kept.d.next = self.line.val();
        }

        comment!("SACKs first.");
        if !self.asks.q.val() {
            self.asks.d.next = self.answer_valid.val() | self.has_ev.q.val();
            self.is_probe.d.next = !self.answer_valid.val();
        }
        if self.done.val() {
            self.asks.d.next = false;
            if self.is_probe.q.val() {
                self.has_probe.d.next = false;
                self.has_line.d.next = false;
                self.has_ev.d.next = false;
            }
        }
        self.job_valid.next = self.asks.q.val();
        self.job_is_probe.next = self.is_probe.q.val();
        self.job_conn.next = self.answer_conn.val();
        self.job_psn.next = self.answer_psn.val();
        self.job_ev.next = self.answer_ev.val();
        self.job_timestamp.next = self.answer_timestamp.val();
        if self.is_probe.q.val() {
            self.job_conn.next = self.conn.q.val();
            self.job_psn.next = self.psn.q.val();
            self.job_ev.next = self.probe_ev.q.val();
            self.job_timestamp.next = self.left_at.q.val();
        }
        self.probe_line.next = self.kept.q.val();
        self.answer_ready.next = self.done.val() & !self.is_probe.q.val();
        self.count_tx_sacks.next = self.done.val() & !self.is_probe.q.val();
        self.count_tx_probes.next = self.done.val() & self.is_probe.q.val();
        if self.rst.val() {
            self.has_probe.d.next = false;
            self.is_drawn.d.next = false;
            self.has_ev.d.next = false;
            self.has_line.d.next = false;
            self.asks.d.next = false;
            self.is_probe.d.next = false;
        }
    }
}
