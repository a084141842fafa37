//! Whose slot it is: an op's, or the walker's.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Gives every 16th cycle to the walker, which comes to all buckets in turn, and says in which rounds buckets grow older. `B` is the
/// width of a bucket's number.
#[derive(LogicBlock, Default)]
pub struct Slots<const B: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The memories are cleared.
    pub ready: Signal<In, bool>,
    /// The slow time by which buckets grow old.
    pub clock: Signal<In, Bits<8>>,

    /// An op is taken if there is one.
    pub op_ready: Signal<Out, bool>,
    /// The walker comes to this bucket, in a round in which buckets grow older.
    pub visits: Signal<Out, bool>,
    pub visited: Signal<Out, Bits<B>>,
    pub ages: Signal<Out, bool>,

    slot: DFF<Bits<4>>,
    is_visit: Signal<Local, bool>,
    bucket: DFF<Bits<B>>,
    last_clock: DFF<Bits<4>>,
    round_ages: DFF<bool>,
    sixteenths: Signal<Local, Bits<4>>,
    is_ageing: Signal<Local, bool>,
}

impl<const B: usize> Logic for Slots<B> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module slots: whose slot it is, an op's or the walker's");
        dff_setup!(self, clk, slot, bucket, last_clock, round_ages);
        self.is_visit.next = self.ready.val() & self.slot.q.val().all();
        self.slot.d.next = self.slot.q.val() + self.ready.val();

        comment!(
            "A round begins at bucket 0. Buckets grow older in it where 16 ticks have passed since the last one began."
        );
        self.sixteenths.next = self.clock.val().get_bits::<4>(4);
        self.is_ageing.next = self.round_ages.q.val();
        if !self.bucket.q.val().any() {
            self.is_ageing.next = self.sixteenths.val() != self.last_clock.q.val();
        }
        if self.is_visit.val() {
            self.bucket.d.next = self.bucket.q.val() + 1;
            self.round_ages.d.next = self.is_ageing.val();
            if !self.bucket.q.val().any() {
                self.last_clock.d.next = self.sixteenths.val();
            }
        }
        self.op_ready.next = self.ready.val() & !self.slot.q.val().all();
        self.visits.next = self.is_visit.val();
        self.visited.next = self.bucket.q.val();
        self.ages.next = self.is_ageing.val();
        if self.rst.val() {
            self.slot.d.next = 0.into();
            self.bucket.d.next = 0.into();
            self.last_clock.d.next = 0.into();
            self.round_ages.d.next = false;
        }
    }
}
