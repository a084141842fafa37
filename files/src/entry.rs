//! Entries of a cache: folders that are whole or not there.
//!
//! An entry is filled under a temporary name and gets its own at the end, with the checksums of its files beside them.
//! What a full disk, a crash or a user did to it shows in these, so that it can be made anew; so nothing has to be synced.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::output::{PREFIX, Unfinished};

/// The checksums of the other files of an entry, as `sha256sum --check` reads them.
const SUMS: &str = "SHA256SUMS";

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
        if fs::rename(self.path(), place).is_err() && !is_sound(place) {
            let cache = place.parent().unwrap_or(Path::new("."));
            let aside = Work::new_in(cache)?;
            match fs::rename(place, aside.path().join("unsound")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => fs::rename(self.path(), place)?,
            }
        }
        Ok(())
    }
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
    let digest = Sha256::digest(fs::read(path)?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
