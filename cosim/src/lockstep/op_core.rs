//! What the lockstep must know of a core beside its contract: its golden model, and the ops that are made for it.

use std::fmt::Debug;
use std::net::IpAddr;

use respray_golden::rng::Rng;
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Shown, Words};

use crate::traffic::capture::Listener;
use crate::traffic::optrace::Settings;
use crate::traffic::random::Knobs;
use crate::traffic::recording::Recording;
use crate::traffic::stimulus::Entry;

/// Most counts that the formulas of a core's cycles name.
pub const MOST_COUNTS: usize = 3;

/// The golden side of a core that takes ops: the algorithm. When its results come follows from the manifest.
pub trait OpCore: Sized + Send {
    /// What the core promises.
    const CONTRACT: &'static Contract;

    /// An op as it stands at the ports.
    type Op: Words;
    /// What the outputs show of an op.
    type Shown: Shown;
    /// What its random ops are like.
    type Knobs: Knobs;
    /// Its random ops.
    type Random: Iterator<Item = Entry<Self::Op>> + Clone + Send;
    /// What it makes of a capture.
    type Listener: Listener<Op = Self::Op>;

    /// The golden side in a configuration, before its first reset.
    fn new(config: &Config) -> Self;

    /// `rst`, with this value at the port `seed`.
    fn reset(&mut self, seed: u16);

    /// Entries of all tables that ops can share.
    fn entries(config: &Config) -> usize {
        Self::CONTRACT.connections(config) as usize
    }

    /// What the op or the visit that was just executed shares with others.
    #[inline(always)]
    fn shares(&self, connection: usize) -> Shares {
        Shares::of(connection)
    }

    /// A clock edge with `rst` low passes, with these values at the inputs; what begins at it has begun.
    #[inline(always)]
    fn edge(&mut self, _inputs: &Self::Op) {}

    /// Executes an op.
    fn apply(&mut self, op: &Self::Op) -> Effect<Self::Shown>;

    /// Executes an op whose connection is found lost before it: with parity, a bit of the word of its state had flipped.
    fn apply_lost(&mut self, _op: &Self::Op) -> Effect<Self::Shown> {
        unreachable!("a core whose words have parity starts connections anew")
    }

    /// What an op does with a word of a memory beside that of the states, by its number among those of the op's connection. The op is
    /// not executed yet.
    fn touched(&self, _memory: &str, _word: u32, _op: &Self::Op) -> Touched {
        Touched::default()
    }

    /// What is shown of the op that was executed last, if a word that it read after its state had a flipped bit.
    fn without_late_word(&mut self, _shown: &Self::Shown) -> Self::Shown {
        unreachable!("a core with late words of parity can do without one")
    }

    /// Keeps what [`OpCore::recall`] needs of an op that is to be executed next, in a core that works on one op at a time.
    fn remember(&mut self, _op: &Self::Op) {}

    /// The op that was remembered last, and executed since, is not executed yet.
    fn recall(&mut self, _op: &Self::Op) {
        unreachable!("a core whose words have parity recalls what it remembers")
    }

    /// Executes an op of a core that works on one op at a time, a word of whose connection has a flipped bit; what the op does with that
    /// word. An op that reads the flipped bit leaves a connection that is lost.
    fn apply_broken(&mut self, _op: &Self::Op, _broken: &BrokenWord) -> (Effect<Self::Shown>, Touched) {
        unreachable!("a core whose words have parity starts connections anew")
    }

    /// Whether the core takes an op when it has nothing to do.
    #[inline(always)]
    fn takes_ops(&self) -> bool {
        true
    }

    /// What begins at an edge at which the core has nothing to do.
    #[inline(always)]
    fn turn(&mut self, is_offered: bool) -> Turn {
        if is_offered { Turn::Op } else { Turn::Nothing }
    }

    /// Executes what the core gives itself to do, on this connection, with the settings that stand at the inputs.
    fn visit(&mut self, _connection: u16, _inputs: &Self::Op) -> Effect<Self::Shown> {
        unreachable!("a core that gives itself something to do says what it does")
    }

