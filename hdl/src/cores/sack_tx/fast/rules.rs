//! The three rules of loss.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Whether recovery is left or entered: 004 section 3.3.2, rules 1 and 2 for a SACK, rule 3 for a visit.
#[derive(LogicBlock, Default)]
pub struct Rules {
    pub clk: Signal<In, Clock>,
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub step_9: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_visit: Signal<In, bool>,
    /// The SACK is taken.
    pub ok: Signal<In, bool>,
    pub initialised: Signal<In, bool>,
    pub in_recovery: Signal<In, bool>,
    pub probe_out: Signal<In, bool>,
    pub empty: Signal<In, bool>,
    pub probe: Signal<In, bool>,
    pub ooo: Signal<In, Bits<12>>,
    pub cwnd_packets: Signal<In, Bits<12>>,
    /// Step 4: the end of the range is at or after EPSN; it is EPSN.
    pub reached: Signal<In, bool>,
    pub equal: Signal<In, bool>,
    /// Step 9: a PSN above EPSN was received.
    pub ahead: Signal<In, bool>,
    pub is_slow: Signal<In, bool>,
    pub is_stuck: Signal<In, bool>,
    pub is_silent: Signal<In, bool>,

    /// In recovery before the op: from step 2 on, and from step 3 on out of a register.
    pub recovering_now: Signal<Out, bool>,
    pub recovering: Signal<Out, bool>,
    /// Step 9: the probe came back in time.
    pub proves: Signal<Out, bool>,
    /// From step 10 on: a SACK enters recovery, by rule 1, by rule 2.
    pub enters: Signal<Out, bool>,
    pub enters_ooo: Signal<Out, bool>,
    pub enters_probe: Signal<Out, bool>,
    /// From step 8 on: a SACK ends recovery.
    pub leaves: Signal<Out, bool>,
    /// Visit, at its end and with its events: rule 3; a probe is to be asked for.
    pub timeout: Signal<Out, bool>,
    pub probe_due: Signal<Out, bool>,
    /// In recovery after the op.
    pub in_recovery_after: Signal<Out, bool>,

    is_proof: Signal<Local, bool>,
    later: Signal<Local, bool>,
    times_out: Signal<Local, bool>,
    does_leave: Signal<Local, bool>,
    does_enter: Signal<Local, bool>,
    is_recovering: DFF<bool>,
    live: DFF<bool>,
    exceeds: DFF<bool>,
    ends: DFF<bool>,
    lasts: DFF<bool>,
    by_ooo: DFF<bool>,
    by_probe: DFF<bool>,
}

impl Logic for Rules {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module rules: the three rules of loss, of which rule 2 is decided while a SACK walks");
        dff_setup!(self, clk, is_recovering, live, exceeds, ends, lasts, by_ooo, by_probe);
        self.later.next = self.reached.val() & !self.equal.val();
        comment!("More packets out of order than the window, and than min_threshold, which is 5.");
        self.exceeds.d.next = (self.ooo.val() > self.cwnd_packets.val()) & (self.ooo.val() > 5);
        self.is_proof.next = self.probe.val() & self.probe_out.val() & !self.is_slow.val();
        if self.step_2.val() {
            self.is_recovering.d.next = self.initialised.val() & self.in_recovery.val();
            self.ends.d.next = false;
            self.by_ooo.d.next = false;
            self.by_probe.d.next = false;
        }
        if self.step_4.val() {
            self.ends.d.next = self.is_sack.val() & self.is_recovering.q.val() & !self.later.val();
            self.lasts.d.next = self.later.val();
        }
        if self.step_9.val() & self.ok.val() {
            self.by_probe.d.next = self.is_proof.val() & (self.ahead.val() | self.lasts.q.val());
            self.by_ooo.d.next = !self.is_proof.val()
                & self.ahead.val()
                & self.exceeds.q.val()
                & !(self.is_recovering.q.val() & !self.ends.q.val());
        }
        self.does_leave.next = self.ends.q.val() & self.ok.val();
        self.does_enter.next = self.by_ooo.q.val() | self.by_probe.q.val();

        if self.step_3.val() {
            self.live.d.next = self.is_visit.val() & self.initialised.val() & !self.empty.val();
        }
        self.times_out.next = self.live.q.val() & self.is_stuck.val();
        self.timeout.next = self.times_out.val();
        self.probe_due.next = self.live.q.val() & !self.is_stuck.val() & self.is_silent.val();

        self.recovering_now.next = self.initialised.val() & self.in_recovery.val();
        self.recovering.next = self.is_recovering.q.val();
        self.proves.next = self.is_proof.val();
        self.enters.next = self.does_enter.val();
        self.enters_ooo.next = self.by_ooo.q.val();
        self.enters_probe.next = self.by_probe.q.val();
        self.leaves.next = self.does_leave.val();
        self.in_recovery_after.next = self.does_enter.val()
            | self.times_out.val()
            | (self.is_recovering.q.val() & !self.does_leave.val());
    }
}
