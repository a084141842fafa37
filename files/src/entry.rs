//! Entries of a cache: folders that are whole or not there.
//!
//! An entry is filled under a temporary name and gets its own at the end, with the checksums of its files beside them.
//! What a full disk, a crash or a user did to it shows in these, so that it can be made anew; so nothing has to be synced.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use sha2::{Digest, Sha256};
use thiserror::Error;

pub use crate::cache::KEY_DIGITS;
use crate::cache::{Use, keep_to_limit};
use crate::output::{PREFIX, Unfinished};

/// The checksums of the other files of an entry, as `sha256sum --check` reads them.
const SUMS: &str = "SHA256SUMS";

/// Why the cache could not keep an entry.
#[derive(Debug, Error)]
#[error("{}: {doing}: {source}", path.display())]
pub struct EntryError {
    pub path: PathBuf,
    pub doing: &'static str,
    pub source: io::Error,
}

/// How often an entry is sought that another process removes at the same moment.
const TRIES: u32 = 3;

/// One lock per entry that this process wanted, so that two threads which want the same one wait for one, and whether the
/// entry is there and was found to be whole.
static WANTED: LazyLock<Mutex<HashMap<PathBuf, Arc<Mutex<bool>>>>> = LazyLock::new(Mutex::default);

/// The entry `key` in the folder `cache`, which is made if it is missing. Where there is no sound one, `fill` makes it in an
/// empty temporary folder.
///
/// # Errors
/// What `fill` says, or [`EntryError`].
pub fn kept<E: From<EntryError>>(
    cache: &Path,
    key: &str,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<PathBuf, E> {
    let entry = cache.join(key);
    let wanted = {
        let mut all = WANTED.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(entry.clone()).or_default())
    };
    let mut is_whole = wanted.lock().unwrap_or_else(PoisonError::into_inner);
    *is_whole = (*is_whole && entry.is_dir()) || taken(&entry);
    if !*is_whole {
        let error = |doing| move |source| EntryError { path: cache.to_path_buf(), doing, source };
        fs::create_dir_all(cache).map_err(error("cannot be made"))?;
        let work = Work::new_in(cache).map_err(error("no folder can be made in it"))?;
        fill(work.path())?;
        work.publish(&entry).map_err(error("an entry cannot be kept in it"))?;
        *is_whole = true;
    }
    Ok(entry)
}

/// Hash of `inputs` as 32 hexadecimal digits; lengths go in, so that no two lists give the same bytes.
pub fn key(inputs: &[&str]) -> String {
    let mut hash = Sha256::new();
    for input in inputs {
        hash.update((input.len() as u64).to_le_bytes());
        hash.update(input.as_bytes());
    }
    hash.finalize()[..KEY_DIGITS / 2].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A folder that is being filled. One that is dropped before [`Work::publish`] leaves nothing.
pub struct Work {
    folder: tempfile::TempDir,
    _unfinished: Unfinished,
}

impl Work {
    /// An empty folder in `cache`, which must be there.
    ///
    /// # Errors
    /// If there is no room for it.
    pub fn new_in(cache: &Path) -> io::Result<Work> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(cache)?;
        let unfinished = Unfinished::new(folder.path());
        Ok(Work { folder, _unfinished: unfinished })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Makes it the entry `place` of the same cache. If another process was faster, its equal entry stays; anything else
    /// there goes.
    ///
    /// # Errors
    /// If its files cannot be read, or `place` cannot be written.
    pub fn publish(self, place: &Path) -> io::Result<()> {
        let sums = sums(self.path())?;
        let text: String = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
        fs::write(self.path().join(SUMS), text)?;
        // it is in use before it has its name, so that no other process finds it free
        let own = Use::of(self.path());
        let cache = place.parent().unwrap_or(Path::new("."));
        let is_published = fs::rename(self.path(), place).is_ok();
        if !is_published && !taken(place) {
            let aside = Work::new_in(cache)?;
            match fs::rename(place, aside.path().join("unsound")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => fs::rename(self.path(), place)?,
            }
        }
        if let Some(own) = own.filter(|own| own.is_of(place)) {
            own.keep();
        }
        keep_to_limit(cache);
        Ok(())
    }
}

/// Whether an entry is sound. If so, this process uses it from now on, and no other removes it.
pub fn taken(entry: &Path) -> bool {
    for _ in 0..TRIES {
        let Some(own) = Use::of(entry) else { return false };
        if own.is_of(entry) {
            let is_sound = is_sound(entry);
            if is_sound {
                own.keep();
            }
            return is_sound;
        }
    }
    false
}

/// Whether `entry` holds the files that were published, and no others.
pub fn is_sound(entry: &Path) -> bool {
    let Ok(text) = fs::read_to_string(entry.join(SUMS)) else { return false };
    let line = |line: &str| line.split_once("  ").map(|(sum, name)| (name.to_string(), sum.to_string()));
    let wanted: Option<BTreeMap<String, String>> = text.lines().map(line).collect();
    wanted.is_some_and(|wanted| !wanted.is_empty() && sums(entry).is_ok_and(|found| found == wanted))
}

/// Checksums of all files in `folder` but [`SUMS`], by their path in it.
fn sums(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut sums = BTreeMap::new();
    let mut inside = vec![PathBuf::new()];
    while let Some(within) = inside.pop() {
        for entry in fs::read_dir(folder.join(&within))? {
            let entry = entry?;
            let name = within.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                inside.push(name);
            } else if name != Path::new(SUMS) {
                sums.insert(name.to_string_lossy().into_owned(), sum(&entry.path())?);
            }
        }
    }
    Ok(sums)
}

