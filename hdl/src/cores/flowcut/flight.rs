//! The bytes of a connection that are on their way.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Flight as State;
use crate::comment;
use crate::parts::{Ahead, Renewed};
use crate::prims::{Param, Reg, resize};

/// Adds what an op changes to the bytes on their way, and keeps the sum if the op may do so.
///
/// One sum says whether it may. A send changes them by its bytes and by 2^23, so that a sum of 2^24 says that there is no room for it in
/// half the circle of counts. An ACK changes them by the count that was, less its own, modulo 2^24 ([`super::received`]): where it tells
/// of `d` bytes, that is `2^24 - d`, and the sum comes to 2^24 if no less than `d` are on their way. Where it tells of nothing new it is
/// 0, and the sum does not come to that.
#[block]
pub struct Flight {
    /// Read stage: the state in the control RAM, and which ops ahead share the connection.
    pub stored: Signal<In, State>,
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear while the memories are cleared.
    pub forward_keeps: Signal<In, bool>,
    /// Update stage: what the op changes the bytes by, modulo 2^24, and that it is a send, or an init, which leaves none.
    pub change: Signal<In, Bits<24>>,
    pub is_send: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    /// Update stage: there are bytes on their way before the op; with the change they come to 2^24; with it none are left.
    pub occupied: Signal<Out, bool>,
    pub reaches: Signal<Out, bool>,
    pub is_all: Signal<Out, bool>,
    /// Update stage: the op does change them.
    pub takes: Signal<In, bool>,
    /// Write stage.
    pub written: Signal<Out, State>,

    renewed: Renewed<State>,
    #[reset = empty]
    write_found: Reg<State>,
    #[reset = empty]
    write_fresh: Reg<State>,
    #[reset = false]
    write_renews: Reg<bool>,
    empty: Param<State>,
}

#[block]
impl Flight {
    /// With its parameters.
    pub fn new() -> Self {
        Self { renewed: Renewed::new(), empty: Param::new(State::default()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module flight: the bytes of each op's connection that are on their way");
        self.renewed.stored = self.stored;
        self.renewed.ahead = self.ahead;
        self.renewed.forward_keeps = self.forward_keeps;

        comment!("Update.");
        self.occupied = self.renewed.found.occupied;
        let bytes: Bits<24> = resize(self.renewed.found.bytes);
        let sum: Bits<25> = bit_cast::<25, 24>(bytes) + bit_cast::<25, 24>(self.change);
        self.reaches = sum.get_bit(24);
        comment!(
            "A sum is 0 if each bit of it would be so but for a carry, and gets one just there: no sum is needed to tell."
        );
        let either = bytes | self.change;
        let ends = (bytes ^ self.change) == (either << 1);
        self.is_all = ends;
        self.renewed.fresh = self.empty;
        if !self.is_init {
            self.renewed.fresh.bytes = resize(sum);
            self.renewed.fresh.occupied = self.is_send | !ends;
        }
        let renews = self.takes | self.is_init;
        self.renewed.renews = renews;

        comment!("Write: chosen here, as it is known late whether the op changes anything.");
        self.write_found = self.renewed.found;
        self.write_fresh = self.renewed.fresh;
        self.write_renews = renews;
        self.renewed.written = self.write_found;
        self.written = self.write_found;
        if self.write_renews {
            self.renewed.written = self.write_fresh;
            self.written = self.write_fresh;
        }
    }
}
