//! The engine with `caver.table = per_port`: for each destination the latest report by each uplink is stored, and the best one of them is
//! looked for by each op.
//!
//! ```text
//!  op ──► hold ──► enter ──► read ──► compare ──► decide ──► sum ──► shift ──► judge ──► result
//!           │        │                               │        ▲ │      │
//!           │        └──► flow table ────────────────┤        │ ▼      │
//!           └──► reports ──────────► best of 16 ─────┘       sums      └──► flow table
//! ```
//!
//! The reports are read a stage before the flow table, since the best one of sixteen takes a stage more to find.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::SHIFT;
use super::age::Age;
use super::decide::Decide;
use super::decode::Decode;
use super::dre::Dre;
use super::engine::{caver, of_hosts};
use super::hosts::{Host, Hosts};
use super::interlock::Interlock;
use super::settle::Settle;
use super::slots::Slots;
use super::state::{Chosen, Flow, KnownFlow, Op, Outcome, Path, Tail, Verdict};
use super::uplinks::Uplinks;
use crate::manifest::MemoryKind;
use crate::prims::{Delay, Param, SimpleDualPort};

/// The table's parts and wires, with those of a further layer behind them.
macro_rules! per_port {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($parts:tt)* }
        made with { $($made:tt)* }
        $hash:tt $hdl_gen:tt
        fn update(&mut $self:ident) { $($wires:tt)* }
    ) => {
        caver! {
            $(#[$about])*
            pub struct $name<DST, FLOW, PORT, PORTS, WALK, TAIL> {
                hold { entering: DFF<Op<DST, FLOW, PORT, PORTS>>, }
                read { uplinks: Uplinks<DST, FLOW, PORT, PORTS, WALK, TAIL>, }
                compare {}
                decide {
                    known: DFF<KnownFlow>,
                    chosen: Signal<Local, Chosen<PORT>>,
                    chosen_of_shift: Delay<Chosen<PORT>, 2>,
                    chosen_of_judge: DFF<Chosen<PORT>>,
                    flow_writes: Delay<bool, 2>,
                    flow_places: Delay<Bits<FLOW>, 2>,
                    flows: Delay<Flow<DST>, 2>,
                    tail: DFF<Tail>,
                    upper: Param<Bits<PORT>>,
                }
                judge { judge: Settle<DST, PORT>, }
                $($parts)*
            }
            made with {
                uplinks: Uplinks::new(),
                judge: Settle::new(),
                upper: Param::new(((1 << PORT) - 16).into()),
                $($made)*
            }
            $hash $hdl_gen
            fn update(&mut $self) {
                hold {
                    dff_setup!($self, clk, entering, chosen_of_judge, tail);
                    $self.entering.d.next = $self.leaving.val();
                    $self.flow_ram.read_address.next = $self.entering.q.val().place;
                    $self.in_read.d.next = $self.entering.q.val();
                    $self.uplinks.clk.next = $self.clk.val();
                    $self.uplinks.rst.next = $self.rst.val();
                    $self.uplinks.clears.next = $self.slots.clears.val();
                    $self.uplinks.place.next = $self.slots.place.val();
                    $self.uplinks.dst.next = $self.held.q.val().dst;
                    $self.uplinks.entering.next = $self.entering.q.val();
                }
                read {
                    $self.uplinks.reading.next = $self.in_read.q.val();
                }
                compare {
                    $self.decided_flow.d.next = $self.compared_flow.q.val();
                    $self.uplinks.comparing.next = $self.in_compare.q.val();
                }
                decide {
                    // the best path is known last, and what is behind its port later still: the rest is decided without it
                    $self.uplinks.deciding.next = $self.in_decide.q.val();
                    $self.decide.path.next = $self.no_path.val();
                    $self.decide.known.next.flow_lives = $self.known.q.val().flow_lives;
                    $self.decide.known.next.is_own = $self.known.q.val().is_own;
                    $self.decide.known.next.path_lives = $self.uplinks.lives.val();
                    $self.decide.known.next.is_same_port = $self.in_decide.q.val().kind.ack
                        & (bit_cast::<4, PORT>($self.in_decide.q.val().port) == $self.uplinks.number.val());
                    $self.chosen.next.lives = $self.uplinks.lives.val();
                    $self.chosen.next.port = bit_cast::<PORT, 4>($self.uplinks.number.val()) | $self.upper.val();
                    $self.chosen.next.takes = $self.in_decide.q.val().kind.data
                        & $self.in_decide.q.val().from_host
                        & !$self.in_decide.q.val().to_host
                        & !$self.known.q.val().flow_lives
                        & $self.uplinks.lives.val();
                    $self.chosen.next.brings = $self.in_decide.q.val().kind.ack
                        | ($self.in_decide.q.val().from_host & !$self.known.q.val().flow_lives);
                    $self.chosen_of_shift.clk.next = $self.clk.val();
                    $self.chosen_of_shift.input_value.next = $self.chosen.val();
                    $self.flow_writes.clk.next = $self.clk.val();
                    $self.flow_writes.input_value.next = $self.decide.writes_flow.val();
                    $self.flow_places.clk.next = $self.clk.val();
                    $self.flow_places.input_value.next = $self.in_decide.q.val().place;
                    $self.flows.clk.next = $self.clk.val();
                    $self.flows.input_value.next = $self.decide.written_flow.val();

                    // congestion of the best path's port, or of that by which a packet leaves, and in the core's own slots of an uplink
                    $self.dre.port.next = $self.decide.verdict.val().port;
                    if $self.chosen.val().takes
                        | ($self.in_decide.q.val().kind.ack & !$self.in_decide.q.val().from_host)
                    {
                        $self.dre.port.next = $self.chosen.val().port;
                    }
                    $self.dre.other_port.next = bit_cast::<PORT, 4>($self.uplinks.turn.val()) | $self.upper.val();

                    // shift: a flow's entry gets the best path
                    $self.writes_flow.d.next = $self.flow_writes.output_value.val();
                    $self.written_place.d.next = $self.flow_places.output_value.val();
                    $self.written_flow.d.next = $self.flows.output_value.val();
                    if $self.chosen_of_shift.output_value.val().brings {
                        $self.written_flow.d.next.route = (bit_cast::<32, 24>($self.uplinks.tail.val().path) << 8)
                            | bit_cast::<32, PORT>($self.chosen_of_shift.output_value.val().port);
                    }
                    $self.chosen_of_judge.d.next = $self.chosen_of_shift.output_value.val();
                    $self.tail.d.next = $self.uplinks.tail.val();
                }
                judge {
                    $self.judge.chosen.next = $self.chosen_of_judge.q.val();
                    $self.judge.tail.next = $self.tail.q.val();
                    $self.judge.ce.next = $self.uplinks.ce.val();
                    $self.uplinks.congestion.next = $self.dre.other_congestion.val();
                }
                if $self.rst.val() | $self.slots.clears.val() {
                    $self.entering.d.next = $self.no_op.val();
                }
                $($wires)*
            }
        }
    };
}

per_port! {
    /// The `caver` core with `caver.table = per_port` and `caver.advertise = source`. Its sizes
    /// are fields of [`CaverSizes`](crate::cores::sizes::CaverSizes).
    pub struct CaverPerPort {}
    made with {}
    #[hdl_gen]
    fn update(&mut self) {}
}

of_hosts! {
    /// The same with `caver.advertise = round_robin`.
    pub struct CaverPerPortOfHosts {
        entering_joins: DFF<bool>,
        entering_joining: DFF<Host<DST, PORT>>,
    }
    #[hdl_gen]
    per_port fn update(&mut self) {
        dff_setup!(self, clk, entering_joins, entering_joining);
        self.entering_joins.d.next = self.joins.q.val() & self.interlock.leaves.val();
        self.entering_joining.d.next = self.joining.q.val();
        self.in_read_joins.d.next = self.entering_joins.q.val();
        self.in_read_joining.d.next = self.entering_joining.q.val();
    }
}
