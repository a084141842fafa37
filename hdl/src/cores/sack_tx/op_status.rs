//! What an op comes to.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// The status of an op: of a packet sent and of `read` at step 4, of a SACK at step 8, of `next_rtx` when it is done.
#[derive(LogicBlock, Default)]
pub struct OpStatus<const N: usize, const R: usize> {
    pub clk: Signal<In, Clock>,
    pub step_3: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    pub settle: Signal<In, bool>,
    pub is_sent: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub is_read: Signal<In, bool>,
    pub initialised: Signal<In, bool>,
    pub una_low: Signal<In, Bits<6>>,
    pub nxt: Signal<In, Bits<N>>,
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

    low_equal: Signal<Local, bool>,
    outstanding: Signal<Local, Bits<R>>,
    is_ok: Signal<Local, bool>,
    code: DFF<Bits<3>>,
    is_empty: DFF<bool>,
    is_full: DFF<bool>,
    window_segments: Param<Bits<R>>,
}

impl<const N: usize, const R: usize> OpStatus<N, R> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { window_segments: Param::new((1u64 << (R - 1)).into()), ..Default::default() }
    }
}

impl<const N: usize, const R: usize> Logic for OpStatus<N, R> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module op_status: what an op comes to");
        dff_setup!(self, clk, code, is_empty, is_full);
        self.low_equal.next = bit_cast::<6, N>(self.nxt.val()) == self.una_low.val();
        self.outstanding.next = bit_cast::<R, N>(self.nxt.val() >> 6);
        self.is_empty.d.next = self.low_equal.val() & !self.outstanding.val().any();
        self.empty.next = self.is_empty.q.val();
        self.is_full.d.next = self.low_equal.val() & (self.outstanding.val() == self.window_segments.val());
        self.is_ok.next = !self.code.q.val().any();
        if self.step_3.val() {
            self.code.d.next = 0.into();
            if self.is_sack.val() {
                if self.far.val() | !self.reached.val() {
                    self.code.d.next = 2.into();
                }
            } else {
                self.code.d.next = 2.into();
                if !self.far.val() & self.reached.val() {
                    self.code.d.next = 1.into();
                    if self.equal.val() {
                        self.code.d.next = 0.into();
                        if self.is_full.q.val() {
                            self.code.d.next = 3.into();
                        }
                    }
                }
            }
            if self.below.val() | self.is_next_rtx.val() {
                self.code.d.next = 1.into();
            }
            if self.is_read.val() {
                self.code.d.next = 0.into();
            }
            if !self.initialised.val() {
                self.code.d.next = 7.into();
            }
        }
        if self.step_7.val() & self.is_sack.val() & self.is_ok.val() {
            if self.contradicts.val() {
                self.code.d.next = 5.into();
            }
            if !self.reached.val() | self.beyond.val() {
                self.code.d.next = 4.into();
            }
            if self.base_bad.val() {
                self.code.d.next = 3.into();
            }
        }
        if self.settle.val() & self.is_next_rtx.val() & self.found.val() {
            self.code.d.next = 0.into();
        }
        self.ok.next = self.is_ok.val();
        self.status.next = self.code.q.val();
    }
}
