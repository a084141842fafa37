//! Every path selector behind its contract: one golden side, one generator of random ops and one listener for all.

mod listener;
mod random;
pub mod recorded;

use std::fmt::Write as _;

use respray_golden::rng::Rng;
use respray_golden::selector::{Engine, Op, OpKind, Outcome, Params, Selector, SendKind, SendResult};
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Value};
use respray_hdl::cores::selector::{COMMON_WORDS, MORE_WORDS, MOST_EVENTS, SelectorOp, SelectorShown};

pub use self::listener::SelectorListener;
pub use self::random::{Knobs, RandomOps};
use crate::lockstep::op_core::{BrokenWord, Effect, OpCore, Recorded, Taken, Touched, counts};
use crate::traffic::recording::Recording;

/// The memory of states of a selector that works on one op at a time.
pub const STATES: &str = "control_ram";

/// What a selector says of itself.
pub trait Binding: Selector<Keys: Send, Connection: Send> + Send + 'static {
    /// What the core promises.
    const CONTRACT: &'static Contract;
    /// What its events are called where they are counted, in the order of the contract.
    const EVENT_COUNTS: &'static [&'static str] = &[];
    /// Events, by place, whose counts the terminal is told, and what they are called there.
    const TOLD: &'static [(usize, &'static str)] = &[];

    /// Its own keys of a configuration.
    fn keys(config: &Config) -> Self::Keys;

    /// What an op does with a word of a memory beside that of the states, by its number among those of the connection. It is no `init`.
    fn touched(_executed: &Executed<'_, Self>, _memory: &str, _word: u32) -> Touched {
        Touched::default()
    }

    /// Executes an op of a selector that works on one op at a time, a word of whose connection has a flipped bit: what it shows, and what
    /// it does with that word. The op is no `init`, and finds the state without a flipped bit.
    fn apply_broken(
        _params: &Params<Self::Keys>,
        _connection: &mut Self::Connection,
        _op: &Op,
        _rng: &mut Rng,
        _broken: &BrokenWord,
    ) -> (Outcome, Touched) {
        unreachable!("a selector that works on one op at a time says what it does")
    }

    /// How many paths it knows apart, where that is not each EV: random ops then keep to EVs of these.
    fn paths(_config: &Config) -> Option<u32> {
        None
    }
}

/// An op, what it made of its connection, and what it showed.
pub struct Executed<'a, S: Selector> {
    pub params: &'a Params<S::Keys>,
    pub op: &'a Op,
    pub before: &'a S::Connection,
    pub after: &'a S::Connection,
    pub outcome: &'a Outcome,
}

counts! {
    /// What became of the sends.
    pub struct Counts {
        sends,
        explore,
        recycle,
        replay,
        /// Sends that returned the EV that their line of the op trace names: on a capture, the EV of the wire.
        evs_as_given,
    }
}

/// Where the words of an op that are the selector's own stand: places in [`SelectorOp::more`], and [`ABSENT`] for what it
/// does not have.
#[derive(Clone, Copy, Debug)]
struct Places {
    now: usize,
    /// Of the settings, in the order of [`Selector::SETTINGS`].
    settings: [usize; 4],
    /// Of the further field of an op.
    more: usize,
}

/// Places: those of the words of an op, and others, whose words are always 0.
const PLACES: usize = 8;
/// Place of a word that is always 0.
const ABSENT: usize = PLACES - 1;

/// The golden side of a selector.
pub struct SelectorCore<S: Binding> {
    engine: Engine<S>,
    places: Places,
    counts: Counts,
    /// A connection and the generator before the op that was remembered.
    remembered: Option<(S::Connection, Rng)>,
    /// Ops by their events, a bit for each.
    events: [u64; 1 << MOST_EVENTS],
}

/// The golden engine's parameters in a configuration.
pub fn params<S: Binding>(config: &Config, seed: u16) -> Params<S::Keys> {
    Params {
        connections: config.connections,
        ev_base: config.selector.ev_base as u16,
        ev_bits: config.selector.ev_bits as u8,
        time_bits: config.selector.time_bits as u8,
        seed,
        keys: S::keys(config),
    }
}

