//! The bytes of a connection that the receiver has told of.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::parts::{Ahead, Renewed};
use crate::prims::{Param, Reg};

/// Keeps the counts of received bytes, and says a stage ahead what an op changes the bytes on their way by.
///
/// For an ACK that is the count before it less its own. The count before it is either what is known in its forward stage, or the count
/// of the op one place ahead, if that is believed: both are subtracted, and one is chosen.
#[block]
pub struct Received {
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
    #[reset = 0]
    change_in_update: Reg<Bits<24>>,
    #[reset = 0]
    in_write: Reg<Bits<24>>,
    half_circle: Param<Bits<24>>,
}

#[block]
impl Received {
    /// With its parameters.
    pub fn new() -> Self {
        Self { renewed: Renewed::new(), half_circle: Param::new(0x80_0000_u64.into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module received: the bytes of each op's connection that the receiver has told of");
        self.renewed.stored = self.stored;
        self.renewed.ahead = self.ahead;
        self.renewed.forward_keeps = self.forward_keeps;

        comment!("Forward: the count before an ACK less its own; half the circle and the bytes of a send.");
        let since_older = self.renewed.arriving - self.forward_recvd;
        let since_ahead = self.recvd - self.forward_recvd;
        let of_send: Bits<24> = bit_cast::<24, 14>(self.forward_bytes) | self.half_circle;
        let mut other = of_send;
        if self.forward_ack {
            other = since_ahead;
        }
        self.change_in_update = other;
        if self.forward_ack & !(self.renewed.follows & self.moves) {
            self.change_in_update = since_older;
        }

        comment!("Update, write.");
        self.change = self.change_in_update;
        self.found = self.renewed.found;
        self.renewed.fresh = self.recvd;
        self.renewed.renews = self.moves;
        self.in_write = self.renewed.found;
        if self.moves {
            self.in_write = self.recvd;
        }
        self.renewed.written = self.in_write;
        self.written = self.in_write;
    }
}
