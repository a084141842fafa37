//! The folder of a cache: what of it is respray's, how large that is, how it is cleared, and the limit that it is kept to.
//!
//! A process locks each entry that it uses, and says by the time of the entry's folder when that was. Whoever adds an entry removes
//! others, those first that were not used for the longest time, until the rest is no larger than the limit. What is locked stays.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use nix::fcntl::{Flock, FlockArg};
use thiserror::Error;

use crate::output::{PREFIX, Unfinished, write};
use crate::quote::Quoted;
use crate::range::Whole;

/// Megabytes that a limit may be.
pub const LIMIT_MB: Whole = Whole::new(1, 1_000_000);

/// The limit where none was set.
pub const USUAL_LIMIT_MB: u64 = 4000;

/// The file of the limit in the folder, in megabytes.
const LIMIT: &str = "LIMIT";

const MEGABYTE: u64 = 1_000_000;

/// Digits of the hash at the end of an entry's name.
pub const KEY_DIGITS: usize = 32;

/// Entries that a process keeps locked, the latest ones. One that is let go was read long ago, and a library that is loaded stays so
/// where its file is gone.
const LOCKED: usize = 256;

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSize {
    /// Finished entries, and folders of what did not end.
    pub entries: u64,
    /// Bytes of their files.
    pub bytes: u64,
}

/// Why a limit cannot be known.
#[derive(Debug, Error)]
pub enum LimitError {
    #[error("{}: cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}: the limit is `{}`; allowed: {LIMIT_MB} megabytes", path.display(), Quoted(value))]
    Value { path: PathBuf, value: String },
}

/// The limit of the cache `place`, in bytes.
///
/// # Errors
/// [`LimitError`].
pub fn limit(place: &Path) -> Result<u64, LimitError> {
    let path = place.join(LIMIT);
    let megabytes = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => USUAL_LIMIT_MB,
        Err(source) => return Err(LimitError::Read { path, source }),
        Ok(text) => match LIMIT_MB.read(text.trim()) {
            Some(megabytes) => megabytes,
            None => return Err(LimitError::Value { path, value: text }),
        },
    };
    Ok(megabytes * MEGABYTE)
}

/// Sets the limit of the cache `place`, which is made if it is missing, and removes what is beyond it.
///
/// # Errors
/// If it cannot be written.
pub fn set_limit(place: &Path, megabytes: u64) -> io::Result<CacheSize> {
    write(&place.join(LIMIT), format!("{megabytes}\n").as_bytes()).map_err(|error| error.source)?;
    keep_to(place, megabytes * MEGABYTE)
}

/// What of respray is in the cache `place`; nothing if it is not there.
///
/// # Errors
/// If it cannot be read; the path is what could not.
pub fn size(place: &Path) -> Result<CacheSize, (PathBuf, io::Error)> {
    let mut size = CacheSize::default();
    for entry in entries(place).map_err(|error| (place.to_path_buf(), error))? {
        size.entries += 1;
        size.bytes += bytes(&entry).map_err(|error| (entry.clone(), error))?;
    }
    Ok(size)
}

