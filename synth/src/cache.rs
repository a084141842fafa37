//! Tool runs kept on disk: a folder per run, named by the hash of everything that the result depends on.
//!
//! A folder holds what went in and what came out (sources, script, log, netlist, reports), so a run can be looked at and
//! repeated by hand. Only finished runs are there: a run happens in a temporary folder that is renamed at its end. One
//! whose files are no longer what they were then is run again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use respray_files::entry::{Work, is_sound};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Why the cache could not keep a run.
#[derive(Debug, Error)]
#[error("{}: {doing}: {source}", path.display())]
pub struct CacheError {
    pub path: PathBuf,
    pub doing: &'static str,
    pub source: std::io::Error,
}

/// One lock per run of this process, so that two threads which want the same run wait for one, and whether the run is
/// there and was found to be whole.
static RUNNING: LazyLock<Mutex<HashMap<PathBuf, Arc<Mutex<bool>>>>> = LazyLock::new(Mutex::default);

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
        let kept = self.directory.join(format!("{}{}", self.prefix, key(inputs)));
        let running = Arc::clone(
            RUNNING.lock().expect("no thread panics with this lock").entry(kept.clone()).or_default(),
        );
        let mut is_whole = running.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *is_whole = *is_whole || is_sound(&kept);
        if *is_whole {
            return Ok(kept);
        }
        let error = |doing| move |source| CacheError { path: self.directory.clone(), doing, source };
        std::fs::create_dir_all(&self.directory).map_err(error("cannot be made"))?;
        let working = Work::new_in(&self.directory).map_err(error("a run's folder cannot be made in it"))?;
        run(working.path())?;
        working.publish(&kept).map_err(error("a finished run cannot be kept"))?;
        *is_whole = true;
        Ok(kept)
    }
}

/// Hash of `inputs` as 32 hexadecimal digits; lengths go in, so that no two lists give the same bytes.
pub fn key(inputs: &[&str]) -> String {
    let mut hash = Sha256::new();
    for input in inputs {
        hash.update((input.len() as u64).to_le_bytes());
        hash.update(input.as_bytes());
    }
    hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_happens_once_per_list_of_inputs() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(&directory.path().join("synth"));
        let mut runs = 0;
        let mut run = |inputs: &[&str]| {
            let folder: Result<PathBuf, CacheError> = cache.run(inputs, |folder| {
                runs += 1;
                std::fs::write(folder.join("out"), inputs.join("+")).unwrap();
                Ok(())
            });
            std::fs::read_to_string(folder.unwrap().join("out")).unwrap()
        };
        assert_eq!(run(&["a", "bc"]), "a+bc");
        assert_eq!(run(&["a", "bc"]), "a+bc");
        assert_eq!(run(&["ab", "c"]), "ab+c");
        assert_eq!(runs, 2);
    }

    #[test]
    fn a_damaged_run_happens_again() {
        let directory = tempfile::tempdir().unwrap();
        let run = |cache: &Cache| {
            let folder: Result<PathBuf, CacheError> = cache.run(&["a"], |folder| {
                std::fs::write(folder.join("out"), "whole").unwrap();
                Ok(())
            });
            folder.unwrap()
        };
        let kept = directory.path().join("kept");
        let folder = run(&Cache::new(&kept));
        // One process looks at an entry once; another path to it stands for another process.
        let through = |link: &str| {
            std::os::unix::fs::symlink(&kept, directory.path().join(link)).unwrap();
            std::fs::read_to_string(run(&Cache::new(&directory.path().join(link))).join("out")).unwrap()
        };
        std::fs::write(folder.join("out"), "wh").unwrap();
        assert_eq!(through("second"), "whole");
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "a file in place of the folder").unwrap();
        assert_eq!(through("third"), "whole");
    }

    #[test]
    fn a_failed_run_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path());
        let failed = |folder: &Path| {
            std::fs::write(folder.join("half"), "x").unwrap();
            let source = std::io::Error::other("no");
            Err(CacheError { path: folder.to_path_buf(), doing: "fails", source })
        };
        assert!(cache.run(&["a"], failed).is_err());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
