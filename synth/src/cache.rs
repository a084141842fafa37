//! Tool runs kept on disk: a folder per run, named by the hash of everything that the result depends on.
//!
//! A folder holds what went in and what came out (sources, script, log, netlist, reports), so a run can be looked at and
//! repeated by hand. Only finished runs are there: a run happens in a temporary folder that is renamed at its end. One
//! whose files are no longer what they were then is run again.

use std::path::{Path, PathBuf};

pub use respray_files::entry::EntryError as CacheError;
use respray_files::entry::kept;
pub use respray_files::entry::key;

/// A folder of finished runs.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
    /// What the names of its runs begin with.
    prefix: &'static str,
}

impl Cache {
    /// The cache in `directory`, which is made when the first run is kept.
    pub fn new(directory: &Path) -> Cache {
        Cache { directory: directory.to_path_buf(), prefix: "" }
    }

    /// A cache in `directory` that holds other entries too: the names of its runs say what they are, as those of models do.
    pub fn shared(directory: &Path) -> Cache {
        Cache { directory: directory.to_path_buf(), prefix: "synth-" }
    }

    /// The folder of the run that `inputs` determine. Where there is none, `run` makes it in an empty temporary folder.
    pub fn run<E: From<CacheError>>(
        &self,
        inputs: &[&str],
        run: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        kept(&self.directory, &format!("{}{}", self.prefix, key(inputs)), run)
    }
}
