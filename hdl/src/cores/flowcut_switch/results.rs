//! From what an op did to the outputs.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::prims::Param;
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
#[derive(LogicBlock, Default)]
pub struct Results<const P: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Update stage.
    pub update: Signal<In, Outcome<P>>,
    /// Judge stage: the bucket, and that a hot average starts a drain.
    pub bucket: Signal<In, Bits<B>>,
    pub starts: Signal<In, bool>,
    /// The outputs.
    pub shown: Signal<Out, Outcome<P>>,
    pub shown_bucket: Signal<Out, Bits<B>>,

    in_judge: DFF<Outcome<P>>,
    in_result: DFF<Outcome<P>>,
    result_bucket: DFF<Bits<B>>,
    nothing: Param<Outcome<P>>,
}

impl<const P: usize, const B: usize> Results<P, B> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { nothing: Param::new(Outcome::default()), ..Default::default() }
    }
}

impl<const P: usize, const B: usize> Logic for Results<P, B> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module results: from what an op did to its bucket to the outputs");
        dff_setup!(self, clk, in_judge, in_result, result_bucket);
        self.in_judge.d.next = self.update.val();
        self.in_result.d.next = self.in_judge.q.val();
        self.in_result.d.next.xoff = self.in_judge.q.val().xoff | self.starts.val();
        self.result_bucket.d.next = self.bucket.val();
        self.shown.next = self.in_result.q.val();
        self.shown_bucket.next = self.result_bucket.q.val();
        if self.rst.val() {
            self.in_judge.d.next = self.nothing.val();
            self.in_result.d.next = self.nothing.val();
        }
    }
}
