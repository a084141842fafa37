//! The rules of loss.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Whether recovery is left or entered: rules 1 and 2 for an ACK, rule 3 for a visit.
#[block(no_reset)]
pub struct Rules {
    pub step_2: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub step_13: Signal<In, bool>,
    pub is_ack: Signal<In, bool>,
    pub is_visit: Signal<In, bool>,
    /// The ACK is taken; its cumulative PSN counts for nothing.
    pub ok: Signal<In, bool>,
    pub unheard: Signal<In, bool>,
    pub initialised: Signal<In, bool>,
    pub in_recovery: Signal<In, bool>,
    pub probe_out: Signal<In, bool>,
    pub empty: Signal<In, bool>,
    /// More timeouts in a row than are borne; this would be the first too many.
    pub is_dead: Signal<In, bool>,
    pub is_last: Signal<In, bool>,
    /// The phase is another one than that of the visit before.
    pub turned: Signal<In, bool>,
    pub probe: Signal<In, bool>,
    pub has_state: Signal<In, bool>,
    pub ooo: Signal<In, Bits<12>>,
    pub ooo_packets: Signal<In, Bits<12>>,
    pub enabled: Signal<In, Bits<2>>,
    /// Step 4: the end of the range is at or after what is behind the cumulative PSN; it is that.
    pub reached: Signal<In, bool>,
    pub equal: Signal<In, bool>,
    /// Step 13: a PSN at or above `una` was received.
    pub ahead: Signal<In, bool>,
    pub is_slow: Signal<In, bool>,
    pub is_stuck: Signal<In, bool>,
    pub is_silent: Signal<In, bool>,
    /// A NACK goes back.
    pub back: Signal<In, bool>,
    /// From settle on: the range of a visit holds a PSN that is not acked.
    pub lacks: Signal<In, bool>,

    /// In recovery before the op: from step 2 on, and from step 3 on out of a register.
    pub recovering_now: Signal<Out, bool>,
    pub recovering: Signal<Out, bool>,
    /// From step 3 on: a visit notes what was sent.
    pub notes: Signal<Out, bool>,
    /// Step 13: the probe came back in time.
    pub proves: Signal<Out, bool>,
    /// From step 14 on: an ACK enters recovery, by rule 1, by rule 2.
    pub enters: Signal<Out, bool>,
    pub enters_ooo: Signal<Out, bool>,
    pub enters_probe: Signal<Out, bool>,
    /// From step 9 on: an ACK ends recovery.
    pub leaves: Signal<Out, bool>,
    /// Visit, from step 7 on: the RTO is over, and what follows is rule 3 or an ACK request; it was the last one; a probe is due.
    pub times_out: Signal<Out, bool>,
    pub dies: Signal<Out, bool>,
    pub probe_due: Signal<Out, bool>,
    /// From settle on: rule 3.
    pub loses: Signal<Out, bool>,
    /// In recovery after the op.
    pub in_recovery_after: Signal<Out, bool>,

    is_recovering: Reg<bool>,
    is_turned: Reg<bool>,
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
        comment!("module rules: the rules of loss");
        self.is_recovering = self.initialised & self.in_recovery;
        let later = self.reached & !self.equal;
        comment!("As many packets out of order as the driver says, and five.");
        self.exceeds =
            self.has_state & self.enabled.get_bit(0) & (self.ooo >= self.ooo_packets) & (self.ooo >= 5);
        let is_proof = self.probe & self.probe_out & !self.is_slow & self.enabled.get_bit(1);
        let does_leave = self.ends & self.ok & !self.unheard;
        if self.step_2 {
            self.ends = false;
            self.by_ooo = false;
            self.by_probe = false;
            self.is_turned = self.is_visit & self.initialised & self.turned;
        }
        if self.step_4 {
            self.ends = self.is_ack & self.is_recovering & !later;
            self.lasts = later;
        }
        if self.step_13 & self.is_ack {
            self.by_probe = is_proof & (self.ahead | self.lasts | self.unheard);
            self.by_ooo = !is_proof & self.ahead & self.exceeds & !(self.is_recovering & !does_leave);
        }
        let does_enter = self.by_ooo | self.by_probe;

        self.live = self.is_visit & self.initialised & !self.empty & !self.is_dead;
        let is_over = self.live & self.is_stuck;
        let does_lose = is_over & !self.is_last & self.lacks;
        self.times_out = is_over & !self.is_last;
        self.dies = is_over & self.is_last;
        self.probe_due = self.live & !self.is_stuck & self.is_silent;
        self.loses = does_lose;

        self.recovering_now = self.initialised & self.in_recovery;
        self.recovering = self.is_recovering;
        self.notes = self.is_turned;
        self.proves = is_proof;
        self.enters = does_enter;
        self.enters_ooo = self.by_ooo;
        self.enters_probe = self.by_probe;
        self.leaves = does_leave;
        self.in_recovery_after = does_enter | self.back | does_lose | (self.is_recovering & !does_leave);
    }
}
