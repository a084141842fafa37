//! The engine: ports, parts, and the wires between them.

use respray_hdl_macros::{LogicBlock, hdl_gen};
use rust_hdl::prelude::*;

use super::achieved::Achieved;
use super::average::Average;
use super::decide::Decide;
use super::delay::Delay;
use super::divide::Divide;
use super::memory::Memory;
use super::multiply::Multiply;
use super::state::StateWord;
use super::steps::Steps;
use super::taken::Taken;
use super::times::Times;
use super::window::Window;
use crate::engine;
use crate::manifest::MemoryKind;
use crate::prims::SimpleDualPort;

engine! {
    /// The `strack_cc` core. Of [`WordSizes`](crate::cores::sizes::WordSizes) `C` is `conn` and `A` `address_of_four`.
    ///
    /// Only wires here: rustc compiles this block once per combination of sizes.
    #[derive(LogicBlock, Default)]
    pub struct StrackCc<const C: usize, const A: usize> {
        pub clk: Signal<In, Clock>,
        pub rst: Signal<In, bool>,
        pub op_valid: Signal<In, bool>,
        pub op_ready: Signal<Out, bool>,
        pub op_kind: Signal<In, Bits<3>>,
        pub op_conn: Signal<In, Bits<C>>,
        pub op_ecn: Signal<In, bool>,
        pub op_probe: Signal<In, bool>,
        pub op_bytes: Signal<In, Bits<20>>,
        pub op_timestamp: Signal<In, Bits<16>>,
        pub now: Signal<In, Bits<16>>,
        pub net_base_rtt: Signal<In, Bits<16>>,
        pub min_base_rtt: Signal<In, Bits<16>>,
        pub target_qdelay: Signal<In, Bits<16>>,
        pub target_qhigh: Signal<In, Bits<16>>,
        pub alpha: Signal<In, Bits<16>>,
        pub beta: Signal<In, Bits<16>>,
        pub eta: Signal<In, Bits<16>>,
        pub gamma: Signal<In, Bits<16>>,
        pub max_cwnd: Signal<In, Bits<10>>,
        pub mtu_log2: Signal<In, Bits<4>>,
        pub res_valid: Signal<Out, bool>,
        pub res_conn: Signal<Out, Bits<C>>,
        pub res_status: Signal<Out, Bits<3>>,
        pub res_cwnd: Signal<Out, Bits<26>>,
        pub res_cwnd_packets: Signal<Out, Bits<12>>,
        pub res_delay: Signal<Out, Bits<16>>,
        pub res_action: Signal<Out, Bits<3>>,
        pub res_fair: Signal<Out, bool>,
        ;
        step: Signal<Local, Bits<13>>,
        refused: Signal<Local, bool>,

        steps: Steps<C>,
        taken: Taken,
        memory: Memory<C, A>,
        state_ram: SimpleDualPort<Bits<A>, StateWord>,
        delay: Delay,
        times: Times,
        achieved: Achieved,
        average: Average,
        decide: Decide,
        multiply: Multiply,
        divide: Divide,
        window: Window,
    }
}

impl<const C: usize, const A: usize> StrackCc<C, A> {
    /// The engine with its sizes as types.
    pub fn new() -> Self {
        let ram = MemoryKind::Block;
        let mut engine = Self {
            state_ram: SimpleDualPort::new("state_ram", "state of every connection", ram),
            ..Default::default()
        };
        engine.connect_all();
        engine
    }
}

