//! Which path an op begins with.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Finds the path of an op: that of the ACK, or for a send that explores the one behind the latest, modulo the paths explored.
///
/// The latest path may lie above those explored, since the window can shrink. Then the remainder is found bit by bit: the
/// three upper bits of the dividend are below 8, which is the least divisor, so that six steps do for the others.
#[block]
pub struct Target {
    /// The state of the connection is there.
    pub decide: Signal<In, bool>,
    /// The op is a send that explores; otherwise the path of the op stands.
    pub explores: Signal<In, bool>,
    pub op_path: Signal<In, Bits<8>>,
    /// The path sent to last, and the highest one that is explored.
    pub latest: Signal<In, Bits<8>>,
    pub highest: Signal<In, Bits<8>>,

    /// One cycle: the path is found.
    pub found: Signal<Out, bool>,
    pub path: Signal<Out, Bits<8>>,

    #[reset = false]
    is_found: Reg<bool>,
    #[reset = 0]
    folding: Reg<Bits<6>>,
    target: Reg<Bits<8>>,
    rest: Reg<Bits<6>>,
}

#[block]
impl Target {
    fn update(&mut self) {
        comment!("module target: which path an op begins with");
        let following: Bits<9> = bit_cast::<9, 8>(self.latest) + 1;
        let folds = self.explores & (self.latest > self.highest);
        self.is_found = (self.decide & !folds) | self.folding.get_bit(5);
        self.folding = self.folding << 1;

        comment!("A remainder takes a bit of the dividend a cycle, the highest first.");
        let doubled = (bit_cast::<9, 8>(self.target) << 1) | bit_cast::<9, 6>(self.rest >> 5);
        let reduced = doubled - bit_cast::<9, 8>(self.highest) - 1;
        if self.folding.any() {
            self.target = resize(doubled);
            if doubled > bit_cast::<9, 8>(self.highest) {
                self.target = resize(reduced);
            }
        }
        self.rest = self.rest << 1;
        if self.decide {
            self.folding = 0;
            if folds {
                self.folding = 1;
            }
            self.target = self.op_path;
            self.rest = resize(following);
            if self.explores {
                self.target = resize(following);
                if self.latest == self.highest {
                    self.target = 0;
                }
                if folds {
                    self.target = resize(following >> 6);
                }
            }
        }
        self.found = self.is_found;
        self.path = self.target;
    }
}
