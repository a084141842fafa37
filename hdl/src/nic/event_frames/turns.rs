//! Whose frame goes to the host.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Frames that came go as if there were no others, until a frame of events is whole: it goes behind the frame that is passing, or at once
/// where none does. Behind it a frame that came is next. A frame that came is offered without a pause from its first beat to its last, as
/// the ring of the receiver has it whole.
#[block]
pub struct Turns {
    /// A beat of a frame that came is offered, and it is its last.
    pub valid: Signal<In, bool>,
    pub is_last: Signal<In, bool>,
    /// A frame of events is whole, and its beat that is next is its last.
    pub has_own: Signal<In, bool>,
    pub is_own_last: Signal<In, bool>,
    /// The host takes what is offered.
    pub ready: Signal<In, bool>,
    /// The frame of events has its turn.
    pub is_own: Signal<Out, bool>,

    #[reset = false]
    own: Reg<bool>,
}

#[block]
impl Turns {
    fn update(&mut self) {
        comment!("module turns: whose frame goes to the host");
        let leaves = self.valid & self.ready;
        comment!("What is offered stays, and a frame has no pause.");
        if self.own {
            if self.ready & self.is_own_last {
                self.own = false;
            }
        } else {
            self.own = self.has_own & (!self.valid | (leaves & self.is_last));
        }
        self.is_own = self.own;
    }
}
