//! The algorithm but for the comparison of paths: where a data packet goes, and what is left to decide of an ACK. Combinational.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::{Flow, Known, Op, Path, Verdict};
use crate::comment;
use crate::prims::resize;

/// 003 section 2. Widths as those of [`Op`].
#[block(no_clock)]
pub struct Decide<const DST: usize, const FLOW: usize, const PORT: usize, const PORTS: usize> {
    pub op: Signal<In, Op<DST, FLOW, PORT, PORTS>>,
    pub flow: Signal<In, Flow<DST>>,
    pub path: Signal<In, Path<PORT>>,
    pub known: Signal<In, Known>,

    pub verdict: Signal<Out, Verdict<DST, PORT>>,
    /// The flow entry is written.
    pub writes_flow: Signal<Out, bool>,
    pub written_flow: Signal<Out, Flow<DST>>,
}

#[block]
impl<const DST: usize, const FLOW: usize, const PORT: usize, const PORTS: usize>
    Decide<DST, FLOW, PORT, PORTS>
{
    fn update(&mut self) {
        comment!("module decide: where a data packet goes, and what is left to decide of an ACK");
        comment!(
            "Data of a host at this switch goes by its flow's entry, which the best path becomes if it is dead."
        );
        let best = (bit_cast::<32, 24>(self.path.path) << 8) | bit_cast::<32, PORT>(self.path.port);
        let mut route = best;
        let mut is_routed = self.known.path_lives;
        if self.known.flow_lives {
            route = self.flow.route;
            is_routed = self.flow.is_routed;
        }
        let is_first = self.op.kind.data & self.op.from_host & !self.op.to_host;
        let collides = self.known.flow_lives & !self.known.is_own;
        let takes_entry = is_first & !collides & is_routed;

        comment!("Data of another switch goes by its shim.");
        let takes_shim = self.op.kind.data & !self.op.from_host & !self.op.to_host & self.op.enable;
        let follows = takes_shim & self.op.is_good;
        let mut exit = self.op.fib_port;
        if takes_entry {
            exit = resize(route);
        }
        if follows {
            exit = self.op.next_port;
        }
        let mut code: Bits<4> = 4;
        if self.op.to_host {
            code = 0;
        } else if self.op.from_host {
            if collides {
                code = 2;
            } else if self.known.flow_lives {
                code = 1;
            } else if self.known.path_lives {
                code = 3;
            }
        } else if self.op.enable {
            code = 6;
            if self.op.is_good {
                code = 5;
            }
        }

        comment!("An ACK begins a path, or its path is compared with the stored one, unless it is full.");
        let is_full = self.op.len.all() & !self.op.to_host;
        self.verdict.begins = self.op.kind.ack & self.op.from_host & !self.op.to_host;
        self.verdict.compares = self.op.kind.ack & !self.op.from_host & !is_full;
        self.verdict.must_take = !self.known.path_lives | self.known.is_same_port;
        self.verdict.code = code;
        if self.op.kind.ack {
            self.verdict.code = 10;
            if self.op.from_host {
                self.verdict.code = 9;
                if self.op.to_host {
                    self.verdict.code = 8;
                }
            }
        }
        self.verdict.is_data = self.op.kind.data;
        self.verdict.is_ack = self.op.kind.ack;
        self.verdict.dst = self.op.dst;
        self.verdict.port = self.op.port;
        if self.op.kind.data {
            self.verdict.port = exit;
        }
        self.verdict.enable = takes_entry | follows;
        self.verdict.hop = 0;
        if follows {
            self.verdict.hop = self.op.next_hop;
        }
        self.verdict.stored = best;
        if self.op.kind.data {
            self.verdict.stored = route;
            if follows {
                self.verdict.stored = self.op.path;
            }
        }
        self.verdict.stored_ce = self.path.ce;
        self.verdict.stored_len = self.path.len;
        self.verdict.to_host = self.op.to_host;
        self.verdict.path = resize(self.op.path);
        self.verdict.ce = self.op.ce;
        self.verdict.len = self.op.len;
        self.verdict.now = self.op.now;
        self.verdict.clears = self.op.kind.visit & !self.known.path_lives;

        comment!(
            "The flow entry: a packet of its own, or of a new flow, keeps it alive. The walker clears it where it is dead."
        );
        self.writes_flow = (is_first & !collides) | (self.op.kind.visit & !self.known.flow_lives);
        self.written_flow.valid = self.op.kind.data;
        self.written_flow.tag = self.op.tag;
        self.written_flow.dst = self.op.dst;
        self.written_flow.is_routed = is_routed;
        self.written_flow.route = route;
        self.written_flow.seen = self.op.now;
    }
}
