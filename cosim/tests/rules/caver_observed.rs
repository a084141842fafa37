//! The properties of CAVER, looked for by an observer of what the engine puts out of random ops.

use std::collections::HashMap;
use std::fmt::Debug;

use respray_cosim::cores::caver::{CaverCore, Knobs};
use respray_cosim::lockstep::device::PortDevice;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::rows::{Device, Layout};
use respray_cosim::lockstep::run::{Given, run};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::{Entries, Event};
use respray_hdl::contract::{Shown as _, Words as _};
use respray_hdl::cores::caver::contract::{ACK, DATA, Op, SET_SHIFT, Shown};
use respray_hdl::cores::generate;

use super::caver::SMALL;
use super::{config, device};

/// Cycles of the run that is observed. No port has its turn in it, and it is over before the time has gone round.
const CYCLES: u64 = 16_000;
const PATH_AGE: u8 = 20;
const FLOW_TIMEOUT: u8 = 12;
const IS_HOST: u64 = 0x000f;

/// Each op that a device took, and what it put out of it, if that is anything.
type History = Vec<(Op, Option<Shown>)>;

/// A device, the ops that it took, and the results that it put out.
struct Recorder {
    device: PortDevice,
    taken: Vec<Op>,
    results: Vec<Shown>,
}

impl Device for Recorder {
    fn layout(&self) -> &Layout {
        self.device.layout()
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        let done = self.device.cycles(inputs, outputs);
        let layout = self.device.layout();
        let rows = inputs.chunks_exact(layout.words.0).zip(outputs.chunks_exact(layout.words.1));
        for (given, shown) in rows.take(done) {
            if given[layout.op_valid] & shown[layout.op_ready] & !given[layout.rst] & 1 != 0 {
                let mut op = Op::default();
                layout.op.iter().enumerate().for_each(|(place, column)| op.set(place, given[*column]));
                self.taken.push(op);
            }
            let result = Shown::seen(|place| shown[layout.shown[place]]);
            self.results.extend(result.res_valid.then_some(result));
        }
        done
    }
}

/// What the Verilog made of random ops, between which time and ports go one way only: what is dead stays dead.
fn history() -> History {
    let config = config(&SMALL);
    let mut knobs = Knobs::new(config.connections);
    for knob in ["ops_per_reset=0", "hot_set=3", "idle_share=0.05"] {
        knobs.set(knob, config.connections).expect("the core has this knob");
    }
    let ops = CaverCore::random(3, &knobs, &config).enumerate().map(|(index, mut entry)| {
        if let Event::Op(op) = &mut entry.event {
            *op = Op {
                now: 100_u8.wrapping_add((index / 64) as u8),
                path_age: PATH_AGE,
                flow_timeout: FLOW_TIMEOUT,
                is_host: IS_HOST,
                up: if index < 3000 { 0xefff } else { 0xedff },
                dre_period: (1 << 24) - 1,
                ..*op
            };
        }
        entry
    });
    let generated = generate("caver", &config).expect("the core is generated");
    let mut recorder =
        Recorder { device: device::<CaverCore>(&generated), taken: Vec::new(), results: Vec::new() };
    let given = Given { entries: Entries::new(ops), expectations: &[], seed: 3 };
    let run = run::<CaverCore, _>(&generated.manifest, &mut recorder, given, CYCLES, &mut |_| {});
    assert!(run.difference.is_none(), "{}", run.difference.unwrap());
    assert!(recorder.taken.len() < 64 * 256, "the time has gone round");
    let mut results = recorder.results.into_iter();
    let has_result = |op: &Op| op.kind == DATA || op.kind == ACK;
    // the last ones are still under way
    recorder
        .taken
        .into_iter()
        .map_while(|op| if has_result(&op) { Some((op, Some(results.next()?))) } else { Some((op, None)) })
        .collect()
}

fn has(mask: u64, port: u8) -> bool {
    mask >> port & 1 != 0
}

/// What a flow entry must hold: tag, destination, route and the time of the last packet.
#[derive(Clone, Copy)]
struct Flow {
    of: (u32, u16),
    route: Option<u32>,
    at: u8,
}

/// The latest report that was taken of a host: its route, the congestion behind its port, its ports and its time.
#[derive(Clone, Copy)]
struct Report {
    route: u32,
    ce: u8,
    len: u8,
    at: u8,
}

/// What an observer knows.
#[derive(Default)]
struct Observer {
    flows: HashMap<u32, Flow>,
    reports: HashMap<u16, Report>,
    sums: [u32; 16],
    /// Set for each port that had its scale changed.
    shifts: HashMap<u8, u8>,
}

/// The two are equal, or the words say what is not.
fn same<T: PartialEq + Debug>(what: &str, seen: T, wanted: T) -> Result<(), String> {
    if seen == wanted { Ok(()) } else { Err(format!("{what}: {seen:?} in place of {wanted:?}")) }
}

