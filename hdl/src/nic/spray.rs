//! The ops of the selector, and the decisions about packets of the host.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Reg, bits_of};
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
#[block]
pub struct Spray {
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
    change: Signal<Local, Freeze>,
    /// Decisions that are not granted yet.
    #[reset = 0]
    deciding: Reg<Bits<4>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("The ops of the selector, and the decisions about packets of the host.");

        comment!("The scoreboard first, then the command, then probes.");
        self.wanted.kind = self.spray_kind;
        self.wanted.conn = self.spray_conn;
        self.wanted.ev = self.spray_ev;
        self.wanted.ecn = self.spray_ecn;
        self.wanted.is_for_probe = false;
        if !self.spray_valid {
            self.wanted.kind = 2;
            self.wanted.conn = self.nack_conn;
            self.wanted.ev = self.nack_ev;
            self.wanted.ecn = false;
            if !self.nack_valid {
                self.wanted.kind = 0;
                self.wanted.conn = self.probe_conn;
                self.wanted.is_for_probe = true;
            }
        }
        self.ops.in_data = self.wanted;
        self.ops.in_valid = self.spray_valid | self.nack_valid | self.probe_valid;
        self.spray_ready = self.ops.in_ready;
        self.nack_ready = self.ops.in_ready & !self.spray_valid;
        self.probe_ready = self.ops.in_ready & !self.spray_valid & !self.nack_valid;

        comment!("To the selector; of a send is kept whose it is.");
        let is_send = self.ops.out_data.kind == 0;
        self.op_valid = self.ops.out_valid & self.owners.in_ready;
        self.ops.out_ready = self.op_ready & self.owners.in_ready;
        self.op_kind = self.ops.out_data.kind;
        self.op_conn = self.ops.out_data.conn;
        self.op_ev = self.ops.out_data.ev;
        self.op_ecn = self.ops.out_data.ecn;
        self.owners.in_valid = self.ops.out_valid & self.op_ready & is_send;
        self.owners.in_data = self.ops.out_data.is_for_probe.into();
        self.owners.out_ready = self.res_valid;

        comment!("From the selector.");
        let is_for_grant = !self.owners.out_data.any();
        self.evs.in_valid = self.res_valid & is_for_grant;
        self.evs.in_data = self.res_ev;
        self.probe_ev_valid = self.res_valid & !is_for_grant;
        self.probe_ev = self.res_ev;
        self.count_explore = self.res_valid & (self.res_kind == 0);
        self.count_recycle = self.res_valid & (self.res_kind == 1);
        self.count_replay = self.res_valid & (self.res_kind == 2);
        let is_freeze = self.freeze_entered | self.freeze_left;
        self.change.conn = self.res_conn;
        self.change.left = self.freeze_left;
        self.freezes.in_valid = is_freeze;
        self.freezes.in_data = self.change;
        self.event_lost = is_freeze & !self.freezes.in_ready;
        self.freezes.out_ready = self.event_ready;
        self.event_valid = self.freezes.out_valid;
        self.event_conn = self.freezes.out_data.conn;
        self.event_kind = 5;
        if self.freezes.out_data.left {
            self.event_kind = 6;
        }

        comment!("Grants, in the order of decisions. Room is kept for those that are on their way.");
        self.decisions.in_valid = self.decide_valid;
        self.decisions.in_data = self.decide_action;
        let grant = self.decisions.out_valid & (self.evs.out_valid | self.decisions.out_data.any());
        self.decisions.out_ready = grant;
        self.evs.out_ready = grant & !self.decisions.out_data.any();
        self.grant_valid = grant;
        self.grant_action = self.decisions.out_data;
        self.grant_ev = self.evs.out_data;
        if self.decide_valid & !grant {
            self.deciding = self.deciding + 1;
        }
        if grant & !self.decide_valid {
            self.deciding = self.deciding - 1;
        }
        self.decide_ready = !self.deciding.get_bit(3);
    }
}
