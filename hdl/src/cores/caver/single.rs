//! The engine with `caver.table = single`: the best path to each destination is stored, and an ACK's is compared with it.

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
use super::judge::Judge;
use super::slots::Slots;
use super::state::{Flow, Known, Op, Outcome, Path, Verdict};
use crate::manifest::MemoryKind;
use crate::prims::{Delay, Param, SimpleDualPort};

/// The table's parts and wires, with those of a further layer behind them.
macro_rules! single {
    (
        $(#[$about:meta])*
        pub struct $name:ident { $($parts:tt)* }
        made with { $($made:tt)* }
        $hash:tt $hdl_gen:tt
        fn update(&mut $self:ident) { $($wires:tt)* }
    ) => {
        caver! {
            $(#[$about])*
            pub struct $name<DST, FLOW, PORT, PORTS, WALK> {
                hold { path_ram: SimpleDualPort<Bits<DST>, Path<PORT>>, }
                read { compared_path: DFF<Path<PORT>>, }
                compare { path_age_limit: Age, }
                decide {
                    decided_path: DFF<Path<PORT>>,
                    known: DFF<Known>,
                }
                judge { judge: Judge<DST, PORT>, }
                $($parts)*
            }
            made with {
                path_ram: SimpleDualPort::new("path_ram", "path congestion table", MemoryKind::Block),
                $($made)*
            }
            $hash $hdl_gen
            fn update(&mut $self) {
                hold {
                    $self.flow_ram.read_address.next = $self.held.q.val().place;
                    $self.path_ram.clk.next = $self.clk.val();
                    $self.path_ram.read_address.next = $self.held.q.val().dst;
                    $self.in_read.d.next = $self.leaving.val();
                }
                read {
                    dff_setup!($self, clk, compared_path, decided_path);
                    $self.compared_path.d.next = $self.path_ram.read_data.val();
                }
                compare {
                    $self.path_age_limit.now.next = $self.in_compare.q.val().now;
                    $self.path_age_limit.seen.next = $self.compared_path.q.val().seen;
                    $self.path_age_limit.most.next = $self.in_compare.q.val().path_age;
                    $self.known.d.next.path_lives = $self.compared_path.q.val().valid
                        & $self.path_age_limit.is_young.val()
                        & $self.in_compare.q.val().up.get_bit($self.compared_path.q.val().port.index());
                    $self.known.d.next.is_same_port =
                        $self.compared_path.q.val().port == $self.in_compare.q.val().port;
                    $self.decided_flow.d.next = $self.compared_flow.q.val();
                    $self.decided_path.d.next = $self.compared_path.q.val();
                }
                decide {
                    $self.decide.path.next = $self.decided_path.q.val();
                    $self.decide.known.next = $self.known.q.val();
                    $self.writes_flow.d.next = $self.decide.writes_flow.val();
                    $self.written_place.d.next = $self.in_decide.q.val().place;
                    $self.written_flow.d.next = $self.decide.written_flow.val();
                    $self.dre.port.next = $self.decide.verdict.val().port;
                    $self.dre.other_port.next = $self.decided_path.q.val().port;
                }
                judge {
                    // the path table is written, and after reset cleared
                    $self.judge.stored.next = $self.dre.other_congestion.val();
                    $self.path_ram.write_enable.next = $self.judge.writes_path.val() | $self.slots.clears.val();
                    $self.path_ram.write_address.next = $self.in_judge.q.val().dst;
                    $self.path_ram.write_data.next = $self.judge.written_path.val();
                    if $self.slots.clears.val() {
                        $self.path_ram.write_address.next = bit_cast::<DST, WALK>($self.slots.place.val());
                        $self.path_ram.write_data.next = $self.no_path.val();
                    }
                }
                $($wires)*
            }
        }
    };
}

single! {
    /// The `caver` core with `caver.table = single` and `caver.advertise = source`. Its sizes
    /// are fields of [`CaverSizes`](crate::cores::sizes::CaverSizes).
    pub struct Caver {}
    made with {}
    #[hdl_gen]
    fn update(&mut self) {}
}

of_hosts! {
    /// The same with `caver.advertise = round_robin`.
    pub struct CaverOfHosts {}
    #[hdl_gen]
    single fn update(&mut self) {
        self.in_read_joins.d.next = self.joins.q.val() & self.interlock.leaves.val();
        self.in_read_joining.d.next = self.joining.q.val();
    }
}
