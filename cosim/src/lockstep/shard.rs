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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn shares_add_up_and_differ_by_one_at_most() {
        for (total, of) in [(100_000_000, 7), (3, 8), (u64::MAX, 10_000), (0, 1)] {
            let shares: Vec<u64> = (1..=of).map(|index| Shard { index, of }.share(total)).collect();
            assert_eq!(shares.iter().sum::<u64>(), total);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn no_part_of_neighbouring_campaigns_has_the_seed_of_another() {
        let parts = (1..=4).flat_map(|of| (1..=of).map(move |index| Shard { index, of }));
        let seeds: Vec<u64> =
            parts.flat_map(|shard| (0..100).map(move |campaign| shard.seed(campaign))).collect();
        assert_eq!(seeds.iter().collect::<BTreeSet<_>>().len(), seeds.len());
        assert!(seeds.iter().all(|seed| *seed > 100), "nor that of a campaign");
        let ports: BTreeSet<u16> = seeds.iter().map(|seed| *seed as u16).collect();
        assert!(ports.len() > 950, "the port `seed` carries other values too: {}", ports.len());
    }

    #[test]
    fn what_names_no_part_is_refused() {
        let shard = Shard { index: 2, of: 3 };
        assert_eq!("2/3".parse(), Ok(shard));
        assert_eq!((shard.to_string(), shard.file_name()), ("2/3".into(), "2of3".into()));
        for given in ["0/3", "4/3", "1/0", "1", "a/b", "1/10001", "-1/2"] {
            let error = given.parse::<Shard>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{given}` names no part")), "{error}");
        }
    }
}
