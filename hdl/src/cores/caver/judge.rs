//! Which path is the better one, and what an op leaves with. Combinational.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::{Outcome, Path, Verdict};
use crate::comment;

/// 003 section 2, in the judge stage. Congestion of a path is the larger one of that of its first port and of that behind it. So that of
/// the ACK's path is not above that of the stored one if each of its two is not above one of the other two: comparisons beside each
/// other, where two maxima and their comparison would come one after the other. Each comparison is the borrow of a difference, which is one
/// carry chain and nothing behind it; Yosys makes two results of a chain out of a comparison that holds for equal numbers, too.
#[block(no_clock)]
pub struct Judge<const DST: usize, const PORT: usize> {
    pub verdict: Signal<In, Verdict<DST, PORT>>,
    /// Congestion of the port that an ACK came by, and of that of the stored path.
    pub own: Signal<In, Bits<8>>,
    pub stored: Signal<In, Bits<8>>,

    pub outcome: Signal<Out, Outcome<DST, PORT>>,
    /// The path entry is written.
    pub writes_path: Signal<Out, bool>,
    pub written_path: Signal<Out, Path<PORT>>,
}

#[block]
impl<const DST: usize, const PORT: usize> Judge<DST, PORT> {
    fn update(&mut self) {
        comment!("module judge: which path is the better one, and what an op leaves with");
        let stored_less_own: Bits<9> = bit_cast::<9, 8>(self.stored) - bit_cast::<9, 8>(self.own);
        let behind_less_own: Bits<9> = bit_cast::<9, 8>(self.verdict.stored_ce) - bit_cast::<9, 8>(self.own);
        let stored_less_told: Bits<9> = bit_cast::<9, 8>(self.stored) - bit_cast::<9, 8>(self.verdict.ce);
        let behind_less_told: Bits<9> =
            bit_cast::<9, 8>(self.verdict.stored_ce) - bit_cast::<9, 8>(self.verdict.ce);
        let own_less_told: Bits<9> = bit_cast::<9, 8>(self.own) - bit_cast::<9, 8>(self.verdict.ce);
        let stored_less_behind: Bits<9> =
            bit_cast::<9, 8>(self.stored) - bit_cast::<9, 8>(self.verdict.stored_ce);
        let own_is_low = !stored_less_own.get_bit(8) | !behind_less_own.get_bit(8);
        let told_is_low = !stored_less_told.get_bit(8) | !behind_less_told.get_bit(8);
        let takes = self.verdict.must_take | (own_is_low & told_is_low);
        let mut total = self.own;
        if own_less_told.get_bit(8) {
            total = self.verdict.ce;
        }
        let mut current = self.stored;
        if stored_less_behind.get_bit(8) {
            current = self.verdict.stored_ce;
        }

        comment!("Data, or an ACK that begins a path. Ports that a path does not have are all ones.");
        self.outcome.valid = self.verdict.is_data | self.verdict.is_ack;
        self.outcome.dst = self.verdict.dst;
        self.outcome.code = self.verdict.code;
        self.outcome.port = self.verdict.port;
        self.outcome.enable = self.verdict.enable | self.verdict.begins;
        self.outcome.hop = self.verdict.hop;
        self.outcome.path = self.verdict.stored;
        self.outcome.ce = self.own;
        self.outcome.len = 0;
        let mut len = self.verdict.stored_len;
        if self.verdict.begins {
            self.outcome.path = !bits::<32>(0);
        }

        comment!("An ACK whose path is compared goes on with the better one, unless that is full.");
        if self.verdict.compares {
            self.outcome.code = 12;
            self.outcome.ce = current;
            if takes {
                self.outcome.code = 11;
                self.outcome.ce = total;
                self.outcome.path =
                    (bit_cast::<32, 24>(self.verdict.path) << 8) | bit_cast::<32, PORT>(self.verdict.port);
                len = self.verdict.len;
            }
            self.outcome.enable = !self.verdict.to_host;
            if !takes & !self.verdict.to_host & self.verdict.stored_len.all() {
                self.outcome.code = 10;
                self.outcome.enable = false;
            }
            self.outcome.len = len + 1;
        }

        comment!("The path entry: that of the ACK, or the walker clears it.");
        self.writes_path = (self.verdict.compares & takes) | self.verdict.clears;
        self.written_path.valid = self.verdict.is_ack;
        self.written_path.ce = self.verdict.ce;
        self.written_path.len = self.verdict.len;
        self.written_path.port = self.verdict.port;
        self.written_path.path = self.verdict.path;
        self.written_path.seen = self.verdict.now;
    }
}
