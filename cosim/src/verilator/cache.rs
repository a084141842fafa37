//! Where compiled models are kept, what is there, and how it is cleared.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::ModelError;
use respray_files::entry::KEY_DIGITS;
use respray_files::output::PREFIX;

/// Where compiled models are kept: `RESPRAY_CACHE`, or `respray` in the platform's cache directory. The path is absolute,
/// as compilers run in other folders.
///
/// # Errors
/// [`ModelError::NoCache`] if the environment names neither, [`ModelError::CacheName`] if the path is not UTF-8.
pub fn cache_dir() -> Result<PathBuf, ModelError> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let given = variable("RESPRAY_CACHE").map(PathBuf::from);
    // The password file may name a home as well, which need not be one that the user writes to.
    let has_home = variable("HOME").or(variable("XDG_CACHE_HOME")).is_some();
    let usual = || dirs::cache_dir().filter(|_| has_home).map(|cache| cache.join("respray"));
    let place = absolute(&given.or_else(usual).ok_or(ModelError::NoCache)?)?;
    // it stands in what compilers and Yosys are told, which is text
    if place.to_str().is_none() { Err(ModelError::CacheName(place)) } else { Ok(place) }
}

/// A path that holds in every working directory.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, ModelError> {
    std::path::absolute(path).map_err(ModelError::io(path))
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSize {
    /// Compiled models and runtimes, and folders of builds that did not end.
    pub entries: u64,
    /// Bytes of their files.
    pub bytes: u64,
}

/// What of respray is in the cache `place`; nothing if it is not there.
///
/// # Errors
/// If it cannot be read.
pub fn cache_size(place: &Path) -> Result<CacheSize, ModelError> {
    let mut size = CacheSize::default();
    for entry in entries(place).map_err(ModelError::io(place))? {
        size.entries += 1;
        size.bytes += bytes(&entry).map_err(ModelError::io(&entry))?;
    }
    Ok(size)
}

/// Removes what respray made in the cache `place`, and says how much that was. Whatever else is there stays.
///
/// # Errors
/// If something cannot be removed; the rest is gone then.
pub fn clear_cache(place: &Path) -> Result<CacheSize, ModelError> {
    let size = cache_size(place)?;
    let mut failed = None;
    for entry in entries(place).map_err(ModelError::io(place))? {
        if let Err(error) = remove(&entry) {
            failed = failed.or(Some(ModelError::io(&entry)(error)));
        }
    }
    failed.map_or(Ok(size), Err)
}

/// Removes what processes that were killed a day ago or longer left.
pub(super) fn sweep(cache: &Path) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for path in entries(cache).unwrap_or_default().into_iter().filter(|path| is_temporary(path)) {
        let age = fs::symlink_metadata(&path).and_then(|data| data.modified()).map(|time| time.elapsed());
        if matches!(age, Ok(Ok(age)) if age > DAY) {
            let _ = remove(&path);
        }
    }
}

/// All that respray made in `cache`: entries are named by what they are and a hash.
fn entries(cache: &Path) -> io::Result<Vec<PathBuf>> {
    let is_entry = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let hash = name.and_then(|name| name.rsplit_once('-')).map(|(_, hash)| hash);
        let is_hex = |hash: &str| hash.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
        is_temporary(path) || hash.is_some_and(|hash| hash.len() == KEY_DIGITS && is_hex(hash))
    };
    match fs::read_dir(cache) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
        Ok(found) => {
            let paths: io::Result<Vec<PathBuf>> = found.map(|entry| Ok(entry?.path())).collect();
            Ok(paths?.into_iter().filter(is_entry).collect())
        }
    }
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))
}

/// Of a link it is the link that counts, not what it leads to; what another process removes meanwhile has no bytes.
pub fn bytes(path: &Path) -> io::Result<u64> {
    let counted = || {
        let data = fs::symlink_metadata(path)?;
        if !data.is_dir() {
            return Ok(data.len());
        }
        fs::read_dir(path)?.map(|entry| bytes(&entry?.path())).sum()
    };
    unless_gone(counted(), 0)
}

/// What another process has removed meanwhile is removed.
pub fn remove(path: &Path) -> io::Result<()> {
    let removed = || {
        if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
    };
    unless_gone(removed(), ())
}

/// A result, and `gone` in place of that of a path that is not there any more.
fn unless_gone<T>(result: io::Result<T>, gone: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(gone),
        result => result,
    }
}
