//! Where compiled models are kept, what is there, and how it is cleared.

use std::path::{Path, PathBuf};

use super::error::ModelError;
pub use respray_files::cache::CacheSize;
use respray_files::cache::{clear, size};

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

/// What of respray is in the cache `place`; nothing if it is not there.
///
/// # Errors
/// If it cannot be read.
pub fn cache_size(place: &Path) -> Result<CacheSize, ModelError> {
    size(place).map_err(|(path, source)| ModelError::io(&path)(source))
}

/// Removes what respray made in the cache `place`, and says how much that was. Whatever else is there stays.
///
/// # Errors
/// If something cannot be removed; the rest is gone then.
pub fn clear_cache(place: &Path) -> Result<CacheSize, ModelError> {
    let size = cache_size(place)?;
    clear(place).map_err(|(path, source)| ModelError::io(&path)(source))?;
    Ok(size)
}
