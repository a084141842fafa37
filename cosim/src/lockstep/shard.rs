//! A part of a long random campaign, for a machine of several.

use std::str::FromStr;

use respray_files::quote::Quoted;
use thiserror::Error;

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

    /// Its seed: that of the campaign for the first part, and one more for each further one.
    pub fn seed(&self, campaign: u64) -> u64 {
        campaign.wrapping_add(u64::from(self.index) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_differ_by_one_at_most() {
        for (total, of) in [(100_000_000, 7), (3, 8), (u64::MAX, 10_000), (0, 1)] {
            let shares: Vec<u64> = (1..=of).map(|index| Shard { index, of }.share(total)).collect();
            assert_eq!(shares.iter().sum::<u64>(), total);
            assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
        let seeds: Vec<u64> = (1..=3).map(|index| Shard { index, of: 3 }.seed(40)).collect();
        assert_eq!(seeds, [40, 41, 42]);
    }

    #[test]
    fn what_names_no_part_is_refused() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for given in ["0/3", "4/3", "1/0", "1", "a/b", "1/10001", "-1/2"] {
            let error = given.parse::<Shard>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{given}` names no part")), "{error}");
        }
    }
}
