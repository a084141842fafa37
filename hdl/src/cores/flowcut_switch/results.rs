//! From what an op did to the outputs.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::prims::{Param, Reg};
use crate::{comment, signal_struct};

signal_struct! {
    /// What came of an op, as far as it is known in the update stage: `14 + PORT` bits.
    pub struct Outcome<const PORT: usize> {
        /// A data packet: its uplink, its kind, its epoch, and whether its bucket drains.
        pub data: bool,
        pub port: Bits<PORT>,
        pub kind: Bits<2>,
        pub epoch: Bits<4>,
        pub draining: bool,
        /// Events.
        pub xoff: bool,
        pub xon: bool,
        pub entry_cleared: bool,
        pub order_risk: bool,
        pub ack_refused: bool,
    }
}

/// Brings the result of an op to the outputs, two cycles after its update stage. `PORT` is the width of an uplink's
/// number, `BUCKET` that of a bucket's.
#[block]
pub struct Results<const PORT: usize, const BUCKET: usize> {
    /// Update stage.
    pub update: Signal<In, Outcome<PORT>>,
    /// Judge stage: the bucket, and that a hot average starts a drain.
    pub bucket: Signal<In, Bits<BUCKET>>,
    pub starts: Signal<In, bool>,
    /// The outputs.
    pub shown: Signal<Out, Outcome<PORT>>,
    pub shown_bucket: Signal<Out, Bits<BUCKET>>,

    #[reset = nothing]
    in_judge: Reg<Outcome<PORT>>,
    #[reset = nothing]
    in_result: Reg<Outcome<PORT>>,
    result_bucket: Reg<Bits<BUCKET>>,
    nothing: Param<Outcome<PORT>>,
}

#[block]
impl<const PORT: usize, const BUCKET: usize> Results<PORT, BUCKET> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { nothing: Param::new(Outcome::default()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module results: from what an op did to its bucket to the outputs");
        self.in_judge = self.update;
        self.in_result = self.in_judge;
        self.in_result.xoff = self.in_judge.xoff | self.starts;
        self.result_bucket = self.bucket;
        self.shown = self.in_result;
        self.shown_bucket = self.result_bucket;
    }
}
