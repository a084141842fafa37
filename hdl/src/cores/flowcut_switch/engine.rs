//! The engine: the parts and the wires between them.

use respray_hdl_macros::{LogicBlock, hdl_gen};
use rust_hdl::prelude::*;

use super::drain::Drain;
use super::least::Least;
use super::ledger::Ledger;
use super::results::Results;
use super::slots::Slots;
use super::state::{Arrival, Bucket, Control, Fields, Op};
use super::two::LeastOfTwo;
use crate::manifest::MemoryKind;
use crate::parts::round_trip::{Average, Heat, Minimum, Rtt};
use crate::parts::{Hazards, Newest, Ops};
use crate::prims::{Delay, RandomEv, SimpleDualPort};

/// Width of the average of a time of 16 bits, in 32nds.
const AVERAGE: usize = 21;

/// Declares the top block: its ports, its parts, which differ in `least`, and the wires between them.
///
/// The attribute stands where it is used, so that its `self` is the one of the wires.
macro_rules! flowcut_switch {
    (
        $(#[$about:meta])*
        pub struct $name:ident { least: $least:ident }
        $hash:tt $hdl_gen:tt
        fn update(&mut $self:ident) { $($wires:tt)* }
    ) => {
        $crate::engine! {
            $(#[$about])*
            #[derive(LogicBlock, Default)]
            pub struct $name<const BUCKET: usize, const UPLINKS: usize, const PORT: usize> {
                pub clk: Signal<In, Clock>,
                pub rst: Signal<In, bool>,
                pub op_valid: Signal<In, bool>,
                pub op_ready: Signal<Out, bool>,
                pub op_kind: Signal<In, Bits<2>>,
                pub op_bucket: Signal<In, Bits<BUCKET>>,
                pub op_bytes: Signal<In, Bits<24>>,
                pub op_up: Signal<In, Bits<UPLINKS>>,
                pub op_epoch: Signal<In, Bits<4>>,
                pub op_timestamp: Signal<In, Bits<16>>,
                pub op_class: Signal<In, Bits<4>>,
                pub op_serial: Signal<In, Bits<16>>,
                pub op_port: Signal<In, Bits<PORT>>,
                pub op_load: Signal<In, Bits<8>>,
                pub now: Signal<In, Bits<16>>,
                pub clock: Signal<In, Bits<8>>,
                pub rtt_floor: Signal<In, Bits<16>>,
                pub ratio: Signal<In, Bits<6>>,
                pub alpha: Signal<In, Bits<3>>,
                pub entry_timeout: Signal<In, Bits<8>>,
                pub drain_after: Signal<In, Bits<4>>,
                pub seed: Signal<In, Bits<16>>,
                pub res_valid: Signal<Out, bool>,
                pub res_port: Signal<Out, Bits<PORT>>,
                pub res_kind: Signal<Out, Bits<2>>,
                pub res_epoch: Signal<Out, Bits<4>>,
                pub res_xoff: Signal<Out, bool>,
                pub ev_bucket: Signal<Out, Bits<BUCKET>>,
                pub xoff: Signal<Out, bool>,
                pub xon: Signal<Out, bool>,
                pub entry_cleared: Signal<Out, bool>,
                pub order_risk: Signal<Out, bool>,
                pub ack_refused: Signal<Out, bool>,
                ;
                taken: Signal<Local, bool>,
                is_data: Signal<Local, bool>,
                slots: Slots<BUCKET>,
                random: RandomEv,
                least: $least<UPLINKS, PORT>,
                arrivals: Delay<Arrival<BUCKET>, 5>,
                fields: Delay<Fields<UPLINKS>, 8>,
                ops: Ops<BUCKET, Op>,
                hazards: Hazards<BUCKET>,
                control_ram: SimpleDualPort<Bits<BUCKET>, Control<PORT, AVERAGE>>,
                newest: Newest<Bucket<PORT, AVERAGE>>,
                drain: Drain,
                round_trip: Rtt<16, 17, AVERAGE>,
                moving_average: Average<16, AVERAGE>,
                ledger: Ledger<UPLINKS, PORT, AVERAGE>,
                minimum: Minimum<16, 17, 24>,
                heat: Heat<AVERAGE, 24>,
                results: Results<PORT, BUCKET>,
            }
        }

        impl<const BUCKET: usize, const UPLINKS: usize, const PORT: usize> $name<BUCKET, UPLINKS, PORT> {
            /// The engine whose sizes are the const generics.
            pub fn new() -> Self {
                let about = "bytes, uplink, average RTT and flags of every bucket";
                let mut engine = Self {
                    least: $least::new(),
                    ops: Ops::new(),
                    hazards: Hazards::new(),
                    control_ram: SimpleDualPort::new("control_ram", about, MemoryKind::Block),
                    newest: Newest::new(),
                    drain: Drain::new(),
                    round_trip: Rtt::new(),
                    moving_average: Average::new(),
                    minimum: Minimum::new(),
                    heat: Heat::new(),
                    results: Results::new(),
                    ..Default::default()
                };
                engine.connect_all();
                engine
            }
        }

        impl<const BUCKET: usize, const UPLINKS: usize, const PORT: usize> Logic for $name<BUCKET, UPLINKS, PORT> {
            $hash $hdl_gen
            fn update(&mut $self) {
                $self.slots.clk.next = $self.clk.val();
                $self.slots.rst.next = $self.rst.val();
                $self.slots.ready.next = $self.ops.ready.val();
                $self.slots.clock.next = $self.clock.val();
                $self.op_ready.next = $self.slots.op_ready.val();
                $self.taken.next = $self.op_valid.val() & $self.slots.op_ready.val();
                $self.is_data.next = $self.taken.val() & ($self.op_kind.val() == 0);

                $self.random.clk.next = $self.clk.val();
                $self.random.rst.next = $self.rst.val();
                $self.random.absorb.next = !$self.ops.ready.val();
                $self.random.seed.next = $self.seed.val();
                $self.random.step.next = $self.is_data.val();

                $self.least.clk.next = $self.clk.val();
                $self.least.up.next = $self.op_up.val();
                $self.least.sets.next = $self.taken.val() & ($self.op_kind.val() == 2);
                $self.least.port.next = $self.op_port.val();
                $self.least.load.next = $self.op_load.val();
                $self.least.word.next = $self.random.word.val();

                // Until the least loaded uplink is found, the op waits. One that comes out of reset meets memories that
                // are still being cleared, and is not taken.
                $self.arrivals.clk.next = $self.clk.val();
                $self.arrivals.input_value.next.op.data = $self.is_data.val();
                $self.arrivals.input_value.next.op.routed = $self.is_data.val() & $self.op_up.val().any();
                $self.arrivals.input_value.next.op.ack = $self.taken.val() & ($self.op_kind.val() == 1);
                $self.arrivals.input_value.next.op.visit = $self.slots.visits.val();
                $self.arrivals.input_value.next.op.ages = $self.slots.ages.val();
                $self.arrivals.input_value.next.set_min = $self.taken.val() & ($self.op_kind.val() == 3);
                $self.arrivals.input_value.next.bucket = $self.op_bucket.val();
                if $self.slots.visits.val() {
                    $self.arrivals.input_value.next.bucket = $self.slots.visited.val();
                }
                $self.arrivals.input_value.next.path_class = $self.op_class.val();
                $self.arrivals.input_value.next.now = $self.now.val();
                $self.arrivals.input_value.next.timestamp = $self.op_timestamp.val();
                $self.arrivals.input_value.next.serial = $self.op_serial.val();
                $self.arrivals.input_value.next.rtt_floor = $self.rtt_floor.val();
                $self.arrivals.input_value.next.ratio = $self.ratio.val();
                $self.arrivals.input_value.next.alpha = $self.alpha.val();

                $self.fields.clk.next = $self.clk.val();
                $self.fields.input_value.next.bytes = $self.op_bytes.val();
                if $self.op_kind.val() == 0 {
                    $self.fields.input_value.next.bytes = $self.op_bytes.val() & 0x3fff;
                }
                $self.fields.input_value.next.up = $self.op_up.val();
                $self.fields.input_value.next.epoch = $self.op_epoch.val();
                $self.fields.input_value.next.clock = $self.clock.val();
                $self.fields.input_value.next.entry_timeout = $self.entry_timeout.val();
                $self.fields.input_value.next.drain_after = $self.drain_after.val();

                $self.ops.clk.next = $self.clk.val();
                $self.ops.rst.next = $self.rst.val();
                $self.ops.op_valid.next = $self.arrivals.output_value.val().op.data
                    | $self.arrivals.output_value.val().op.ack
                    | $self.arrivals.output_value.val().op.visit;
                $self.ops.op_kind.next = 0.into();
                $self.ops.op_conn.next = $self.arrivals.output_value.val().bucket;
                $self.ops.op.next = $self.arrivals.output_value.val().op;

                $self.hazards.clk.next = $self.clk.val();
                $self.hazards.rst.next = $self.rst.val();
                $self.hazards.op_conn.next = $self.arrivals.output_value.val().bucket;
                $self.hazards.read_valid.next = $self.ops.read_valid.val();
                $self.hazards.read_conn.next = $self.ops.read_conn.val();
                $self.hazards.forward_valid.next = $self.ops.forward_valid.val();
                $self.hazards.forward_conn.next = $self.ops.forward_conn.val();
                $self.hazards.update_valid.next = $self.ops.update_valid.val();
                $self.hazards.update_conn.next = $self.ops.update_conn.val();
                $self.hazards.write_live.next = $self.ops.write_live.val();
                $self.hazards.write_conn.next = $self.ops.write_conn.val();

                $self.control_ram.clk.next = $self.clk.val();
                $self.control_ram.read_address.next = $self.arrivals.output_value.val().bucket;
                $self.control_ram.write_enable.next = $self.ops.write_live.val();
                $self.control_ram.write_address.next = $self.ops.write_conn.val();
                $self.control_ram.write_data.next.bucket = $self.newest.written.val();
                $self.control_ram.write_data.next.draining = $self.drain.written.val();

                $self.newest.clk.next = $self.clk.val();
                $self.newest.rst.next = $self.rst.val();
                $self.newest.stored.next = $self.control_ram.read_data.val().bucket;
                $self.newest.ahead.next = $self.hazards.ahead.val();
                $self.newest.forward_keeps.next = $self.ops.forward_keeps.val();
                $self.newest.after.next = $self.ledger.after.val();

                $self.drain.clk.next = $self.clk.val();
                $self.drain.rst.next = $self.rst.val();
                $self.drain.stored.next = $self.control_ram.read_data.val().draining;
                $self.drain.ahead.next = $self.hazards.ahead.val();
                $self.drain.forward_keeps.next = $self.ops.forward_keeps.val();
                $self.drain.after.next = $self.ledger.draining_after.val();
                $self.drain.may_start.next = $self.ledger.may_start.val();
                $self.drain.is_hot.next = $self.heat.is_hot.val();

                $self.round_trip.clk.next = $self.clk.val();
                $self.round_trip.rst.next = $self.rst.val();
                $self.round_trip.is_ack.next = $self.arrivals.output_value.val().op.ack;
                $self.round_trip.is_given.next = $self.arrivals.output_value.val().set_min;
                $self.round_trip.now.next = $self.arrivals.output_value.val().now;
                $self.round_trip.timestamp.next = $self.arrivals.output_value.val().timestamp;
                $self.round_trip.serial.next = $self.arrivals.output_value.val().serial;
                $self.round_trip.rtt_floor.next = $self.arrivals.output_value.val().rtt_floor;
                $self.round_trip.alpha.next = $self.arrivals.output_value.val().alpha;

                $self.moving_average.average.next = $self.newest.before.val().average;
                $self.moving_average.has_average.next = $self.newest.before.val().has_average;
                $self.moving_average.rtt.next = $self.round_trip.rtt.val();
                $self.moving_average.step.next = $self.round_trip.step.val();
                $self.moving_average.weight.next = $self.round_trip.weight.val();
                $self.moving_average.below_share.next = $self.round_trip.below_share.val();

                $self.ledger.state.next = $self.newest.before.val();
                $self.ledger.draining.next = $self.drain.previous.val();
                $self.ledger.op.next = $self.ops.update.val();
                $self.ledger.fields.next = $self.fields.output_value.val();
                $self.ledger.least.next = $self.least.uplink.val();
                $self.ledger.sample.next = $self.round_trip.sample.val();
                $self.ledger.moved_average.next = $self.moving_average.after.val();

                $self.minimum.clk.next = $self.clk.val();
                $self.minimum.rst.next = $self.rst.val();
                $self.minimum.clear.next = !$self.ops.ready.val();
                $self.minimum.clear_class.next = $self.ops.write_conn.val().get_bits::<4>(0);
                $self.minimum.path_class.next = $self.arrivals.output_value.val().path_class;
                $self.minimum.is_set.next = $self.arrivals.output_value.val().set_min & $self.ops.ready.val();
                $self.minimum.ratio.next = $self.arrivals.output_value.val().ratio;
                $self.minimum.serial.next = $self.round_trip.forward_serial.val();
                $self.minimum.corrected.next = $self.round_trip.forward_corrected.val();
                $self.minimum.forward_rtt.next = $self.round_trip.forward_rtt.val();
                $self.minimum.forward_sample.next = $self.round_trip.forward_sample.val();
                $self.minimum.takes_ack.next = $self.ledger.takes_ack.val();
                $self.minimum.rtt.next = $self.round_trip.rtt.val();

                $self.heat.average.next = $self.newest.written.val().average;
                $self.heat.lower_part.next = $self.minimum.lower_part.val();
                $self.heat.upper_part.next = $self.minimum.upper_part.val();

                $self.results.clk.next = $self.clk.val();
                $self.results.rst.next = $self.rst.val();
                $self.results.update.next.data = $self.ops.update.val().data;
                $self.results.update.next.port = $self.ledger.after.val().port;
                $self.results.update.next.kind = $self.ledger.kind.val();
                $self.results.update.next.epoch = $self.ledger.after.val().epoch;
                $self.results.update.next.draining = $self.drain.previous.val();
                $self.results.update.next.xoff = $self.ledger.xoff.val();
                $self.results.update.next.xon = $self.ledger.xon.val();
                $self.results.update.next.entry_cleared = $self.ledger.entry_cleared.val();
                $self.results.update.next.order_risk = $self.ledger.order_risk.val();
                $self.results.update.next.ack_refused = $self.ledger.ack_refused.val();
                $self.results.bucket.next = $self.ops.write_conn.val();
                $self.results.starts.next = $self.drain.starts.val();
                $self.res_valid.next = $self.results.shown.val().data;
                $self.res_port.next = $self.results.shown.val().port;
                $self.res_kind.next = $self.results.shown.val().kind;
                $self.res_epoch.next = $self.results.shown.val().epoch;
                $self.res_xoff.next = $self.results.shown.val().draining;
                $self.ev_bucket.next = $self.results.shown_bucket.val();
                $self.xoff.next = $self.results.shown.val().xoff;
                $self.xon.next = $self.results.shown.val().xon;
                $self.entry_cleared.next = $self.results.shown.val().entry_cleared;
                $self.order_risk.next = $self.results.shown.val().order_risk;
                $self.ack_refused.next = $self.results.shown.val().ack_refused;
                $($wires)*
            }
        }
    };
}

flowcut_switch! {
    /// The `flowcut_switch` core with `flowcut_switch.pick = all`. Its sizes are fields of
    /// [`FlowcutSwitchSizes`](crate::cores::sizes::FlowcutSwitchSizes).
    pub struct FlowcutSwitch { least: Least }
    #[hdl_gen]
    fn update(&mut self) {
        self.least.rst.next = self.rst.val();
    }
}

flowcut_switch! {
    /// The same with `flowcut_switch.pick = two`.
    pub struct FlowcutSwitchOfTwo { least: LeastOfTwo }
    #[hdl_gen]
    fn update(&mut self) {
        self.least.clear.next = !self.ops.ready.val();
        self.least.clear_port.next = bit_cast::<PORT, BUCKET>(self.ops.write_conn.val());
    }
}
