//! Numbers of clock cycles, fixed or by formula.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A number of clock cycles: fixed, or growing with counts that an op's class names, e.g. `6 + 2*advance_segments`.
///
/// In a manifest a fixed one is a number and any other the text of its formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Text", into = "Text")]
pub struct Cycles {
    /// Cycles where every count is 0.
    pub base: u32,
    /// Cycles per unit of a count, and the count's name.
    pub growth: Vec<(u32, String)>,
}

/// A text that is no number of cycles.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{text}` is no number of cycles; allowed: a number, or one with counts added, e.g. `6 + 2*advance_segments`"
)]
pub struct CyclesError {
    text: String,
}

impl Cycles {
    /// `base + per*count`.
    pub fn growing(base: u32, per: u32, count: &str) -> Cycles {
        Cycles { base, growth: vec![(per, count.to_string())] }
    }

    /// The number, if it is fixed.
    pub fn fixed(&self) -> Option<u32> {
        self.growth.is_empty().then_some(self.base)
    }

    /// The number where the counts are as `count_of` says.
    pub fn at(&self, count_of: impl Fn(&str) -> u32) -> u32 {
        self.base + self.growth.iter().map(|(per, count)| per * count_of(count)).sum::<u32>()
    }
}

impl From<u32> for Cycles {
    fn from(base: u32) -> Cycles {
        Cycles { base, growth: vec![] }
    }
}

impl fmt::Display for Cycles {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}", self.base)?;
        self.growth.iter().try_for_each(|(per, count)| write!(out, " + {per}*{count}"))
    }
}

impl FromStr for Cycles {
    type Err = CyclesError;

    fn from_str(text: &str) -> Result<Cycles, CyclesError> {
        let error = || CyclesError { text: text.to_string() };
        let mut terms = text.split('+').map(str::trim);
        let base = terms.next().and_then(|base| base.parse().ok()).ok_or_else(error)?;
        let growth = terms
            .map(|term| {
                let (per, count) = term.split_once('*')?;
                let is_name =
                    !count.is_empty() && count.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
                Some((per.parse().ok()?, is_name.then(|| count.to_string())?))
            })
            .collect::<Option<_>>()
            .ok_or_else(error)?;
        Ok(Cycles { base, growth })
    }
}

/// As the manifest spells it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Fixed(u32),
    Formula(String),
}

impl From<Cycles> for Text {
    fn from(cycles: Cycles) -> Text {
        cycles.fixed().map_or_else(|| Text::Formula(cycles.to_string()), Text::Fixed)
    }
}

impl TryFrom<Text> for Cycles {
    type Error = CyclesError;

    fn try_from(text: Text) -> Result<Cycles, CyclesError> {
        match text {
            Text::Fixed(base) => Ok(base.into()),
            Text::Formula(formula) => formula.parse(),
        }
    }
}
