//! One bit of one memory of a core flips: how a run chooses it, and what it comes to. Cores that take ops, cores that packets stream through
//! and the joined block have runs of their own.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::verilator::{Model, ModelError};

/// The input that chooses a memory: 0 is none, and n the n-th one, counted from 1.
pub const MEMORY: &str = "upset_memory";
/// Width of [`MEMORY`] in bits.
pub const MEMORY_BITS: u32 = 8;
/// The input that chooses the word.
pub const ADDRESS: &str = "upset_address";
/// Width of [`ADDRESS`] in bits.
pub const ADDRESS_BITS: u32 = 32;
/// Bit of [`ADDRESS`]: the rest of it says how many words back from the one that was written last, for sites that have that.
pub const RECENT_BIT: u32 = ADDRESS_BITS - 1;
/// The input that chooses the bit of the word.
pub const BIT: &str = "upset_bit";
/// Width of [`BIT`] in bits.
pub const BIT_BITS: u32 = 16;
/// The output that shows the state of the random generator, if there is one.
pub const GENERATOR: &str = "upset_generator";
/// Width of [`GENERATOR`] in bits.
pub const GENERATOR_BITS: u32 = respray_golden::rng::STATE_BITS;

/// A memory of a design whose bits can be flipped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site {
    /// Instances from the top to it, e.g. `pipeline.control_ram`.
    pub path: String,
    /// Name of its module, e.g. `ecmp_control_ram`.
    pub module: String,
    pub words: u32,
    /// Bits of a word.
    pub width: u32,
    /// A word can be chosen by how many words ago it was written, as [`RECENT_BIT`] says.
    pub has_recent: bool,
}

/// One flip in so many is of any word of a queue, the others of one of the latest words.
const ANY_OF_QUEUE: u32 = 8;
/// The words of a queue that are the latest ones.
const LATEST: u32 = 6;

/// The number of a word that [`ADDRESS`] chooses, if it does so by its number.
pub(crate) fn numbered(address: u32) -> Option<u32> {
    (address >> RECENT_BIT == 0).then_some(address)
}

/// Columns of the inputs that flip a bit: [`MEMORY`], [`ADDRESS`], [`BIT`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlipPorts([usize; 3]);

impl FlipPorts {
    /// Those of a model of a text in which bits can be flipped.
    ///
    /// # Errors
    /// If it has none.
    pub fn of(model: &Model) -> Result<FlipPorts, ModelError> {
        let column = |name, width| model.input(name, width).map(|port| port.column());
        Ok(FlipPorts([column(MEMORY, MEMORY_BITS)?, column(ADDRESS, ADDRESS_BITS)?, column(BIT, BIT_BITS)?]))
    }

    /// Sets them for a clock edge at which a bit of the memory of this place among the sites flips.
    pub fn flip(self, row: &mut [u64], place: usize, address: u32, bit: u32) {
        let values = [place as u64 + 1, address.into(), bit.into()];
        self.0.into_iter().zip(values).for_each(|(column, value)| row[column] = value);
    }

    /// Sets them for one at which nothing flips.
    pub fn rest(self, row: &mut [u64]) {
        row[self.0[0]] = 0;
    }
}

/// What is random in a run of this seed beside its stimulus, which has the seed itself.
pub(crate) fn random_of(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x0005_eed0_f0f1_1e5d)
}

impl Site {
    /// A word of a queue, mostly one of the latest, as few words wait most of the time: the value of [`ADDRESS`], and which one it is in
    /// words.
    pub(crate) fn of_queue(&self, random: &mut impl RngExt) -> (u32, String) {
        if !self.has_recent || random.random_range(0..ANY_OF_QUEUE) == 0 {
            return (random.random_range(0..self.words), "any word of a queue".to_string());
        }
        let back = random.random_range(0..LATEST.min(self.words));
        (1 << RECENT_BIT | back, format!("{back} words back from the latest"))
    }
}

/// A bit that flipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flip {
    /// The memory, as [`Site::path`].
    pub memory: String,
    /// The word, if it was not chosen by when it was written.
    pub address: Option<u32>,
    pub bit: u32,
    /// The clock edge at which it flipped.
    pub cycle: u64,
    /// What the word belongs to, e.g. `connection 5`; of a queue, where the word stands in it.
    pub of: String,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrong {
    /// The core stopped: an op is not done or not answered within the time that the manifest gives it, or `op_ready` is not as it must be.
    Wedge,
    /// What is not of a spoilt entry differs from the golden model.
    Leak,
    /// What was written anew is spoilt still.
    NotRenewed,
    /// With parity: an op read a word with a flipped bit, and the core does not say so.
    Untold,
}

impl Wrong {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Wrong::Wedge => "wedge",
            Wrong::Leak => "leak",
            Wrong::NotRenewed => "not renewed",
            Wrong::Untold => "untold",
        }
    }
}

/// Something that must not come of a flip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub wrong: Wrong,
    /// Clock edge before which it was seen.
    pub cycle: u64,
    /// In a sentence.
    pub says: String,
}

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upset {
    pub cycles: u64,
    /// `None`: the core has no memory.
    pub flip: Option<Flip>,
    /// Ops that read what was spoilt, and those among them whose answer differed.
    pub met: u64,
    pub differed: u64,
    /// The longest of them, in cycles; 0 for a core that takes an op in every cycle.
    pub longest: u64,
    /// Of the joined block: it had to be reset before it did as it should.
    pub reset: bool,
    pub finding: Option<Finding>,
}
