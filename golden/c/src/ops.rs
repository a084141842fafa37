//! Models of cores that take ops: a row of words for each op, and one for what it shows.

use std::collections::VecDeque;
use std::path::Path;

use respray_cosim::cores::{Visitor, visit_in};
use respray_cosim::lockstep::given::capture;
use respray_cosim::lockstep::op_core::{Effect, OpCore, Turn};
use respray_cosim::lockstep::{Compiled, Stimulus};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::random::Knobs;
use respray_cosim::traffic::stimulus::Event;
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Shown, Words};
use respray_hdl::cores::REGISTRY;

use crate::describe::{Lane, Word, checked};
use crate::error::{Code, Failure};

/// Classes of what a core does without an op, and names of the lanes that tell of it: a visit of a connection, a bucket or a place of tables,
/// and a sum that loses its share.
const VISIT: &str = "visit";
const DECAY: &str = "decay";

fn does(contract: &Contract, class: &str) -> bool {
    contract.classes.contains(&class)
}

/// First word of a loaded row, which is 0 of an op: a reset that keeps the seed.
const RESET: u64 = 1;
/// A reset with the seed in the word behind.
const RESET_WITH_SEED: u64 = 2;

/// A model of a core that takes ops.
pub trait OpModel: Send {
    fn core(&self) -> &'static str;

    fn config(&self) -> &Config;

    /// Rows of ops, and rows of results.
    fn lanes(&self) -> [&[Lane]; 2];

    /// Kinds of op by their code.
    fn kinds(&self) -> Vec<String>;

    fn reset(&mut self, seed: u16);

    /// Executes ops. The first word of a result says which of the others are promised, a bit for each, from bit 0 on; those that are not
    /// are 0.
    ///
    /// # Errors
    /// [`Code::Value`]; the ops before the one with the wrong value are executed.
    fn apply(&mut self, ops: &[u64], results: &mut [u64]) -> Result<(), Failure>;

    /// The core visits a connection by itself, with these values at the inputs.
    ///
    /// # Errors
    /// [`Code::Missing`] of a core that does not, [`Code::Value`].
    fn visit(&mut self, connection: u32, inputs: &[u64], result: &mut [u64]) -> Result<(), Failure>;

    /// Executes an op, or what the core does by itself, as the lane says, and keeps its result if that shows anything. The row was checked.
    ///
    /// # Errors
    /// [`Code::Value`].
    fn push(&mut self, lane: u32, row: &[u64]) -> Result<(), Failure>;

    /// Results that were kept, each beside an empty frame.
    fn kept(&mut self) -> &mut VecDeque<(Vec<u8>, Vec<u64>)>;

    /// Fills rows with the random ops of a seed, those that `respray cosim --random` has, without its resets and pauses.
    fn random(&self, seed: u64, ops: &mut [u64]);

    /// Loads so many of them.
    ///
    /// # Errors
    /// [`Code::Size`] of more than a memory holds.
    fn draw(&mut self, seed: u64, count: u64) -> Result<(), Failure>;

    /// Reads an op trace (`.csv`, `.csv.gz`) or a capture; says how many rows it has, and the seed.
    ///
    /// # Errors
    /// [`Code::File`].
    fn load(&mut self, path: &Path) -> Result<(u64, u16), Failure>;

    /// Rows of what was loaded, from one on: what it is, then the words of the op.
    ///
    /// # Errors
    /// [`Code::Value`] beyond the last.
    fn loaded(&self, first: u64, rows: &mut [u64]) -> Result<(), Failure>;
}

/// The model of a core; none if no core of that name takes ops.
pub fn open(core: &str, config: Config) -> Option<Box<dyn OpModel>> {
    let made = Opened(config.clone());
    visit_in(core, &config, made)
}

struct Opened(Config);

impl Visitor for Opened {
    type Output = Box<dyn OpModel>;

    fn visit<C: Compiled + 'static>(self) -> Box<dyn OpModel> {
        Box::new(Core::<C>::new(self.0))
    }
}

struct Core<C: OpCore> {
    golden: C,
    lanes: [Vec<Lane>; 2],
    loaded: Vec<Event<C::Op>>,
    kept: VecDeque<(Vec<u8>, Vec<u64>)>,
    config: Config,
}

