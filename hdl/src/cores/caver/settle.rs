//! What an op leaves with where each uplink has an entry. Combinational.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::{Chosen, Outcome, Tail, Verdict};
use crate::comment;
use crate::prims::Param;

/// 003 section 2, in the judge stage, for `caver.table = per_port`: the best path is known already, and what is left is how congested it is.
#[derive(LogicBlock, Default)]
pub struct Settle<const D: usize, const P: usize> {
    pub verdict: Signal<In, Verdict<D, P>>,
    /// The best path: what it is good for, what is behind its port, and how congested that is.
    pub chosen: Signal<In, Chosen<P>>,
    pub tail: Signal<In, Tail>,
    pub ce: Signal<In, Bits<8>>,
    /// Congestion of its port, or of that of an ACK that begins a path.
    pub own: Signal<In, Bits<8>>,

    pub outcome: Signal<Out, Outcome<D, P>>,

    best: Signal<Local, Tail>,
    behind: Signal<Local, Bits<8>>,
    goes_on: Signal<Local, bool>,
    low: Param<Bits<P>>,
}

impl<const D: usize, const P: usize> Settle<D, P> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { low: Param::new(15.into()), ..Default::default() }
    }
}

impl<const D: usize, const P: usize> Logic for Settle<D, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module settle: what an op leaves with");
        comment!("The best path is that of the ACK, or one that is stored.");
        self.best.next = self.tail.val();
        self.behind.next = self.ce.val();
        if self.verdict.val().must_take {
            self.best.next.len = self.verdict.val().len;
            self.best.next.path = self.verdict.val().path;
            self.behind.next = self.verdict.val().ce;
        }

        comment!("Data, or an ACK that begins a path. Ports that a path does not have are all ones.");
        self.outcome.next.valid = self.verdict.val().is_data | self.verdict.val().is_ack;
        self.outcome.next.dst = self.verdict.val().dst;
        self.outcome.next.code = self.verdict.val().code;
        self.outcome.next.port = self.verdict.val().port;
        if self.chosen.val().takes {
            self.outcome.next.port = self.chosen.val().port;
        }
        self.outcome.next.enable = self.verdict.val().enable | self.verdict.val().begins;
        self.outcome.next.hop = self.verdict.val().hop;
        self.outcome.next.path = self.verdict.val().stored;
        if self.chosen.val().brings {
            self.outcome.next.path =
                (bit_cast::<32, 24>(self.best.val().path) << 8) | bit_cast::<32, P>(self.chosen.val().port);
        }
        self.outcome.next.ce = self.own.val();
        self.outcome.next.len = 0.into();
        if self.verdict.val().begins {
            self.outcome.next.path = !bits::<32>(0);
        }

        comment!(
            "An ACK goes on with the best path, unless there is none or that is full, or it came by a port without entries."
        );
        self.goes_on.next = self.chosen.val().lives & !self.best.val().len.all();
        if self.verdict.val().compares & (self.verdict.val().port | self.low.val()).all() {
            self.outcome.next.code = 12.into();
            if self.verdict.val().must_take {
                self.outcome.next.code = 11.into();
            }
            if self.behind.val() > self.own.val() {
                self.outcome.next.ce = self.behind.val();
            }
            self.outcome.next.enable = !self.verdict.val().to_host & self.goes_on.val();
            if !self.verdict.val().to_host & !self.goes_on.val() {
                self.outcome.next.code = 10.into();
            }
            self.outcome.next.len = self.best.val().len + 1;
        }
    }
}
