//! Bytes acknowledged in a period, and the count of the last whole period. 004 Algorithm 2.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Counts bytes, and hands the count over where a period ends.
#[block(no_reset)]
pub struct Achieved {
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

    count: Reg<Bits<20>>,
    period: Reg<Bits<20>>,
    is_measured: Reg<bool>,
}

#[block]
impl Achieved {
    fn update(&mut self) {
        comment!("module achieved: bytes acknowledged in a period, and in the last whole one");
        comment!("The count stops at 2^20 - 1, which is above whatever it is compared with.");
        let mut added = self.bytes;
        if self.probe {
            added = 0;
        }
        let sum: Bits<21> = bit_cast::<21, 20>(self.count) + bit_cast::<21, 20>(added);
        let mut ended = self.period;
        if self.closes {
            ended = self.count;
        }
        if self.step_2 {
            self.is_measured = self.stored_measured & !self.is_init;
        }
        if self.step_4 {
            self.count = self.stored;
        }
        if self.step_5 {
            self.count = sum.get_bits::<20>(0);
            if sum.get_bit(20) {
                self.count = 0xf_ffff;
            }
            self.period = self.stored;
        }
        if self.step_7 {
            self.period = ended;
            self.is_measured = self.is_measured | self.closes;
        }
        if self.step_3 | (self.step_7 & self.closes) {
            self.count = 0;
        }
        if self.step_3 {
            self.period = 0;
        }
        self.rx = self.count;
        self.period_bytes = self.period;
        self.measured = self.is_measured;
        self.last_period = ended;
    }
}
