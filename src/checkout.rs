//! The checkout of respray: what stands there is found from every folder.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use respray_cosim::verilator::{ModelError, cache_dir};
use respray_synth::Bench;
use respray_synth::cache::Cache;
use respray_synth::run::baseline_path;
use respray_synth::tool::Toolbox;

/// The folder of the project, with its tools in `.venv`, its recordings and its accepted figures.
pub struct Checkout {
    root: PathBuf,
    /// The working directory is in it.
    is_around: bool,
}

impl Checkout {
    /// The checkout around the working directory, else the one that the binary was built in. Where that is gone, the working
    /// directory stands for it.
    pub fn find() -> Checkout {
        let here = env::current_dir().unwrap_or_default();
        let is_checkout =
            |folder: &&Path| baseline_path(folder).is_file() && folder.join("Cargo.toml").is_file();
        if let Some(root) = here.ancestors().find(is_checkout) {
            let root = if root == here { PathBuf::new() } else { root.to_path_buf() };
            return Checkout { root, is_around: true };
        }
        let built_in = Some(Path::new(env!("CARGO_MANIFEST_DIR"))).filter(is_checkout);
        Checkout { root: built_in.map(Path::to_path_buf).unwrap_or_default(), is_around: false }
    }

    /// A file or folder of the project.
    pub fn join(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The accepted figures.
    pub fn baseline(&self) -> PathBuf {
        baseline_path(&self.root)
    }

    /// Its commit as `git describe` names it, with `-dirty` behind it where files were changed.
    pub fn commit(&self) -> String {
        if !self.join(".git").exists() {
            return "not from a checkout".into();
        }
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.root).args(["describe", "--always", "--tags", "--dirty"]);
        match git.output() {
            Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().into(),
            _ => "unknown, because git does not say it".into(),
        }
    }

    /// Tools of its `.venv`, else of the PATH.
    pub fn tools(&self) -> Toolbox {
        Toolbox::new(&self.root)
    }

    /// The tools, and where their runs are kept: within the checkout in its `build` folder, elsewhere in the user's cache.
    ///
    /// # Errors
    /// If the environment names no cache.
    pub fn bench(&self) -> Result<Bench, ModelError> {
        if self.is_around {
            return Ok(Bench::new(&self.root));
        }
        Ok(Bench { tools: self.tools(), cache: Cache::shared(&cache_dir()?) })
    }
}
