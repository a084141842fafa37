//! The three rules of loss.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Whether recovery is left or entered: 004 section 3.3.2, rules 1 and 2 for a SACK, rule 3 for a visit.
#[block(no_reset)]
pub struct Rules {
    pub step_2: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub step_13: Signal<In, bool>,
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
    /// Step 13: a PSN above EPSN was received.
    pub ahead: Signal<In, bool>,
    pub is_slow: Signal<In, bool>,
    pub is_stuck: Signal<In, bool>,
    pub is_silent: Signal<In, bool>,

    /// In recovery before the op: from step 2 on, and from step 3 on out of a register.
    pub recovering_now: Signal<Out, bool>,
    pub recovering: Signal<Out, bool>,
    /// Step 13: the probe came back in time.
    pub proves: Signal<Out, bool>,
    /// From step 14 on: a SACK enters recovery, by rule 1, by rule 2.
    pub enters: Signal<Out, bool>,
    pub enters_ooo: Signal<Out, bool>,
    pub enters_probe: Signal<Out, bool>,
    /// From step 8 on: a SACK ends recovery.
    pub leaves: Signal<Out, bool>,
    /// Visit, from step 7 on: rule 3; a probe is to be asked for.
    pub timeout: Signal<Out, bool>,
    pub probe_due: Signal<Out, bool>,
    /// In recovery after the op.
    pub in_recovery_after: Signal<Out, bool>,

    is_recovering: Reg<bool>,
    live: Reg<bool>,
    exceeds: Reg<bool>,
    ends: Reg<bool>,
    lasts: Reg<bool>,
    by_ooo: Reg<bool>,
    by_probe: Reg<bool>,
}

#[block]
impl Rules {
    fn update(&mut self) {
        comment!("module rules: the three rules of loss");
        self.is_recovering = self.initialised & self.in_recovery;
        let later = self.reached & !self.equal;
        comment!("More packets out of order than the window, and than min_threshold, which is 5.");
        self.exceeds = (self.ooo > self.cwnd_packets) & (self.ooo > 5);
        let is_proof = self.probe & self.probe_out & !self.is_slow;
        if self.step_2 {
            self.ends = false;
            self.by_ooo = false;
            self.by_probe = false;
        }
        if self.step_4 {
            self.ends = self.is_sack & self.is_recovering & !later;
            self.lasts = later;
        }
        if self.step_13 {
            self.by_probe = is_proof & (self.ahead | self.lasts);
            self.by_ooo = !is_proof & self.ahead & self.exceeds & !(self.is_recovering & !self.ends);
        }
        let does_leave = self.ends & self.ok;
        let does_enter = self.by_ooo | self.by_probe;

        self.live = self.is_visit & self.initialised & !self.empty;
        let times_out = self.live & self.is_stuck;
        self.timeout = times_out;
        self.probe_due = self.live & !self.is_stuck & self.is_silent;

        self.recovering_now = self.initialised & self.in_recovery;
        self.recovering = self.is_recovering;
        self.proves = is_proof;
        self.enters = does_enter;
        self.enters_ooo = self.by_ooo;
        self.enters_probe = self.by_probe;
        self.leaves = does_leave;
        self.in_recovery_after = does_enter | times_out | (self.is_recovering & !does_leave);
    }
}
