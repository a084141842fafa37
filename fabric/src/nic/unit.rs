//! An engine of the transport in the loop: its Verilog, its golden model, or both.
//!
//! Ops of a connection go one after the other. An op whose result the network acts on is waited for. Where the network
//! knows what the result must be, the op goes behind the next one of another connection, and its result is looked at
//! when it comes.
//!
//! `sack_tx` gives itself ops, the visits of its walker. A visit that the network does not ask for must change nothing,
//! as engine cycles are no time of the network. So every op has the longest of all timeouts at the settings that visits
//! alone look at, and only the visit that is asked for has the true ones: [`super::Settings`] refuses timers with which
//! so long a timeout could pass.

use std::collections::VecDeque;
use std::path::Path;

use respray_cosim::cores::sack_tx::walker::Walker;
use respray_cosim::lockstep::op_core::{OpCore, Turn};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::stimulus::{Entry, Event};
use respray_hdl::contract::{Shown, Words};

use crate::engine::verilog::{PATIENCE, Verilog};
use crate::engine::{Difference, Kind, Maker};
use crate::error::FabricError;

/// The engine.
pub(super) struct Unit<C: OpCore> {
    golden: Option<C>,
    verilog: Option<Verilog>,
    walks: Option<Walks>,
    /// Place of `res_valid` among what the outputs show, and its column.
    res_valid: (usize, usize),
    /// Results that are to come, and what they must be where that is known.
    owed: VecDeque<Option<C::Shown>>,
    /// Ops whose result is known, which go behind the next op of another connection, so that the engine is never free in
    /// between: what is free visits, and nothing is taken meanwhile. They go with the time at which they go, as a visit
    /// that sees an earlier time takes it for one that has gone round.
    held: VecDeque<(C::Op, C::Shown)>,
    /// Results that came, and the number of the one that is waited for, with what it showed.
    answered: u64,
    wanted: u64,
    seen: C::Shown,
    /// Place of the time among the fields of an op, and the time of the latest one.
    now: (usize, u64),
    pub ops: u64,
    pub edges: u64,
    entries: Option<Vec<Entry<C::Op>>>,
    /// Edges without an op since the latest one.
    idle: u32,
    pub difference: Option<Difference>,
}

/// The walker of `sack_tx`, followed from outside.
struct Walks {
    walker: Walker,
    /// Connection that it visits next.
    next: u16,
    connections: u16,
    /// A visit is forced that has not begun.
    is_forced: bool,
    /// Edges from the beginning of a visit to its events.
    latency: u32,
    /// Columns of the settings that visits alone look at.
    masked: [usize; 2],
}

impl Walks {
    /// The engine is free at an edge, or takes an op at it.
    fn turn(&mut self, takes_op: bool) {
        self.is_forced = false;
        if let Turn::Visit(_) = self.walker.turn(takes_op) {
            self.next = (self.next + 1) % self.connections;
        }
        if self.walker.is_forced() {
            self.walker.turn(false);
            self.next = (self.next + 1) % self.connections;
            self.is_forced = true;
        }
    }
}

/// Inputs of `sack_tx` that visits alone look at, and their value for all but the visits that are asked for.
pub(super) const MASKED: [&str; 2] = ["probe_timeout", "rto"];
pub(super) const MASK: u16 = u16::MAX;

impl<C: OpCore> Unit<C> {
    /// Behind its reset, before about so many ops.
    pub fn new(maker: &Maker, ops: u64) -> Result<Self, FabricError> {
        let (contract, manifest) = (C::CONTRACT, &maker.generated.manifest);
        let place = contract.shown_fields().position(|field| field.port == "res_valid");
        let golden = (maker.kind != Kind::Rtl).then(|| {
            let mut core = C::new(&manifest.config);
            core.reset(SEED);
            core
        });
        let mut edges = 0;
        let verilog = match maker.kind {
            Kind::Golden => None,
            Kind::Rtl | Kind::Both => Some(Verilog::reset::<C>(maker, SEED, ops * EDGES_OF_OP, &mut edges)?),
        };
        let place = place.expect("an engine of the transport has results");
        let column = verilog.as_ref().map_or(0, |verilog| verilog.layout.shown[place]);
        let mut unit = Unit {
            golden,
            verilog,
            walks: None,
            res_valid: (place, column),
            owed: VecDeque::new(),
            held: VecDeque::new(),
            answered: 0,
            wanted: 0,
            now: (contract.op_fields().position(|field| field.port == "now").unwrap_or(usize::MAX), 0),
            seen: C::Shown::default(),
            ops: 0,
            edges,
            entries: (maker.kind == Kind::Both).then(Vec::new),
            idle: 0,
            difference: None,
        };
        let visit = manifest.latency_cycles.get("visit");
        if let (Some(visit), Some(verilog)) = (visit, &mut unit.verilog) {
            let column = |name: &str| {
                let place = contract.op_fields().position(|field| field.port == name);
                verilog.layout.op[place.expect("a visit has its settings")]
            };
            let mut walks = Walks {
                walker: Walker::new(manifest.config.connections),
                next: 0,
                connections: manifest.config.connections as u16,
                is_forced: false,
                latency: visit.fixed().expect("a visit takes a fixed time"),
                masked: MASKED.map(column),
            };
            // at the last edge of the reset it was free
            walks.turn(false);
            walks.masked.iter().for_each(|column| verilog.inputs[*column] = MASK.into());
            unit.walks = Some(walks);
        }
        Ok(unit)
    }