impl Observer {
    fn congestion(&self, port: u8) -> u8 {
        let shift = self.shifts.get(&port).copied().unwrap_or(13);
        (self.sums[usize::from(port)] >> shift).min(255) as u8
    }

    /// The report of a host, if it may be used.
    fn report(&self, op: &Op) -> Option<Report> {
        let report = *self.reports.get(&op.dst)?;
        let is_live = op.now.wrapping_sub(report.at) <= PATH_AGE && has(op.up, report.route as u8);
        is_live.then_some(report)
    }

    /// C1, C2 and C6: the flow of an entry that lives goes its way, any other by ECMP; else the entry gets the reported path, if that lives.
    fn first_hop(&mut self, op: &Op, shown: &Shown) -> Result<(), String> {
        let (place, of) = (op.hash % 1024, (op.hash >> 16, op.dst));
        let flow = self.flows.get(&place).copied().filter(|flow| {
            op.now.wrapping_sub(flow.at) <= FLOW_TIMEOUT
                && flow.route.is_none_or(|route| has(op.up, route as u8))
        });
        let (kind, route) = match flow {
            Some(flow) if flow.of == of => (1, flow.route),
            Some(_) => (2, None),
            None => match self.report(op) {
                Some(report) => (3, Some(report.route)),
                None => (4, None),
            },
        };
        same("C1, kind of a packet of a host", shown.res_kind, Some(kind))?;
        same("C1, it has a route", shown.res_enable, Some(route.is_some()))?;
        same("C1, its port", shown.res_port, Some(route.map_or(op.fib_port, |route| route as u8)))?;
        if route.is_some() {
            same("C2, its route", shown.res_path, route)?;
            same("C3, its hop", shown.res_hop, Some(0))?;
        }
        // C7: what collides stores nothing
        if kind != 2 {
            self.flows.insert(place, Flow { of, route, at: op.now });
        }
        Ok(())
    }

    /// C3 and C7: by the route of the shim, if its next port is one between switches; else by ECMP, and nothing is stored.
    fn hop(op: &Op, shown: &Shown) -> Result<(), String> {
        let next = op.path.checked_shr(8 * (u32::from(op.hop) + 1)).map(|path| path as u8);
        let next = next.filter(|port| *port < 16 && !has(IS_HOST, *port));
        let (kind, port) = match (op.enable, next) {
            (false, _) => (4, op.fib_port),
            (true, None) => (6, op.fib_port),
            (true, Some(port)) => (5, port),
        };
        same("C3, kind of a packet between switches", shown.res_kind, Some(kind))?;
        same("C3, its port", shown.res_port, Some(port))?;
        same("C3, it has a route", shown.res_enable, Some(kind == 5))?;
        if kind == 5 {
            same("C3, its hop", shown.res_hop, Some(op.hop + 1))?;
            same("C3, its route", shown.res_path, Some(op.path))?;
        }
        Ok(())
    }

    /// C2, C4, C6 and C7: the better one of two live paths goes on, at most four ports long, with all that is congested of it.
    fn ack(&mut self, op: &Op, shown: &Shown) -> Result<(), String> {
        let own = self.congestion(op.in_port);
        if has(IS_HOST, op.in_port) {
            same("C4, kind of a host's ACK", shown.res_kind, Some(if op.to_local { 8 } else { 9 }))?;
            same("C4, it begins a path", shown.res_enable, Some(!op.to_local))?;
            let begun = (shown.res_ce, shown.res_len, shown.res_path);
            return if op.to_local {
                Ok(())
            } else {
                same("C4, the path", begun, (Some(own), Some(0), Some(u32::MAX)))
            };
        }
        let total = own.max(op.ce);
        let stored = self.report(op);
        let current = stored.map(|report| self.congestion(report.route as u8).max(report.ce));
        let is_same_port = stored.is_some_and(|report| report.route as u8 == op.in_port);
        let is_full = op.len == 3 && !op.to_local;
        let takes = !is_full && (is_same_port || current.is_none_or(|current| total <= current));
        if takes {
            let route = op.path << 8 | u32::from(op.in_port);
            self.reports.insert(op.dst, Report { route, ce: op.ce, len: op.len, at: op.now });
        }
        // the report in place now is the path that goes on, with its length and the congestion of all of it
        let best = self.report(op).filter(|_| !is_full);
        let best = best.or(takes.then(|| self.reports[&op.dst]));
        let refused = is_full || !op.to_local && best.is_some_and(|best| best.len == 3);
        let kind = if refused {
            10
        } else if takes {
            11
        } else {
            12
        };
        same("C7, kind of an ACK", shown.res_kind, Some(kind))?;
        let goes_on = best.filter(|_| !refused && !op.to_local);
        same("C7, a path goes on", shown.res_enable, Some(goes_on.is_some()))?;
        if let Some(best) = goes_on {
            let ce = self.congestion(best.route as u8).max(best.ce);
            same("C2, the path", shown.res_path, Some(best.route))?;
            same("C3, its ports", shown.res_len, Some(best.len + 1))?;
            same("C4, its congestion", shown.res_ce, Some(ce))?;
        }
        Ok(())
    }

