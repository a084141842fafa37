//! What the lockstep must know of a core: its ops, its ports, and what every output is before every clock edge.

use std::fmt::Debug;

use respray_hdl::config::Config;
use respray_hdl::manifest::Manifest;

use crate::traffic::capture::Listener;
use crate::traffic::optrace::{OpTrace, Row};
use crate::traffic::random::Knobs;
use crate::traffic::recording::Recording;
use crate::verilator::{Model, ModelError};

/// One element of a run's stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<O> {
    /// Clock edges without an op before this one. They show the coming op's fields with `op_valid` low, so that a
    /// core that does not look at `op_valid` is caught.
    pub idle: u32,
    /// What is done.
    pub event: Event<O>,
}

/// What one element of the stimulus does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<O> {
    /// Offers an op until the core takes it.
    Op(O),
    /// One clock edge with `rst` high; the seed port holds this value from here on, if it is given.
    Reset { seed: Option<u16> },
}

impl<O> Entry<O> {
    /// An op right behind the one before.
    pub fn op(op: O) -> Self {
        Entry { idle: 0, event: Event::Op(op) }
    }
}

/// What all input ports carry at one clock edge.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<O> {
    pub rst: bool,
    pub seed: u16,
    pub op_valid: bool,
    pub op: O,
    /// Index of the entry that the op comes from.
    pub entry: u64,
}

/// An op of a core.
pub trait Op: Copy + PartialEq + Debug + Default {
    /// Connection that it works on; `None` if the core has no connections.
    fn connection(&self) -> Option<u32>;

    /// Moves it to another connection.
    fn set_connection(&mut self, connection: u32);

    /// Drops what the stimulus wants of its result.
    fn forget_wish(&mut self);

    /// How far its values are from the plainest, for the shrinker, which only takes ops that weigh less.
    fn weight(&self) -> u64;

    /// The op with plainer values, for the shrinker to try.
    fn plainer(&self) -> Vec<Self>;

    /// Ways to make the values of a whole trace plainer at once, where one op alone would not do: times moved to 0, the
    /// same timeout everywhere. Ways count from 0; returns false if there is no such way.
    fn plainer_trace(way: usize, entries: &mut [Entry<Self>]) -> bool;
}

/// All output ports of one cycle, packed by a core's [`Layout`].
pub trait Word: Copy + PartialEq + Debug + Default {
    /// Whether a bit of `care` differs.
    fn differs(&self, other: &Self, care: &Self) -> bool;

    /// The `width` bits from `offset`, in 64-bit limbs, lowest first.
    fn bits(&self, offset: u32, width: u32) -> Vec<u64>;
}

impl<const N: usize> Word for [u64; N]
where
    [u64; N]: Default,
{
    #[inline(always)]
    fn differs(&self, other: &Self, care: &Self) -> bool {
        let mut difference = 0;
        for limb in 0..N {
            difference |= (self[limb] ^ other[limb]) & care[limb];
        }
        difference != 0
    }

    fn bits(&self, offset: u32, width: u32) -> Vec<u64> {
        let bit = |at: u32| self[(at / 64) as usize] >> (at % 64) & 1;
        let limb = |from: u32| (from..width.min(from + 64)).fold(0, |l, i| l | bit(offset + i) << (i - from));
        (0..width).step_by(64).map(limb).collect()
    }
}

/// Where an output port lies in a [`Word`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name of the port.
    pub port: &'static str,
    /// Its lowest bit in the word.
    pub offset: u32,
    /// Its width in bits.
    pub width: u32,
}

/// What every output port must show before the coming clock edge.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected<W> {
    pub value: W,
    /// Bits of `value` that are promised. A result's fields are promised only with their valid.
    pub care: W,
    /// Entry whose op leaves the core in this cycle, if one does.
    pub entry: Option<u64>,
    /// The stimulus itself says what this op's result is: ask [`Core::unmet`].
    pub wished: bool,
}

/// The golden side of a core: the algorithm from `golden`, latency and stalls from the manifest.
pub trait Core {
    /// The core's one word.
    const NAME: &'static str;
    /// What a stimulus can have a wish of, for the sentence that says it was not met, e.g. `a send`.
    const WISHED: &'static str;
    /// Inputs that the core does not look at in some cycles are scrambled there, see [`Core::scramble`].
    const SCRAMBLES: bool = false;
    type Op: Op;
    type Word: Word;
    /// What is counted, for the report.
    type Counts: Clone + Default + Debug;

