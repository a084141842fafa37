//! CAVER in a switch.

mod listener;
mod random;
mod slots;
mod switch;

use respray_golden::caver::{
    self, AckShim, Advertise, DataShim, Engine, Kind, OpKind, Outcome, Params, Table,
};
use respray_golden::dre::SUM_MAX;
use respray_hdl::config::{self, Config};
use respray_hdl::contract::Contract;
use respray_hdl::cores::caver::contract::{CONTRACT, Class, Op, Shown, places};

pub use self::listener::CaverListener;
pub use self::random::{Knobs, RandomOps};
use self::slots::{Own, Slots};
pub use self::switch::VerilogSwitch;
use crate::lockstep::op_core::{Effect, NO_ENTRY, OpCore, Recorded, Shares, Taken, Turn, counts};
use crate::traffic::recording::Recording;

counts! {
    /// What came of the ops.
    pub struct Counts {
        deliver,
        same,
        collided,
        new,
        ecmp,
        routed,
        bad_route,
        pass,
        advertised,
        refused,
        took,
        kept,
        /// Data packets after which the sum of their port is as large as it can be.
        saturated,
        set_shifts,
        /// Hosts that are given to the core for its list, and ACKs that speak of another host than the one that they come from.
        hosts,
        of_others,
        decays,
        visits,
    }
}

/// The golden side of the core `caver`.
pub struct CaverCore {
    golden: Engine,
    slots: Slots,
    /// What the walker or a port's turn does, if that is the latest slot.
    own: Option<Own>,
    /// Of the settings the one that is looked at in every cycle, as [`OpCore::samples`] has it.
    period: u64,
    shares: Shares,
    flows: u32,
    destinations: u32,
    counts: Counts,
}

/// The golden engine's parameters in a configuration.
pub fn params(config: &Config) -> Params {
    let caver = &config.caver;
    Params {
        destinations: caver.destinations,
        ports: caver.ports,
        flows: caver.flows,
        table: match caver.table {
            config::PathTable::Single => Table::Single,
            config::PathTable::PerPort => Table::PerPort,
        },
        advertise: match caver.advertise {
            config::Advertise::Source => Advertise::Source,
            config::Advertise::RoundRobin => Advertise::RoundRobin,
        },
    }
}

/// An op as the golden model has it.
#[inline(always)]
pub fn golden_op(op: &Op) -> caver::Op {
    caver::Op {
        kind: OpKind::from_code(op.kind),
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
        settings: caver::Settings {
            path_age: op.path_age,
            flow_timeout: op.flow_timeout,
            is_host: op.is_host,
            up: op.up,
            dre_alpha: op.dre_alpha,
        },
    }
}

/// What the outputs show of an outcome, if they show any.
#[inline(always)]
fn shown(dst: u16, outcome: &Outcome) -> Option<Shown> {
    let of_all = |kind: Kind, enable: bool| Shown {
        res_valid: true,
        res_dst: Some(dst),
        res_kind: Some(kind.code()),
        res_enable: Some(enable),
        ..Shown::default()
    };
    match *outcome {
        Outcome::Nothing => None,
        Outcome::Data { kind, port, shim } => Some(Shown {
            res_port: Some(port),
            res_hop: shim.map(|DataShim { hop, .. }| hop),
            res_path: shim.map(|DataShim { path, .. }| path),
            ..of_all(kind, shim.is_some())
        }),
        Outcome::Ack { kind, shim } => Some(Shown {
            res_dst: Some(shim.map_or(dst, |AckShim { dst, .. }| dst)),
            res_path: shim.map(|AckShim { path, .. }| path),
            res_ce: shim.map(|AckShim { ce, .. }| ce),
            res_len: shim.map(|AckShim { len, .. }| len),
            ..of_all(kind, shim.is_some())
        }),
    }
}

impl CaverCore {
    #[inline(always)]
    fn count(&mut self, dst: u16, outcome: &Outcome) {
        let counts = &mut self.counts;
        let (Outcome::Data { kind, .. } | Outcome::Ack { kind, .. }) = *outcome else { return };
        *match kind {
            Kind::Deliver => &mut counts.deliver,
            Kind::Same => &mut counts.same,
            Kind::Collided => &mut counts.collided,
            Kind::New => &mut counts.new,
            Kind::Ecmp => &mut counts.ecmp,
            Kind::Routed => &mut counts.routed,
            Kind::BadRoute => &mut counts.bad_route,
            Kind::Pass => &mut counts.pass,
            Kind::Advertised => &mut counts.advertised,
            Kind::Refused => &mut counts.refused,
            Kind::Took => &mut counts.took,
            Kind::Kept => &mut counts.kept,
        } += 1;
        match *outcome {
            Outcome::Data { port, .. } => counts.saturated += u64::from(self.golden.dre(port) == SUM_MAX),
            Outcome::Ack { shim: Some(shim), .. } => counts.of_others += u64::from(shim.dst != dst),
            _ => {}
        }
    }

