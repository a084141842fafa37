//! Whose slot it is: an op's, or the walker's.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Gives every 16th cycle to the walker, which comes to all buckets in turn, and says in which rounds buckets grow older. `BUCKET` is the
/// width of a bucket's number.
#[block]
pub struct Slots<const BUCKET: usize> {
    /// The memories are cleared.
    pub ready: Signal<In, bool>,
    /// The slow time by which buckets grow old.
    pub clock: Signal<In, Bits<8>>,

    /// An op is taken if there is one.
    pub op_ready: Signal<Out, bool>,
    /// The walker comes to this bucket, in a round in which buckets grow older.
    pub visits: Signal<Out, bool>,
    pub visited: Signal<Out, Bits<BUCKET>>,
    pub ages: Signal<Out, bool>,

    #[reset = 0]
    slot: Reg<Bits<4>>,
    #[reset = 0]
    bucket: Reg<Bits<BUCKET>>,
    #[reset = 0]
    last_clock: Reg<Bits<4>>,
    #[reset = false]
    round_ages: Reg<bool>,
}

#[block]
impl<const BUCKET: usize> Slots<BUCKET> {
    fn update(&mut self) {
        comment!("module slots: whose slot it is, an op's or the walker's");
        let is_visit = self.ready & self.slot.all();
        self.slot = self.slot + self.ready;

        comment!(
            "A round begins at bucket 0. Buckets grow older in it where 16 ticks have passed since the last one began."
        );
        let sixteenths = self.clock.get_bits::<4>(4);
        let mut is_ageing = self.round_ages;
        if !self.bucket.any() {
            is_ageing = sixteenths != self.last_clock;
        }
        if is_visit {
            self.bucket = self.bucket + 1;
            self.round_ages = is_ageing;
            if !self.bucket.any() {
                self.last_clock = sixteenths;
            }
        }
        self.op_ready = self.ready & !self.slot.all();
        self.visits = is_visit;
        self.visited = self.bucket;
        self.ages = is_ageing;
    }
}
