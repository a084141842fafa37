//! The bytes of a connection that the receiver has told of.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::parts::{Ahead, Renewed};
use crate::prims::Param;

/// Keeps the counts of received bytes, and says a stage ahead what an op changes the bytes on their way by.
///
/// For an ACK that is the count before it less its own. The count before it is either what is known in its forward stage, or the count
/// of the op one place ahead, if that is believed: both are subtracted, and one is chosen.
#[derive(LogicBlock, Default)]
pub struct Received {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Read stage: the count in the control RAM, and which ops ahead share the connection.
    pub stored: Signal<In, Bits<24>>,
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear while the memories are cleared; the op is an ACK, its count; bytes of a send.
    pub forward_keeps: Signal<In, bool>,
    pub forward_ack: Signal<In, bool>,
    pub forward_recvd: Signal<In, Bits<24>>,
    pub forward_bytes: Signal<In, Bits<14>>,
    /// Update stage: what the op changes the bytes on their way by, as [`super::flight`] wants it.
    pub change: Signal<Out, Bits<24>>,
    /// Update stage: the op's count, and that it is believed.
    pub recvd: Signal<In, Bits<24>>,
    pub moves: Signal<In, bool>,
    /// Update stage: the count before the op.
    pub found: Signal<Out, Bits<24>>,
    /// Write stage.
    pub written: Signal<Out, Bits<24>>,

    renewed: Renewed<Bits<24>>,
    since_older: Signal<Local, Bits<24>>,
    since_ahead: Signal<Local, Bits<24>>,
    of_send: Signal<Local, Bits<24>>,
    other: Signal<Local, Bits<24>>,
    change_in_update: DFF<Bits<24>>,
    in_write: DFF<Bits<24>>,
    half_circle: Param<Bits<24>>,
}

impl Received {
    /// With its parameters.
    pub fn new() -> Self {
        Self { renewed: Renewed::new(), half_circle: Param::new(0x80_0000_u64.into()), ..Default::default() }
    }
}

impl Logic for Received {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module received: the bytes of each op's connection that the receiver has told of");
        dff_setup!(self, clk, change_in_update, in_write);
        self.renewed.clk.next = self.clk.val();
        self.renewed.rst.next = self.rst.val();
        self.renewed.stored.next = self.stored.val();
        self.renewed.ahead.next = self.ahead.val();
        self.renewed.forward_keeps.next = self.forward_keeps.val();

        comment!("Forward: the count before an ACK less its own; half the circle and the bytes of a send.");
        self.since_older.next = self.renewed.arriving.val() - self.forward_recvd.val();
        self.since_ahead.next = self.recvd.val() - self.forward_recvd.val();
        self.of_send.next = bit_cast::<24, 14>(self.forward_bytes.val()) | self.half_circle.val();
        self.other.next = self.of_send.val();
        if self.forward_ack.val() {
            self.other.next = self.since_ahead.val();
        }
        self.change_in_update.d.next = self.other.val();
        if self.forward_ack.val() & !(self.renewed.follows.val() & self.moves.val()) {
            self.change_in_update.d.next = self.since_older.val();
        }

        comment!("Update, write.");
        self.change.next = self.change_in_update.q.val();
        self.found.next = self.renewed.found.val();
        self.renewed.fresh.next = self.recvd.val();
        self.renewed.renews.next = self.moves.val();
        self.in_write.d.next = self.renewed.found.val();
        if self.moves.val() {
            self.in_write.d.next = self.recvd.val();
        }
        self.renewed.written.next = self.in_write.q.val();
        self.written.next = self.in_write.q.val();
        if self.rst.val() {
            self.change_in_update.d.next = 0.into();
            self.in_write.d.next = 0.into();
        }
    }
}
