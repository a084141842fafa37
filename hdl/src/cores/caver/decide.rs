//! The algorithm but for the comparison of paths: where a data packet goes, and what is left to decide of an ACK. Combinational.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::{Flow, Known, Op, Path, Verdict};
use crate::comment;

/// 003 section 2. Widths as those of [`Op`].
#[derive(LogicBlock, Default)]
pub struct Decide<const D: usize, const F: usize, const P: usize, const Q: usize> {
    pub op: Signal<In, Op<D, F, P, Q>>,
    pub flow: Signal<In, Flow<D>>,
    pub path: Signal<In, Path<P>>,
    pub known: Signal<In, Known>,

    pub verdict: Signal<Out, Verdict<D, P>>,
    /// The flow entry is written.
    pub writes_flow: Signal<Out, bool>,
    pub written_flow: Signal<Out, Flow<D>>,

    best: Signal<Local, Bits<32>>,
    route: Signal<Local, Bits<32>>,
    is_routed: Signal<Local, bool>,
    is_first: Signal<Local, bool>,
    collides: Signal<Local, bool>,
    takes_entry: Signal<Local, bool>,
    takes_shim: Signal<Local, bool>,
    follows: Signal<Local, bool>,
    exit: Signal<Local, Bits<P>>,
    code: Signal<Local, Bits<4>>,
    is_full: Signal<Local, bool>,
}

impl<const D: usize, const F: usize, const P: usize, const Q: usize> Logic for Decide<D, F, P, Q> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module decide: where a data packet goes, and what is left to decide of an ACK");
        comment!(
            "Data of a host at this switch goes by its flow's entry, which the best path becomes if it is dead."
        );
        self.best.next =
            (bit_cast::<32, 24>(self.path.val().path) << 8) | bit_cast::<32, P>(self.path.val().port);
        self.route.next = self.best.val();
        self.is_routed.next = self.known.val().path_lives;
        if self.known.val().flow_lives {
            self.route.next = self.flow.val().route;
            self.is_routed.next = self.flow.val().is_routed;
        }
        self.is_first.next = self.op.val().kind.data & self.op.val().from_host & !self.op.val().to_host;
        self.collides.next = self.known.val().flow_lives & !self.known.val().is_own;
        self.takes_entry.next = self.is_first.val() & !self.collides.val() & self.is_routed.val();

        comment!("Data of another switch goes by its shim.");
        self.takes_shim.next = self.op.val().kind.data
            & !self.op.val().from_host
            & !self.op.val().to_host
            & self.op.val().enable;
        self.follows.next = self.takes_shim.val() & self.op.val().is_good;
        self.exit.next = self.op.val().fib_port;
        if self.takes_entry.val() {
            self.exit.next = bit_cast::<P, 32>(self.route.val());
        }
        if self.follows.val() {
            self.exit.next = self.op.val().next_port;
        }
        self.code.next = 4.into();
        if self.op.val().to_host {
            self.code.next = 0.into();
        } else if self.op.val().from_host {
            if self.collides.val() {
                self.code.next = 2.into();
            } else if self.known.val().flow_lives {
                self.code.next = 1.into();
            } else if self.known.val().path_lives {
                self.code.next = 3.into();
            }
        } else if self.op.val().enable {
            self.code.next = 6.into();
            if self.op.val().is_good {
                self.code.next = 5.into();
            }
        }

        comment!("An ACK begins a path, or its path is compared with the stored one, unless it is full.");
        self.is_full.next = self.op.val().len.all() & !self.op.val().to_host;
        self.verdict.next.begins = self.op.val().kind.ack & self.op.val().from_host & !self.op.val().to_host;
        self.verdict.next.compares = self.op.val().kind.ack & !self.op.val().from_host & !self.is_full.val();
        self.verdict.next.must_take = !self.known.val().path_lives | self.known.val().is_same_port;
        self.verdict.next.code = self.code.val();
        if self.op.val().kind.ack {
            self.verdict.next.code = 10.into();
            if self.op.val().from_host {
                self.verdict.next.code = 9.into();
                if self.op.val().to_host {
                    self.verdict.next.code = 8.into();
                }
            }
        }
        self.verdict.next.is_data = self.op.val().kind.data;
        self.verdict.next.is_ack = self.op.val().kind.ack;
        self.verdict.next.dst = self.op.val().dst;
        self.verdict.next.port = self.op.val().port;
        if self.op.val().kind.data {
            self.verdict.next.port = self.exit.val();
        }
        self.verdict.next.enable = self.takes_entry.val() | self.follows.val();
        self.verdict.next.hop = 0.into();
        if self.follows.val() {
            self.verdict.next.hop = self.op.val().next_hop;
        }
        self.verdict.next.stored = self.best.val();
        if self.op.val().kind.data {
            self.verdict.next.stored = self.route.val();
            if self.follows.val() {
                self.verdict.next.stored = self.op.val().path;
            }
        }
        self.verdict.next.stored_ce = self.path.val().ce;
        self.verdict.next.stored_len = self.path.val().len;
        self.verdict.next.to_host = self.op.val().to_host;
        self.verdict.next.path = bit_cast::<24, 32>(self.op.val().path);
        self.verdict.next.ce = self.op.val().ce;
        self.verdict.next.len = self.op.val().len;
        self.verdict.next.now = self.op.val().now;
        self.verdict.next.clears = self.op.val().kind.visit & !self.known.val().path_lives;

        comment!(
            "The flow entry: a packet of its own, or of a new flow, keeps it alive. The walker clears it where it is dead."
        );
        self.writes_flow.next = (self.is_first.val() & !self.collides.val())
            | (self.op.val().kind.visit & !self.known.val().flow_lives);
        self.written_flow.next.valid = self.op.val().kind.data;
        self.written_flow.next.tag = self.op.val().tag;
        self.written_flow.next.dst = self.op.val().dst;
        self.written_flow.next.is_routed = self.is_routed.val();
        self.written_flow.next.route = self.route.val();
        self.written_flow.next.seen = self.op.val().now;
    }
}