    /// One edge; whether it takes the op on offer.
    #[inline]
    fn edge(&mut self, is_offered: bool) -> Result<bool, FabricError> {
        let verilog = self.verilog.as_mut().expect("it has Verilog");
        verilog.clock_still(&mut self.edges)?;
        let is_ready = verilog.is_ready();
        if is_ready && let Some(walks) = &mut self.walks {
            walks.turn(is_offered);
        }
        if verilog.outputs[self.res_valid.1] != 0 {
            let shown = &verilog.layout.shown;
            let outputs = &verilog.outputs;
            let seen = C::Shown::seen(|place| shown.get(place).map_or(0, |column| outputs[*column]));
            if let Some(Some(owed)) = self.owed.pop_front() {
                self.compare(&owed, &seen);
            }
            self.answered += 1;
            if self.answered == self.wanted {
                self.seen = seen;
            }
        }
        self.idle += u32::from(!is_offered);
        Ok(is_offered && is_ready)
    }

    /// What is promised must be seen.
    fn compare(&mut self, owed: &C::Shown, seen: &C::Shown) {
        if self.difference.is_some() {
            return;
        }
        let mut words = [0; 64];
        seen.each(|place, word, _| words[place] = word);
        owed.each(|place, word, is_promised| {
            if is_promised && words[place] != word && self.difference.is_none() {
                let port = C::CONTRACT.shown_fields().nth(place).map_or("", |field| field.port);
                let (ops, core) = (self.ops, C::CONTRACT.core);
                self.difference =
                    Some(Difference::Port { core, ops, port, golden: word, seen: words[place] });
            }
        });
    }

    fn keep(&mut self, op: &C::Op) {
        self.ops += 1;
        if let Some(entries) = &mut self.entries {
            entries.push(Entry { idle: std::mem::take(&mut self.idle), event: Event::Op(*op), expect: 0 });
        }
    }

    /// Gives the Verilog an op.
    #[inline]
    fn issue(&mut self, op: &C::Op) -> Result<(), FabricError> {
        let verilog = self.verilog.as_mut().expect("it has Verilog");
        verilog.inputs[verilog.layout.op_valid] = 1;
        op.each(|place, word| verilog.inputs[verilog.layout.op[place]] = word);
        for _ in 0..PATIENCE {
            if self.edge(true)? {
                let verilog = self.verilog.as_mut().expect("it has Verilog");
                verilog.inputs[verilog.layout.op_valid] = 0;
                verilog.stir(self.edges);
                return Ok(());
            }
        }
        Err(self.dead("it takes no op"))
    }

    fn dead(&self, reason: &str) -> FabricError {
        self.verilog.as_ref().expect("it has Verilog").stopped(self.edges, reason)
    }

    /// Waits until every result has come that is owed.
    fn settle(&mut self) -> Result<(), FabricError> {
        for _ in 0..PATIENCE {
            if self.owed.is_empty() {
                return Ok(());
            }
            self.edge(false)?;
        }
        Err(self.dead("it answers an op with nothing"))
    }

    /// An op comes at its time.
    fn advance(&mut self, op: &C::Op) {
        if self.now.0 != usize::MAX {
            self.now.1 = op.get(self.now.0);
        }
    }

    /// The held ops of a connection go, and those that were held before them.
    fn release(&mut self, connection: u32) -> Result<(), FabricError> {
        while self.held.iter().any(|(op, _)| op.connection() == connection) {
            self.release_first()?;
        }
        Ok(())
    }

    fn release_first(&mut self) -> Result<(), FabricError> {
        let Some((mut op, result)) = self.held.pop_front() else { return Ok(()) };
        if self.verilog.is_some() && self.now.0 != usize::MAX {
            op.set(self.now.0, self.now.1);
        }
        self.keep(&op);
        if let Some(golden) = &mut self.golden {
            let shown = golden.apply(&op).shown.unwrap_or_default();
            self.compare(&result, &shown);
        }
        if self.verilog.is_some() {
            self.issue(&op)?;
            self.owed.push_back(Some(result));
        }
        Ok(())
    }

