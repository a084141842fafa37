//! What an op leaves with where each uplink has an entry. Combinational.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::{Chosen, Outcome, Tail, Verdict};
use crate::comment;
use crate::prims::Param;

/// 003 section 2, in the judge stage, for `caver.table = per_port`: the best path is known already, and what is left is
/// how congested it is.
#[block(no_clock)]
pub struct Settle<const DST: usize, const PORT: usize> {
    pub verdict: Signal<In, Verdict<DST, PORT>>,
    /// The best path: what it is good for, what is behind its port, and how congested that is.
    pub chosen: Signal<In, Chosen<PORT>>,
    pub tail: Signal<In, Tail>,
    pub ce: Signal<In, Bits<8>>,
    /// Congestion of its port, or of that of an ACK that begins a path.
    pub own: Signal<In, Bits<8>>,

    pub outcome: Signal<Out, Outcome<DST, PORT>>,

    best: Signal<Local, Tail>,
    low: Param<Bits<PORT>>,
}

#[block]
impl<const DST: usize, const PORT: usize> Settle<DST, PORT> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { low: Param::new(15.into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module settle: what an op leaves with");
        comment!("The best path is that of the ACK, or one that is stored.");
        self.best = self.tail;
        let mut behind = self.ce;
        if self.verdict.must_take {
            self.best.len = self.verdict.len;
            self.best.path = self.verdict.path;
            behind = self.verdict.ce;
        }

        comment!("Data, or an ACK that begins a path. Ports that a path does not have are all ones.");
        self.outcome.valid = self.verdict.is_data | self.verdict.is_ack;
        self.outcome.dst = self.verdict.dst;
        self.outcome.code = self.verdict.code;
        self.outcome.port = self.verdict.port;
        if self.chosen.takes {
            self.outcome.port = self.chosen.port;
        }
        self.outcome.enable = self.verdict.enable | self.verdict.begins;
        self.outcome.hop = self.verdict.hop;
        self.outcome.path = self.verdict.stored;
        if self.chosen.brings {
            self.outcome.path =
                (bit_cast::<32, 24>(self.best.path) << 8) | bit_cast::<32, PORT>(self.chosen.port);
        }
        self.outcome.ce = self.own;
        self.outcome.len = 0;
        if self.verdict.begins {
            self.outcome.path = !bits::<32>(0);
        }

        comment!(
            "An ACK goes on with the best path, unless there is none or that is full, or it came by a port without entries."
        );
        let goes_on = self.chosen.lives & !self.best.len.all();
        if self.verdict.compares & (self.verdict.port | self.low).all() {
            self.outcome.code = 12;
            if self.verdict.must_take {
                self.outcome.code = 11;
            }
            if behind > self.own {
                self.outcome.ce = behind;
            }
            self.outcome.enable = !self.verdict.to_host & goes_on;
            if !self.verdict.to_host & !goes_on {
                self.outcome.code = 10;
            }
            self.outcome.len = self.best.len + 1;
        }
    }
}
