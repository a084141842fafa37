//! `respray cache`: where compiled models are kept, and runs of tools outside of the checkout, and how large that is.

use std::fmt::{self, Display};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use respray_cosim::verilator::{CacheSize, ModelError, cache_dir, cache_size, clear_cache};
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
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
}

/// The cache of compiled models.
#[derive(Serialize)]
pub struct PlaceAndSize {
    place: PathBuf,
    entries: u64,
    bytes: u64,
}

impl PlaceAndSize {
    fn new(place: PathBuf, size: CacheSize) -> PlaceAndSize {
        PlaceAndSize { place, entries: size.entries, bytes: size.bytes }
    }
}

impl Display for PlaceAndSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, megabytes) = (self.place.display(), self.bytes as f64 / 1e6);
        write!(
            f,
            "compiled models and runs of Yosys and nextpnr in {place}: entries {}, {megabytes:.1} MB",
            self.entries
        )
    }
}

/// What `respray doctor` says of it as well.
pub fn place_and_size() -> Result<PlaceAndSize, ModelError> {
    let place = cache_dir()?;
    let size = cache_size(&place)?;
    Ok(PlaceAndSize::new(place, size))
}

impl Cache {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let text = match self.act {
            None => format!("{}\n", place_and_size()?),
            Some(Act::Clear) => {
                let place = cache_dir()?;
                let size = clear_cache(&place)?;
                format!("cleared: {}\n", PlaceAndSize::new(place, size))
            }
        };
        Results::text(text).hand_out()?;
        Ok(ExitStatus::Success)
    }
}
