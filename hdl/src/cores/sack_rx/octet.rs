//! Eight bits of the bitmap word.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Eight bits of the word: what was stored becomes what was received, and what `epsn` says overrides it.
#[derive(LogicBlock, Default)]
pub struct Octet {
    pub clk: Signal<In, Clock>,
    pub load: Signal<In, bool>,
    /// The bits as stored.
    pub stored: Signal<In, Bits<8>>,
    /// A set bit means that the packet was not received.
    pub lap: Signal<In, bool>,
    /// All eight are overridden.
    pub forced: Signal<In, bool>,
    /// Those in `side` are.
    pub split: Signal<In, bool>,
    pub side: Signal<In, Bits<8>>,
    /// With what.
    pub value: Signal<In, bool>,
    pub received: Signal<Out, Bits<8>>,
    pub full: Signal<Out, bool>,
    mask: Signal<Local, Bits<8>>,
    arrived: Signal<Local, Bits<8>>,
    bits: DFF<Bits<8>>,
}

impl Logic for Octet {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module octet: eight bits of the SACK's word");
        dff_setup!(self, clk, bits);
        self.mask.next = 0.into();
        if self.split.val() {
            self.mask.next = self.side.val();
        }
        if self.forced.val() {
            self.mask.next = 255.into();
        }
        self.arrived.next = self.stored.val();
        if self.lap.val() {
            self.arrived.next = !self.stored.val();
        }
        if self.load.val() {
            self.bits.d.next = self.arrived.val() & !self.mask.val();
            if self.value.val() {
                self.bits.d.next = self.arrived.val() | self.mask.val();
            }
        }
        self.received.next = self.bits.q.val();
        self.full.next = self.bits.q.val().all();
    }
}
