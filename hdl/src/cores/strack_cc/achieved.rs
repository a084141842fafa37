//! Bytes acknowledged in a period, and the count of the last whole period. 004 Algorithm 2.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Counts bytes, and hands the count over where a period ends.
#[derive(LogicBlock, Default)]
pub struct Achieved {
    pub clk: Signal<In, Clock>,
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub probe: Signal<In, bool>,
    pub bytes: Signal<In, Bits<20>>,
    /// Step 2: a whole period was counted.
    pub stored_measured: Signal<In, bool>,
    /// Step 4: the count so far. Step 5: that of the last period.
    pub stored: Signal<In, Bits<20>>,
    /// Step 7: the period is over.
    pub closes: Signal<In, bool>,

    /// After the op.
    pub rx: Signal<Out, Bits<20>>,
    pub period_bytes: Signal<Out, Bits<20>>,
    pub measured: Signal<Out, bool>,
    /// Step 7: `period_bytes` after the op.
    pub last_period: Signal<Out, Bits<20>>,

    added: Signal<Local, Bits<20>>,
    sum: Signal<Local, Bits<21>>,
    ended: Signal<Local, Bits<20>>,

    count: DFF<Bits<20>>,
    period: DFF<Bits<20>>,
    is_measured: DFF<bool>,
}

impl Logic for Achieved {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module achieved: bytes acknowledged in a period, and in the last whole one");
        dff_setup!(self, clk, count, period, is_measured);
        comment!("The count stops at 2^20 - 1, which is above whatever it is compared with.");
        self.added.next = self.bytes.val();
        if self.probe.val() {
            self.added.next = 0.into();
        }
        self.sum.next = bit_cast::<21, 20>(self.count.q.val()) + bit_cast::<21, 20>(self.added.val());
        self.ended.next = self.period.q.val();
        if self.closes.val() {
            self.ended.next = self.count.q.val();
        }
        if self.step_2.val() {
            self.is_measured.d.next = self.stored_measured.val() & !self.is_init.val();
        }
        if self.step_4.val() {
            self.count.d.next = self.stored.val();
        }
        if self.step_5.val() {
            self.count.d.next = self.sum.val().get_bits::<20>(0);
            if self.sum.val().get_bit(20) {
                self.count.d.next = 0xf_ffff.into();
            }
            self.period.d.next = self.stored.val();
        }
        if self.step_7.val() {
            self.period.d.next = self.ended.val();
            self.is_measured.d.next = self.is_measured.q.val() | self.closes.val();
        }
        if self.step_3.val() | (self.step_7.val() & self.closes.val()) {
            self.count.d.next = 0.into();
        }
        if self.step_3.val() {
            self.period.d.next = 0.into();
        }
        self.rx.next = self.count.q.val();
        self.period_bytes.next = self.period.q.val();
        self.measured.next = self.is_measured.q.val();
        self.last_period.next = self.ended.val();
    }
}
