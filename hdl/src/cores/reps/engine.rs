//! The engine: the parts and the wires between them.

use respray_hdl_macros::{LogicBlock, hdl_gen};
use rust_hdl::prelude::*;

use super::freeze::FreezeTime;
use super::ops::Ops;
use super::results::Results;
use super::state::{Control, EvAddress};
use super::states::States;
use crate::config::{Config, Variant};
use crate::engine;
use crate::manifest::MemoryKind;
use crate::parts::Guard;
use crate::prims::{Optional, Param, SimpleDualPort};

engine! {
    /// The `reps` core. Its sizes are fields of [`RepsSizes`](crate::cores::sizes::RepsSizes).
    ///
    /// Only wires here: rustc compiles this block once per combination of sizes, its parts once per size of their own.
    #[derive(LogicBlock, Default)]
    pub struct Reps<const CONN: usize, const SLOT: usize, const TIME: usize, const TIME_DIFFERENCE: usize> {
        pub clk: Signal<In, Clock>,
        pub rst: Signal<In, bool>,
        pub op_valid: Signal<In, bool>,
        pub op_ready: Signal<Out, bool>,
        pub op_kind: Signal<In, Bits<3>>,
        pub op_conn: Signal<In, Bits<CONN>>,
        pub op_ev: Signal<In, Bits<16>>,
        pub op_ecn: Signal<In, bool>,
        pub now: Signal<In, Bits<TIME>>,
        pub freeze_timeout: Signal<In, Bits<TIME>>,
        pub bdp_packets: Signal<In, Bits<8>>,
        pub seed: Signal<In, Bits<16>>,
        pub res_valid: Signal<Out, bool>,
        pub res_conn: Signal<Out, Bits<CONN>>,
        pub res_kind: Signal<Out, Bits<2>>,
        pub res_ev: Signal<Out, Bits<16>>,
        pub ev_cached: Signal<Out, bool>,
        pub ev_dropped: Signal<Out, bool>,
        pub freeze_entered: Signal<Out, bool>,
        pub freeze_left: Signal<Out, bool>,
        optional pub state_lost,
        ;
        ops: Ops<CONN>,
        control_ram: SimpleDualPort<Bits<CONN>, Control<SLOT>>,
        guard: Optional<Guard<Control<SLOT>>>,
        has_parity: Param<bool>,
        freeze: FreezeTime<CONN, TIME, TIME_DIFFERENCE>,
        states: States<SLOT>,
        ev_ram: SimpleDualPort<EvAddress<CONN, SLOT>, Bits<16>>,
        results: Results<CONN>,
    }
}

impl<const CONN: usize, const SLOT: usize, const TIME: usize, const TIME_DIFFERENCE: usize>
    Reps<CONN, SLOT, TIME, TIME_DIFFERENCE>
{
    /// The engine of a configuration whose sizes are the const generics.
    pub fn new(config: &Config) -> Self {
        let has_parity = config.has_parity();
        let (control, about) = ("control_ram", "control state of every connection");
        let (ev, about_ev) = ("ev_ram", "cached EVs of every connection");
        let mut reps = Self {
            state_lost: Optional::new(has_parity, Default::default),
            control_ram: SimpleDualPort::new(control, about, MemoryKind::Block).with_parity(has_parity),
            guard: Optional::new(has_parity, || Guard::new(true)),
            has_parity: Param::new(has_parity),
            states: States::new(config.reps.variant == Variant::Uet, has_parity),
            ev_ram: SimpleDualPort::new(ev, about_ev, MemoryKind::Block).with_parity(has_parity),
            results: Results::new(config.selector.ev_base, config.selector.ev_bits, has_parity),
            ops: Ops::new(has_parity),
            freeze: FreezeTime::new(has_parity),
            ..Default::default()
        };
        reps.connect_all();
        reps
    }
}

