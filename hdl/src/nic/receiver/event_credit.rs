//! Credit of frames of events.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// A frame of events takes a credit as data does, and no frame that came takes one in the same cycle. It is granted a cycle later.
#[block]
pub struct EventCredit {
    pub wanted: Signal<In, bool>,
    pub has_credit: Signal<In, bool>,
    /// A frame that came takes a credit, which is known late.
    pub commit: Signal<In, bool>,
    /// A frame that came or one of events takes a credit.
    pub takes: Signal<Out, bool>,
    pub granted: Signal<Out, bool>,
    #[reset = false]
    went: Reg<bool>,
}

#[block]
impl EventCredit {
    fn update(&mut self) {
        comment!("module event_credit: credit of frames of events");
        let asks = self.wanted & self.has_credit & !self.went;
        self.takes = self.commit | asks;
        self.went = asks & !self.commit;
        self.granted = self.went;
    }
}
