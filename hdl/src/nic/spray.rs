//! The ops of the selector, and the decisions about packets of the host.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, bits_of};
use crate::signal_struct;

signal_struct! {
    /// An op that waits for the selector.
    pub struct SprayOp {
        pub kind: Bits<3>,
        /// Of a send: the EV is for a probe of the block's own.
        pub is_for_probe: bool,
        pub conn: Bits<24>,
        pub ev: Bits<16>,
        pub ecn: bool,
    }
}

signal_struct! {
    /// Freezing entered or left.
    pub struct Freeze {
        pub conn: Bits<24>,
        pub left: bool,
    }
}

/// Gives the selector its ops, and the EVs that it draws to whom they are for.
///
/// Ops come from the scoreboard, from the command `nack`, and from probes, in this order where several wait. A packet of the host gets
/// its grant when its decision is there and, if it is to be rewritten, its EV. Grants go out in the order of decisions.
#[derive(LogicBlock, Default)]
pub struct Spray {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// From the scoreboard: 0 send, 1 ack, 3 timeout, 4 init.
    pub spray_valid: Signal<In, bool>,
    pub spray_ready: Signal<Out, bool>,
    pub spray_kind: Signal<In, Bits<3>>,
    pub spray_conn: Signal<In, Bits<24>>,
    pub spray_ev: Signal<In, Bits<16>>,
    pub spray_ecn: Signal<In, bool>,
    pub decide_valid: Signal<In, bool>,
    pub decide_ready: Signal<Out, bool>,
    pub decide_action: Signal<In, Bits<2>>,
    /// The command `nack`.
    pub nack_valid: Signal<In, bool>,
    pub nack_ready: Signal<Out, bool>,
    pub nack_conn: Signal<In, Bits<24>>,
    pub nack_ev: Signal<In, Bits<16>>,
    /// A probe wants an EV; one at a time.
    pub probe_valid: Signal<In, bool>,
    pub probe_ready: Signal<Out, bool>,
    pub probe_conn: Signal<In, Bits<24>>,
    pub probe_ev_valid: Signal<Out, bool>,
    pub probe_ev: Signal<Out, Bits<16>>,
    /// To and from the selector.
    pub op_valid: Signal<Out, bool>,
    pub op_ready: Signal<In, bool>,
    pub op_kind: Signal<Out, Bits<3>>,
    pub op_conn: Signal<Out, Bits<24>>,
    pub op_ev: Signal<Out, Bits<16>>,
    pub op_ecn: Signal<Out, bool>,
    pub res_valid: Signal<In, bool>,
    pub res_conn: Signal<In, Bits<24>>,
    pub res_kind: Signal<In, Bits<2>>,
    pub res_ev: Signal<In, Bits<16>>,
    pub freeze_entered: Signal<In, bool>,
    pub freeze_left: Signal<In, bool>,
    /// Always taken: 0 rewrite, 1 pass, 2 drop.
    pub grant_valid: Signal<Out, bool>,
    pub grant_action: Signal<Out, Bits<2>>,
    pub grant_ev: Signal<Out, Bits<16>>,
    /// Events: 5 freezing entered, 6 left.
    pub event_valid: Signal<Out, bool>,
    pub event_ready: Signal<In, bool>,
    pub event_kind: Signal<Out, Bits<4>>,
    pub event_conn: Signal<Out, Bits<24>>,
    /// One that found no room.
    pub event_lost: Signal<Out, bool>,
    pub count_explore: Signal<Out, bool>,
    pub count_recycle: Signal<Out, bool>,
    pub count_replay: Signal<Out, bool>,

    ops: Fifo<SprayOp, 4, 5>,
    /// For whom the EVs are that are to come.
    owners: Fifo<Bits<1>, 4, 5>,
    evs: Fifo<Bits<16>, 4, 5>,
    decisions: Fifo<Bits<2>, 4, 5>,
    freezes: Fifo<Freeze, 4, 5>,

    wanted: Signal<Local, SprayOp>,
    is_for_grant: Signal<Local, bool>,
    is_send: Signal<Local, bool>,
    grant: Signal<Local, bool>,
    change: Signal<Local, Freeze>,
    is_freeze: Signal<Local, bool>,
    /// Decisions that are not granted yet.
    deciding: DFF<Bits<4>>,
}

impl Spray {
    /// The block.
    pub fn new() -> Self {
        let kind = MemoryKind::Distributed;
        Self {
            ops: Fifo::new("ops", kind).with_votes(bits_of::<SprayOp>("kind", "is_for_probe")),
            owners: Fifo::new("owners", kind).with_votes(0..1),
            evs: Fifo::new("evs", kind),
            decisions: Fifo::new("decisions", kind).with_votes(0..2),
            freezes: Fifo::new("freezes", kind),
            ..Default::default()
        }
    }
}

