//! The average RTTs of the connections.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Has;
use crate::comment;
use crate::parts::round_trip::Average;
use crate::parts::{Ahead, Newest, Renewed};
use crate::prims::Reg;

/// Keeps the average of each connection, and whether it has one. `TIME` is the width of a time, `AVERAGE` that of an average.
#[block]
pub struct Averages<const TIME: usize, const AVERAGE: usize> {
    /// Read stage: what the control RAM has, and which ops ahead share the connection.
    pub stored: Signal<In, Bits<AVERAGE>>,
    pub has_stored: Signal<In, bool>,
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear while the memories are cleared.
    pub forward_keeps: Signal<In, bool>,
    /// Update stage: what [`Rtt`](crate::parts::round_trip::Rtt) says.
    pub rtt: Signal<In, Bits<TIME>>,
    pub step: Signal<In, Bits<AVERAGE>>,
    pub weight: Signal<In, Bits<3>>,
    pub below_share: Signal<In, Bits<4>>,
    /// Update stage: the RTT is a sample that counts; the op is an init, which gives an average; the average is forgotten.
    pub accepts: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub forgets: Signal<In, bool>,
    /// Update stage: the average before the op, and whether there is one.
    pub found: Signal<Out, Bits<AVERAGE>>,
    pub has_average: Signal<Out, bool>,
    /// Write stage, which is the judge stage.
    pub written: Signal<Out, Bits<AVERAGE>>,
    pub has_written: Signal<Out, bool>,

    renewed: Renewed<Bits<AVERAGE>>,
    has: Newest<Has>,
    moving_average: Average<TIME, AVERAGE>,
    #[reset = 0]
    in_write: Reg<Bits<AVERAGE>>,
}

#[block]
impl<const TIME: usize, const AVERAGE: usize> Averages<TIME, AVERAGE> {
    /// With its parameters.
    pub fn new() -> Self {
        Self {
            renewed: Renewed::new(),
            has: Newest::new(),
            moving_average: Average::new(),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module averages: the average RTT of each op's connection");
        self.renewed.stored = self.stored;
        self.renewed.ahead = self.ahead;
        self.renewed.forward_keeps = self.forward_keeps;
        self.has.stored.average = self.has_stored;
        self.has.ahead = self.ahead;
        self.has.forward_keeps = self.forward_keeps;

        comment!("Update: of a first sample, and after an init, 32 times the time.");
        self.moving_average.average = self.renewed.found;
        self.moving_average.has_average = self.has.before.average & !self.is_init;
        self.moving_average.rtt = self.rtt;
        self.moving_average.step = self.step;
        self.moving_average.weight = self.weight;
        self.moving_average.below_share = self.below_share;
        let renews = self.accepts | self.is_init;
        self.renewed.fresh = self.moving_average.after;
        self.renewed.renews = renews;
        self.has.after.average = (self.has.before.average & !self.forgets) | self.accepts;
        if self.is_init {
            self.has.after.average = self.rtt.any();
        }
        self.found = self.renewed.found;
        self.has_average = self.has.before.average;

        comment!("Write.");
        self.in_write = self.renewed.found;
        if renews {
            self.in_write = self.moving_average.after;
        }
        self.renewed.written = self.in_write;
        self.written = self.in_write;
        self.has_written = self.has.written.average;
    }
}