    /// An op, and its result.
    pub fn op(&mut self, op: &C::Op) -> Result<C::Shown, FabricError> {
        self.advance(op);
        self.release(op.connection())?;
        self.keep(op);
        let golden = self.golden.as_mut().map(|golden| golden.apply(op).shown.unwrap_or_default());
        if self.verilog.is_none() {
            return Ok(golden.expect("there is a golden model where there is no Verilog"));
        }
        self.issue(op)?;
        self.owed.push_back(golden);
        self.wanted = self.answered + self.owed.len() as u64;
        self.release_first()?;
        for _ in 0..PATIENCE {
            if self.answered >= self.wanted {
                return Ok(self.seen);
            }
            self.edge(false)?;
        }
        Err(self.dead("it answers an op with nothing"))
    }

    /// An op without a result.
    pub fn tell(&mut self, op: &C::Op) -> Result<(), FabricError> {
        self.advance(op);
        self.release(op.connection())?;
        self.keep(op);
        if let Some(golden) = &mut self.golden {
            golden.apply(op);
        }
        if self.verilog.is_some() { self.issue(op) } else { Ok(()) }
    }

    /// An op whose result is known; it is a difference if another one comes. `may_wait`: it does the same at a later time.
    pub fn post(&mut self, op: &C::Op, result: C::Shown, may_wait: bool) -> Result<(), FabricError> {
        self.held.push_back((*op, result));
        match self.verilog {
            Some(_) if may_wait && self.held.len() <= MOST_HELD => Ok(()),
            Some(_) => {
                self.advance(op);
                self.release(op.connection())
            }
            None => self.release_first(),
        }
    }

    /// The walker visits a connection with the settings of an op.
    pub fn visit(&mut self, conn: u16, op: &C::Op) -> Result<C::Shown, FabricError> {
        self.advance(op);
        while !self.held.is_empty() {
            self.release_first()?;
        }
        self.keep(op);
        let golden = self.golden.as_mut().map(|golden| golden.visit(conn, op).shown.unwrap_or_default());
        if self.verilog.is_none() {
            return Ok(golden.expect("there is a golden model where there is no Verilog"));
        }
        self.settle()?;
        let verilog = self.verilog.as_mut().expect("it has Verilog");
        op.each(|place, word| verilog.inputs[verilog.layout.op[place]] = word);
        let walks = self.walks.as_ref().expect("a core with visits is followed");
        let (columns, latency) = (walks.masked, walks.latency);
        let true_ones = columns.map(|column| verilog.inputs[column]);
        let mask = |unit: &mut Self, words: [u64; 2]| {
            let verilog = unit.verilog.as_mut().expect("it has Verilog");
            columns.iter().zip(words).for_each(|(column, word)| verilog.inputs[*column] = word);
        };
        mask(self, [MASK.into(); 2]);
        // a visit that is forced comes first, and must not see the true settings
        while self.walks.as_ref().is_some_and(|walks| walks.is_forced) {
            self.edge(false)?;
        }
        loop {
            let next = self.walks.as_ref().map(|walks| walks.next);
            let is_due = next == Some(conn);
            mask(self, if is_due { true_ones } else { [MASK.into(); 2] });
            self.edge(false)?;
            if is_due && self.walks.as_ref().map(|walks| walks.next) != Some(conn) {
                break;
            }
        }
        mask(self, [MASK.into(); 2]);
        let mut seen = C::Shown::default();
        for _ in 0..latency {
            self.edge(false)?;
            let verilog = self.verilog.as_ref().expect("it has Verilog");
            let shown = &verilog.layout.shown;
            let is_event = |port: &&str| {
                let place = C::CONTRACT.shown_fields().position(|field| field.port == *port);
                place.is_some_and(|place| verilog.outputs[shown[place]] != 0)
            };
            if VISIT_EVENTS.iter().any(is_event) {
                seen = C::Shown::seen(|place| shown.get(place).map_or(0, |column| verilog.outputs[*column]));
            }
        }
        if let Some(golden) = golden {
            self.compare(&golden, &seen);
        }
        Ok(seen)
    }

    /// Lets everything under way come out.
    pub fn finish(&mut self) -> Result<(), FabricError> {
        while !self.held.is_empty() {
            self.release_first()?;
        }
        if self.verilog.is_some() { self.settle() } else { Ok(()) }
    }

    /// Whether its ops are kept.
    pub fn keeps_ops(&self) -> bool {
        self.entries.is_some()
    }

    /// Writes all ops so far as an op trace for `respray cosim --ops`.
    pub fn write_ops(&self, path: &Path) -> Result<(), FabricError> {
        let entries = self.entries.as_deref().unwrap_or_default();
        let mut trace = OpTrace::of_entries(C::CONTRACT, entries, &[]);
        trace.seed = C::CONTRACT.seed.map(|_| SEED);
        Ok(trace.write(C::CONTRACT, path)?)
    }
}

/// Most ops that are held.
const MOST_HELD: usize = 32;
/// Events of a visit.
const VISIT_EVENTS: [&str; 2] = ["loss_timeout", "probe_due"];
/// Value of the port `seed`, where there is one, and of the random state before a reset.
const SEED: u16 = 1;
/// Edges of an op, about.
const EDGES_OF_OP: u64 = 16;
