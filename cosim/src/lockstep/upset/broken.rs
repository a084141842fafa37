//! The word with a flipped bit, where words have parity: which op meets it.

use super::rules::{At, Memory};
use crate::lockstep::op_core::{BrokenWord, Touched};

/// The port by which a core says that an op met such a word.
pub(super) const LOST: &str = "state_lost";

/// A bit that flips: the word that it is in, and to whom that belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub memory: &'static Memory,
    pub entry: u32,
    /// Number of the word in the memory.
    pub address: u32,
    /// Number of the word among those of its entry.
    pub word: u32,
}

/// A word with a flipped bit that nothing has written since.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    hit: Hit,
    /// The clock edge at which the bit flipped.
    flipped: u64,
    /// The edges at which ops of the entry began that write the word and have not read the flipped bit.
    writers: Vec<u64>,
}

/// What an op makes of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// It does not touch it.
    Nothing,
    /// It writes it anew.
    Writes,
    /// It reads it with its flipped bit.
    Reads,
}

impl Broken {
    /// A bit flips at an edge while ops of these entries are under way, which began at these edges.
    pub fn new(hit: Hit, flipped: u64, under_way: impl IntoIterator<Item = (u32, u64)>) -> Broken {
        let mine = under_way.into_iter().filter(|(entry, _)| *entry == hit.entry).map(|(_, begun)| begun);
        let writers = match hit.memory.at {
            // a write at the edge of the flip has the word
            At::Taken { written } => mine.filter(|begun| begun + u64::from(written) >= flipped).collect(),
            At::Later { .. } | At::Beside { .. } | At::Alone { .. } | At::Unguarded => Vec::new(),
        };
        Broken { hit, flipped, writers }
    }

    /// What an op makes of it that begins at an edge, and what is left of it then. Where the word is that of a state, every op writes it.
    pub fn met_when_begun(mut self, entry: u32, begun: u64, renews: bool) -> (Meeting, Option<Broken>) {
        let At::Taken { written } = self.hit.memory.at else {
            return (Meeting::Nothing, Some(self));
        };
        if self.writers.iter().any(|writer| writer + u64::from(written) < begun) {
            return (Meeting::Nothing, None);
        }
        if entry != self.hit.entry {
            return (Meeting::Nothing, Some(self));
        }
        if begun <= self.flipped || !self.writers.is_empty() {
            self.writers.push(begun);
            return (Meeting::Writes, Some(self));
        }
        (if renews { Meeting::Writes } else { Meeting::Reads }, None)
    }

    /// The word.
    pub fn hit(&self) -> &Hit {
        &self.hit
    }

    /// The word to an op that is alone in the core from this edge on.
    pub fn to_op(&self, begun: u64) -> BrokenWord {
        let Hit { memory, word, .. } = self.hit;
        BrokenWord { memory: memory.name, word, flipped: self.flipped as i64 - begun as i64 }
    }

    /// Whether an op that is alone writes it anew which began at this edge, and after which the core could do nothing else at so many.
    pub fn is_cured_by(&self, begun: u64, until_free: u32) -> bool {
        let At::Alone { behind } = self.hit.memory.at else { return false };
        behind.is_none_or(|behind| begun + u64::from(until_free + behind) >= self.flipped)
    }

    /// What an op of its entry makes of it that began at an edge and touches the word so, in a memory that ops look at as the state says.
    pub fn met_as_executed(&self, begun: u64, touched: Touched) -> Meeting {
        let (read, written) = match self.hit.memory.at {
            At::Later { after } => (after, after),
            At::Beside { written } => (0, written),
            At::Taken { .. } | At::Alone { .. } | At::Unguarded => return Meeting::Nothing,
        };
        if touched.reads && begun + u64::from(read) > self.flipped {
            Meeting::Reads
        } else if touched.writes && begun + u64::from(written) >= self.flipped {
            Meeting::Writes
        } else {
            Meeting::Nothing
        }
    }
}
