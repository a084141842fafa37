//! Temporary files and folders of this process, so that a signal which ends it leaves none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Says that a temporary file or folder is there, until it is dropped: [`remove_unfinished`] removes it.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    pub fn new(path: &Path) -> Unfinished {
        // the process may be in another folder by the time
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        unfinished().insert(path.clone());
        Unfinished(path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what a process leaves that ends in the middle of its work.
pub fn remove_unfinished() {
    for path in std::mem::take(&mut *unfinished()) {
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
    }
}
