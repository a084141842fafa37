//! Whether an entry is young enough.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// `now - seen`, modulo 256, is at most `most`. Combinational.
#[derive(LogicBlock, Default)]
pub struct Age {
    pub now: Signal<In, Bits<8>>,
    pub seen: Signal<In, Bits<8>>,
    pub most: Signal<In, Bits<8>>,
    pub is_young: Signal<Out, bool>,
    age: Signal<Local, Bits<8>>,
}

impl Logic for Age {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module age: whether an entry is young enough");
        self.age.next = self.now.val() - self.seen.val();
        self.is_young.next = self.age.val() <= self.most.val();
    }
}