impl<C: OpCore> Core<C> {
    fn new(config: Config) -> Self {
        let mut golden = C::new(&config);
        golden.reset(1);
        let op = C::CONTRACT
            .op_fields()
            .map(|field| Word::new(field.name, field.width.bits(&config), field.meaning(&config)));
        let promised = Word::new("promised", 64, "which of the words behind are promised, a bit for each");
        let shown = C::CONTRACT
            .shown_in(&config)
            .map(|field| Word::new(field.name, field.width.bits(&config), field.meaning(&config)));
        let mut results: Vec<Word> = std::iter::once(promised).chain(shown).collect();
        // what is promised of outputs that show nothing is promised always
        C::Shown::default().each(|place, _, is_promised| {
            if let Some(word) = results.get_mut(place + 1) {
                word.is_pulse = is_promised;
            }
        });
        let words: Vec<Word> = op.collect();
        let own = [VISIT, DECAY].into_iter().filter(|class| does(C::CONTRACT, class));
        let inputs =
            std::iter::once("op").chain(own).map(|name| Lane { name, words: words.clone() }).collect();
        let lanes = [inputs, vec![Lane { name: "result", words: results }]];
        Core { golden, lanes, loaded: Vec::new(), kept: VecDeque::new(), config }
    }

    /// Random ops without the resets between them.
    fn drawn(&self, seed: u64) -> impl Iterator<Item = C::Op> + use<C> {
        let knobs = C::Knobs::new(C::CONTRACT.connections(&self.config));
        C::random(seed, &knobs, &self.config).filter_map(|entry| entry.event.as_op().copied())
    }

    /// What the core does by itself in turn: of `caver` the sums of its ports lose their shares where a period is over, and else its walker
    /// comes to a place. A period of no edges is over at once.
    fn own_turn(&mut self, is_decay: bool, inputs: &C::Op) -> Effect<C::Shown> {
        if is_decay {
            let mut due = *inputs;
            due.set(C::CONTRACT.settings_at().start + C::CONTRACT.setting_at("dre_period"), 0);
            self.golden.edge(&due);
        }
        loop {
            if let Turn::Visit(of) = self.golden.turn(false) {
                return self.golden.visit(of, inputs);
            }
        }
    }

    /// Executes a visit.
    fn visited(&mut self, connection: u32, inputs: &C::Op) -> Effect<C::Shown> {
        if does(C::CONTRACT, DECAY) {
            self.own_turn(false, inputs)
        } else {
            self.golden.visit(connection as u16, inputs)
        }
    }

    fn op(&self, row: &[u64]) -> Result<C::Op, Failure> {
        checked(&self.lanes[0][0].words, row)?;
        let connections = C::CONTRACT.connections(&self.config);
        if row[1] >= u64::from(connections) {
            let name = &self.lanes[0][0].words[1].name;
            let sentence = format!("`{name}` is {}; allowed: 0 to {}", row[1], connections - 1);
            return Err(Failure::new(Code::Value, sentence));
        }
        let mut op = C::Op::default();
        row.iter().enumerate().for_each(|(place, value)| op.set(place, *value));
        Ok(op)
    }
}

/// Writes what an op shows.
fn show<S: Shown>(effect: &Effect<S>, result: &mut [u64]) {
    result.fill(0);
    if let Some(shown) = &effect.shown {
        shown.each(|place, word, is_promised| {
            if is_promised && place + 1 < result.len() {
                result[0] |= 1 << place;
                result[place + 1] = word;
            }
        });
    }
}

/// Writes the words of an op; a struct that several cores share has more of them behind those of the core.
fn write<O: Words>(op: &O, row: &mut [u64]) {
    op.each(|place, word| {
        if let Some(to) = row.get_mut(place) {
            *to = word;
        }
    });
}

impl<C: OpCore> OpModel for Core<C> {
    fn core(&self) -> &'static str {
        C::CONTRACT.core
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn lanes(&self) -> [&[Lane]; 2] {
        [&self.lanes[0], &self.lanes[1]]
    }

    fn kinds(&self) -> Vec<String> {
        C::CONTRACT.kind_names()
    }

    fn reset(&mut self, seed: u16) {
        self.golden.reset(seed);
        self.kept.clear();
    }

    fn apply(&mut self, ops: &[u64], results: &mut [u64]) -> Result<(), Failure> {
        let [words, shown] = [&self.lanes[0], &self.lanes[1]].map(|lanes| lanes[0].words.len());
        for (at, (row, result)) in ops.chunks_exact(words).zip(results.chunks_exact_mut(shown)).enumerate() {
            let op = self
                .op(row)
                .map_err(|failure| Failure::new(failure.code, format!("op {at}: {}", failure.sentence)))?;
            show(&self.golden.apply(&op), result);
        }
        Ok(())
    }

