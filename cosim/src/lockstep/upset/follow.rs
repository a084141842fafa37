//! The golden side of a core whose memory was hit, cycle by cycle beside the device.

mod parity;

use std::collections::{BTreeMap, VecDeque};

use respray_golden::rng::Rng;
use respray_hdl::contract::{Field, Shown, Value, Words};
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;

use super::broken::{Broken, Hit, LOST};
use super::rules::{Draws, Rules};
use super::spoilt::{NOTHING, Of, Spoilt};
use crate::lockstep::op_core::{Inputs, OpCore, Shares, Turn};
use crate::lockstep::rows::Layout;
use crate::lockstep::schedule::Schedule;
use crate::upset::{Finding, Wrong};

/// Most random numbers that one op draws.
const MOST_DRAWS: u32 = 1024;

/// What the generator of the device shows where the golden one is here.
fn shows(generator: &Rng, draws: &Draws) -> u64 {
    let mut next = *generator;
    if draws.is_ahead {
        next.step();
    }
    next.state()
}

/// An op, or a visit of the core's own, that is under way.
struct Under<C: OpCore> {
    begun: u64,
    /// The cycle of its result.
    due: u64,
    of: Of<C::Op>,
    /// With parity: the word of its state had a flipped bit when it read it.
    is_lost: bool,
    /// What the outputs show of it, if the golden model has executed it already, and the generator before that.
    shown: Option<Option<C::Shown>>,
    generator: Option<Rng>,
}

/// The golden side, and what is known of the device.
pub(super) struct Follower<'a, C: OpCore> {
    core: C,
    rules: &'static Rules,
    schedule: Schedule,
    layout: &'a Layout,
    fields: Vec<&'static Field>,
    masks: Vec<u64>,
    /// Bits of each field that are promised in every cycle.
    always: Vec<u64>,
    /// Places of the field that says that there is an answer, and of the one that names the connection.
    valid: usize,
    names: usize,
    reset_cycles: u32,
    /// The core takes an op in every cycle, and its ops overlap; else it works on one at a time.
    is_pipelined: bool,
    /// The golden model executes an op when it is done, so that what the device drew is known.
    is_deferred: bool,
    /// Cycles from an op to its result, and which classes of op have one.
    latency: u64,
    has_result: Vec<bool>,
    /// Longest time of an op in cycles until its result, and until the next op.
    bound: u64,
    pub interval: u64,
    pub spoilt: Spoilt,
    /// The clock edge of the flip.
    pub flipped: Option<u64>,
    /// Words have parity, so that nothing is ever spoilt; the word with a flipped bit; the entry of a result that was lost, and
    /// the one that the core starts anew at the coming edge.
    has_parity: bool,
    broken: Option<Broken>,
    lost: Option<u32>,
    anew: Option<u32>,
    /// With parity, in a core that works on one op at a time: the latest one, the edge at which it began, and how long the core can do
    /// nothing else.
    alone: Option<(C::Op, u64, u32)>,
    under: VecDeque<Under<C>>,
    /// The time of what is under way is not known, as it depends on what is spoilt.
    is_open: bool,
    wait: u32,
    is_reset: bool,
    /// Column of the generator's state, and what it was in each cycle.
    generator: Option<usize>,
    generators: Vec<u64>,
    pub cycle: u64,
    pub met: u64,
    pub differed: u64,
    pub longest: u64,
}