impl<const C: usize, const A: usize> Logic for StrackCc<C, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.steps.clk.next = self.clk.val();
        self.steps.rst.next = self.rst.val();
        self.steps.op_valid.next = self.op_valid.val();
        self.steps.op_kind.next = self.op_kind.val();
        self.steps.op_conn.next = self.op_conn.val();
        self.refused.next = !self.memory.initialised.val() | !self.taken.is_mtu.val();
        self.steps.refused.next = self.refused.val();
        self.steps.grows.next = self.decide.grows.val();
        self.steps.takes.next = self.decide.takes.val();
        self.steps.cuts.next = self.decide.cuts.val();
        self.op_ready.next = self.steps.ready.val();
        self.step.next = self.steps.step.val();

        self.taken.clk.next = self.clk.val();
        self.taken.ready.next = self.steps.ready.val();
        self.taken.op.next.ecn = self.op_ecn.val();
        self.taken.op.next.probe = self.op_probe.val();
        self.taken.op.next.bytes = self.op_bytes.val();
        self.taken.op.next.timestamp = self.op_timestamp.val();
        self.taken.op.next.now = self.now.val();
        self.taken.op.next.net_base_rtt = self.net_base_rtt.val();
        self.taken.op.next.min_base_rtt = self.min_base_rtt.val();
        self.taken.op.next.target_qdelay = self.target_qdelay.val();
        self.taken.op.next.target_qhigh = self.target_qhigh.val();
        self.taken.op.next.alpha = self.alpha.val();
        self.taken.op.next.beta = self.beta.val();
        self.taken.op.next.eta = self.eta.val();
        self.taken.op.next.gamma = self.gamma.val();
        self.taken.op.next.max_cwnd = self.max_cwnd.val();
        self.taken.op.next.mtu_log2 = self.mtu_log2.val();

        self.memory.clk.next = self.clk.val();
        self.memory.step.next = self.step.val();
        self.memory.fair.next = self.steps.fair.val();
        self.memory.clamp.next = self.steps.clamp.val();
        self.memory.done.next = self.steps.done.val();
        self.memory.clearing.next = self.steps.clearing.val();
        self.memory.conn.next = self.steps.conn.val();
        self.memory.is_init.next = self.steps.is_init.val();
        self.memory.read_flags.next = self.state_ram.read_data.val().flags;
        self.memory.now.next = self.taken.held.val().now;
        self.memory.stored_time.next = self.times.stored_time.val();
        self.memory.closes.next = self.times.closes.val();
        self.memory.was_cut.next = self.decide.was_cut.val();
        self.memory.can_fair.next = self.times.can_fair.val();
        self.memory.cwnd.next = self.window.cwnd.val();
        self.memory.measured.next = self.achieved.measured.val();
        self.memory.achieved.next = self.achieved.period_bytes.val();
        self.memory.avg8.next = self.average.avg8.val();
        self.memory.rx.next = self.achieved.rx.val();
        self.memory.base_rtt.next = self.delay.base_rtt.val();

        self.state_ram.clk.next = self.clk.val();
        self.state_ram.read_address.next = self.memory.read_address.val();
        self.state_ram.write_enable.next = self.memory.write.val();
        self.state_ram.write_address.next = self.memory.write_address.val();
        self.state_ram.write_data.next = self.memory.write_data.val();

        self.delay.clk.next = self.clk.val();
        self.delay.step_1.next = self.step.val().get_bit(0);
        self.delay.step_3.next = self.step.val().get_bit(2);
        self.delay.step_4.next = self.step.val().get_bit(3);
        self.delay.is_init.next = self.steps.is_init.val();
        self.delay.now.next = self.taken.held.val().now;
        self.delay.timestamp.next = self.taken.held.val().timestamp;
        self.delay.net_base_rtt.next = self.taken.held.val().net_base_rtt;
        self.delay.min_base_rtt.next = self.taken.held.val().min_base_rtt;
        self.delay.target_qdelay.next = self.taken.held.val().target_qdelay;
        self.delay.target_qhigh.next = self.taken.held.val().target_qhigh;
        self.delay.stored_base_rtt.next = bit_cast::<16, 26>(self.state_ram.read_data.val().number);

        self.times.clk.next = self.clk.val();
        self.times.step_1.next = self.step.val().get_bit(0);
        self.times.step_5.next = self.step.val().get_bit(4);
        self.times.step_6.next = self.step.val().get_bit(5);
        self.times.step_8.next = self.step.val().get_bit(7) & self.steps.is_ack.val();
        self.times.now.next = self.taken.held.val().now;
        self.times.read.next = self.state_ram.read_data.val().time;
        self.times.base_rtt.next = self.delay.base_rtt.val();
        self.times.period.next = self.delay.period.val();
        self.times.counting.next = self.memory.counting.val();

        self.achieved.clk.next = self.clk.val();
        self.achieved.step_2.next = self.step.val().get_bit(1);
        self.achieved.step_3.next = self.step.val().get_bit(2);
        self.achieved.step_4.next = self.step.val().get_bit(3);
        self.achieved.step_5.next = self.step.val().get_bit(4);
        self.achieved.step_7.next = self.step.val().get_bit(6);
        self.achieved.is_init.next = self.steps.is_init.val();
        self.achieved.probe.next = self.taken.held.val().probe;
        self.achieved.bytes.next = self.taken.held.val().bytes;
        self.achieved.stored_measured.next = self.state_ram.read_data.val().flags.get_bit(2);
        self.achieved.stored.next = bit_cast::<20, 26>(self.state_ram.read_data.val().number);
        self.achieved.closes.next = self.times.closes.val();

        self.average.clk.next = self.clk.val();
        self.average.step_3.next = self.step.val().get_bit(2);
        self.average.step_5.next = self.step.val().get_bit(4);
        self.average.step_7.next = self.step.val().get_bit(6);
        self.average.stored.next = bit_cast::<19, 16>(self.state_ram.read_data.val().time)
            | (bit_cast::<19, 3>(self.state_ram.read_data.val().flags) << 16);
        self.average.delay.next = self.delay.queuing_delay.val();
        self.average.target_qdelay.next = self.taken.held.val().target_qdelay;

        self.decide.clk.next = self.clk.val();
        self.decide.step_1.next = self.step.val().get_bit(0);
        self.decide.step_7.next = self.step.val().get_bit(6);
        self.decide.step_13.next = self.step.val().get_bit(12);
        self.decide.ecn.next = self.taken.held.val().ecn;
        self.decide.is_low.next = self.delay.is_low.val();
        self.decide.is_above.next = self.delay.is_above.val();
        self.decide.is_high.next = self.delay.is_high.val();
        self.decide.can_cut.next = self.times.can_cut.val();
        self.decide.average_above.next = self.average.is_above.val();
        self.decide.measured.next = self.achieved.measured.val();
        self.decide.achieved_little.next = self.divide.achieved_little.val();
        self.decide.is_full.next = self.window.is_full.val();

        self.multiply.clk.next = self.clk.val();
        self.multiply.cut.next = self.steps.cut.val();
        self.multiply.alpha.next = self.taken.held.val().alpha;
        self.multiply.gamma.next = self.taken.held.val().gamma;
        self.multiply.below_target.next = self.delay.below_target.val();
        self.multiply.quotient.next = self.divide.quotient.val().get_bits::<16>(0);
        self.multiply.cwnd.next = self.window.cwnd.val();

        self.divide.clk.next = self.clk.val();
        self.divide.step_7.next = self.step.val().get_bit(6);
        self.divide.step_8.next = self.step.val().get_bit(7);
        self.divide.step_13.next = self.step.val().get_bit(12);
        self.divide.grows.next = self.decide.grows.val();
        self.divide.is_additive.next = self.decide.is_additive.val();
        self.divide.is_cut.next = self.steps.is_cut.val();
        self.divide.load.next = self.steps.load.val();
        self.divide.runs.next = self.steps.dividing.val();
        self.divide.mtu_log2.next = self.taken.held.val().mtu_log2;
        self.divide.achieved.next = self.achieved.last_period.val();
        self.divide.beta.next = self.taken.held.val().beta;
        self.divide.product.next = self.multiply.product.val();
        self.divide.excess.next = self.average.excess.val();
        self.divide.avg8.next = self.average.avg8.val();
        self.divide.cwnd.next = self.window.cwnd.val();
        self.divide.most.next = self.taken.most.val();

        self.window.clk.next = self.clk.val();
        self.window.step_2.next = self.step.val().get_bit(1);
        self.window.step_3.next = self.step.val().get_bit(2);
        self.window.take.next = self.steps.take.val();
        self.window.grow.next = self.steps.grow.val();
        self.window.cut_5.next = self.steps.cut.val().get_bit(4);
        self.window.cut_6.next = self.steps.cut.val().get_bit(5);
        self.window.fair.next = self.steps.fair.val();
        self.window.clamp.next = self.steps.clamp.val();
        self.window.is_init.next = self.steps.is_init.val();
        self.window.refused.next = self.refused.val();
        self.window.stored.next = self.state_ram.read_data.val().number;
        self.window.is_less.next = self.divide.is_less.val();
        self.window.achieved_cwnd.next = self.divide.achieved_cwnd.val();
        self.window.quotient.next = self.divide.quotient.val();
        self.window.product.next = self.multiply.product.val();
        self.window.can_fair.next = self.times.can_fair.val();
        self.window.eta.next = self.taken.held.val().eta;
        self.window.most.next = self.taken.most.val();

        self.res_valid.next = self.steps.res_valid.val();
        self.res_conn.next = self.steps.conn.val();
        self.res_status.next = self.steps.res_status.val();
        self.res_cwnd.next = self.window.cwnd.val();
        self.res_cwnd_packets.next = bit_cast::<12, 10>(self.window.cwnd.val().get_bits::<10>(16));
        self.res_delay.next = self.delay.queuing_delay.val();
        self.res_action.next = self.decide.action.val();
        self.res_fair.next = self.times.can_fair.val();
    }
}
