//! Which path an op begins with.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Finds the path of an op: that of the ACK, or for a send that explores the one behind the latest, modulo the paths explored.
///
/// The latest path may lie above those explored, since the window can shrink. Then the remainder is found bit by bit: the
/// three upper bits of the dividend are below 8, which is the least divisor, so that six steps do for the others.
#[derive(LogicBlock, Default)]
pub struct Target {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

    following: Signal<Local, Bits<9>>,
    folds: Signal<Local, bool>,
    doubled: Signal<Local, Bits<9>>,
    reduced: Signal<Local, Bits<9>>,

    is_found: DFF<bool>,
    folding: DFF<Bits<6>>,
    target: DFF<Bits<8>>,
    rest: DFF<Bits<6>>,
}

impl Logic for Target {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module target: which path an op begins with");
        dff_setup!(self, clk, is_found, folding, target, rest);
        self.following.next = bit_cast::<9, 8>(self.latest.val()) + 1;
        self.folds.next = self.explores.val() & (self.latest.val() > self.highest.val());
        self.is_found.d.next = (self.decide.val() & !self.folds.val()) | self.folding.q.val().get_bit(5);
        self.folding.d.next = self.folding.q.val() << 1;

        comment!("A remainder takes a bit of the dividend a cycle, the highest first.");
        self.doubled.next =
            (bit_cast::<9, 8>(self.target.q.val()) << 1) | bit_cast::<9, 6>(self.rest.q.val() >> 5);
        self.reduced.next = self.doubled.val() - bit_cast::<9, 8>(self.highest.val()) - 1;
        if self.folding.q.val().any() {
            self.target.d.next = bit_cast::<8, 9>(self.doubled.val());
            if self.doubled.val() > bit_cast::<9, 8>(self.highest.val()) {
                self.target.d.next = bit_cast::<8, 9>(self.reduced.val());
            }
        }
        self.rest.d.next = self.rest.q.val() << 1;
        if self.decide.val() {
            self.folding.d.next = 0.into();
            if self.folds.val() {
                self.folding.d.next = 1.into();
            }
            self.target.d.next = self.op_path.val();
            self.rest.d.next = bit_cast::<6, 9>(self.following.val());
            if self.explores.val() {
                self.target.d.next = bit_cast::<8, 9>(self.following.val());
                if self.latest.val() == self.highest.val() {
                    self.target.d.next = 0.into();
                }
                if self.folds.val() {
                    self.target.d.next = bit_cast::<8, 9>(self.following.val() >> 6);
                }
            }
        }
        self.found.next = self.is_found.q.val();
        self.path.next = self.target.q.val();
        if self.rst.val() {
            self.is_found.d.next = false;
            self.folding.d.next = 0.into();
        }
    }
}
