//! What the words of a row are.

use serde_json::{Value, json};

use crate::error::{Code, Failure};

/// A word of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub name: String,
    /// Width in bits, 1 to 64.
    pub bits: u32,
    /// What it carries; empty where its name says it.
    pub meaning: String,
    /// Of a result: the core promises it in every cycle, so that an op shows something where one of these is not 0.
    pub is_pulse: bool,
}

/// Rows of one kind: those of ops, of results, or those beside the frames of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    pub name: &'static str,
    pub words: Vec<Word>,
}

impl Word {
    pub fn new(name: impl Into<String>, bits: u32, meaning: impl Into<String>) -> Word {
        Word { name: name.into(), bits, meaning: meaning.into(), is_pulse: false }
    }

    /// Largest value that it holds.
    pub fn last(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }
}

impl Lane {
    /// Rows with these words, by name and width.
    pub fn of(name: &'static str, words: &[(&str, u32)]) -> Lane {
        Lane { name, words: words.iter().map(|(name, bits)| Word::new(*name, *bits, "")).collect() }
    }

    pub fn json(&self) -> Value {
        let word = |Word { name, bits, meaning, is_pulse }: &Word| json!({"name": name, "bits": bits, "meaning": meaning, "is_pulse": is_pulse});
        json!({"name": self.name, "words": self.words.iter().map(word).collect::<Vec<_>>()})
    }
}

/// A row has the right number of words, each within its width.
///
/// # Errors
/// [`Code::Size`], [`Code::Value`].
pub fn checked(words: &[Word], row: &[u64]) -> Result<(), Failure> {
    if row.len() != words.len() {
        return Err(Failure::size("the row", row.len(), words.len()));
    }
    match words.iter().zip(row).find(|(word, value)| **value > word.last()) {
        Some((word, value)) => {
            let sentence = format!("`{}` is {value}; allowed: 0 to {}", word.name, word.last());
            Err(Failure::new(Code::Value, sentence))
        }
        None => Ok(()),
    }
}
