//! The core as Verilog in a network of CAVER switches, its golden model beside it.

use respray_golden::caver::{self, AckShim, DataShim, Engine, Kind, OpKind, Outcome, Settings};
use respray_golden::fabric_tor::Switch;
use respray_hdl::config::PathTable;
use respray_hdl::cores::caver::contract::{CONTRACT, Op, SLOTS, Shown, places};
use respray_hdl::manifest::Generated;

use super::params;
use crate::lockstep::single::Single;
use crate::verilator::ModelError;

/// A period in which no port's turn comes, unless the network rests: an edge more than the port's `dre_period`.
const NO_PERIOD: u32 = (1 << 24) - 1;

/// The core with one path a destination, each of whose results is held against that of its golden model.
///
/// The model's ports lose their shares when the network rests, and only then. So `dre_period` is as long as can be, but for a rest, in
/// which exactly one turn of each port begins: the core counts edges from reset on, and so does this.
pub struct VerilogSwitch {
    core: Single,
    golden: Engine,
    ports: u32,
    /// Cycles in which the walker comes to every place.
    round: u32,
    /// Edges since a port's turn began.
    edges: u32,
}

impl VerilogSwitch {
    /// The core behind its reset. The Verilog is compiled for long runs or for short ones.
    ///
    /// # Errors
    /// [`ModelError`] if its model cannot be built.
    ///
    /// # Panics
    /// With an entry for each uplink: in what order the core's own slots look at the uplinks is not that of a rest of the model.
    pub fn new(core: &Generated, is_long: bool) -> Result<Self, ModelError> {
        let config = &core.manifest.config;
        assert_eq!(config.caver.table, PathTable::Single, "the network has one path a destination");
        let mut switch = VerilogSwitch {
            core: Single::new(core, &CONTRACT, 0, is_long)?,
            golden: Engine::new(params(config)),
            ports: config.caver.ports,
            round: SLOTS * places(config),
            edges: 0,
        };
        let idle = Op { dre_period: NO_PERIOD, ..Op::default() };
        switch.core.put(&idle, false);
        while !switch.edge(NO_PERIOD).0 {}
        Ok(switch)
    }

    /// The golden model beside it.
    pub fn golden(&self) -> &Engine {
        &self.golden
    }

    /// An edge with what stands at the inputs, and this period there; `op_ready`, and whether a port's turn began.
    fn edge(&mut self, dre_period: u32) -> (bool, bool) {
        self.edges += 1;
        let begins = self.edges >= dre_period / self.ports;
        if begins {
            self.edges = 0;
        }
        (self.core.clock(), begins)
    }

    /// Edges at which nothing but the core's own slots happens, until so many turns of ports have begun, and then so many more.
    fn idle(&mut self, op: &Op, turns: u32, more: u32) {
        let period = op.dre_period;
        self.core.put(op, false);
        let mut begun = 0;
        while begun < turns {
            begun += u32::from(self.edge(period).1);
        }
        self.core.put(&Op { dre_period: NO_PERIOD, ..*op }, false);
        for _ in 0..more {
            assert!(!self.edge(NO_PERIOD).1, "a port's turn came by itself: let the network rest more often");
        }
    }
}

impl Switch for VerilogSwitch {
    fn apply(&mut self, op: &caver::Op) -> Outcome {
        let expected = self.golden.apply(op);
        self.core.put(&at_ports(op), true);
        loop {
            let (is_ready, begins) = self.edge(NO_PERIOD);
            assert!(!begins, "a port's turn came by itself: let the network rest more often");
            if is_ready {
                break;
            }
        }
        self.core.put(&at_ports(op), false);
        if expected == Outcome::Nothing {
            return expected;
        }
        loop {
            self.edge(NO_PERIOD);
            let seen = self.core.seen::<Shown>();
            if seen.res_valid {
                let outcome = outcome(&seen);
                assert_eq!(outcome, expected, "{op:?}");
                return outcome;
            }
        }
    }

    fn rest(&mut self, now: u8, settings: &Settings) {
        self.golden.rest(now, settings);
        let op = at_ports(&caver::Op { now, settings: *settings, ..caver::Op::default() });
        // the shortest period that leaves a slot in two to the walker
        self.idle(&Op { dre_period: 2 * SLOTS * self.ports, ..op }, self.ports, self.round);
    }
}

/// An op as it stands at the ports.
fn at_ports(op: &caver::Op) -> Op {
    assert!(!matches!(op.kind, OpKind::Visit | OpKind::Decay), "the core's own ops are not at its ports");
    let Settings { path_age, flow_timeout, is_host, up, dre_alpha } = op.settings;
    Op {
        kind: op.kind as u8,
        dst: op.dst,
        in_port: op.in_port,
        hash: op.hash,
        bytes: op.bytes,
        is_local: op.is_local,
        fib_port: op.fib_port,
        enable: op.enable,
        hop: op.hop,
        path: op.path,
        ce: op.ce,
        len: op.len,
        to_local: op.to_local,
        port: op.port,
        shift: op.shift,
        now: op.now,
        path_age,
        flow_timeout,
        is_host,
        up,
        dre_period: NO_PERIOD,
        dre_alpha,
    }
}

/// An outcome as the outputs show it.
fn outcome(shown: &Shown) -> Outcome {
    let kind =
        Kind::ALL.into_iter().find(|kind| Some(kind.code()) == shown.res_kind).expect("a code of a result");
    let (enable, hop, path) = (shown.res_enable == Some(true), shown.res_hop, shown.res_path);
    let of_ports = "the core has this port";
    if kind.code() < Kind::Pass.code() {
        let shim = enable.then(|| DataShim { hop: hop.expect(of_ports), path: path.expect(of_ports) });
        return Outcome::Data { kind, port: shown.res_port.expect(of_ports), shim };
    }
    let shim = enable.then(|| AckShim {
        dst: shown.res_dst.expect(of_ports),
        ce: shown.res_ce.expect(of_ports),
        len: shown.res_len.expect(of_ports),
        path: path.expect(of_ports),
    });
    Outcome::Ack { kind, shim }
}