    /// An op and what came of it. The sums are what C5 says: bytes of data, by the ports that they left by.
    fn hear(&mut self, op: &Op, shown: Option<&Shown>) -> Result<(), String> {
        let Some(shown) = shown else {
            if op.kind == SET_SHIFT {
                self.shifts.insert(op.port, op.shift);
            }
            return Ok(());
        };
        same("C8, the host", shown.res_dst, Some(op.dst))?;
        if op.kind == ACK {
            return self.ack(op, shown);
        }
        if op.is_local {
            same("C1, a packet for a host at this switch", shown.res_kind, Some(0))?;
            same("C1, its port", (shown.res_port, shown.res_enable), (Some(op.fib_port), Some(false)))?;
        } else if has(IS_HOST, op.in_port) {
            self.first_hop(op, shown)?;
        } else {
            Observer::hop(op, shown)?;
        }
        let sum = &mut self.sums[usize::from(shown.res_port.expect("it is compared"))];
        *sum = (*sum + u32::from(op.bytes)).min((1 << 26) - 1);
        Ok(())
    }
}

/// Looks for what must hold in a history; how often each kind of result came.
fn observed(history: &History) -> Result<[u32; 13], String> {
    let (mut observer, mut kinds) = (Observer::default(), [0; 13]);
    for (number, (op, shown)) in history.iter().enumerate() {
        observer.hear(op, shown.as_ref()).map_err(|what| format!("op {number}, {op:?}: {what}"))?;
        if let Some(kind) = shown.and_then(|shown| shown.res_kind) {
            kinds[usize::from(kind)] += 1;
        }
    }
    Ok(kinds)
}

#[test]
fn the_properties_hold_of_random_ops_and_not_of_results_that_are_changed() {
    let history = history();
    let kinds = observed(&history).unwrap_or_else(|what| panic!("{what}"));
    let reached = |kind: usize| kind == 7 || kinds[kind] >= 20;
    assert!((0..13).all(reached), "{kinds:?}");

    /// A result, of these kinds, that is changed.
    type Change = (&'static str, &'static [u8], fn(&mut Shown));
    let changes: [Change; 16] = [
        ("C1, kind", &[1], |shown| shown.res_kind = Some(3)),
        ("C1, kind", &[2], |shown| shown.res_kind = Some(4)),
        ("C1, kind", &[3], |shown| shown.res_kind = Some(1)),
        ("C1, kind", &[4], |shown| shown.res_kind = Some(1)),
        ("C1, its port", &[0, 2], |shown| shown.res_port = shown.res_port.map(|port| port ^ 1)),
        ("C2, its route", &[1, 3], |shown| shown.res_path = shown.res_path.map(|path| path ^ 0x100)),
        ("C2, the path", &[11, 12], |shown| shown.res_path = shown.res_path.map(|path| path ^ 1 << 31)),
        ("C3, its hop", &[5], |shown| shown.res_hop = shown.res_hop.map(|hop| hop - 1)),
        ("C3, its port", &[5, 6], |shown| shown.res_port = shown.res_port.map(|port| port ^ 8)),
        ("C3, kind", &[5], |shown| shown.res_kind = Some(6)),
        ("C3, its ports", &[11, 12], |shown| shown.res_len = shown.res_len.map(|len| len ^ 1)),
        ("C4, the path", &[9], |shown| shown.res_ce = shown.res_ce.map(|ce| ce ^ 1)),
        ("C4, its congestion", &[11, 12], |shown| shown.res_ce = shown.res_ce.map(|ce| ce ^ 1)),
        ("C7, kind of an ACK", &[11], |shown| shown.res_kind = Some(12)),
        ("C7, kind of an ACK", &[12], |shown| shown.res_kind = Some(11)),
        ("C7, kind of an ACK", &[10], |shown| shown.res_kind = Some(12)),
    ];
    for (property, of, change) in changes {
        // the middle one of those that show what is changed
        let shows_all = |op: &Op, shown: &Shown| {
            let kind = shown.res_kind.expect("a result has a kind");
            let is_from_host = has(IS_HOST, op.in_port);
            of.contains(&kind)
                && (kind != 4 || is_from_host)
                && (property != "C2, its route" || shown.res_enable == Some(true))
                && (!matches!(kind, 11 | 12) || property.starts_with("C7") || !op.to_local)
        };
        let found = history
            .iter()
            .enumerate()
            .filter(|(_, (op, shown))| shown.as_ref().is_some_and(|shown| shows_all(op, shown)));
        let found: Vec<usize> = found.map(|(number, _)| number).collect();
        let number = found[found.len() / 2];
        let mut changed = history.clone();
        change(changed[number].1.as_mut().expect("it has a result"));
        let said = observed(&changed).expect_err(property);
        let begins = format!("op {number}, ");
        assert!(said.starts_with(&begins) && said.contains(property), "{property}: {said}");
    }
}