/// What the words of an op beyond the common ones are.
///
/// # Panics
/// On a setting of the contract that the golden model does not have.
fn places<S: Binding>() -> Places {
    let mut places = Places { now: ABSENT, settings: [ABSENT; 4], more: ABSENT };
    let settings = S::CONTRACT.settings_at().start;
    for (place, field) in S::CONTRACT.op_fields().enumerate().skip(COMMON_WORDS) {
        let of_field = match field.value {
            Value::Now => &mut places.now,
            _ if place < settings => &mut places.more,
            _ => {
                let setting = S::SETTINGS.iter().position(|name| *name == field.name);
                &mut places.settings[setting.expect("the golden model has the settings of the contract")]
            }
        };
        *of_field = place - COMMON_WORDS;
    }
    places
}

/// An op as the golden model has it.
pub fn golden_op<S: Binding>(op: &SelectorOp) -> Op {
    translated(&places::<S>(), op)
}

#[inline(always)]
fn translated(places: &Places, op: &SelectorOp) -> Op {
    const { assert!(MORE_WORDS <= ABSENT) };
    let mut words = [0; PLACES];
    words[..MORE_WORDS].copy_from_slice(&op.more);
    let word = |place| words[place % PLACES];
    Op {
        kind: OpKind::from_code(op.kind),
        conn: op.conn,
        ev: op.ev,
        ecn: op.ecn,
        now: word(places.now),
        settings: places.settings.map(word),
        more: word(places.more),
    }
}

/// What the outputs show of an outcome.
#[inline(always)]
fn shown(connection: u16, outcome: &Outcome) -> SelectorShown {
    let says = outcome.result.is_some() || outcome.events != 0;
    SelectorShown {
        res_valid: outcome.result.is_some(),
        res_conn: says.then_some(connection),
        res_kind: outcome.result.map(|result| result.kind.code()),
        res_ev: outcome.result.map(|result| result.ev),
        events: outcome.events,
    }
}

/// What is shown of an op, and that its connection was lost.
fn lost<S: Binding>(connection: u16, shown: SelectorShown) -> SelectorShown {
    SelectorShown { res_conn: Some(connection), events: shown.events | 1 << S::EVENTS.len(), ..shown }
}

impl<S: Binding> SelectorCore<S> {
    /// Counts an op with this outcome, and says what it does.
    #[inline(always)]
    fn effect(&mut self, op: &SelectorOp, outcome: &Outcome) -> Effect<SelectorShown> {
        if let Some(result) = outcome.result {
            let counts = &mut self.counts;
            counts.sends += 1;
            counts.explore += u64::from(result.kind == SendKind::Explore);
            counts.recycle += u64::from(result.kind == SendKind::Recycle);
            counts.replay += u64::from(result.kind == SendKind::Replay);
            counts.evs_as_given += u64::from(result.ev == op.ev);
        }
        self.events[usize::from(outcome.events)] += 1;
        let [first, second] = outcome.class.counts.map(u32::from);
        Effect {
            shown: Some(shown(op.conn, outcome)),
            class: outcome.class.index.into(),
            counts: [first, second, 0],
        }
    }

    /// How often an event came.
    fn events_of(&self, event: usize) -> u64 {
        let with = self.events.iter().enumerate().filter(|(events, _)| events >> event & 1 != 0);
        with.map(|(_, count)| count).sum()
    }
}

impl<S: Binding> OpCore for SelectorCore<S> {
    const CONTRACT: &'static Contract = S::CONTRACT;
    type Op = SelectorOp;
    type Shown = SelectorShown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = SelectorListener;

    fn new(config: &Config) -> Self {
        assert_eq!(S::NAME, S::CONTRACT.core, "golden model and contract are of one core");
        SelectorCore {
            engine: Engine::new(params::<S>(config, 0)),
            places: places::<S>(),
            counts: Counts::default(),
            remembered: None,
            events: [0; 1 << MOST_EVENTS],
        }
    }

    fn reset(&mut self, seed: u16) {
        self.engine.reset_with_seed(seed);
    }

    #[inline(always)]
    fn apply(&mut self, op: &SelectorOp) -> Effect<SelectorShown> {
        let outcome = self.engine.apply(&translated(&self.places, op));
        self.effect(op, &outcome)
    }