fn sum(path: &Path) -> io::Result<String> {
    Ok(sha256(&fs::read(path)?))
}

/// The SHA-256 of `bytes` as 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{let_go, set_limit, set_used};

    fn publish(cache: &Path, place: &Path, text: &str) {
        let work = Work::new_in(cache).unwrap();
        fs::create_dir(work.path().join("inside")).unwrap();
        fs::write(work.path().join("a"), text).unwrap();
        fs::write(work.path().join("inside/b"), "b").unwrap();
        work.publish(place).unwrap();
    }

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn every_damage_shows_and_a_new_entry_takes_the_place() {
        let cache = tempfile::tempdir().unwrap();
        let place = cache.path().join("entry");
        let damages: [fn(&Path); 9] = [
            |place| fs::write(place.join("a"), "").unwrap(),
            |place| fs::write(place.join("a"), "\0\0\0").unwrap(),
            |place| fs::remove_file(place.join("inside/b")).unwrap(),
            |place| fs::write(place.join("more"), "").unwrap(),
            |place| fs::write(place.join(SUMS), "").unwrap(),
            |place| fs::write(place.join(SUMS), "0 a").unwrap(),
            |place| {
                fs::remove_file(place.join("a")).unwrap();
                fs::create_dir(place.join("a")).unwrap();
            },
            |place| {
                fs::remove_dir_all(place).unwrap();
                fs::write(place, "a file").unwrap();
            },
            |place| {
                fs::remove_dir_all(place).unwrap();
                fs::create_dir(place).unwrap();
            },
        ];
        for (index, damage) in damages.into_iter().enumerate() {
            publish(cache.path(), &place, "new");
            assert!(is_sound(&place), "{index}");
            damage(&place);
            assert!(!is_sound(&place), "{index}");
            publish(cache.path(), &place, "new");
            assert!(is_sound(&place), "{index}");
            assert_eq!(names(cache.path()), 1, "{index}");
        }
    }

    #[test]
    fn the_entry_of_a_faster_process_stays() {
        let cache = tempfile::tempdir().unwrap();
        let place = cache.path().join("entry");
        publish(cache.path(), &place, "first");
        publish(cache.path(), &place, "second");
        assert_eq!(
            (fs::read_to_string(place.join("a")).unwrap().as_str(), names(cache.path())),
            ("first", 1)
        );
    }

    #[test]
    fn what_is_not_published_leaves_nothing() {
        let cache = tempfile::tempdir().unwrap();
        let work = Work::new_in(cache.path()).unwrap();
        fs::write(work.path().join("a"), "").unwrap();
        drop(work);
        assert_eq!(names(cache.path()), 0);
    }

    #[test]
    fn an_entry_is_made_once_per_list_of_inputs() {
        let directory = tempfile::tempdir().unwrap();
        let cache = directory.path().join("cache");
        let mut runs = 0;
        let mut run = |inputs: &[&str]| {
            let folder: Result<PathBuf, EntryError> = kept(&cache, &key(inputs), |folder| {
                runs += 1;
                fs::write(folder.join("out"), inputs.join("+")).unwrap();
                Ok(())
            });
            fs::read_to_string(folder.unwrap().join("out")).unwrap()
        };
        assert_eq!(run(&["a", "bc"]), "a+bc");
        assert_eq!(run(&["a", "bc"]), "a+bc");
        assert_eq!(run(&["ab", "c"]), "ab+c");
        assert_eq!(runs, 2);
    }

    #[test]
    fn a_damaged_entry_is_made_anew() {
        let directory = tempfile::tempdir().unwrap();
        let run = |cache: &Path| {
            let folder: Result<PathBuf, EntryError> = kept(cache, &key(&["a"]), |folder| {
                fs::write(folder.join("out"), "whole").unwrap();
                Ok(())
            });
            folder.unwrap()
        };
        let cache = directory.path().join("cache");
        let entry = run(&cache);
        // One process looks at an entry once; another path to it stands for another process.
        let through = |link: &str| {
            std::os::unix::fs::symlink(&cache, directory.path().join(link)).unwrap();
            fs::read_to_string(run(&directory.path().join(link)).join("out")).unwrap()
        };
        fs::write(entry.join("out"), "wh").unwrap();
        assert_eq!(through("second"), "whole");
        fs::remove_dir_all(&entry).unwrap();
        fs::write(&entry, "a file in place of the folder").unwrap();
        assert_eq!(through("third"), "whole");
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let cache = directory.path();
        let failed = |folder: &Path| {
            fs::write(folder.join("half"), "x").unwrap();
            let source = io::Error::other("no");
            Err(EntryError { path: folder.to_path_buf(), doing: "fails", source })
        };
        assert!(kept(cache, &key(&["a"]), failed).is_err());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_entry_that_is_added_removes_others_and_one_that_is_used_again_is_young() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path();
        set_limit(cache, 1).unwrap();
        let add = |name: &str| -> PathBuf {
            let named = format!("{name}-{}", key(&[name]));
            let made: Result<_, EntryError> = kept(cache, &named, |work| {
                fs::write(work.join("file"), vec![0; 400_000]).unwrap();
                Ok(())
            });
            made.unwrap()
        };
        let (first, second) = (add("first"), add("second"));
        set_used(&first, 20);
        set_used(&second, 10);
        let third = add("third");
        assert!(first.exists() && second.exists(), "this process uses all of them");
        let_go();
        assert!(taken(&first), "it is whole");
        let_go();
        let fourth = add("fourth");
        assert!(first.exists(), "it was used a moment ago");
        assert_eq!([second, third, fourth].map(|entry| entry.exists()), [false, false, true]);
    }
}
