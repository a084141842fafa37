//! The bytes of a connection that are on their way.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Flight as State;
use crate::comment;
use crate::parts::{Ahead, Renewed};
use crate::prims::Param;

/// Adds what an op changes to the bytes on their way, and keeps the sum if the op may do so.
///
/// One sum says whether it may. A send changes them by its bytes and by 2^23, so that a sum of 2^24 says that there is no room for it in
/// half the circle of counts. An ACK changes them by the count that was, less its own, modulo 2^24 ([`super::received`]): where it tells
/// of `d` bytes, that is `2^24 - d`, and the sum comes to 2^24 if no less than `d` are on their way. Where it tells of nothing new it is
/// 0, and the sum does not come to that.
#[derive(LogicBlock, Default)]
pub struct Flight {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    bytes: Signal<Local, Bits<24>>,
    either: Signal<Local, Bits<24>>,
    sum: Signal<Local, Bits<25>>,
    ends: Signal<Local, bool>,
    write_found: DFF<State>,
    write_fresh: DFF<State>,
    write_renews: DFF<bool>,
    renews: Signal<Local, bool>,
    empty: Param<State>,
}

impl Flight {
    /// With its parameters.
    pub fn new() -> Self {
        Self { renewed: Renewed::new(), empty: Param::new(State::default()), ..Default::default() }
    }
}

impl Logic for Flight {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module flight: the bytes of each op's connection that are on their way");
        dff_setup!(self, clk, write_found, write_fresh, write_renews);
        self.renewed.clk.next = self.clk.val();
        self.renewed.rst.next = self.rst.val();
        self.renewed.stored.next = self.stored.val();
        self.renewed.ahead.next = self.ahead.val();
        self.renewed.forward_keeps.next = self.forward_keeps.val();

        comment!("Update.");
        self.occupied.next = self.renewed.found.val().occupied;
        self.bytes.next = bit_cast::<24, 23>(self.renewed.found.val().bytes);
        self.sum.next = bit_cast::<25, 24>(self.bytes.val()) + bit_cast::<25, 24>(self.change.val());
        self.reaches.next = self.sum.val().get_bit(24);
        comment!(
            "A sum is 0 if each bit of it would be so but for a carry, and gets one just there: no sum is needed to tell."
        );
        self.either.next = self.bytes.val() | self.change.val();
        self.ends.next = (self.bytes.val() ^ self.change.val()) == (self.either.val() << 1);
        self.is_all.next = self.ends.val();
        self.renewed.fresh.next = self.empty.val();
        if !self.is_init.val() {
            self.renewed.fresh.next.bytes = bit_cast::<23, 25>(self.sum.val());
            self.renewed.fresh.next.occupied = self.is_send.val() | !self.ends.val();
        }
        self.renews.next = self.takes.val() | self.is_init.val();
        self.renewed.renews.next = self.renews.val();

        comment!("Write: chosen here, as it is known late whether the op changes anything.");
        self.write_found.d.next = self.renewed.found.val();
        self.write_fresh.d.next = self.renewed.fresh.val();
        self.write_renews.d.next = self.renews.val();
        self.renewed.written.next = self.write_found.q.val();
        self.written.next = self.write_found.q.val();
        if self.write_renews.q.val() {
            self.renewed.written.next = self.write_fresh.q.val();
            self.written.next = self.write_fresh.q.val();
        }
        if self.rst.val() {
            self.write_found.d.next = self.empty.val();
            self.write_fresh.d.next = self.empty.val();
            self.write_renews.d.next = false;
        }
    }
}
