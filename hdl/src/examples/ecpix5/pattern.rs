//! The bytes of a packet's payload.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;

/// What beat `beat` of the packet `psn` of a connection holds behind the headers: a number that no other beat has.
#[block(no_clock)]
pub struct Pattern {
    pub conn: Signal<In, Bits<6>>,
    pub psn: Signal<In, Bits<24>>,
    pub beat: Signal<In, Bits<4>>,
    pub word: Signal<Out, Bits<64>>,
}

#[block]
impl Pattern {
    fn update(&mut self) {
        comment!("module pattern: the bytes of a packet's payload");
        let upper = !self.psn;
        self.word = bit_cast::<64, 24>(self.psn)
            | (bit_cast::<64, 6>(self.conn) << 24)
            | (bit_cast::<64, 4>(self.beat) << 32)
            | (bit_cast::<64, 24>(upper) << 40);
    }
}
