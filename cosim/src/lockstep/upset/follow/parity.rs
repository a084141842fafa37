//! Words with parity: the golden model is told what the core must have found.

use respray_hdl::contract::Words as _;

use super::{Follower, Under};
use crate::lockstep::op_core::{Effect, OpCore, Shares, Touched};
use crate::lockstep::upset::broken::{Broken, Hit, Meeting};
use crate::lockstep::upset::drive::set;
use crate::lockstep::upset::rules::At;
use crate::lockstep::upset::spoilt::Of;

impl<C: OpCore> Follower<'_, C> {
    /// The golden model executes an op that is done. With parity it is told what the op read that had a flipped bit.
    pub(super) fn execute(&mut self, under: &Under<C>) -> Option<C::Shown> {
        let (op, entry) = (&under.of.op, under.of.connection());
        if under.is_lost {
            return self.core.apply_lost(op).shown;
        }
        let broken = self.broken.as_ref().filter(|broken| broken.hit().entry == entry);
        let met = broken.map_or(Meeting::Nothing, |broken| {
            let Hit { memory, word, .. } = *broken.hit();
            broken.met_as_executed(under.begun, self.core.touched(memory.name, word, op))
        });
        match met {
            Meeting::Nothing => self.core.apply(op).shown,
            Meeting::Writes => {
                self.broken = None;
                self.core.apply(op).shown
            }
            Meeting::Reads => {
                self.met += 1;
                let broken = self.broken.as_ref().expect("it is met");
                if matches!(broken.hit().memory.at, At::Beside { .. }) {
                    // without a past the connection looks at nothing that it has not written anew
                    self.broken = None;
                    return self.core.apply_lost(op).shown;
                }
                self.lost = Some(entry);
                let shown = self.core.apply(op).shown;
                shown.map(|shown| self.core.without_late_word(&shown))
            }
        }
    }

    /// The golden model executes an op that is alone in the core from the coming edge on.
    pub(super) fn execute_alone(&mut self, op: &C::Op) -> Effect<C::Shown> {
        self.core.remember(op);
        let (effect, until_free) = self.executed_alone(op, self.cycle);
        self.alone = Some((*op, self.cycle, until_free));
        effect
    }

    /// A bit has flipped: the op that is alone in the core, or that may still write, is executed once more if it is of the entry.
    pub(super) fn execute_again(&mut self) {
        let Some((op, begun, until_free)) = self.alone else { return };
        let is_over = self.cycle > begun + u64::from(until_free) + 1;
        if is_over || self.broken.as_ref().is_none_or(|broken| broken.hit().entry != op.connection()) {
            return;
        }
        self.core.recall(&op);
        let (effect, until_free) = self.executed_alone(&op, begun);
        if let Some(under) = self.under.back_mut().filter(|under| under.begun == begun) {
            under.shown = Some(effect.shown);
            under.due = begun + u64::from(until_free) + 1;
            self.wait = (begun + 1 + u64::from(until_free)).saturating_sub(self.cycle) as u32;
            self.alone = Some((op, begun, until_free));
        }
    }

    /// What an op does that began at an edge, and edges behind it at which the core can do nothing else.
    fn executed_alone(&mut self, op: &C::Op, begun: u64) -> (Effect<C::Shown>, u32) {
        let broken = self.broken.take();
        let (effect, touched) = match &broken {
            Some(broken) if broken.hit().entry == op.connection() => {
                self.core.apply_broken(op, &broken.to_op(begun))
            }
            _ => (self.core.apply(op), Touched::default()),
        };
        let until_free = self.schedule.take(&Shares::NOTHING, effect.class, &effect.counts).until_free;
        self.met += u64::from(touched.reads);
        // a connection without a past looks at no word that it has not written anew
        let is_kept =
            |broken: &Broken| !(touched.reads || touched.writes && broken.is_cured_by(begun, until_free));
        self.broken = broken.filter(is_kept);
        (effect, until_free)
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