    fn visit(&mut self, connection: u32, inputs: &[u64], result: &mut [u64]) -> Result<(), Failure> {
        if !does(C::CONTRACT, VISIT) {
            let visiting: Vec<&str> = REGISTRY
                .iter()
                .filter_map(|core| core.contract.filter(|contract| does(contract, VISIT)).map(|_| core.name))
                .collect();
            let sentence =
                format!("`{}` visits nothing by itself; {} do", C::CONTRACT.core, visiting.join(", "));
            return Err(Failure::new(Code::Missing, sentence));
        }
        let op = self.op(inputs)?;
        let connections = C::CONTRACT.connections(&self.config);
        if connection >= connections {
            let sentence = format!("the visit is of {connection}; allowed: 0 to {}", connections - 1);
            return Err(Failure::new(Code::Value, sentence));
        }
        show(&self.visited(connection, &op), result);
        Ok(())
    }

    fn push(&mut self, lane: u32, row: &[u64]) -> Result<(), Failure> {
        let mut result = vec![0; self.lanes[1][0].words.len()];
        match lane {
            0 => self.apply(row, &mut result)?,
            1 => self.visit(row[1] as u32, row, &mut result)?,
            _ => {
                let op = self.op(row)?;
                show(&self.own_turn(true, &op), &mut result);
            }
        }
        if self.lanes[1][0].words.iter().zip(&result).any(|(word, value)| word.is_pulse && *value != 0) {
            self.kept.push_back((Vec::new(), result));
        }
        Ok(())
    }

    fn kept(&mut self) -> &mut VecDeque<(Vec<u8>, Vec<u64>)> {
        &mut self.kept
    }

    fn random(&self, seed: u64, ops: &mut [u64]) {
        for (row, op) in ops.chunks_exact_mut(self.lanes[0][0].words.len()).zip(self.drawn(seed)) {
            write(&op, row);
        }
    }

    fn draw(&mut self, seed: u64, count: u64) -> Result<(), Failure> {
        let too_many = || Failure::new(Code::Size, format!("{count} ops are more than a memory holds"));
        let mut loaded = Vec::new();
        let wanted = usize::try_from(count).map_err(|_| too_many())?;
        loaded.try_reserve_exact(wanted).map_err(|_| too_many())?;
        loaded.extend(self.drawn(seed).take(wanted).map(Event::Op));
        self.loaded = loaded;
        Ok(())
    }

    fn load(&mut self, path: &Path) -> Result<(u64, u16), Failure> {
        let refused = |error: &dyn std::error::Error| Failure::new(Code::File, error.to_string());
        let name = path.to_string_lossy();
        let trace = if name.ends_with(".csv") || name.ends_with(".csv.gz") {
            OpTrace::read(path, C::CONTRACT, &self.config).map_err(|error| refused(&error))?
        } else {
            match capture::<C>(path, None, None, Cut::Refused, &self.config)
                .map_err(|error| refused(&error))?
            {
                Stimulus::Made { trace, .. } => trace,
                _ => unreachable!("a capture is made into a trace"),
            }
        };
        let ops = trace.ops(C::CONTRACT, &trace.settings, &self.config);
        self.loaded = ops.entries.iter().map(|entry| entry.event).collect();
        Ok((self.loaded.len() as u64, trace.seed.unwrap_or(1)))
    }

    fn loaded(&self, first: u64, rows: &mut [u64]) -> Result<(), Failure> {
        let words = 1 + self.lanes[0][0].words.len();
        let wanted = rows.len() / words;
        let events = usize::try_from(first)
            .ok()
            .and_then(|first| self.loaded.get(first..first.checked_add(wanted)?))
            .ok_or_else(|| {
                let sentence = format!(
                    "rows {first} and {wanted} from there on are asked for; {} are loaded",
                    self.loaded.len()
                );
                Failure::new(Code::Value, sentence)
            })?;
        for (row, event) in rows.chunks_exact_mut(words).zip(events) {
            row.fill(0);
            match event {
                Event::Op(op) => write(op, &mut row[1..]),
                Event::Reset { seed: None } => row[0] = RESET,
                Event::Reset { seed: Some(seed) } => {
                    row[..2].copy_from_slice(&[RESET_WITH_SEED, (*seed).into()])
                }
            }
        }
        Ok(())
    }
}
