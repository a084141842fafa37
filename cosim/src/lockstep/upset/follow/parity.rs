//! Words with parity: the golden model is told what the core must have found.

use super::{Follower, Under};
use crate::lockstep::op_core::OpCore;
use crate::lockstep::upset::broken::Meeting;
use crate::lockstep::upset::drive::set;
use crate::lockstep::upset::spoilt::Of;

impl<C: OpCore> Follower<'_, C> {
    /// The golden model executes an op that is done. With parity it is told what the op read that had a flipped bit.
    pub(super) fn execute(&mut self, under: &Under<C>) -> Option<C::Shown> {
        let (op, entry) = (&under.of.op, under.of.connection());
        if under.is_lost {
            return self.core.apply_lost(op).shown;
        }
        let late = self.broken.as_ref().filter(|broken| broken.is_late(entry));
        let met = late.and_then(|broken| {
            let touched = self.core.late_word(op)?;
            Some(broken.met_later(under.begun, touched.word, touched.is_written))
        });
        let shown = self.core.apply(op).shown;
        match met.unwrap_or(Meeting::Nothing) {
            Meeting::Nothing => shown,
            Meeting::Writes => {
                self.broken = None;
                shown
            }
            Meeting::Reads => {
                self.met += 1;
                self.lost = Some(entry);
                shown.map(|shown| self.core.without_late_word(&shown))
            }
        }
    }

    /// The core itself takes the op that writes an entry of the first table anew.
    pub(super) fn start_anew(&mut self, entry: u32) {
        let (kind, port) =
            self.rules.renewal(0).expect("a core with late words of parity has an op that writes anew");
        let mut op = C::Op::default();
        set::<C>(&mut op, C::CONTRACT.op_fields().next().expect("the kind of op").port, kind.into());
        set::<C>(&mut op, port, entry.into());
        let of = Of { op, visit: None, named: None };
        let due = self.cycle + self.latency;
        self.under.push_back(Under {
            begun: self.cycle,
            due,
            of,
            is_lost: false,
            shown: None,
            generator: None,
        });
    }

    /// What becomes of the word with a flipped bit when an op begins; whether the op finds its state lost.
    pub(super) fn meets(&mut self, of: &Of<C::Op>) -> bool {
        let Some(broken) = self.broken.take() else { return false };
        let renews = self.spoilt.renews(of);
        let (met, left) = broken.met_when_begun(of.connection(), self.cycle, renews);
        self.broken = left;
        self.met += u64::from(met == Meeting::Reads);
        met == Meeting::Reads
    }
}
