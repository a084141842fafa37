//! The engine: the parts and the wires between them.

use respray_hdl_macros::{LogicBlock, hdl_gen};
use rust_hdl::prelude::*;

use super::averages::Averages;
use super::flags::Flags;
use super::flight::Flight;
use super::ledger::Ledger;
use super::received::Received;
use super::results::Results;
use super::state::{Control, Op};
use crate::config::{Config, FlowcutVariant};
use crate::engine;
use crate::manifest::MemoryKind;
use crate::parts::round_trip::{Heat, Minimum, Rtt};
use crate::parts::{Hazards, Ops};
use crate::prims::SimpleDualPort;

engine! {
    /// The `flowcut` core. Its sizes are fields of [`FlowcutSizes`](crate::cores::sizes::FlowcutSizes).
    #[derive(LogicBlock, Default)]
    pub struct Flowcut<const CONN: usize, const TIME: usize, const TWO_TIMES: usize, const AVERAGE: usize, const PRODUCT: usize> {
        pub clk: Signal<In, Clock>,
        pub rst: Signal<In, bool>,
        pub op_valid: Signal<In, bool>,
        pub op_ready: Signal<Out, bool>,
        pub op_kind: Signal<In, Bits<3>>,
        pub op_conn: Signal<In, Bits<CONN>>,
        pub op_bytes: Signal<In, Bits<14>>,
        pub op_rtx: Signal<In, bool>,
        pub op_recvd: Signal<In, Bits<24>>,
        pub op_timestamp: Signal<In, Bits<TIME>>,
        pub op_class: Signal<In, Bits<4>>,
        pub op_serial: Signal<In, Bits<TIME>>,
        pub now: Signal<In, Bits<TIME>>,
        pub rtt_floor: Signal<In, Bits<TIME>>,
        pub ratio: Signal<In, Bits<6>>,
        pub alpha: Signal<In, Bits<3>>,
        pub hold: Signal<In, bool>,
        pub timeout_reroutes: Signal<In, bool>,
        pub seed: Signal<In, Bits<16>>,
        pub res_valid: Signal<Out, bool>,
        pub res_conn: Signal<Out, Bits<CONN>>,
        pub res_kind: Signal<Out, Bits<2>>,
        pub res_ev: Signal<Out, Bits<16>>,
        pub res_draining: Signal<Out, bool>,
        pub drain_started: Signal<Out, bool>,
        pub drain_done: Signal<Out, bool>,
        pub drain_given_up: Signal<Out, bool>,
        pub order_risk: Signal<Out, bool>,
        pub ack_refused: Signal<Out, bool>,
        ;
        taken: Signal<Local, bool>,
        ops: Ops<CONN, Op>,
        hazards: Hazards<CONN>,
        control_ram: SimpleDualPort<Bits<CONN>, Control<AVERAGE>>,
        flight: Flight,
        received: Received,
        averages: Averages<TIME, AVERAGE>,
        flags: Flags,
        round_trip: Rtt<TIME, TWO_TIMES, AVERAGE>,
        ledger: Ledger,
        minimum: Minimum<TIME, TWO_TIMES, PRODUCT>,
        heat: Heat<AVERAGE, PRODUCT>,
        results: Results<CONN>,
    }
}

impl<const CONN: usize, const TIME: usize, const TWO_TIMES: usize, const AVERAGE: usize, const PRODUCT: usize>
    Flowcut<CONN, TIME, TWO_TIMES, AVERAGE, PRODUCT>
{
    /// The engine of a configuration whose sizes are the const generics.
    pub fn new(config: &Config) -> Self {
        let about = "bytes, average RTT and flags of every connection";
        let mut engine = Self {
            ops: Ops::new(),
            hazards: Hazards::new(),
            control_ram: SimpleDualPort::new("control_ram", about, MemoryKind::Block),
            flight: Flight::new(),
            received: Received::new(),
            averages: Averages::new(),
            flags: Flags::new(),
            round_trip: Rtt::new(),
            ledger: Ledger::new(config.flowcut.variant == FlowcutVariant::Sticky),
            minimum: Minimum::new(),
            heat: Heat::new(),
            results: Results::new(config.selector.ev_base, config.selector.ev_bits),
            ..Default::default()
        };
        engine.connect_all();
        engine
    }
}

