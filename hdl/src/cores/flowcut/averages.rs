//! The average RTTs of the connections.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Has;
use crate::comment;
use crate::parts::round_trip::Average;
use crate::parts::{Ahead, Newest, Renewed};

/// Keeps the average of each connection, and whether it has one. `T` is the width of a time, `A` that of an average.
#[derive(LogicBlock, Default)]
pub struct Averages<const T: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Read stage: what the control RAM has, and which ops ahead share the connection.
    pub stored: Signal<In, Bits<A>>,
    pub has_stored: Signal<In, bool>,
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear while the memories are cleared.
    pub forward_keeps: Signal<In, bool>,
    /// Update stage: what [`Rtt`](crate::parts::round_trip::Rtt) says.
    pub rtt: Signal<In, Bits<T>>,
    pub step: Signal<In, Bits<A>>,
    pub weight: Signal<In, Bits<3>>,
    pub below_share: Signal<In, Bits<4>>,
    /// Update stage: the RTT is a sample that counts; the op is an init, which gives an average; the average is forgotten.
    pub accepts: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub forgets: Signal<In, bool>,
    /// Update stage: the average before the op, and whether there is one.
    pub found: Signal<Out, Bits<A>>,
    pub has_average: Signal<Out, bool>,
    /// Write stage, which is the judge stage.
    pub written: Signal<Out, Bits<A>>,
    pub has_written: Signal<Out, bool>,

    renewed: Renewed<Bits<A>>,
    has: Newest<Has>,
    moving_average: Average<T, A>,
    renews: Signal<Local, bool>,
    in_write: DFF<Bits<A>>,
}

impl<const T: usize, const A: usize> Averages<T, A> {
    /// With its parameters.
    pub fn new() -> Self {
        Self {
            renewed: Renewed::new(),
            has: Newest::new(),
            moving_average: Average::new(),
            ..Default::default()
        }
    }
}

impl<const T: usize, const A: usize> Logic for Averages<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module averages: the average RTT of each op's connection");
        dff_setup!(self, clk, in_write);
        self.renewed.clk.next = self.clk.val();
        self.renewed.rst.next = self.rst.val();
        self.renewed.stored.next = self.stored.val();
        self.renewed.ahead.next = self.ahead.val();
        self.renewed.forward_keeps.next = self.forward_keeps.val();
        self.has.clk.next = self.clk.val();
        self.has.rst.next = self.rst.val();
        self.has.stored.next.average = self.has_stored.val();
        self.has.ahead.next = self.ahead.val();
        self.has.forward_keeps.next = self.forward_keeps.val();

        comment!("Update: of a first sample, and after an init, 32 times the time.");
        self.moving_average.average.next = self.renewed.found.val();
        self.moving_average.has_average.next = self.has.before.val().average & !self.is_init.val();
        self.moving_average.rtt.next = self.rtt.val();
        self.moving_average.step.next = self.step.val();
        self.moving_average.weight.next = self.weight.val();
        self.moving_average.below_share.next = self.below_share.val();
        self.renews.next = self.accepts.val() | self.is_init.val();
        self.renewed.fresh.next = self.moving_average.after.val();
        self.renewed.renews.next = self.renews.val();
        self.has.after.next.average =
            (self.has.before.val().average & !self.forgets.val()) | self.accepts.val();
        if self.is_init.val() {
            self.has.after.next.average = self.rtt.val().any();
        }
        self.found.next = self.renewed.found.val();
        self.has_average.next = self.has.before.val().average;

        comment!("Write.");
        self.in_write.d.next = self.renewed.found.val();
        if self.renews.val() {
            self.in_write.d.next = self.moving_average.after.val();
        }
        self.renewed.written.next = self.in_write.q.val();
        self.written.next = self.in_write.q.val();
        self.has_written.next = self.has.written.val().average;
        if self.rst.val() {
            self.in_write.d.next = 0.into();
        }
    }
}