impl<'a, C: OpCore> Follower<'a, C> {
    pub fn new(
        manifest: &Manifest,
        rules: &'static Rules,
        layout: &'a Layout,
        generator: Option<usize>,
    ) -> Self {
        let config = &manifest.config;
        let fields: Vec<&Field> = C::CONTRACT.shown_in(config).collect();
        let masks: Vec<u64> = fields.iter().map(|field| field.last(config)).collect();
        let mut always = vec![0; fields.len()];
        C::Shown::default().each(|place, _, is_promised| {
            if let Some(always) = always.get_mut(place).filter(|_| is_promised) {
                *always = masks[place];
            }
        });
        let most = |count: &str| {
            let known = rules.counts.iter().find(|known| known.name == count);
            known.map_or(0, |known| (known.most)(config))
        };
        let is_pipelined =
            manifest.initiation_interval_cycles.values().all(|cycles| cycles.fixed() == Some(1));
        let longest =
            |of: &BTreeMap<String, Cycles>| of.values().map(|cycles| cycles.at(most)).max().unwrap_or(1);
        let latency = manifest.latency_cycles.values().map(|cycles| cycles.base).max().unwrap_or(1);
        let place = |fits: &dyn Fn(&Field) -> bool| fields.iter().position(|field| fits(field)).unwrap_or(0);
        Follower {
            core: C::new(config),
            rules,
            schedule: Schedule::new(C::CONTRACT, manifest, C::entries(config)),
            layout,
            valid: place(&|field| field.port == "res_valid"),
            names: place(&|field| field.value == Value::Connection),
            fields,
            masks,
            always,
            reset_cycles: manifest.reset_cycles,
            is_pipelined,
            is_deferred: is_pipelined && rules.draws.is_some(),
            latency: latency.into(),
            has_result: C::CONTRACT
                .classes
                .iter()
                .map(|class| manifest.latency_cycles.contains_key(*class))
                .collect(),
            // what has no result writes anew, in a time of its own
            bound: longest(&manifest.latency_cycles).into(),
            interval: longest(&manifest.initiation_interval_cycles).into(),
            spoilt: Spoilt::new(rules, config),
            flipped: None,
            has_parity: config.has_parity(),
            broken: None,
            lost: None,
            anew: None,
            alone: None,
            under: VecDeque::new(),
            is_open: false,
            wait: 0,
            is_reset: false,
            generator: generator.filter(|_| rules.draws.is_some()),
            generators: Vec::new(),
            cycle: 0,
            met: 0,
            differed: 0,
            longest: 0,
        }
    }

    /// An op on offer would be taken at the coming edge, or something of the core's own begins.
    pub fn is_free(&self) -> bool {
        self.is_reset && self.wait == 0 && !self.is_open && self.anew.is_none()
    }

    fn finding(&self, wrong: Wrong, says: String) -> Option<Finding> {
        Some(Finding { wrong, cycle: self.cycle, says })
    }

    /// Looks at the outputs before the coming edge.
    pub fn look(&mut self, row: &[u64]) -> Option<Finding> {
        if let Some(column) = self.generator {
            self.generators.push(row[column]);
        }
        if !self.is_reset {
            return None;
        }
        let is_ready = row[self.layout.op_ready] != 0;
        if self.is_open {
            let under = self.under.front().expect("what is open is under way");
            let passed = self.cycle - under.begun;
            let expects = under.shown.flatten().is_some_and(|shown| self.answers(&shown));
            let is_done = is_ready || expects && self.seen(row, self.valid) != 0;
            if !is_done {
                if passed > self.bound {
                    let says = format!(
                        "an op is not done after {passed} cycles; the manifest gives it {} at most",
                        self.bound
                    );
                    return self.finding(Wrong::Wedge, says);
                }
                return self.of_another(row);
            }
            self.longest = self.longest.max(passed);
            self.is_open = false;
            let under = self.under.pop_front().expect("it is there");
            if let Some(found) = self.complete(under, row) {
                return Some(found);
            }
        } else if self.under.front().is_some_and(|under| under.due == self.cycle) {
            let under = self.under.pop_front().expect("it is there");
            if let Some(found) = self.complete(under, row) {
                return Some(found);
            }
        } else if let Some(place) = (0..self.fields.len()).find(|place| self.says(row, *place)) {
            let says = format!("`{}` shows something where no op is done", self.fields[place].port);
            return self.finding(Wrong::Leak, says);
        }
        let expected = self.wait == 0 && self.core.takes_ops() && self.anew.is_none();
        if is_ready != expected {
            let says = format!("`op_ready` is {}, not {}", u8::from(is_ready), u8::from(expected));
            return self.finding(Wrong::Wedge, says);
        }
        None
    }

