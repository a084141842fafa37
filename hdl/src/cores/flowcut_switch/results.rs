//! From what an op did to the outputs.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::prims::{Param, Reg};
use crate::{comment, signal_struct};

signal_struct! {
    /// What came of an op, as far as it is known in the update stage: `14 + P` bits.
    pub struct Outcome<const P: usize> {
        /// A data packet: its uplink, its kind, its epoch, and whether its bucket drains.
        pub data: bool,
        pub port: Bits<P>,
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

/// Brings the result of an op to the outputs, two cycles after its update stage. `P` is the width of an uplink's number, `B` that of a
/// bucket's.
#[block]
pub struct Results<const P: usize, const B: usize> {
    /// Update stage.
    pub update: Signal<In, Outcome<P>>,
    /// Judge stage: the bucket, and that a hot average starts a drain.
    pub bucket: Signal<In, Bits<B>>,
    pub starts: Signal<In, bool>,
    /// The outputs.
    pub shown: Signal<Out, Outcome<P>>,
    pub shown_bucket: Signal<Out, Bits<B>>,

    #[reset = nothing]
    in_judge: Reg<Outcome<P>>,
    #[reset = nothing]
    in_result: Reg<Outcome<P>>,
    result_bucket: Reg<Bits<B>>,
    nothing: Param<Outcome<P>>,
}

#[block]
impl<const P: usize, const B: usize> Results<P, B> {
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
