//! The engine: the parts that all variants have, and the wires between them. What depends on `caver.table` is in [`single`](super::single)
//! and [`per_port`](super::per_port).

/// Declares the top block: its ports, its parts, and the wires between them. The parts and wires of a path congestion table stand stage by
/// stage between the others, and parts and wires of a further layer behind all of them.
///
/// The attribute stands where it is used, so that its `self` is the one of the wires.
macro_rules! caver {
    (
        $(#[$about:meta])*
        pub struct $name:ident<$($size:ident),+> {
            hold { $($hold:tt)* }
            read { $($read:tt)* }
            compare { $($compare:tt)* }
            decide { $($decide:tt)* }
            judge { $($judge:tt)* }
            $($parts:tt)*
        }
        made with { $($made:tt)* }
        $hash:tt $hdl_gen:tt
        fn update(&mut $self:ident) {
            hold { $($hold_wires:tt)* }
            read { $($read_wires:tt)* }
            compare { $($compare_wires:tt)* }
            decide { $($decide_wires:tt)* }
            judge { $($judge_wires:tt)* }
            $($wires:tt)*
        }
    ) => {
        $crate::engine! {
            $(#[$about])*
            #[derive(LogicBlock, Default)]
            pub struct $name<$(const $size: usize),+> {
                pub clk: Signal<In, Clock>,
                pub rst: Signal<In, bool>,
                pub op_valid: Signal<In, bool>,
                pub op_ready: Signal<Out, bool>,
                pub op_kind: Signal<In, Bits<2>>,
                pub op_dst: Signal<In, Bits<DST>>,
                pub op_in_port: Signal<In, Bits<PORT>>,
                pub op_hash: Signal<In, Bits<32>>,
                pub op_bytes: Signal<In, Bits<14>>,
                pub op_is_local: Signal<In, bool>,
                pub op_fib_port: Signal<In, Bits<PORT>>,
                pub op_enable: Signal<In, bool>,
                pub op_hop: Signal<In, Bits<2>>,
                pub op_path: Signal<In, Bits<32>>,
                pub op_ce: Signal<In, Bits<8>>,
                pub op_len: Signal<In, Bits<2>>,
                pub op_to_local: Signal<In, bool>,
                pub op_port: Signal<In, Bits<PORT>>,
                pub op_shift: Signal<In, Bits<5>>,
                pub now: Signal<In, Bits<8>>,
                pub path_age: Signal<In, Bits<8>>,
                pub flow_timeout: Signal<In, Bits<8>>,
                pub is_host: Signal<In, Bits<PORTS>>,
                pub up: Signal<In, Bits<PORTS>>,
                pub dre_period: Signal<In, Bits<24>>,
                pub dre_alpha: Signal<In, Bits<3>>,
                pub res_valid: Signal<Out, bool>,
                pub res_dst: Signal<Out, Bits<DST>>,
                pub res_kind: Signal<Out, Bits<4>>,
                pub res_port: Signal<Out, Bits<PORT>>,
                pub res_enable: Signal<Out, bool>,
                pub res_hop: Signal<Out, Bits<2>>,
                pub res_path: Signal<Out, Bits<32>>,
                pub res_ce: Signal<Out, Bits<8>>,
                pub res_len: Signal<Out, Bits<2>>,
                ;
                taken: Signal<Local, bool>,
                slots: Slots<WALK, PORT>,
                interlock: Interlock<DST, FLOW>,
                decode: Decode<DST, FLOW, PORT, PORTS, WALK>,
                held: DFF<Op<DST, FLOW, PORT, PORTS>>,
                leaving: Signal<Local, Op<DST, FLOW, PORT, PORTS>>,
                in_read: DFF<Op<DST, FLOW, PORT, PORTS>>,
                in_compare: DFF<Op<DST, FLOW, PORT, PORTS>>,
                in_decide: DFF<Op<DST, FLOW, PORT, PORTS>>,
                flow_ram: SimpleDualPort<Bits<FLOW>, Flow<DST>>,
                $($hold)*
                compared_flow: DFF<Flow<DST>>,
                $($read)*
                flow_age: Age,
                $($compare)*
                decided_flow: DFF<Flow<DST>>,
                $($decide)*
                decide: Decide<DST, FLOW, PORT, PORTS>,
                writes_flow: DFF<bool>,
                written_place: DFF<Bits<FLOW>>,
                written_flow: DFF<Flow<DST>>,
                dre: Dre<PORT>,
                verdicts: Delay<Verdict<DST, PORT>, 2>,
                in_judge: DFF<Verdict<DST, PORT>>,
                $($judge)*
                result: DFF<Outcome<DST, PORT>>,
                no_op: Param<Op<DST, FLOW, PORT, PORTS>>,
                no_flow: Param<Flow<DST>>,
                no_path: Param<Path<PORT>>,
                no_verdict: Param<Verdict<DST, PORT>>,
                no_outcome: Param<Outcome<DST, PORT>>,
                $($parts)*
            }
        }

        impl<$(const $size: usize),+> $name<$($size),+> {
            /// The engine whose sizes are the const generics.
            pub fn new() -> Self {
                let mut engine = Self {
                    slots: Slots::new(),
                    decode: Decode::new(),
                    flow_ram: SimpleDualPort::new("flow_ram", "flow table", MemoryKind::Block),
                    dre: Dre::new(SHIFT),
                    no_op: Param::new(Op::default()),
                    no_flow: Param::new(Flow::default()),
                    no_path: Param::new(Path::default()),
                    no_verdict: Param::new(Verdict::default()),
                    no_outcome: Param::new(Outcome::default()),
                    $($made)*
                    ..Default::default()
                };
                engine.connect_all();
                engine
            }
        }

        impl<$(const $size: usize),+> Logic for $name<$($size),+> {
            $hash $hdl_gen
            fn update(&mut $self) {
                dff_setup!($self, clk, held, in_read, in_compare, in_decide, compared_flow);
                dff_setup!($self, clk, decided_flow, known, writes_flow, written_place, written_flow);
                dff_setup!($self, clk, in_judge, result);
                $self.slots.clk.next = $self.clk.val();
                $self.slots.rst.next = $self.rst.val();
                $self.slots.is_free.next = $self.interlock.is_free.val();
                $self.slots.dre_period.next = $self.dre_period.val();
                $self.op_ready.next = $self.slots.op_ready.val();
                $self.taken.next = $self.op_valid.val() & $self.slots.op_ready.val();

                $self.decode.valid.next = $self.taken.val();
                $self.decode.kind.next = $self.op_kind.val();
                $self.decode.dst.next = $self.op_dst.val();
                $self.decode.in_port.next = $self.op_in_port.val();
                $self.decode.hash.next = $self.op_hash.val();
                $self.decode.bytes.next = $self.op_bytes.val();
                $self.decode.is_local.next = $self.op_is_local.val();
                $self.decode.fib_port.next = $self.op_fib_port.val();
                $self.decode.enable.next = $self.op_enable.val();
                $self.decode.hop.next = $self.op_hop.val();
                $self.decode.path.next = $self.op_path.val();
                $self.decode.ce.next = $self.op_ce.val();
                $self.decode.len.next = $self.op_len.val();
                $self.decode.to_local.next = $self.op_to_local.val();
                $self.decode.port.next = $self.op_port.val();
                $self.decode.shift.next = $self.op_shift.val();
                $self.decode.now.next = $self.now.val();
                $self.decode.path_age.next = $self.path_age.val();
                $self.decode.flow_timeout.next = $self.flow_timeout.val();
                $self.decode.is_host.next = $self.is_host.val();
                $self.decode.up.next = $self.up.val();
                $self.decode.alpha.next = $self.dre_alpha.val();
                $self.decode.visits.next = $self.slots.visits.val();
                $self.decode.walk.next = $self.slots.place.val();
                $self.decode.decays.next = $self.slots.decays.val();
                $self.decode.decay_port.next = $self.slots.port.val();

                $self.interlock.clk.next = $self.clk.val();
                $self.interlock.rst.next = $self.rst.val();
                $self.interlock.takes.next = $self.taken.val() | $self.slots.visits.val() | $self.slots.decays.val();
                $self.interlock.place.next = $self.decode.op.val().place;
                $self.interlock.dst.next = $self.decode.op.val().dst;
                $self.interlock.uses_flow.next = $self.decode.op.val().kind.data | $self.decode.op.val().kind.visit;
                $self.interlock.uses_path.next =
                    $self.decode.op.val().kind.data | $self.decode.op.val().kind.ack | $self.decode.op.val().kind.visit;
                $self.interlock.changes_path.next = $self.decode.op.val().kind.ack | $self.decode.op.val().kind.visit;

                // hold: the entries are read when the op leaves
                if $self.interlock.is_free.val() {
                    $self.held.d.next = $self.decode.op.val();
                }
                $self.flow_ram.clk.next = $self.clk.val();
                $self.leaving.next = $self.held.q.val();
                if !$self.interlock.leaves.val() {
                    $self.leaving.next.kind.data = false;
                    $self.leaving.next.kind.ack = false;
                    $self.leaving.next.kind.set_shift = false;
                    $self.leaving.next.kind.visit = false;
                    $self.leaving.next.kind.decay = false;
                }
                $($hold_wires)*

                // read
                $self.compared_flow.d.next = $self.flow_ram.read_data.val();
                $($read_wires)*
                $self.in_compare.d.next = $self.in_read.q.val();

                // compare
                $self.flow_age.now.next = $self.in_compare.q.val().now;
                $self.flow_age.seen.next = $self.compared_flow.q.val().seen;
                $self.flow_age.most.next = $self.in_compare.q.val().flow_timeout;
                $self.known.d.next.flow_lives = $self.compared_flow.q.val().valid
                    & $self.flow_age.is_young.val()
                    & (!$self.compared_flow.q.val().is_routed
                        | $self
                            .in_compare
                            .q
                            .val()
                            .up
                            .get_bit(bit_cast::<PORT, 32>($self.compared_flow.q.val().route).index()));
                $self.known.d.next.is_own = ($self.compared_flow.q.val().tag == $self.in_compare.q.val().tag)
                    & ($self.compared_flow.q.val().dst == $self.in_compare.q.val().dst);
                $($compare_wires)*
                $self.in_decide.d.next = $self.in_compare.q.val();

                // decide
                $self.decide.op.next = $self.in_decide.q.val();
                $self.decide.flow.next = $self.decided_flow.q.val();
                $($decide_wires)*
                $self.dre.clk.next = $self.clk.val();
                $self.dre.rst.next = $self.rst.val();
                $self.dre.clear.next = $self.slots.clears.val();
                $self.dre.clear_port.next = bit_cast::<PORT, WALK>($self.slots.place.val());
                $self.dre.kind.next = $self.in_decide.q.val().kind;
                $self.dre.bytes.next = $self.in_decide.q.val().bytes;
                $self.dre.alpha.next = $self.in_decide.q.val().alpha;
                $self.dre.shift.next = $self.in_decide.q.val().shift;
                $self.verdicts.clk.next = $self.clk.val();
                $self.verdicts.input_value.next = $self.decide.verdict.val();

                // the flow table is written, and after reset cleared
                $self.flow_ram.write_enable.next = $self.writes_flow.q.val() | $self.slots.clears.val();
                $self.flow_ram.write_address.next = $self.written_place.q.val();
                $self.flow_ram.write_data.next = $self.written_flow.q.val();
                if $self.slots.clears.val() {
                    $self.flow_ram.write_address.next = bit_cast::<FLOW, WALK>($self.slots.place.val());
                    $self.flow_ram.write_data.next = $self.no_flow.val();
                }

                // shift, judge
                $self.in_judge.d.next = $self.verdicts.output_value.val();
                $self.judge.verdict.next = $self.in_judge.q.val();
                $self.judge.own.next = $self.dre.congestion.val();
                $($judge_wires)*

                $($wires)*

                // result; what was under way at a reset is lost while the tables are cleared
                $self.result.d.next = $self.judge.outcome.val();
                $self.res_valid.next = $self.result.q.val().valid;
                $self.res_dst.next = $self.result.q.val().dst;
                $self.res_kind.next = $self.result.q.val().code;
                $self.res_port.next = $self.result.q.val().port;
                $self.res_enable.next = $self.result.q.val().enable;
                $self.res_hop.next = $self.result.q.val().hop;
                $self.res_path.next = $self.result.q.val().path;
                $self.res_ce.next = $self.result.q.val().ce;
                $self.res_len.next = $self.result.q.val().len;
                if $self.rst.val() | $self.slots.clears.val() {
                    $self.in_read.d.next = $self.no_op.val();
                    $self.in_compare.d.next = $self.no_op.val();
                    $self.in_decide.d.next = $self.no_op.val();
                    $self.writes_flow.d.next = false;
                    $self.in_judge.d.next = $self.no_verdict.val();
                    $self.result.d.next = $self.no_outcome.val();
                }
            }
        }
    };
}

/// A table's engine with `caver.advertise = round_robin`. The table gives the parts and wires by which a host comes to
/// the read stage, where it is added to the list.
macro_rules! of_hosts {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($parts:tt)* }
        $hash:tt $hdl_gen:tt
        $table:ident fn update(&mut $self:ident) { $($wires:tt)* }
    ) => {
        $table! {
            $(#[$about])*
            pub struct $name {
                joins: DFF<bool>,
                joining: DFF<Host<DST, PORT>>,
                $($parts)*
                in_read_joins: DFF<bool>,
                in_read_joining: DFF<Host<DST, PORT>>,
                hosts: Hosts<DST, PORT>,
                speaks: Signal<Local, bool>,
            }
            made with { hosts: Hosts::new(), }
            $hash $hdl_gen
            fn update(&mut $self) {
                dff_setup!($self, clk, joins, joining, in_read_joins, in_read_joining);
                // hold, read: a host is added to the list
                if $self.interlock.is_free.val() {
                    $self.joins.d.next = $self.taken.val() & ($self.op_kind.val() == 2);
                    $self.joining.d.next.dst = $self.op_dst.val();
                    $self.joining.d.next.port = $self.op_port.val();
                }
                $($wires)*
                $self.hosts.clk.next = $self.clk.val();
                $self.hosts.rst.next = $self.rst.val() | $self.slots.clears.val();
                $self.hosts.adds.next = $self.in_read_joins.q.val();
                $self.hosts.added.next = $self.in_read_joining.q.val();

                // compare: an ACK that begins a path speaks of the next one
                $self.speaks.next = $self.in_compare.q.val().kind.ack
                    & $self.in_compare.q.val().from_host
                    & !$self.in_compare.q.val().to_host;
                $self.hosts.asks.next = $self.speaks.val();
                if $self.speaks.val() & $self.hosts.is_known.val() {
                    $self.in_decide.d.next.dst = $self.hosts.host.val().dst;
                    $self.in_decide.d.next.port = $self.hosts.host.val().port;
                }
            }
        }
    };
}

pub(super) use {caver, of_hosts};
