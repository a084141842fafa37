//! The algorithm: what one op does to its bucket. Combinational.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::{Bucket, Fields, Op};
use crate::comment;
use crate::prims::resize;

/// 002 sections II-A to C, in the update stage: bytes, uplink, average and age after an op, as if the average were not hot.
///
/// `UPLINKS` uplinks have numbers of `PORT` bits; an average has `AVERAGE` bits.
#[block(no_clock)]
pub struct Ledger<const UPLINKS: usize, const PORT: usize, const AVERAGE: usize> {
    /// The bucket before the op.
    pub state: Signal<In, Bucket<PORT, AVERAGE>>,
    pub draining: Signal<In, bool>,
    pub op: Signal<In, Op>,
    pub fields: Signal<In, Fields<UPLINKS>>,
    /// The least loaded uplink.
    pub least: Signal<In, Bits<PORT>>,
    /// The op's RTT is a sample.
    pub sample: Signal<In, bool>,
    /// The average with that sample.
    pub moved_average: Signal<In, Bits<AVERAGE>>,

    /// The bucket after the op.
    pub after: Signal<Out, Bucket<PORT, AVERAGE>>,
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
}

#[block]
impl<const UPLINKS: usize, const PORT: usize, const AVERAGE: usize> Ledger<UPLINKS, PORT, AVERAGE> {
    fn update(&mut self) {
        comment!("module ledger: what an op does to its bucket, 002 II-A to C");
        comment!("A packet keeps the uplink while bytes are on their way, unless that is down.");
        let is_empty = !self.state.in_flight.any();
        let is_up = self.fields.up.get_bit(self.state.port.index());
        let is_new = self.op.routed & is_empty;
        let is_forced = self.op.routed & !is_empty & !is_up;
        self.after.port = self.state.port;
        if is_new | is_forced {
            self.after.port = self.least;
        }
        self.after.epoch = self.state.epoch + is_new;
        self.kind = 1;
        if !self.op.routed {
            self.kind = 3;
        } else if is_empty {
            self.kind = 0;
        } else if !is_up {
            self.kind = 2;
        }

        comment!("An ACK of this flowcut, and of no more than is on its way.");
        let more: Bits<25> = bit_cast::<25, 24>(self.state.in_flight) + bit_cast::<25, 24>(self.fields.bytes);
        let is_full = self.state.saturated | more.get_bit(24);
        let fewer: Bits<25> =
            bit_cast::<25, 24>(self.state.in_flight) - bit_cast::<25, 24>(self.fields.bytes);
        let is_all = self.state.in_flight == self.fields.bytes;
        let is_believed = self.op.ack
            & !is_empty
            & (self.fields.epoch == self.state.epoch)
            & (self.state.saturated | !fewer.get_bit(24));
        self.takes_ack = is_believed;
        self.ack_refused = self.op.ack & !is_believed;
        let empties = is_believed & is_all & !self.state.saturated;

        comment!(
            "The walker: a silent bucket is emptied, another one in use grows older, and is drained once."
        );
        let silence = self.fields.clock - self.state.heard;
        let is_silent = silence > self.fields.entry_timeout;
        let clears = self.op.visit & !is_empty & is_silent;
        let ages = self.op.visit & self.op.ages & !is_empty & !is_silent;
        let older = self.state.age + !self.state.age.all();
        let is_due = (older == self.fields.drain_after) & self.fields.drain_after.any();
        self.after.age = self.state.age;
        if is_new {
            self.after.age = 0;
        }
        if ages {
            self.after.age = older;
        }

        comment!("Bytes.");
        self.after.in_flight = self.state.in_flight;
        self.after.saturated = self.state.saturated;
        if self.op.routed {
            self.after.in_flight = resize(more);
            self.after.saturated = is_full;
            if is_full {
                self.after.in_flight = 0xff_ffff;
            }
        }
        if is_believed & !self.state.saturated {
            self.after.in_flight = resize(fewer);
        }
        if clears {
            self.after.in_flight = 0;
            self.after.saturated = false;
        }
        self.after.heard = self.state.heard;
        if self.op.routed | is_believed {
            self.after.heard = self.fields.clock;
        }

        comment!("The average.");
        let accepts = is_believed & self.sample;
        self.after.average = self.state.average;
        if accepts {
            self.after.average = self.moved_average;
        }
        self.after.has_average = (self.state.has_average | accepts) & !is_new & !is_forced;

        comment!("Drains.");
        self.may_start = is_believed & !is_all & (self.state.has_average | self.sample) & !self.draining;
        self.xoff = ((is_believed & self.state.saturated) | (ages & is_due)) & !self.draining;
        self.xon = (empties | clears) & self.draining;
        self.draining_after = (self.draining & !empties & !clears) | self.xoff;
        self.entry_cleared = clears;
        self.order_risk = is_forced;
    }
}
