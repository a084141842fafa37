//! The cumulative PSN.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// The PSN behind the cumulative one: EPSN, or where the host answers what it has cleared.
#[block(no_reset)]
pub struct Cumulative {
    pub look: Signal<In, bool>,
    pub fill: Signal<In, bool>,
    pub is_answer: Signal<In, bool>,
    pub host: Signal<In, bool>,
    /// Look: the answer clears all that was received; what it clears was received; it is more than was cleared.
    pub below: Signal<In, bool>,
    pub recent: Signal<In, bool>,
    pub after: Signal<In, bool>,
    pub given: Signal<In, Bits<32>>,
    pub stored: Signal<In, Bits<32>>,
    /// After finish.
    pub epsn: Signal<In, Bits<32>>,
    /// After finish.
    pub cum_next: Signal<Out, Bits<32>>,
    takes_epsn: Reg<bool>,
    takes_given: Reg<bool>,
}

#[block]
impl Cumulative {
    fn update(&mut self) {
        comment!("module cumulative: the PSN behind the cumulative one");
        if self.look {
            self.takes_epsn = !self.host | (self.is_answer & !self.below);
            self.takes_given = self.is_answer & self.recent & self.after;
        }
        if self.fill {
            self.takes_epsn = true;
        }
        self.cum_next = self.stored;
        if self.takes_given {
            self.cum_next = self.given;
        }
        if self.takes_epsn {
            self.cum_next = self.epsn;
        }
    }
}