    fn seen(&self, row: &[u64], place: usize) -> u64 {
        row[self.layout.shown[place]]
    }

    /// A field that is promised in every cycle says something.
    fn says(&self, row: &[u64], place: usize) -> bool {
        self.seen(row, place) & self.always[place] != 0
    }

    /// What the golden model shows has an answer.
    fn answers(&self, shown: &C::Shown) -> bool {
        let mut answers = false;
        shown.each(|place, value, _| answers |= place == self.valid && value != 0);
        answers
    }

    /// What is shown while a spoilt op is under way must be of its connection.
    fn of_another(&self, row: &[u64]) -> Option<Finding> {
        let under = self.under.front().expect("it is asked of what is under way");
        self.names_another(row, under)
    }

    fn names_another(&self, row: &[u64], under: &Under<C>) -> Option<Finding> {
        let expected = under.of.connection();
        let seen = self.seen(row, self.names) as u32;
        let shows = (0..self.fields.len()).any(|place| self.says(row, place));
        if !shows || seen == expected {
            return None;
        }
        let says = format!("`{}` is {seen} in the answer of {expected}", self.fields[self.names].port);
        self.finding(Wrong::Leak, says)
    }

    /// Something is done, with this row.
    fn complete(&mut self, under: Under<C>, row: &[u64]) -> Option<Finding> {
        let before = if self.is_deferred { self.core.generator().copied() } else { under.generator };
        let shown = match under.shown {
            Some(shown) => shown,
            None => self.execute(&under),
        };
        let (mut values, mut care) = (vec![0; self.fields.len()], self.always.clone());
        if let Some(shown) = &shown {
            shown.each(|place, value, is_promised| {
                if place < values.len() {
                    values[place] = value;
                    care[place] = if is_promised { self.masks[place] } else { 0 };
                }
            });
        }
        let differing = |place: &usize| (self.seen(row, *place) ^ values[*place]) & care[*place] != 0;
        let first = (0..values.len()).find(differing);
        let is_answered = !differing(&self.valid);
        let (fields, columns) = (&self.fields, &self.layout.shown);
        let places: Vec<(&str, [u64; 2])> = fields
            .iter()
            .zip(columns)
            .zip(&values)
            .map(|((field, column), value)| (field.port, [row[*column], *value]))
            .collect();
        let at = |port: &str| places.iter().find(|(name, _)| *name == port).map(|(_, shown)| *shown);
        let is_spoilt = self.spoilt.spoils::<C>(&under.of, &at);
        if let Some(found) = self.follow_generator(&under, is_spoilt, before) {
            return Some(found);
        }
        if !is_spoilt {
            if let Some(place) = first {
                let is_untold = self.fields[place].port == LOST && values[place] != 0;
                let says = format!(
                    "`{}` is {:#x}, not {:#x}, in the answer of {} {}",
                    self.fields[place].port,
                    self.seen(row, place),
                    values[place],
                    if under.of.visit.is_some() { "the visit of" } else { "an op of" },
                    under.of.connection(),
                );
                return self.finding(if is_untold { Wrong::Untold } else { Wrong::Leak }, says);
            }
        } else {
            if !self.spoilt.renews(&under.of) {
                self.met += 1;
                self.differed += u64::from(first.is_some());
            }
            if !is_answered {
                let says = format!(
                    "`{}` is not {} where the op is done",
                    self.fields[self.valid].port, values[self.valid]
                );
                return self.finding(Wrong::Wedge, says);
            }
            if let Some(found) = self.names_another(row, &under) {
                return Some(found);
            }
            self.spoilt.spread::<C>(&under.of, first.is_some(), &at);
        }
        if self.flipped.is_some_and(|flipped| under.begun >= flipped) {
            self.spoilt.renew::<C>(&under.of);
        }
        None
    }

