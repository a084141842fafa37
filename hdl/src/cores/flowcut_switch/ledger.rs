//! The algorithm: what one op does to its bucket. Combinational.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::{Bucket, Fields, Op};
use crate::comment;

/// 002 sections II-A to C, in the update stage: bytes, uplink, average and age after an op, as if the average were not hot.
///
/// `U` uplinks have numbers of `P` bits; an average has `A` bits.
#[derive(LogicBlock, Default)]
pub struct Ledger<const U: usize, const P: usize, const A: usize> {
    /// The bucket before the op.
    pub state: Signal<In, Bucket<P, A>>,
    pub draining: Signal<In, bool>,
    pub op: Signal<In, Op>,
    pub fields: Signal<In, Fields<U>>,
    /// The least loaded uplink.
    pub least: Signal<In, Bits<P>>,
    /// The op's RTT is a sample.
    pub sample: Signal<In, bool>,
    /// The average with that sample.
    pub moved_average: Signal<In, Bits<A>>,

    /// The bucket after the op.
    pub after: Signal<Out, Bucket<P, A>>,
    pub draining_after: Signal<Out, bool>,
    /// If its average is hot, the op starts a drain.
    pub may_start: Signal<Out, bool>,
    /// The ACK is not refused.
    pub takes_ack: Signal<Out, bool>,
    /// Of a data packet: 0 new, 1 same, 2 forced, 3 no route.
    pub kind: Signal<Out, Bits<2>>,
    /// Events. `xoff` is not that of a hot average.
    pub xoff: Signal<Out, bool>,
    pub xon: Signal<Out, bool>,
    pub entry_cleared: Signal<Out, bool>,
    pub order_risk: Signal<Out, bool>,
    pub ack_refused: Signal<Out, bool>,

    is_empty: Signal<Local, bool>,
    is_up: Signal<Local, bool>,
    is_new: Signal<Local, bool>,
    is_forced: Signal<Local, bool>,
    more: Signal<Local, Bits<25>>,
    is_full: Signal<Local, bool>,
    fewer: Signal<Local, Bits<25>>,
    is_all: Signal<Local, bool>,
    is_believed: Signal<Local, bool>,
    accepts: Signal<Local, bool>,
    empties: Signal<Local, bool>,
    silence: Signal<Local, Bits<8>>,
    is_silent: Signal<Local, bool>,
    clears: Signal<Local, bool>,
    ages: Signal<Local, bool>,
    older: Signal<Local, Bits<4>>,
    is_due: Signal<Local, bool>,
}

impl<const U: usize, const P: usize, const A: usize> Logic for Ledger<U, P, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module ledger: what an op does to its bucket, 002 II-A to C");
        comment!("A packet keeps the uplink while bytes are on their way, unless that is down.");
        self.is_empty.next = !self.state.val().in_flight.any();
        self.is_up.next = self.fields.val().up.get_bit(self.state.val().port.index());
        self.is_new.next = self.op.val().routed & self.is_empty.val();
        self.is_forced.next = self.op.val().routed & !self.is_empty.val() & !self.is_up.val();
        self.after.next.port = self.state.val().port;
        if self.is_new.val() | self.is_forced.val() {
            self.after.next.port = self.least.val();
        }
        self.after.next.epoch = self.state.val().epoch + self.is_new.val();
        self.kind.next = 1.into();
        if !self.op.val().routed {
            self.kind.next = 3.into();
        } else if self.is_empty.val() {
            self.kind.next = 0.into();
        } else if !self.is_up.val() {
            self.kind.next = 2.into();
        }

        comment!("An ACK of this flowcut, and of no more than is on its way.");
        self.more.next =
            bit_cast::<25, 24>(self.state.val().in_flight) + bit_cast::<25, 24>(self.fields.val().bytes);
        self.is_full.next = self.state.val().saturated | self.more.val().get_bit(24);
        self.fewer.next =
            bit_cast::<25, 24>(self.state.val().in_flight) - bit_cast::<25, 24>(self.fields.val().bytes);
        self.is_all.next = self.state.val().in_flight == self.fields.val().bytes;
        self.is_believed.next = self.op.val().ack
            & !self.is_empty.val()
            & (self.fields.val().epoch == self.state.val().epoch)
            & (self.state.val().saturated | !self.fewer.val().get_bit(24));
        self.takes_ack.next = self.is_believed.val();
        self.ack_refused.next = self.op.val().ack & !self.is_believed.val();
        self.empties.next = self.is_believed.val() & self.is_all.val() & !self.state.val().saturated;

        comment!(
            "The walker: a silent bucket is emptied, another one in use grows older, and is drained once."
        );
        self.silence.next = self.fields.val().clock - self.state.val().heard;
        self.is_silent.next = self.silence.val() > self.fields.val().entry_timeout;
        self.clears.next = self.op.val().visit & !self.is_empty.val() & self.is_silent.val();
        self.ages.next =
            self.op.val().visit & self.op.val().ages & !self.is_empty.val() & !self.is_silent.val();
        self.older.next = self.state.val().age + !self.state.val().age.all();
        self.is_due.next =
            (self.older.val() == self.fields.val().drain_after) & self.fields.val().drain_after.any();
        self.after.next.age = self.state.val().age;
        if self.is_new.val() {
            self.after.next.age = 0.into();
        }
        if self.ages.val() {
            self.after.next.age = self.older.val();
        }

        comment!("Bytes.");
        self.after.next.in_flight = self.state.val().in_flight;
        self.after.next.saturated = self.state.val().saturated;
        if self.op.val().routed {
            self.after.next.in_flight = bit_cast::<24, 25>(self.more.val());
            self.after.next.saturated = self.is_full.val();
            if self.is_full.val() {
                self.after.next.in_flight = 0xff_ffff.into();
            }
        }
        if self.is_believed.val() & !self.state.val().saturated {
            self.after.next.in_flight = bit_cast::<24, 25>(self.fewer.val());
        }
        if self.clears.val() {
            self.after.next.in_flight = 0.into();
            self.after.next.saturated = false;
        }
        self.after.next.heard = self.state.val().heard;
        if self.op.val().routed | self.is_believed.val() {
            self.after.next.heard = self.fields.val().clock;
        }

        comment!("The average.");
        self.accepts.next = self.is_believed.val() & self.sample.val();
        self.after.next.average = self.state.val().average;
        if self.accepts.val() {
            self.after.next.average = self.moved_average.val();
        }
        self.after.next.has_average =
            (self.state.val().has_average | self.accepts.val()) & !self.is_new.val() & !self.is_forced.val();

        comment!("Drains.");
        self.may_start.next = self.is_believed.val()
            & !self.is_all.val()
            & (self.state.val().has_average | self.sample.val())
            & !self.draining.val();
        self.xoff.next = ((self.is_believed.val() & self.state.val().saturated)
            | (self.ages.val() & self.is_due.val()))
            & !self.draining.val();
        self.xon.next = (self.empties.val() | self.clears.val()) & self.draining.val();
        self.draining_after.next =
            (self.draining.val() & !self.empties.val() & !self.clears.val()) | self.xoff.val();
        self.entry_cleared.next = self.clears.val();
        self.order_risk.next = self.is_forced.val();
    }
}
