//! Takes ops, and keeps those of one connection apart.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Which op is in which stage.
///
/// ```text
///  op_* ──► 0 hold ─► 1 compare ─► 2 decide ─► 3 choose ─► 4 mask ─► 5 search ─► 6 finish ─► 7 result
/// ```
///
/// An op waits in stage 0 while one of its connection is in stages 1 to 6: stage 0 reads what stage 6 writes. It is compared
/// with the stages while it is taken, so that `ready` is a register; at most one of them can have its connection.
/// `init` keeps all others out until the bitmap is written.
#[block]
pub struct Interlock<const CONN: usize> {
    pub op_valid: Signal<In, bool>,
    pub op_is_init: Signal<In, bool>,
    pub op_is_close: Signal<In, bool>,
    pub op_conn: Signal<In, Bits<CONN>>,
    /// Fill: the last bit.
    pub filled: Signal<In, bool>,

    pub ready: Signal<Out, bool>,
    /// Stage 0, and of an `init` until its bits are written.
    pub conn: Signal<Out, Bits<CONN>>,
    /// Stage 2: connection; there is a packet, an `init`, or a `close`.
    pub decide_conn: Signal<Out, Bits<CONN>>,
    pub decide_packet: Signal<Out, bool>,
    pub decide_init: Signal<Out, bool>,
    pub decide_close: Signal<Out, bool>,
    /// Stage 1 holds an `init`.
    pub compare_init: Signal<Out, bool>,
    pub choose_conn: Signal<Out, Bits<CONN>>,
    /// `init` writes bits, from its stage 2 on.
    pub fill: Signal<Out, bool>,
    /// Stage 6: there is an op, or a connection is cleared.
    pub finish_any: Signal<Out, bool>,
    pub finish_clear: Signal<Out, bool>,
    pub finish_conn: Signal<Out, Bits<CONN>>,
    /// Stage 7: there is a packet.
    pub result_packet: Signal<Out, bool>,
    pub result_conn: Signal<Out, Bits<CONN>>,

    waits: Signal<Local, Bits<6>>,
    same: Signal<Local, bool>,

    is_ready: Reg<bool>,
    /// The op in stage 0 has the connection of the one in stage `i + 1`; the younger that is, the lower its bit.
    ahead: Reg<Bits<6>>,
    /// One of them is set: the op stays.
    holds: Reg<bool>,
    live: [Reg<bool>; 8],
    is_init: [Reg<bool>; 8],
    is_close: [Reg<bool>; 8],
    conns: [Reg<Bits<CONN>>; 8],
    /// An `init` was taken, and not all of its bits are written.
    pending: Reg<bool>,
    filling: Reg<bool>,
    is_clearing: Reg<bool>,
    clears: Reg<bool>,
}

#[block]
impl<const CONN: usize> Interlock<CONN> {
    fn update(&mut self) {
        comment!("module interlock: which op is in which stage, and which has to wait");
        let take = self.op_valid & self.is_ready;
        let take_init = take & self.op_is_init;
        let clear_done = self.is_clearing & self.conns[0].all();

        comment!(
            "Stages that hold the connection of the op at the inputs, or, if one waits, of that one: a stage on."
        );
        self.waits = 0;
        for i in 0..6 {
            self.same = take & self.live[i] & (self.conns[i] == self.op_conn);
            self.waits = self.waits.replace_bit(i, self.same);
        }
        if self.holds {
            self.waits = self.ahead << 1;
        }
        self.ahead = self.waits;
        let held = self.waits.any();
        self.holds = held;

        comment!("Stage 0. The connection counts while the connections are cleared.");
        if take {
            self.conns[0] = self.op_conn;
        }
        if self.is_clearing {
            self.conns[0] = self.conns[0] + 1;
        }
        self.live[0] = take | (self.live[0] & self.holds);
        self.is_init[0] = take_init | (self.is_init[0] & self.holds);
        self.is_close[0] = (take & self.op_is_close) | (self.is_close[0] & self.holds);
        let filling_on = take_init | (self.pending & !self.filled);
        let clearing_on = self.is_clearing & !clear_done;
        self.pending = filling_on;
        self.is_clearing = clearing_on;
        self.is_ready = !(held | filling_on | clearing_on);

        comment!("Stages 1 to 7.");
        self.live[1] = self.live[0] & !self.holds;
        self.is_init[1] = self.is_init[0] & !self.holds;
        self.is_close[1] = self.is_close[0] & !self.holds;
        self.conns[1] = self.conns[0];
        for i in 2..8 {
            self.live[i] = self.live[i - 1];
            self.is_init[i] = self.is_init[i - 1];
            self.is_close[i] = self.is_close[i - 1];
            self.conns[i] = self.conns[i - 1];
        }
        if self.is_clearing {
            self.conns[6] = self.conns[0];
        }
        self.clears = self.is_clearing;
        self.filling = self.is_init[1] | (self.filling & !self.filled);

        self.ready = self.is_ready;
        self.conn = self.conns[0];
        self.compare_init = self.is_init[1];
        self.decide_conn = self.conns[2];
        self.decide_packet = self.live[2] & !self.is_init[2] & !self.is_close[2];
        self.decide_init = self.is_init[2];
        self.decide_close = self.is_close[2];
        self.choose_conn = self.conns[3];
        self.fill = self.filling;
        self.finish_any = self.live[6];
        self.finish_clear = self.clears;
        self.finish_conn = self.conns[6];
        self.result_packet = self.live[7] & !self.is_init[7] & !self.is_close[7];
        self.result_conn = self.conns[7];

        if self.rst {
            self.is_ready = false;
            self.ahead = 0;
            self.holds = false;
            self.pending = false;
            self.filling = false;
            self.is_clearing = true;
            self.clears = false;
            self.conns[0] = 0;
            for i in 0..8 {
                self.live[i] = false;
                self.is_init[i] = false;
                self.is_close[i] = false;
            }
        }
    }
}