/// Removes what respray made in the cache `place`. Whatever else is there stays.
///
/// # Errors
/// If something cannot be removed; the rest is gone then.
pub fn clear(place: &Path) -> Result<(), (PathBuf, io::Error)> {
    let mut failed = None;
    for entry in entries(place).map_err(|error| (place.to_path_buf(), error))? {
        if let Err(error) = remove(&entry) {
            failed = failed.or(Some((entry, error)));
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Removes what processes that were killed a day ago or longer left.
pub fn sweep(cache: &Path) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for path in entries(cache).unwrap_or_default().into_iter().filter(|path| is_temporary(path)) {
        let age = fs::symlink_metadata(&path).and_then(|data| data.modified()).map(|time| time.elapsed());
        if matches!(age, Ok(Ok(age)) if age > DAY) {
            let _ = remove(&path);
        }
    }
}

/// Removes entries that no process uses until the rest has so many bytes at most, and says what was removed.
///
/// # Errors
/// If the cache cannot be read.
pub fn keep_to(place: &Path, most: u64) -> io::Result<CacheSize> {
    let mut all = Vec::new();
    for entry in entries(place)?.into_iter().filter(|entry| !is_temporary(entry)) {
        let used = fs::symlink_metadata(&entry).and_then(|data| data.modified());
        // what another process has removed meanwhile has no bytes
        all.push((used.unwrap_or(SystemTime::UNIX_EPOCH), bytes(&entry)?, entry));
    }
    all.sort();
    let mut total: u64 = all.iter().map(|(_, bytes, _)| bytes).sum();
    let mut removed = CacheSize::default();
    for (_, bytes, entry) in all {
        if total <= most {
            break;
        }
        if remove_unused(place, &entry).unwrap_or(false) {
            total -= bytes;
            removed.entries += 1;
            removed.bytes += bytes;
        }
    }
    Ok(removed)
}

/// Keeps a cache to its limit; one that is no number is for `respray cache` to say.
pub(crate) fn keep_to_limit(place: &Path) {
    let most = limit(place).unwrap_or(USUAL_LIMIT_MB * MEGABYTE);
    // an entry that stays is no harm to the run
    let _ = keep_to(place, most);
}

/// Removes an entry, unless a process uses it.
fn remove_unused(cache: &Path, entry: &Path) -> io::Result<bool> {
    let Ok(_lock) = Flock::lock(File::open(entry)?, FlockArg::LockExclusiveNonblock) else {
        return Ok(false);
    };
    let aside = tempfile::Builder::new().prefix(PREFIX).tempdir_in(cache)?;
    let _unfinished = Unfinished::new(aside.path());
    fs::rename(entry, aside.path().join("unused"))?;
    Ok(true)
}

/// That this process uses an entry.
pub(crate) struct Use(Flock<File>);

/// The entries that this process uses, the latest last.
static USED: Mutex<VecDeque<Use>> = Mutex::new(VecDeque::new());

impl Use {
    /// Waits for whoever removes it, and says when it was used; none if it is not there.
    pub fn of(entry: &Path) -> Option<Use> {
        let folder = Flock::lock(File::open(entry).ok()?, FlockArg::LockShared).ok()?;
        // of another user's cache, that is not allowed, and not needed
        let _ = folder.set_modified(SystemTime::now());
        Some(Use(folder))
    }

    /// Whether it is what has this name now, and was not removed while this process waited.
    pub fn is_of(&self, entry: &Path) -> bool {
        let place = |data: &fs::Metadata| (data.dev(), data.ino());
        let found = (self.0.metadata(), fs::symlink_metadata(entry));
        matches!(found, (Ok(used), Ok(named)) if place(&used) == place(&named))
    }

    /// Goes on up to the end of the process.
    pub fn keep(self) {
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        used.push_back(self);
        if used.len() > LOCKED {
            used.pop_front();
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

/// Says that an entry was used so many seconds ago.
#[cfg(test)]
pub(crate) fn set_used(entry: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::open(entry).unwrap().set_modified(time).unwrap();
}

/// Uses no entry any more.
#[cfg(test)]
pub(crate) fn let_go() {
    USED.lock().unwrap().clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry of so many bytes that was used so many seconds ago, by no process.
    fn old(cache: &Path, name: &str, bytes: usize, seconds: u64) -> PathBuf {
        let entry = cache.join(format!("{name}-{}", name.repeat(KEY_DIGITS)));
        fs::create_dir_all(&entry).unwrap();
        fs::write(entry.join("file"), vec![0; bytes]).unwrap();
        set_used(&entry, seconds);
        entry
    }

    #[test]
    fn the_longest_unused_go_first_and_what_is_in_use_or_not_of_respray_stays() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path();
        fs::write(cache.join("notes"), vec![0; 9000]).unwrap();
        let entries = [
            old(cache, "a", 1000, 10),
            old(cache, "b", 1000, 40),
            old(cache, "c", 1000, 20),
            old(cache, "d", 1000, 30),
        ];
        let there = || entries.each_ref().map(|entry| entry.exists());
        assert_eq!(keep_to(cache, 4000).unwrap(), CacheSize::default());
        assert_eq!(keep_to(cache, 3999).unwrap(), CacheSize { entries: 1, bytes: 1000 });
        assert_eq!(there(), [true, false, true, true]);
        let in_use = Use::of(&entries[3]).unwrap();
        set_used(&entries[3], 50);
        assert_eq!(keep_to(cache, 2000).unwrap().entries, 1);
        assert_eq!(there(), [true, false, false, true], "one in use is passed over, however old");
        assert_eq!(keep_to(cache, 0).unwrap().entries, 1);
        assert_eq!(there(), [false, false, false, true]);
        drop(in_use);
        assert_eq!(keep_to(cache, 0).unwrap().entries, 1);
        assert_eq!(there(), [false; 4]);
        assert!(cache.join("notes").exists());
    }

    #[test]
    fn the_limit_has_a_default_and_a_wrong_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        assert_eq!(limit(&cache).unwrap(), USUAL_LIMIT_MB * MEGABYTE);
        set_limit(&cache, 7).unwrap();
        assert_eq!(limit(&cache).unwrap(), 7_000_000);
        fs::write(cache.join(LIMIT), "much\n").unwrap();
        let said = limit(&cache).unwrap_err().to_string();
        assert!(said.ends_with("LIMIT: the limit is `much\\n`; allowed: 1 to 1000000 megabytes"), "{said}");
    }
}