    /// All output ports, in the order of the module's header.
    fn layout(&self) -> &[Field];

    /// Every output port before the coming edge.
    fn expected(&self) -> Expected<Self::Word>;

    /// Whether the core takes an op at the coming edge if `rst` is low.
    fn is_ready(&self) -> bool;

    /// Makes something else of the inputs that the core must not look at before the coming edge, so that one that samples
    /// them a cycle early or late is caught. It depends on nothing but the state and the cycle.
    #[inline(always)]
    fn scramble(&self, _: &mut Inputs<Self::Op>, _cycle: u64) {}

    /// What the stimulus wants of the op that leaves the core in this cycle, if `seen` is something else: wanted and
    /// seen, in words.
    fn unmet(&self, seen: &Self::Word) -> Option<(String, String)>;

    /// Connection that the outputs speak of, if they speak of one.
    fn connection(&self, seen: &Self::Word) -> Option<u32>;

    /// The clock edge.
    fn edge(&mut self, inputs: &Inputs<Self::Op>);

    /// Whether anything of an op or of a reset is left in the core.
    fn is_busy(&self) -> bool;

    /// What was counted so far.
    fn counts(&self) -> Self::Counts;

    /// Counts by name, in the order of a report.
    fn named_counts(counts: &Self::Counts) -> Vec<(&'static str, u64)>;
}

/// Something with a core's ports and a clock: a Verilator model, or a fake in a test.
pub trait Device<C: Core> {
    /// Drives every input, lets the logic settle, samples every output, then gives one clock edge.
    fn cycle(&mut self, inputs: &Inputs<C::Op>) -> C::Word;
}

/// Settings of a run, each of which may be open.
pub type Settings<C> = <<C as VerilatedCore>::Row as Row>::Settings;

/// What the configuration allows in a core's op trace.
pub type Limits<C> = <<C as VerilatedCore>::Row as Row>::Limits;

/// A core whose Verilog runs in lockstep, with all that a run of it needs.
pub trait VerilatedCore: Core + Sized {
    /// A Verilated model with the core's ports.
    type Device: Device<Self>;
    /// A line of its op trace.
    type Row: Row;
    /// What its random ops are like.
    type Knobs: Knobs;
    /// Its random ops.
    type Random: Iterator<Item = Entry<Self::Op>> + Clone;
    /// What it makes of a capture.
    type Listener: Listener<Row = Self::Row>;

    /// The golden side of a generated core.
    fn new(manifest: &Manifest) -> Self;

    /// Finds the core's ports in a model.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    fn device(model: Model, manifest: &Manifest) -> Result<Self::Device, ModelError>;

    /// The model of a device, for its trace and its coverage.
    fn model(device: &mut Self::Device) -> &mut Model;

    /// The random ops of a seed.
    fn random(seed: u64, knobs: &Self::Knobs, config: &Config) -> Self::Random;

    /// What an op trace may hold in a configuration.
    fn limits(config: &Config) -> Limits<Self>;

    /// The lines of an op trace as elements of the stimulus. What `settings` leave open is as the core has it by default.
    fn entries(rows: &[Self::Row], settings: &Settings<Self>, config: &Config) -> Vec<Entry<Self::Op>>;

    /// Entries as an op trace that replays them.
    fn trace(entries: &[Entry<Self::Op>]) -> OpTrace<Self::Row>;

    /// What holds for a capture of this recording.
    fn recorded(recording: &Recording) -> Recorded<Self>;

    /// What was counted, in lines for the terminal. `is_capture`: the ops come from a capture.
    fn summary(counts: &Self::Counts, cycles: u64, is_capture: bool) -> Vec<String>;
}

/// What holds for a capture that `respray traffic record` made.
#[derive(Clone, Debug)]
pub struct Recorded<C: VerilatedCore> {
    /// Address of the core's side; `None`: by the first data frame.
    pub local: Option<std::net::IpAddr>,
    /// Seed of the core.
    pub seed: Option<u16>,
    /// Its settings.
    pub settings: Settings<C>,
}
