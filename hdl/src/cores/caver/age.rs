//! Whether an entry is young enough.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;

/// `now - seen`, modulo 256, is at most `most`. Combinational.
#[block(no_clock)]
pub struct Age {
    pub now: Signal<In, Bits<8>>,
    pub seen: Signal<In, Bits<8>>,
    pub most: Signal<In, Bits<8>>,
    pub is_young: Signal<Out, bool>,
}

#[block]
impl Age {
    fn update(&mut self) {
        comment!("module age: whether an entry is young enough");
        let age = self.now - self.seen;
        self.is_young = age <= self.most;
    }
}
