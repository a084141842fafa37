//! Keeps ops apart that share an entry of a table.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Which ops are in the stages, and whether the one in stage 0 has to wait there.
///
/// ```text
///  op_* ──► 0 hold ─► 1 read ─► 2 compare ─► 3 decide ─► 4 sum ─► 5 shift ─► 6 judge ─► 7 result
/// ```
///
/// Stage 0 reads what stage 6 writes at the latest, so an op waits in stage 0 while one that changes an entry of its
/// own is in stages 1 to 6. It is compared with the stages while it is taken, so that `is_free` is a register. `DST`
/// and `FLOW` are the widths of a destination and of a place in the flow table.
#[block]
pub struct Interlock<const DST: usize, const FLOW: usize> {
    /// Something is taken into stage 0; its entries.
    pub takes: Signal<In, bool>,
    pub place: Signal<In, Bits<FLOW>>,
    pub dst: Signal<In, Bits<DST>>,
    /// It waits for those that change its flow entry, and may change it; the same of its path entry.
    pub uses_flow: Signal<In, bool>,
    pub uses_path: Signal<In, bool>,
    pub changes_path: Signal<In, bool>,

    /// Nothing waits: something can be taken.
    pub is_free: Signal<Out, bool>,
    /// What is in stage 0 leaves it.
    pub leaves: Signal<Out, bool>,

    live: Reg<bool>,
    holds: Reg<bool>,
    /// The op in stage 0 waits for the one in stage `i + 1`.
    ahead: Reg<Bits<6>>,
    waits: Signal<Local, Bits<6>>,
    same_flow: Signal<Local, bool>,
    same_path: Signal<Local, bool>,
    flow: [Reg<bool>; 6],
    path: [Reg<bool>; 6],
    places: [Reg<Bits<FLOW>>; 6],
    dsts: [Reg<Bits<DST>>; 6],
}

#[block]
impl<const DST: usize, const FLOW: usize> Interlock<DST, FLOW> {
    fn update(&mut self) {
        comment!("module interlock: which op has to wait for others that change an entry of its own");
        comment!("Stages whose ops the one at the inputs waits for, or, if one waits, that one: a stage on.");
        self.waits = 0;
        for i in 0..6 {
            self.same_flow = self.uses_flow & self.flow[i] & (self.places[i] == self.place);
            self.same_path = self.uses_path & self.path[i] & (self.dsts[i] == self.dst);
            self.waits = self.waits.replace_bit(i, self.takes & (self.same_flow | self.same_path));
        }
        if self.holds {
            self.waits = self.ahead << 1;
        }
        self.ahead = self.waits;
        let is_held = self.waits.any();
        self.holds = is_held;
        self.live = self.takes | (self.live & self.holds);
        self.is_free = !self.holds;
        self.leaves = self.live & !self.holds;

        comment!("Stage 0, and the entries that ops in the stages behind it change.");
        if !self.holds {
            self.flow[0] = self.takes & self.uses_flow;
            self.path[0] = self.takes & self.changes_path;
            self.places[0] = self.place;
            self.dsts[0] = self.dst;
        }
        self.flow[1] = self.flow[0] & !self.holds;
        self.path[1] = self.path[0] & !self.holds;
        self.places[1] = self.places[0];
        self.dsts[1] = self.dsts[0];
        for i in 2..6 {
            self.flow[i] = self.flow[i - 1];
            self.path[i] = self.path[i - 1];
            self.places[i] = self.places[i - 1];
            self.dsts[i] = self.dsts[i - 1];
        }
        if self.rst {
            self.live = false;
            self.holds = false;
            self.ahead = 0;
            for i in 0..6 {
                self.flow[i] = false;
                self.path[i] = false;
            }
        }
    }
}