    /// Settings that the core samples at the coming edge though it takes no op at it, by their places among the
    /// settings of the contract, a bit for each. `is_free`: nothing that began before is at work, so that something may
    /// begin. What is not sampled carries noise then, by which a core that samples it early or late is caught.
    #[inline(always)]
    fn samples(&self, _is_free: bool) -> u64 {
        0
    }

    /// An entry of another table that an op looks at because the entry of the op names it, before it is executed.
    fn named_by_state(&self, _op: &Self::Op) -> Option<u32> {
        None
    }

    /// The generator of random numbers, if ops draw from one as the state of their connection says.
    fn generator(&mut self) -> Option<&mut Rng> {
        None
    }

    /// The random ops of a seed.
    fn random(seed: u64, knobs: &Self::Knobs, config: &Config) -> Self::Random;

    /// What holds for a capture of this recording.
    fn recorded(recording: &Recording) -> Recorded;

    /// Counts by name, in the order of a report.
    fn counts(&self, taken: &Taken) -> Vec<(&'static str, u64)>;

    /// What was counted, in lines for the terminal. `is_capture`: the ops come from a capture.
    fn summary(&self, taken: &Taken, cycles: u64, is_capture: bool) -> Vec<String>;
}

/// A word with a flipped bit, in a core that works on one op at a time.
#[derive(Clone, Copy, Debug)]
pub struct BrokenWord {
    /// Name of its memory, without that of the core.
    pub memory: &'static str,
    /// Its number among those of the connection.
    pub word: u32,
    /// Edges from the one that took the op to that of the flip; a read at a later edge has the flipped bit.
    pub flipped: i64,
}

impl BrokenWord {
    /// Reads without the flipped bit among those that follow each other an edge apart, the first one so many edges after the op was taken.
    pub fn good_reads(&self, first: u32) -> u32 {
        (self.flipped + 1 - i64::from(first)).max(0) as u32
    }
}

/// What an op does with a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    pub reads: bool,
    pub writes: bool,
}

/// What an op does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect<S> {
    /// What the outputs show of it; `None` if it shows nothing, not even in its own time.
    pub shown: Option<S>,
    /// Class of its cycles, by its place in the contract.
    pub class: usize,
    /// What the formula of its cycles counts, in the order of the contract.
    pub counts: [u32; MOST_COUNTS],
}

/// Entries that an op shares with others. Where a core keeps such ops apart, an op waits for those that change an entry which it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    pub uses: [usize; 2],
    pub changes: [usize; 2],
}

/// No entry: larger than the number of any.
pub const NO_ENTRY: usize = usize::MAX;

impl Shares {
    /// Nothing is shared.
    pub const NOTHING: Shares = Shares { uses: [NO_ENTRY; 2], changes: [NO_ENTRY; 2] };

    /// One entry, which is changed.
    #[inline(always)]
    pub fn of(entry: usize) -> Shares {
        Shares { uses: [entry, NO_ENTRY], changes: [entry, NO_ENTRY] }
    }
}

/// What begins at an edge at which a core has nothing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Nothing,
    /// It takes the op on offer.
    Op,
    /// It does something of its own on this connection.
    Visit(u16),
}

/// What was counted of any core's ops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Ops that the core took.
    pub ops: u64,
    /// Ops that waited for an earlier one of their connection.
    pub waits: u64,
    /// Ops whose result an op trace names without demanding it.
    pub named: u64,
    /// Of these, those with exactly that result.
    pub as_named: u64,
    /// Clock edges with `rst` high.
    pub reset_edges: u64,
}

/// What holds for a capture beside which settings of a recording stand.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Address of the core's side; `None`: by the first data frame.
    pub local: Option<IpAddr>,
    /// Seed of the core.
    pub seed: Option<u16>,
    /// Its settings.
    pub settings: Settings,
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
    /// What the entry expects, as [`Entry::expect`] has it.
    pub expect: u32,
}

/// Declares what a core counts of its ops: a struct of counts, and their names in the order of a report.
macro_rules! counts {
    ($(#[$about:meta])* $vis:vis struct $name:ident { $($(#[$count_about:meta])* $count:ident),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $name { $($(#[$count_about])* pub $count: u64),+ }

        impl $name {
            /// The counts by name.
            pub fn named(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($count), self.$count)),+]
            }
        }
    };
}

pub(crate) use counts;
