//! `respray cache`: where compiled models are kept, and runs of tools outside of the checkout, how large that is, and how large it may be.

use std::fmt::{self, Display};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use respray_cosim::verilator::{CacheSize, cache_dir, cache_size, clear_cache};
use respray_files::cache::{LIMIT_MB, limit, set_limit};
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
use crate::number::within;
use crate::output::Results;

/// Where the cache of compiled models is, and how large.
#[derive(Args)]
pub struct Cache {
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Subcommand)]
enum Act {
    /// Remove what respray made there, and nothing else; no other respray may be building at the time.
    Clear,
    /// Set how large it may grow: whoever adds something to it then removes what was unused for the longest time, and nothing that
    /// is in use.
    Limit {
        /// Megabytes.
        #[arg(value_name = "MB", value_parser = within::<u64>(LIMIT_MB))]
        megabytes: u64,
    },
}

/// The cache of compiled models.
#[derive(Serialize)]
pub struct PlaceAndSize {
    place: PathBuf,
    entries: u64,
    bytes: u64,
    /// What it is kept to.
    limit_bytes: u64,
}

impl PlaceAndSize {
    fn new(place: PathBuf, size: CacheSize) -> Result<PlaceAndSize, Refusal> {
        let limit_bytes = limit(&place)?;
        Ok(PlaceAndSize { place, entries: size.entries, bytes: size.bytes, limit_bytes })
    }
}

impl Display for PlaceAndSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, megabytes) = (self.place.display(), self.bytes as f64 / 1e6);
        write!(
            f,
            "compiled models and runs of Yosys and nextpnr in {place}: entries {}, {megabytes:.1} MB, kept to {} MB",
            self.entries,
            self.limit_bytes / 1_000_000
        )
    }
}

/// What `respray doctor` says of it as well.
pub fn place_and_size() -> Result<PlaceAndSize, Refusal> {
    let place = cache_dir()?;
    let size = cache_size(&place)?;
    PlaceAndSize::new(place, size)
}

impl Cache {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let text = match self.act {
            None => format!("{}\n", place_and_size()?),
            Some(Act::Clear) => {
                let place = cache_dir()?;
                let size = clear_cache(&place)?;
                format!("cleared: {}\n", PlaceAndSize::new(place, size)?)
            }
            Some(Act::Limit { megabytes }) => {
                let place = cache_dir()?;
                let removed = set_limit(&place, megabytes)
                    .map_err(|error| format!("{}: the limit cannot be set: {error}", place.display()))?;
                format!("{}; {} entries were removed\n", place_and_size()?, removed.entries)
            }
        };
        Results::text(text).hand_out()?;
        Ok(ExitStatus::Success)
    }
}
