//! Keeps ops apart that share an entry of a table.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Which ops are in the stages, and whether the one in stage 0 has to wait there.
///
/// ```text
///  op_* ──► 0 hold ─► 1 read ─► 2 compare ─► 3 decide ─► 4 sum ─► 5 shift ─► 6 judge ─► 7 result
/// ```
///
/// Stage 0 reads what stage 6 writes at the latest, so an op waits in stage 0 while one that changes an entry of its own is in stages 1
/// to 6. It is compared with the stages while it is taken, so that `is_free` is a register. `D` and `F` are the widths of a destination
/// and of a place in the flow table.
#[derive(LogicBlock, Default)]
pub struct Interlock<const D: usize, const F: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Something is taken into stage 0; its entries.
    pub takes: Signal<In, bool>,
    pub place: Signal<In, Bits<F>>,
    pub dst: Signal<In, Bits<D>>,
    /// It waits for those that change its flow entry, and may change it; the same of its path entry.
    pub uses_flow: Signal<In, bool>,
    pub uses_path: Signal<In, bool>,
    pub changes_path: Signal<In, bool>,

    /// Nothing waits: something can be taken.
    pub is_free: Signal<Out, bool>,
    /// What is in stage 0 leaves it.
    pub leaves: Signal<Out, bool>,

    live: DFF<bool>,
    holds: DFF<bool>,
    /// The op in stage 0 waits for the one in stage `i + 1`.
    ahead: DFF<Bits<6>>,
    waits: Signal<Local, Bits<6>>,
    same_flow: Signal<Local, bool>,
    same_path: Signal<Local, bool>,
    is_held: Signal<Local, bool>,
    flow: [DFF<bool>; 6],
    path: [DFF<bool>; 6],
    places: [DFF<Bits<F>>; 6],
    dsts: [DFF<Bits<D>>; 6],
}

impl<const D: usize, const F: usize> Logic for Interlock<D, F> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module interlock: which op has to wait for others that change an entry of its own");
        dff_setup!(self, clk, live, holds, ahead);
        for i in 0..6 {
            self.flow[i].clock.next = self.clk.val();
            self.path[i].clock.next = self.clk.val();
            self.places[i].clock.next = self.clk.val();
            self.dsts[i].clock.next = self.clk.val();
        }
        comment!("Stages whose ops the one at the inputs waits for, or, if one waits, that one: a stage on.");
        self.waits.next = 0.into();
        for i in 0..6 {
            self.same_flow.next =
                self.uses_flow.val() & self.flow[i].q.val() & (self.places[i].q.val() == self.place.val());
            self.same_path.next =
                self.uses_path.val() & self.path[i].q.val() & (self.dsts[i].q.val() == self.dst.val());
            self.waits.next = self
                .waits
                .val()
                .replace_bit(i, self.takes.val() & (self.same_flow.val() | self.same_path.val()));
        }
        if self.holds.q.val() {
            self.waits.next = self.ahead.q.val() << 1;
        }
        self.ahead.d.next = self.waits.val();
        self.is_held.next = self.waits.val().any();
        self.holds.d.next = self.is_held.val();
        self.live.d.next = self.takes.val() | (self.live.q.val() & self.holds.q.val());
        self.is_free.next = !self.holds.q.val();
        self.leaves.next = self.live.q.val() & !self.holds.q.val();

        comment!("Stage 0, and the entries that ops in the stages behind it change.");
        if !self.holds.q.val() {
            self.flow[0].d.next = self.takes.val() & self.uses_flow.val();
            self.path[0].d.next = self.takes.val() & self.changes_path.val();
            self.places[0].d.next = self.place.val();
            self.dsts[0].d.next = self.dst.val();
        } else {
            self.flow[0].d.next = self.flow[0].q.val();
            self.path[0].d.next = self.path[0].q.val();
            self.places[0].d.next = self.places[0].q.val();
            self.dsts[0].d.next = self.dsts[0].q.val();
        }
        self.flow[1].d.next = self.flow[0].q.val() & !self.holds.q.val();
        self.path[1].d.next = self.path[0].q.val() & !self.holds.q.val();
        self.places[1].d.next = self.places[0].q.val();
        self.dsts[1].d.next = self.dsts[0].q.val();
        for i in 2..6 {
            self.flow[i].d.next = self.flow[i - 1].q.val();
            self.path[i].d.next = self.path[i - 1].q.val();
            self.places[i].d.next = self.places[i - 1].q.val();
            self.dsts[i].d.next = self.dsts[i - 1].q.val();
        }
        if self.rst.val() {
            self.live.d.next = false;
            self.holds.d.next = false;
            self.ahead.d.next = 0.into();
            for i in 0..6 {
                self.flow[i].d.next = false;
                self.path[i].d.next = false;
            }
        }
    }
}
