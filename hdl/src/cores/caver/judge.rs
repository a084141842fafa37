//! Which path is the better one, and what an op leaves with. Combinational.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::{Outcome, Path, Verdict};
use crate::comment;

/// 003 section 2, in the judge stage. Congestion of a path is the larger one of that of its first port and of that behind it. So that of
/// the ACK's path is not above that of the stored one if each of its two is not above one of the other two: comparisons beside each
/// other, where two maxima and their comparison would come one after the other. Each comparison is the borrow of a difference, which is one
/// carry chain and nothing behind it; Yosys makes two results of a chain out of a comparison that holds for equal numbers, too.
#[derive(LogicBlock, Default)]
pub struct Judge<const D: usize, const P: usize> {
    pub verdict: Signal<In, Verdict<D, P>>,
    /// Congestion of the port that an ACK came by, and of that of the stored path.
    pub own: Signal<In, Bits<8>>,
    pub stored: Signal<In, Bits<8>>,

    pub outcome: Signal<Out, Outcome<D, P>>,
    /// The path entry is written.
    pub writes_path: Signal<Out, bool>,
    pub written_path: Signal<Out, Path<P>>,

    stored_less_own: Signal<Local, Bits<9>>,
    behind_less_own: Signal<Local, Bits<9>>,
    stored_less_told: Signal<Local, Bits<9>>,
    behind_less_told: Signal<Local, Bits<9>>,
    own_less_told: Signal<Local, Bits<9>>,
    stored_less_behind: Signal<Local, Bits<9>>,
    own_is_low: Signal<Local, bool>,
    told_is_low: Signal<Local, bool>,
    takes: Signal<Local, bool>,
    total: Signal<Local, Bits<8>>,
    current: Signal<Local, Bits<8>>,
    len: Signal<Local, Bits<2>>,
}

impl<const D: usize, const P: usize> Logic for Judge<D, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module judge: which path is the better one, and what an op leaves with");
        self.stored_less_own.next = bit_cast::<9, 8>(self.stored.val()) - bit_cast::<9, 8>(self.own.val());
        self.behind_less_own.next =
            bit_cast::<9, 8>(self.verdict.val().stored_ce) - bit_cast::<9, 8>(self.own.val());
        self.stored_less_told.next =
            bit_cast::<9, 8>(self.stored.val()) - bit_cast::<9, 8>(self.verdict.val().ce);
        self.behind_less_told.next =
            bit_cast::<9, 8>(self.verdict.val().stored_ce) - bit_cast::<9, 8>(self.verdict.val().ce);
        self.own_less_told.next = bit_cast::<9, 8>(self.own.val()) - bit_cast::<9, 8>(self.verdict.val().ce);
        self.stored_less_behind.next =
            bit_cast::<9, 8>(self.stored.val()) - bit_cast::<9, 8>(self.verdict.val().stored_ce);
        self.own_is_low.next =
            !self.stored_less_own.val().get_bit(8) | !self.behind_less_own.val().get_bit(8);
        self.told_is_low.next =
            !self.stored_less_told.val().get_bit(8) | !self.behind_less_told.val().get_bit(8);
        self.takes.next = self.verdict.val().must_take | (self.own_is_low.val() & self.told_is_low.val());
        self.total.next = self.own.val();
        if self.own_less_told.val().get_bit(8) {
            self.total.next = self.verdict.val().ce;
        }
        self.current.next = self.stored.val();
        if self.stored_less_behind.val().get_bit(8) {
            self.current.next = self.verdict.val().stored_ce;
        }

        comment!("Data, or an ACK that begins a path. Ports that a path does not have are all ones.");
        self.outcome.next.valid = self.verdict.val().is_data | self.verdict.val().is_ack;
        self.outcome.next.dst = self.verdict.val().dst;
        self.outcome.next.code = self.verdict.val().code;
        self.outcome.next.port = self.verdict.val().port;
        self.outcome.next.enable = self.verdict.val().enable | self.verdict.val().begins;
        self.outcome.next.hop = self.verdict.val().hop;
        self.outcome.next.path = self.verdict.val().stored;
        self.outcome.next.ce = self.own.val();
        self.outcome.next.len = 0.into();
        self.len.next = self.verdict.val().stored_len;
        if self.verdict.val().begins {
            self.outcome.next.path = !bits::<32>(0);
        }

        comment!("An ACK whose path is compared goes on with the better one, unless that is full.");
        if self.verdict.val().compares {
            self.outcome.next.code = 12.into();
            self.outcome.next.ce = self.current.val();
            if self.takes.val() {
                self.outcome.next.code = 11.into();
                self.outcome.next.ce = self.total.val();
                self.outcome.next.path = (bit_cast::<32, 24>(self.verdict.val().path) << 8)
                    | bit_cast::<32, P>(self.verdict.val().port);
                self.len.next = self.verdict.val().len;
            }
            self.outcome.next.enable = !self.verdict.val().to_host;
            if !self.takes.val() & !self.verdict.val().to_host & self.verdict.val().stored_len.all() {
                self.outcome.next.code = 10.into();
                self.outcome.next.enable = false;
            }
            self.outcome.next.len = self.len.val() + 1;
        }

        comment!("The path entry: that of the ACK, or the walker clears it.");
        self.writes_path.next = (self.verdict.val().compares & self.takes.val()) | self.verdict.val().clears;
        self.written_path.next.valid = self.verdict.val().is_ack;
        self.written_path.next.ce = self.verdict.val().ce;
        self.written_path.next.len = self.verdict.val().len;
        self.written_path.next.port = self.verdict.val().port;
        self.written_path.next.path = self.verdict.val().path;
        self.written_path.next.seen = self.verdict.val().now;
    }
}