    /// Number of an entry of the flow table, and of one of the path table, among the entries of both.
    #[inline(always)]
    fn shared(&self, flow: u32, dst: u32) -> [usize; 2] {
        [(flow % self.flows) as usize, (self.flows + dst % self.destinations) as usize]
    }
}

impl OpCore for CaverCore {
    const CONTRACT: &'static Contract = &CONTRACT;
    type Op = Op;
    type Shown = Shown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = CaverListener;

    fn new(config: &Config) -> Self {
        let params = params(config);
        CaverCore {
            golden: Engine::new(params),
            slots: Slots::new(params.ports, places(config)),
            own: None,
            period: 1 << Self::CONTRACT.setting_at("dre_period"),
            shares: Shares::NOTHING,
            flows: params.flows,
            destinations: params.destinations,
            counts: Counts::default(),
        }
    }

    fn reset(&mut self, _: u16) {
        self.golden.reset();
        self.slots.reset();
    }

    fn entries(config: &Config) -> usize {
        (config.caver.flows + config.caver.destinations) as usize
    }

    #[inline(always)]
    fn shares(&self, _: usize) -> Shares {
        self.shares
    }

    #[inline(always)]
    fn edge(&mut self, inputs: &Op) {
        self.slots.edge(inputs.dre_period);
    }

    #[inline(always)]
    fn apply(&mut self, op: &Op) -> Effect<Shown> {
        let golden = golden_op(op);
        let outcome = self.golden.apply(&golden);
        self.count(op.dst, &outcome);
        let [flow, path] = self.shared(op.hash, op.dst.into());
        let class = match golden.kind {
            OpKind::Data => {
                // data reads its path entry, and changes its flow entry alone
                self.shares = Shares { uses: [flow, path], changes: [flow, NO_ENTRY] };
                Class::Data
            }
            OpKind::Ack => {
                self.shares = Shares::of(path);
                Class::Ack
            }
            _ => {
                self.counts.set_shifts += u64::from(golden.kind == OpKind::SetShift);
                self.counts.hosts += u64::from(golden.kind == OpKind::Host);
                self.shares = Shares::NOTHING;
                Class::Other
            }
        };
        Effect { shown: shown(op.dst, &outcome), class: class as usize, counts: [0; 3] }
    }

    #[inline(always)]
    fn takes_ops(&self) -> bool {
        self.slots.is_ops()
    }

    #[inline(always)]
    fn turn(&mut self, is_offered: bool) -> Turn {
        self.own = self.slots.turn();
        match self.own {
            Some(Own::Decay(port)) => Turn::Visit(port.into()),
            Some(Own::Visit(place)) => Turn::Visit(place),
            None if is_offered => Turn::Op,
            None => Turn::Nothing,
        }
    }

    #[inline(always)]
    fn visit(&mut self, _: u16, inputs: &Op) -> Effect<Shown> {
        let op = golden_op(inputs);
        let class = match self.own {
            Some(Own::Decay(port)) => {
                self.golden.apply(&caver::Op { kind: OpKind::Decay, port, ..op });
                self.counts.decays += 1;
                self.shares = Shares::NOTHING;
                Class::Decay
            }
            Some(Own::Visit(place)) => {
                self.golden.apply(&caver::Op { kind: OpKind::Visit, dst: place, ..op });
                self.counts.visits += 1;
                let entries = self.shared(place.into(), place.into());
                self.shares = Shares { uses: entries, changes: entries };
                Class::Visit
            }
            None => unreachable!("a slot of the core's own has something to do"),
        };
        Effect { shown: None, class: class as usize, counts: [0; 3] }
    }

    #[inline(always)]
    fn samples(&self, is_free: bool) -> u64 {
        if is_free && !self.slots.is_ops() { u64::MAX } else { self.period }
    }

    fn named_by_state(&self, op: &Op) -> Option<u32> {
        Some(self.golden.path(op.dst).port.into())
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, config)
    }

    fn recorded(recording: &Recording) -> Recorded {
        Recorded { local: Some(recording.local), ..Recorded::default() }
    }

    fn counts(&self, taken: &Taken) -> Vec<(&'static str, u64)> {
        let mut counts = vec![("ops", taken.ops), ("waits", taken.waits)];
        counts.extend(self.counts.named());
        counts.push(("reset_edges", taken.reset_edges));
        counts
    }

    fn summary(&self, taken: &Taken, cycles: u64, _: bool) -> Vec<String> {
        let Counts { same, new, ecmp, collided, routed, bad_route, took, kept, advertised, refused, .. } =
            self.counts;
        vec![format!(
            "{} ops in {cycles} cycles, {} waited: {new} flows get a path, {same} packets follow, {collided} collide, {ecmp} go by ECMP, {routed} \
             by a route, {bad_route} with a bad one; of the ACKs {advertised} begin a path, {took} bring a better one, {kept} a worse one, \
             {refused} are refused",
            taken.ops, taken.waits
        )]
    }
}
