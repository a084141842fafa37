//! A device made of a second golden engine and a plain state machine, with faults to order.

use std::collections::{BTreeMap, VecDeque};

use respray_cosim::cores::sack_rx::params;
use respray_cosim::cores::sack_tx::{SackTxCore, inputs, kind};
use respray_cosim::lockstep::op_core::{Inputs, OpCore};
use respray_golden::sack_tx::{self, Class, OpKind, Rule, SackTx, Status};
use respray_hdl::config::Config;
use respray_hdl::cores::sack_tx::contract::{Op, Shown};
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;

use super::{Fake, Flip};

/// Clock edges from reset to `op_ready`.
pub const CLEARING: u32 = 19;

/// The manifest of the core, with the fake's cycles: every formula with its own numbers.
pub fn manifest(config: &Config) -> Manifest {
    let times = |sack: Cycles, next_rtx: Cycles, rest: [(&str, u32); 5]| -> BTreeMap<String, Cycles> {
        let rest = rest.map(|(class, cycles)| (class.to_string(), cycles.into()));
        rest.into_iter().chain([("sack".to_string(), sack), ("next_rtx".to_string(), next_rtx)]).collect()
    };
    let sack = |base| Cycles {
        base,
        growth: vec![(3, "cum_segments".to_string()), (1, "base_segment".to_string())],
    };
    let mut manifest = SackTxCore::CONTRACT.manifest(config);
    manifest.latency_cycles = times(
        sack(10),
        Cycles::growing(6, 2, "search_segments"),
        [("sent", 5), ("sack_refused", 9), ("read", 4), ("close", 4), ("visit", 6)],
    );
    manifest.initiation_interval_cycles = times(
        sack(9),
        Cycles::growing(5, 2, "search_segments"),
        [("sent", 4), ("sack_refused", 8), ("read", 3), ("close", 3), ("visit", 5)],
    );
    manifest.initiation_interval_cycles.insert("init".to_string(), 70.into());
    manifest.reset_cycles = CLEARING;
    manifest
}

/// What is wrong with a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    Bit(Flip),
    /// The walker is forced to visit after so many ops in a row.
    OpsInARow(u32),
    /// A forced visit shows `op_ready` for a cycle.
    ForcedReady,
    /// The walker stays where it is when a visit is forced.
    WalkerStays,
    /// Reset leaves the walker where it is.
    WalkerKept,
    /// A visit takes its settings a cycle early.
    StaleSettings,
    /// A SACK that advances by a segment takes a cycle less than it says.
    EarlySack,
    /// PSNs of SACKs are compared without their wrap.
    NoWrap,
    /// An init leaves what the connection has in the air.
    InitKeepsBytes,
}

/// The state of the device.
struct Scoreboard {
    golden: SackTx,
    fault: Fault,
    wait: u32,
    row: u32,
    walk: u16,
    reset: bool,
    cycle: u64,
    /// When, and what.
    leaving: VecDeque<(u64, Shown)>,
    last: sack_tx::Inputs,
    connections: u32,
}

/// A device of `sack_tx` with this fault.
pub fn device(
    config: &Config,
    fault: Fault,
) -> Fake<SackTxCore, impl FnMut(&Inputs<Op>) -> (bool, Shown) + use<>> {
    let mut scoreboard = Scoreboard {
        golden: SackTx::new(params(config)),
        fault,
        wait: 7,
        row: 3,
        walk: 5,
        reset: false,
        cycle: 0,
        leaving: VecDeque::new(),
        last: sack_tx::Inputs::default(),
        connections: config.connections,
    };
    let flip = if let Fault::Bit(flip) = fault { Some(flip) } else { None };
    Fake::new(config, move |inputs: &Inputs<Op>| scoreboard.cycle(inputs)).with_flip(flip)
}

impl Scoreboard {
    fn limit(&self) -> u32 {
        if let Fault::OpsInARow(limit) = self.fault { limit } else { 16 }
    }