    fn apply_lost(&mut self, op: &SelectorOp) -> Effect<SelectorShown> {
        self.engine.lose(op.conn);
        let effect = self.apply(op);
        let shown = effect.shown.map(|shown| lost::<S>(op.conn, shown));
        Effect { shown, ..effect }
    }

    fn touched(&self, memory: &str, word: u32, op: &SelectorOp) -> Touched {
        let op = &translated(&self.places, op);
        if op.kind == OpKind::Init {
            return Touched::default();
        }
        let mut engine = self.engine.clone();
        let outcome = &engine.apply(op);
        let (before, after) = (self.engine.connection(op.conn), engine.connection(op.conn));
        S::touched(&Executed { params: engine.params(), op, before, after, outcome }, memory, word)
    }

    fn without_late_word(&mut self, shown: &SelectorShown) -> SelectorShown {
        let SendResult { kind, ev } = self.engine.send_without_ev();
        let shown = SelectorShown { res_kind: Some(kind.code()), res_ev: Some(ev), ..*shown };
        lost::<S>(shown.res_conn.unwrap_or_default(), shown)
    }

    fn remember(&mut self, op: &SelectorOp) {
        self.remembered = Some((*self.engine.connection(op.conn), *self.engine.generator()));
    }

    fn recall(&mut self, op: &SelectorOp) {
        let (connection, rng) = self.remembered.expect("an op was remembered");
        self.engine.restore(op.conn, connection, rng);
    }

    fn apply_broken(&mut self, op: &SelectorOp, broken: &BrokenWord) -> (Effect<SelectorShown>, Touched) {
        let golden = translated(&self.places, op);
        let is_state = broken.memory == STATES;
        match golden.kind {
            OpKind::Init => return (self.apply(op), Touched { reads: false, writes: is_state }),
            _ if is_state && broken.flipped < 0 => {
                return (self.apply_lost(op), Touched { reads: true, writes: true });
            }
            OpKind::Reserved => return (self.apply(op), Touched::default()),
            _ => (),
        }
        let mut touched = Touched::default();
        let (outcome, is_lost) = self.engine.apply_spoilt(op.conn, |params, connection, rng| {
            let (outcome, word) = S::apply_broken(params, connection, &golden, rng, broken);
            touched = word;
            (outcome, word.reads)
        });
        let effect = self.effect(op, &outcome);
        let shown = effect.shown.map(|shown| if is_lost { lost::<S>(op.conn, shown) } else { shown });
        (Effect { shown, ..effect }, touched)
    }

    fn generator(&mut self) -> Option<&mut Rng> {
        Some(self.engine.generator())
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, S::CONTRACT, S::paths(config), config)
    }

    fn recorded(recording: &Recording) -> Recorded {
        let engine = &recording.engine;
        let mut recorded =
            Recorded { local: Some(recording.local), seed: Some(engine.seed), ..Recorded::default() };
        for (name, value) in recorded::settings(engine).iter() {
            if S::SETTINGS.contains(&name) {
                recorded.settings.set(name, value);
            }
        }
        recorded
    }

    fn counts(&self, taken: &Taken) -> Vec<(&'static str, u64)> {
        let mut counts = vec![("ops", taken.ops)];
        counts.extend(self.counts.named());
        counts.extend(S::EVENT_COUNTS.iter().copied().zip((0..).map(|event| self.events_of(event))));
        counts.push(("reset_edges", taken.reset_edges));
        counts
    }

    fn summary(&self, taken: &Taken, cycles: u64, is_capture: bool) -> Vec<String> {
        let Counts { sends, explore, recycle, replay, evs_as_given } = self.counts;
        let mut line = format!(
            "{} ops in {cycles} cycles, {sends} sends: {explore} explore, {recycle} recycle, {replay} replay",
            taken.ops
        );
        for (event, name) in S::TOLD {
            let _ = write!(line, "; {} {name}", self.events_of(*event));
        }
        let mut lines = vec![line];
        if is_capture {
            lines.push(format!(
                "EVs of the wire that the engine chose again exactly: {evs_as_given} of {sends}"
            ));
        }
        lines
    }
}