impl<const CONN: usize, const SLOT: usize, const TIME: usize, const TIME_DIFFERENCE: usize> Logic
    for Reps<CONN, SLOT, TIME, TIME_DIFFERENCE>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.ops.clk.next = self.clk.val();
        self.ops.rst.next = self.rst.val();
        self.ops.op_valid.next = self.op_valid.val();
        self.ops.op_kind.next = self.op_kind.val();
        self.ops.op_conn.next = self.op_conn.val();
        self.ops.op_ev.next = self.op_ev.val();
        self.ops.op_ecn.next = self.op_ecn.val();
        self.ops.bdp_packets.next = self.bdp_packets.val();

        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.op_conn.val();
        self.control_ram.write_enable.next = self.ops.write_live.val();
        self.control_ram.write_address.next = self.ops.write_conn.val();
        self.control_ram.write_data.next = self.states.after.val();
        if self.has_parity.val() {
            self.op_ready.next = self.ops.ready.val() & !self.results.starts_anew.val();
            self.ops.starts_anew.next = self.results.starts_anew.val();
            self.ops.anew_conn.next = self.results.anew_conn.val();
            self.guard.clk.next = self.clk.val();
            self.guard.rst.next = self.rst.val();
            self.guard.stored.next = self.control_ram.read_data.val();
            self.guard.parity.next = self.control_ram.read_parity.val();
            self.guard.read_valid.next = self.ops.read_valid.val();
            self.guard.one_ahead.next = self.ops.ahead.val().one;
            self.guard.two_ahead.next = self.ops.ahead.val().two;
            self.guard.older_ahead.next = self.ops.ahead.val().three | self.ops.ahead.val().four;
            self.guard.beside.next = self.freeze.has_flip.val() & self.states.forward_freezing.val();
            self.guard.forward_keeps.next = self.ops.forward_keeps.val();
            self.states.forward_keeps.next = self.guard.keeps.val();
            self.state_lost.next = self.guard.state_lost.val() | self.results.ev_lost.val();
        } else {
            self.op_ready.next = self.ops.ready.val();
            self.states.forward_keeps.next = self.ops.forward_keeps.val();
        }
        self.freeze.clk.next = self.clk.val();
        self.freeze.rst.next = self.rst.val();
        self.freeze.now.next = self.now.val();
        self.freeze.freeze_timeout.next = self.freeze_timeout.val();
        self.freeze.read_valid.next = self.ops.read_valid.val();
        self.freeze.ready.next = self.ops.ready.val();
        self.freeze.op_conn.next = self.op_conn.val();
        self.freeze.write_conn.next = self.ops.write_conn.val();
        self.freeze.ahead.next = self.ops.ahead.val();
        self.freeze.forward_timeout.next = self.ops.forward_timeout.val();
        self.freeze.update_timeout.next = self.ops.update.val().timeout;
        self.freeze.update_freezing.next = self.states.freezing.val();

        self.states.clk.next = self.clk.val();
        self.states.rst.next = self.rst.val();
        self.states.stored.next = self.control_ram.read_data.val();
        self.states.ahead.next = self.ops.ahead.val();
        self.states.op.next = self.ops.update.val();
        self.states.past.next = self.freeze.past.val();
        self.states.past_own_exit.next = self.freeze.past_own_exit.val();

        self.ev_ram.clk.next = self.clk.val();
        self.ev_ram.write_enable.next = self.states.action.val().cache;
        self.ev_ram.write_address.next.conn = self.ops.write_conn.val();
        self.ev_ram.write_address.next.slot = self.states.write_slot.val();
        self.ev_ram.write_data.next = self.states.ev.val();
        self.ev_ram.read_address.next.conn = self.ops.write_conn.val();
        self.ev_ram.read_address.next.slot = self.states.read_slot.val();
        self.results.cached_ev.next = self.ev_ram.read_data.val();
        if self.has_parity.val() {
            self.results.cached_parity.next = self.ev_ram.read_parity.val();
        }

        self.results.clk.next = self.clk.val();
        self.results.rst.next = self.rst.val();
        self.results.ready.next = self.ops.ready.val();
        self.results.seed.next = self.seed.val();
        self.results.action.next = self.states.action.val();
        self.results.conn.next = self.ops.write_conn.val();
        self.res_valid.next = self.results.res_valid.val();
        self.res_conn.next = self.results.res_conn.val();
        self.res_kind.next = self.results.res_kind.val();
        self.res_ev.next = self.results.res_ev.val();
        self.ev_cached.next = self.results.ev_cached.val();
        self.ev_dropped.next = self.results.ev_dropped.val();
        self.freeze_entered.next = self.results.freeze_entered.val();
        self.freeze_left.next = self.results.freeze_left.val();
    }
}
