//! A part of a long random campaign, for a machine of several.

use std::fmt;
use std::str::FromStr;

use respray_files::quote::Quoted;
use thiserror::Error;

use crate::traffic::frames::mix;

/// Most parts of a campaign.
pub const MAX_SHARDS: u32 = 10_000;

/// Part `index` of `of`: it runs its share of the campaign's cycles, on random ops of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub index: u32,
    /// 1 to [`MAX_SHARDS`].
    pub of: u32,
}

/// A text that names no part. Its text is the whole sentence for the user.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "`{}` names no part of a campaign; allowed: I/N with I from 1 to N, and N up to {MAX_SHARDS}",
    Quoted(given)
)]
pub struct ShardError {
    given: String,
}

/// A part that would run nothing. Its text is the whole sentence for the user.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "part {index} of {of} has no cycle of a campaign of {cycles}; allowed: a campaign of as many cycles as parts, or more"
)]
pub struct ShareError {
    index: u32,
    of: u32,
    cycles: u64,
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(given: &str) -> Result<Self, ShardError> {
        given
            .split_once('/')
            .and_then(|(index, of)| Some(Shard { index: index.parse().ok()?, of: of.parse().ok()? }))
            .filter(|shard| (1..=MAX_SHARDS).contains(&shard.of) && (1..=shard.of).contains(&shard.index))
            .ok_or_else(|| ShardError { given: given.to_string() })
    }
}

impl Shard {
    /// Its share of so many cycles, of which there must be one at least.
    ///
    /// # Errors
    /// [`ShareError`].
    pub fn share_of(&self, cycles: u64) -> Result<u64, ShareError> {
        let share = self.share(cycles);
        let Shard { index, of } = *self;
        if share == 0 { Err(ShareError { index, of, cycles }) } else { Ok(share) }
    }

    /// Its share of `total`; the shares of all parts add up to it.
    fn share(&self, total: u64) -> u64 {
        let up_to = |index: u32| u128::from(total) * u128::from(index) / u128::from(self.of);
        (up_to(self.index) - up_to(self.index - 1)) as u64
    }

    /// Its seed in the campaign with this seed: campaign, part and number of parts go one after the other through
    /// [`mix`], the step of splitmix64, which is one-to-one. So the parts of one campaign have different seeds, and
    /// campaigns of neighbouring seeds share none but by a chance of 2^-64 a pair.
    pub fn seed(&self, campaign: u64) -> u64 {
        [self.index, self.of].into_iter().fold(mix(campaign), |seed, word| mix(seed ^ u64::from(word)))
    }

    /// As a part of a file's name: `2of3`.
    pub fn file_name(&self) -> String {
        format!("{}of{}", self.index, self.of)
    }
}

/// As the command line takes it: `2/3`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}