    fn begin(&mut self, kind: OpKind, conn: u16, mut inputs: sack_tx::Inputs) {
        if kind == OpKind::Visit && self.fault == Fault::StaleSettings {
            inputs = self.last;
        }
        let kept = self.golden.connection(conn).bytes_flight;
        let mut op = sack_tx::Op { kind, conn, inputs };
        if let (OpKind::Sack(sack), Fault::NoWrap) = (&mut op.kind, self.fault)
            && sack.epsn < self.golden.connection(conn).snd_una
        {
            sack.epsn = self.golden.params().psns.sub(self.golden.connection(conn).snd_una, 1);
        }
        let outcome = self.golden.apply(&op);
        if matches!(kind, OpKind::Init { .. }) && self.fault == Fault::InitKeepsBytes && kept > 0 {
            let OpKind::Init { psn } = kind else { unreachable!() };
            self.golden.apply(&sack_tx::Op { kind: OpKind::Sent { psn, bytes: 1 }, conn, inputs });
        }
        let (latency, interval) = match outcome.class {
            Class::Init => (0, 70),
            Class::Sent => (5, 4),
            Class::SackRefused => (9, 8),
            Class::Read | Class::Close => (4, 3),
            Class::Visit => (6, 5),
            Class::NextRtx { search_segments } => (6 + 2 * search_segments, 5 + 2 * search_segments),
            Class::Sack { cum_segments, base_segment } => {
                let more = 3 * cum_segments + base_segment;
                let early = u32::from(self.fault == Fault::EarlySack && cum_segments == 1);
                (10 + more - early, 9 + more)
            }
        };
        self.wait = interval - 1;
        if outcome.class == Class::Init {
            return;
        }
        let valid = outcome.status.is_some();
        let is_sack = matches!(outcome.class, Class::Sack { .. } | Class::SackRefused);
        let shown = Shown {
            res_valid: valid,
            res_conn: Some(conn),
            res_status: outcome.status.map(Status::code),
            res_psn: outcome.psn,
            res_snd_nxt: outcome.snd_nxt,
            res_acked: is_sack.then_some(outcome.acked),
            res_in_flight: valid.then_some(outcome.in_flight),
            res_bytes_in_flight: valid.then_some(outcome.in_flight_bytes),
            res_bytes_acked: outcome.acked_bytes,
            res_in_recovery: valid.then_some(outcome.in_recovery),
            res_rtt_valid: outcome.rtt.is_some(),
            res_rtt: outcome.rtt,
            loss_ooo: outcome.loss == Some(Rule::Ooo),
            loss_probe: outcome.loss == Some(Rule::Probe),
            loss_timeout: outcome.loss == Some(Rule::Timeout),
            probe_due: outcome.probe_due,
            recovery_left: outcome.recovery_left,
        };
        self.leaving.push_back((self.cycle + u64::from(latency), shown));
    }

    fn cycle(&mut self, given: &Inputs<Op>) -> (bool, Shown) {
        let forced = self.wait == 0 && self.row == self.limit();
        let ready = self.wait == 0 && (!forced || self.fault == Fault::ForcedReady);
        let mut shown = Shown::default();
        if self.leaving.front().is_some_and(|(at, _)| *at == self.cycle) {
            shown = self.leaving.pop_front().map_or(shown, |(_, shown)| shown);
        }
        shown.res_valid |= !self.reset;
        let seen = (ready && self.reset, shown);
        let op = &given.op;
        if given.rst {
            self.golden.reset();
            self.leaving.clear();
            (self.wait, self.row) = (CLEARING, 0);
            if self.fault != Fault::WalkerKept || !self.reset {
                self.walk = 0;
            }
            self.reset = true;
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if given.op_valid && !forced {
            self.row += 1;
            self.begin(kind(op), op.conn, inputs(op));
        } else {
            let conn = self.walk;
            if !(forced && self.fault == Fault::WalkerStays) {
                self.walk = (self.walk + 1) % self.connections as u16;
            }
            self.row = 0;
            self.begin(OpKind::Visit, conn, inputs(op));
        }
        self.last = inputs(op);
        self.cycle += 1;
        seen
    }
}
