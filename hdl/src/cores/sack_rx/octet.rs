//! Eight bits of the bitmap word.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Eight bits of the word: what was stored becomes what was received, and what `epsn` says overrides it.
#[block(no_reset)]
pub struct Octet {
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
    bits: Reg<Bits<8>>,
}

#[block]
impl Octet {
    fn update(&mut self) {
        comment!("module octet: eight bits of the SACK's word");
        let mut mask: Bits<8> = 0;
        if self.split {
            mask = self.side;
        }
        if self.forced {
            mask = 255;
        }
        let mut arrived = self.stored;
        if self.lap {
            arrived = !self.stored;
        }
        if self.load {
            self.bits = arrived & !mask;
            if self.value {
                self.bits = arrived | mask;
            }
        }
        self.received = self.bits;
        self.full = self.bits.all();
    }
}