impl<const CONN: usize, const TIME: usize, const TWO_TIMES: usize, const AVERAGE: usize, const PRODUCT: usize>
    Logic for Flowcut<CONN, TIME, TWO_TIMES, AVERAGE, PRODUCT>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.taken.next = self.op_valid.val() & self.ops.ready.val();
        self.ops.clk.next = self.clk.val();
        self.ops.rst.next = self.rst.val();
        self.ops.op_valid.next = self.op_valid.val();
        // an init keeps the state, which says whether bytes are on their way
        self.ops.op_kind.next = 0.into();
        self.ops.op_conn.next = self.op_conn.val();
        self.ops.op.next.send = self.op_kind.val() == 0;
        self.ops.op.next.ack = self.op_kind.val() == 1;
        self.ops.op.next.timeout = self.op_kind.val() == 3;
        self.ops.op.next.init = self.op_kind.val() == 4;
        self.ops.op.next.uncounted = self.op_rtx.val() | !self.op_bytes.val().any();
        self.ops.op.next.hold = self.hold.val();
        self.ops.op.next.reroutes = self.timeout_reroutes.val();
        self.ops.op.next.bytes = self.op_bytes.val();
        self.ops.op.next.recvd = self.op_recvd.val();
        self.op_ready.next = self.ops.ready.val();

        self.hazards.clk.next = self.clk.val();
        self.hazards.rst.next = self.rst.val();
        self.hazards.op_conn.next = self.op_conn.val();
        self.hazards.read_valid.next = self.ops.read_valid.val();
        self.hazards.read_conn.next = self.ops.read_conn.val();
        self.hazards.forward_valid.next = self.ops.forward_valid.val();
        self.hazards.forward_conn.next = self.ops.forward_conn.val();
        self.hazards.update_valid.next = self.ops.update_valid.val();
        self.hazards.update_conn.next = self.ops.update_conn.val();
        self.hazards.write_live.next = self.ops.write_live.val();
        self.hazards.write_conn.next = self.ops.write_conn.val();

        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.op_conn.val();
        self.control_ram.write_enable.next = self.ops.write_live.val();
        self.control_ram.write_address.next = self.ops.write_conn.val();
        self.control_ram.write_data.next.flight = self.flight.written.val();
        self.control_ram.write_data.next.received = self.received.written.val();
        self.control_ram.write_data.next.average = self.averages.written.val();
        self.control_ram.write_data.next.has_average = self.averages.has_written.val();
        self.control_ram.write_data.next.flags = self.flags.written.val();

        self.flight.clk.next = self.clk.val();
        self.flight.rst.next = self.rst.val();
        self.flight.stored.next = self.control_ram.read_data.val().flight;
        self.flight.ahead.next = self.hazards.ahead.val();
        self.flight.forward_keeps.next = self.ops.forward_keeps.val();
        self.flight.change.next = self.received.change.val();
        self.flight.is_send.next = self.ops.update.val().send;
        self.flight.is_init.next = self.ops.update.val().init;
        self.flight.takes.next = self.ledger.takes.val();

        self.received.clk.next = self.clk.val();
        self.received.rst.next = self.rst.val();
        self.received.stored.next = self.control_ram.read_data.val().received;
        self.received.ahead.next = self.hazards.ahead.val();
        self.received.forward_keeps.next = self.ops.forward_keeps.val();
        self.received.forward_ack.next = self.ops.forward.val().ack;
        self.received.forward_recvd.next = self.ops.forward.val().recvd;
        self.received.forward_bytes.next = self.ops.forward.val().bytes;
        self.received.recvd.next = self.ops.update.val().recvd;
        self.received.moves.next = self.ledger.moves.val();

        self.averages.clk.next = self.clk.val();
        self.averages.rst.next = self.rst.val();
        self.averages.stored.next = self.control_ram.read_data.val().average;
        self.averages.has_stored.next = self.control_ram.read_data.val().has_average;
        self.averages.ahead.next = self.hazards.ahead.val();
        self.averages.forward_keeps.next = self.ops.forward_keeps.val();
        self.averages.rtt.next = self.round_trip.rtt.val();
        self.averages.step.next = self.round_trip.step.val();
        self.averages.weight.next = self.round_trip.weight.val();
        self.averages.below_share.next = self.round_trip.below_share.val();
        self.averages.accepts.next = self.ledger.accepts.val();
        self.averages.is_init.next = self.ops.update.val().init;
        self.averages.forgets.next = self.ledger.forgets.val();

        self.flags.clk.next = self.clk.val();
        self.flags.rst.next = self.rst.val();
        self.flags.stored.next = self.control_ram.read_data.val().flags;
        self.flags.ahead.next = self.hazards.ahead.val();
        self.flags.forward_keeps.next = self.ops.forward_keeps.val();
        self.flags.after.next = self.ledger.flags_after.val();
        self.flags.may_start.next = self.ledger.may_start.val();
        self.flags.may_unplace.next = self.ledger.may_unplace.val();
        self.flags.is_hot.next = self.heat.is_hot.val();

        self.round_trip.clk.next = self.clk.val();
        self.round_trip.rst.next = self.rst.val();
        self.round_trip.is_ack.next = self.op_kind.val() == 1;
        self.round_trip.is_given.next = (self.op_kind.val() == 4) | (self.op_kind.val() == 5);
        self.round_trip.now.next = self.now.val();
        self.round_trip.timestamp.next = self.op_timestamp.val();
        self.round_trip.serial.next = self.op_serial.val();
        self.round_trip.rtt_floor.next = self.rtt_floor.val();
        self.round_trip.alpha.next = self.alpha.val();

        self.ledger.op.next = self.ops.update.val();
        self.ledger.flags.next = self.flags.before.val();
        self.ledger.drains_if_cool.next = self.flags.drains_if_cool.val();
        self.ledger.drains_if_hot.next = self.flags.drains_if_hot.val();
        self.ledger.is_hot.next = self.heat.is_hot.val();
        self.ledger.occupied.next = self.flight.occupied.val();
        self.ledger.reaches.next = self.flight.reaches.val();
        self.ledger.is_all.next = self.flight.is_all.val();
        self.ledger.sample.next = self.round_trip.sample.val();
        self.ledger.has_average.next = self.averages.has_average.val();

        self.minimum.clk.next = self.clk.val();
        self.minimum.rst.next = self.rst.val();
        self.minimum.clear.next = !self.ops.ready.val();
        self.minimum.clear_class.next = self.ops.write_conn.val().get_bits::<4>(0);
        self.minimum.path_class.next = self.op_class.val();
        self.minimum.is_set.next = self.taken.val() & (self.op_kind.val() == 5);
        self.minimum.ratio.next = self.ratio.val();
        self.minimum.serial.next = self.round_trip.forward_serial.val();
        self.minimum.corrected.next = self.round_trip.forward_corrected.val();
        self.minimum.forward_rtt.next = self.round_trip.forward_rtt.val();
        self.minimum.forward_sample.next = self.round_trip.forward_sample.val();
        self.minimum.takes_ack.next = self.ledger.takes_ack.val();
        self.minimum.rtt.next = self.round_trip.rtt.val();

        self.heat.average.next = self.averages.written.val();
        self.heat.lower_part.next = self.minimum.lower_part.val();
        self.heat.upper_part.next = self.minimum.upper_part.val();

        self.results.clk.next = self.clk.val();
        self.results.rst.next = self.rst.val();
        self.results.ready.next = self.ops.ready.val();
        self.results.seed.next = self.seed.val();
        self.results.sent.next = self.ops.update.val().send;
        self.results.draws.next = self.ledger.draws.val();
        self.results.waits.next = self.ledger.waits.val();
        self.results.drains.next = self.ledger.drains.val();
        self.results.drain_done.next = self.ledger.drain_done.val();
        self.results.drain_given_up.next = self.ledger.drain_given_up.val();
        self.results.order_risk.next = self.ledger.order_risk.val();
        self.results.ack_refused.next = self.ledger.ack_refused.val();
        self.results.conn.next = self.ops.write_conn.val();
        self.results.starts.next = self.flags.starts.val();
        self.res_valid.next = self.results.res_valid.val();
        self.res_conn.next = self.results.res_conn.val();
        self.res_kind.next = self.results.res_kind.val();
        self.res_ev.next = self.results.res_ev.val();
        self.res_draining.next = self.results.res_draining.val();
        self.drain_started.next = self.results.shows_drain_started.val();
        self.drain_done.next = self.results.shows_drain_done.val();
        self.drain_given_up.next = self.results.shows_drain_given_up.val();
        self.order_risk.next = self.results.shows_order_risk.val();
        self.ack_refused.next = self.results.shows_ack_refused.val();
    }
}
