//! What an op comes to.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// The status of an op: of an ACK at step 9, of `next_rtx` when it is done, of all others at step 4.
#[block(no_reset)]
pub struct OpStatus {
    pub step_3: Signal<In, bool>,
    pub step_8: Signal<In, bool>,
    pub settle: Signal<In, bool>,
    pub is_sent: Signal<In, bool>,
    pub is_ack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub is_nack: Signal<In, bool>,
    pub is_read: Signal<In, bool>,
    pub probe: Signal<In, bool>,
    pub initialised: Signal<In, bool>,
    /// Step 3: the PSN, of an ACK what is behind the cumulative one, is below `una`; farther ahead than any window.
    pub below: Signal<In, bool>,
    pub far: Signal<In, bool>,
    /// Step 3: `nxt` is at or after it, step 8: than all that the ACK names; it is the PSN.
    pub reached: Signal<In, bool>,
    pub equal: Signal<In, bool>,
    /// Step 3: the PSN is as far ahead as may be.
    pub full: Signal<In, bool>,
    /// Step 8: the ACK names a PSN beyond any window.
    pub beyond: Signal<In, bool>,
    /// Settle: a PSN to retransmit was found, and may be sent.
    pub found: Signal<In, bool>,

    pub status: Signal<Out, Bits<3>>,
    /// It is taken: of an ACK from step 9 on, of others from step 4 on.
    pub ok: Signal<Out, bool>,
    /// From step 4 on: the cumulative PSN is below `una`.
    pub overtaken: Signal<Out, bool>,
    /// From step 9 on: an answer to a probe, of which nothing is taken that it says of PSNs.
    pub unheard: Signal<Out, bool>,

    code: Reg<Bits<3>>,
    is_unheard: Reg<bool>,
}

#[block]
impl OpStatus {
    fn update(&mut self) {
        comment!("module op_status: what an op comes to, or an ACK");
        let is_ok = !self.code.any() | (self.is_ack & (self.code == 1));
        let outside = self.far | !self.reached;
        if self.step_3 {
            self.code = 0;
            self.is_unheard = self.is_ack & self.probe & !self.below & outside;
            if self.is_ack & !self.probe & outside {
                self.code = 2;
            }
            if self.is_sent {
                self.code = 2;
                if !outside {
                    self.code = 1;
                    if self.equal {
                        self.code = 0;
                        if self.full {
                            self.code = 3;
                        }
                    }
                }
            }
            if ((self.is_sent | self.is_ack) & self.below)
                | self.is_next_rtx
                | (self.is_nack & (self.below | outside | self.equal))
            {
                self.code = 1;
            }
            if self.is_read {
                self.code = 0;
            }
            if !self.initialised {
                self.code = 7;
            }
        }
        if self.step_8 & self.is_ack & is_ok & (!self.reached | self.beyond) {
            if self.probe {
                self.is_unheard = true;
            } else {
                self.code = 4;
            }
        }
        if self.settle & self.is_next_rtx & self.found {
            self.code = 0;
        }
        self.ok = is_ok;
        self.overtaken = self.code == 1;
        self.unheard = self.is_unheard;
        self.status = self.code;
    }
}
