//! What an op comes to.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// The status of an op: of a packet sent and of `read` at step 4, of a SACK at step 8, of `next_rtx` when it is done.
#[block(no_reset)]
pub struct OpStatus<const PACKETS: usize, const SEGMENTS: usize> {
    pub step_3: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    pub settle: Signal<In, bool>,
    pub is_sent: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub is_read: Signal<In, bool>,
    pub initialised: Signal<In, bool>,
    pub una_low: Signal<In, Bits<6>>,
    pub nxt: Signal<In, Bits<PACKETS>>,
    /// Step 3: the PSN or EPSN is below `una`; farther ahead than places go.
    pub below: Signal<In, bool>,
    pub far: Signal<In, bool>,
    /// Step 3: `nxt` is at or after the PSN or EPSN, step 7: than all that the SACK acknowledges; it is the PSN.
    pub reached: Signal<In, bool>,
    pub equal: Signal<In, bool>,
    pub base_bad: Signal<In, bool>,
    /// Step 7: the SACK goes beyond all places; it shows EPSN.
    pub beyond: Signal<In, bool>,
    pub contradicts: Signal<In, bool>,
    /// Settle: a PSN to retransmit was found.
    pub found: Signal<In, bool>,

    pub status: Signal<Out, Bits<3>>,
    pub ok: Signal<Out, bool>,
    /// From step 3 on: nothing is outstanding.
    pub empty: Signal<Out, bool>,

    code: Reg<Bits<3>>,
    is_empty: Reg<bool>,
    is_full: Reg<bool>,
    window_segments: Param<Bits<SEGMENTS>>,
}

#[block]
impl<const PACKETS: usize, const SEGMENTS: usize> OpStatus<PACKETS, SEGMENTS> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { window_segments: Param::new((1u64 << (SEGMENTS - 1)).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module op_status: what an op comes to");
        let low_equal: bool = bit_cast::<6, PACKETS>(self.nxt) == self.una_low;
        let outstanding: Bits<SEGMENTS> = resize(self.nxt >> 6);
        self.is_empty = low_equal & !outstanding.any();
        self.empty = self.is_empty;
        self.is_full = low_equal & (outstanding == self.window_segments);
        let is_ok = !self.code.any();
        if self.step_3 {
            self.code = 0;
            if self.is_sack {
                if self.far | !self.reached {
                    self.code = 2;
                }
            } else {
                self.code = 2;
                if !self.far & self.reached {
                    self.code = 1;
                    if self.equal {
                        self.code = 0;
                        if self.is_full {
                            self.code = 3;
                        }
                    }
                }
            }
            if self.below | self.is_next_rtx {
                self.code = 1;
            }
            if self.is_read {
                self.code = 0;
            }
            if !self.initialised {
                self.code = 7;
            }
        }
        if self.step_7 & self.is_sack & is_ok {
            if self.contradicts {
                self.code = 5;
            }
            if !self.reached | self.beyond {
                self.code = 4;
            }
            if self.base_bad {
                self.code = 3;
            }
        }
        if self.settle & self.is_next_rtx & self.found {
            self.code = 0;
        }
        self.ok = is_ok;
        self.status = self.code;
    }
}