    /// The golden generator goes on as far as that of the device, if what drew is spoilt; else they must be alike.
    fn follow_generator(
        &mut self,
        under: &Under<C>,
        is_spoilt: bool,
        before: Option<Rng>,
    ) -> Option<Finding> {
        let draws = self.rules.draws.filter(|_| self.generator.is_some())?;
        let at = if self.is_pipelined { under.begun + u64::from(draws.after) } else { self.cycle };
        let state = self.generators[at as usize];
        let generator = self.core.generator()?;
        if is_spoilt {
            *generator = before?;
            for _ in 0..MOST_DRAWS {
                if shows(generator, &draws) == state {
                    break;
                }
                generator.step();
            }
        }
        if shows(generator, &draws) == state {
            return None;
        }
        self.finding(Wrong::Leak, "the random generator is not where the ops have brought it".to_string())
    }

    /// The coming clock edge, with these inputs. `flip`: a bit of an entry of a table flips at it.
    pub fn edge(&mut self, inputs: &Inputs<C::Op>, flip: Option<Hit>) {
        if inputs.rst {
            self.core.reset(inputs.seed);
            self.schedule.reset();
            self.under.clear();
            self.spoilt.clear();
            (self.broken, self.lost, self.anew) = (None, None, None);
            self.alone = None;
            self.is_open = false;
            self.is_reset = true;
            self.wait = self.reset_cycles;
        } else {
            if let Some(hit) = flip.filter(|_| self.has_parity) {
                let under_way = self.under.iter().map(|under| (under.of.connection(), under.begun));
                self.broken = Some(Broken::new(hit, self.cycle, under_way));
                self.execute_again();
            } else if let Some(hit) = flip {
                self.spoilt.add(hit.memory.table, hit.entry);
                self.flipped = Some(self.cycle);
                self.open();
            }
            if let Some(entry) = self.anew.take() {
                self.start_anew(entry);
            } else if self.wait > 0 {
                self.wait -= 1;
            } else if !self.is_open {
                self.turn(inputs);
            }
            self.anew = self.lost.take();
            self.core.edge(&inputs.op);
        }
        self.schedule.step();
        self.cycle += 1;
    }

    /// Of what is under way in a core that works on one op at a time, nothing is known any more if it reads what is spoilt.
    fn open(&mut self) {
        let Some(under) = self.under.front().filter(|_| !self.is_pipelined) else { return };
        if self.spoilt.spoils::<C>(&under.of, NOTHING) && !self.spoilt.renews(&under.of) {
            self.is_open = true;
            self.wait = 0;
        }
    }

    fn turn(&mut self, inputs: &Inputs<C::Op>) {
        let op = inputs.op;
        let generator = self.core.generator().copied();
        let named = self.core.named_by_state(&op);
        let (visit, effect) = match self.core.turn(inputs.op_valid) {
            Turn::Nothing => return,
            Turn::Op if self.is_deferred => (None, None),
            Turn::Op if self.has_parity => (None, Some(self.execute_alone(&op))),
            Turn::Op => (None, Some(self.core.apply(&op))),
            Turn::Visit(of) => (Some(of), Some(self.core.visit(of, &op))),
        };
        let times = match &effect {
            Some(effect) => {
                let of = visit.map_or(op.connection() as usize, usize::from);
                self.schedule.take(&self.core.shares(of), effect.class, &effect.counts)
            }
            None => self.schedule.take(&Shares::NOTHING, 0, &[0; 3]),
        };
        self.wait = times.until_free;
        // what has no result is done when it is over, and in a pipeline no later than others
        let class = effect.as_ref().map_or(0, |effect| effect.class);
        let until = match (self.has_result[class], self.is_pipelined) {
            (true, _) => times.until_result.into(),
            (false, true) => self.latency + u64::from(times.until_result),
            (false, false) => u64::from(times.until_free) + 1,
        };
        let due = self.cycle + until;
        let shown = effect.map(|effect| effect.shown);
        let of = Of { op, visit, named };
        let is_lost = self.meets(&of);
        self.under.push_back(Under { begun: self.cycle, due, of, is_lost, shown, generator });
        self.open();
    }
}
