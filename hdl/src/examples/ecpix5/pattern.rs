//! The bytes of a packet's payload.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// What beat `beat` of the packet `psn` of a connection holds behind the headers: a number that no other beat has.
#[derive(LogicBlock, Default)]
pub struct Pattern {
    pub conn: Signal<In, Bits<6>>,
    pub psn: Signal<In, Bits<24>>,
    pub beat: Signal<In, Bits<4>>,
    pub word: Signal<Out, Bits<64>>,
    upper: Signal<Local, Bits<24>>,
}

impl Logic for Pattern {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module pattern: the bytes of a packet's payload");
        self.upper.next = !self.psn.val();
        self.word.next = bit_cast::<64, 24>(self.psn.val())
            | (bit_cast::<64, 6>(self.conn.val()) << 24)
            | (bit_cast::<64, 4>(self.beat.val()) << 32)
            | (bit_cast::<64, 24>(self.upper.val()) << 40);
    }
}