impl Logic for Spray {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The ops of the selector, and the decisions about packets of the host.");
        dff_setup!(self, clk, deciding);
        self.ops.clk.next = self.clk.val();
        self.owners.clk.next = self.clk.val();
        self.evs.clk.next = self.clk.val();
        self.decisions.clk.next = self.clk.val();
        self.freezes.clk.next = self.clk.val();
        self.ops.rst.next = self.rst.val();
        self.owners.rst.next = self.rst.val();
        self.evs.rst.next = self.rst.val();
        self.decisions.rst.next = self.rst.val();
        self.freezes.rst.next = self.rst.val();

        comment!("The scoreboard first, then the command, then probes.");
        self.wanted.next.kind = self.spray_kind.val();
        self.wanted.next.conn = self.spray_conn.val();
        self.wanted.next.ev = self.spray_ev.val();
        self.wanted.next.ecn = self.spray_ecn.val();
        self.wanted.next.is_for_probe = false;
        if !self.spray_valid.val() {
            self.wanted.next.kind = 2.into();
            self.wanted.next.conn = self.nack_conn.val();
            self.wanted.next.ev = self.nack_ev.val();
            self.wanted.next.ecn = false;
            if !self.nack_valid.val() {
                self.wanted.next.kind = 0.into();
                self.wanted.next.conn = self.probe_conn.val();
                self.wanted.next.is_for_probe = true;
            }
        }
        self.ops.in_data.next = self.wanted.val();
        self.ops.in_valid.next = self.spray_valid.val() | self.nack_valid.val() | self.probe_valid.val();
        self.spray_ready.next = self.ops.in_ready.val();
        self.nack_ready.next = self.ops.in_ready.val() & !self.spray_valid.val();
        self.probe_ready.next = self.ops.in_ready.val() & !self.spray_valid.val() & !self.nack_valid.val();

        comment!("To the selector; of a send is kept whose it is.");
        self.is_send.next = self.ops.out_data.val().kind == 0;
        self.op_valid.next = self.ops.out_valid.val() & self.owners.in_ready.val();
        self.ops.out_ready.next = self.op_ready.val() & self.owners.in_ready.val();
        self.op_kind.next = self.ops.out_data.val().kind;
        self.op_conn.next = self.ops.out_data.val().conn;
        self.op_ev.next = self.ops.out_data.val().ev;
        self.op_ecn.next = self.ops.out_data.val().ecn;
        self.owners.in_valid.next = self.ops.out_valid.val() & self.op_ready.val() & self.is_send.val();
        self.owners.in_data.next = self.ops.out_data.val().is_for_probe.into();
        self.owners.out_ready.next = self.res_valid.val();

        comment!("From the selector.");
        self.is_for_grant.next = !self.owners.out_data.val().any();
        self.evs.in_valid.next = self.res_valid.val() & self.is_for_grant.val();
        self.evs.in_data.next = self.res_ev.val();
        self.probe_ev_valid.next = self.res_valid.val() & !self.is_for_grant.val();
        self.probe_ev.next = self.res_ev.val();
        self.count_explore.next = self.res_valid.val() & (self.res_kind.val() == 0);
        self.count_recycle.next = self.res_valid.val() & (self.res_kind.val() == 1);
        self.count_replay.next = self.res_valid.val() & (self.res_kind.val() == 2);
        self.is_freeze.next = self.freeze_entered.val() | self.freeze_left.val();
        self.change.next.conn = self.res_conn.val();
        self.change.next.left = self.freeze_left.val();
        self.freezes.in_valid.next = self.is_freeze.val();
        self.freezes.in_data.next = self.change.val();
        self.event_lost.next = self.is_freeze.val() & !self.freezes.in_ready.val();
        self.freezes.out_ready.next = self.event_ready.val();
        self.event_valid.next = self.freezes.out_valid.val();
        self.event_conn.next = self.freezes.out_data.val().conn;
        self.event_kind.next = 5.into();
        if self.freezes.out_data.val().left {
            self.event_kind.next = 6.into();
        }

        comment!("Grants, in the order of decisions. Room is kept for those that are on their way.");
        self.decisions.in_valid.next = self.decide_valid.val();
        self.decisions.in_data.next = self.decide_action.val();
        self.grant.next =
            self.decisions.out_valid.val() & (self.evs.out_valid.val() | self.decisions.out_data.val().any());
        self.decisions.out_ready.next = self.grant.val();
        self.evs.out_ready.next = self.grant.val() & !self.decisions.out_data.val().any();
        self.grant_valid.next = self.grant.val();
        self.grant_action.next = self.decisions.out_data.val();
        self.grant_ev.next = self.evs.out_data.val();
        if self.decide_valid.val() & !self.grant.val() {
            self.deciding.d.next = self.deciding.q.val() + 1;
        }
        if self.grant.val() & !self.decide_valid.val() {
            self.deciding.d.next = self.deciding.q.val() - 1;
        }
        self.decide_ready.next = !self.deciding.q.val().get_bit(3);
        if self.rst.val() {
            self.deciding.d.next = 0.into();
        }
    }
}
