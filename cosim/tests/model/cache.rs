//! What of a folder is respray's, counted and cleared.

use std::fs;

use respray_cosim::verilator::inside::{bytes, remove};
use respray_cosim::verilator::{CacheSize, cache_size, clear_cache};
use respray_files::entry::KEY_DIGITS;

#[test]
fn only_what_respray_made_is_counted_and_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let entry = format!("reps-{}", "0a".repeat(KEY_DIGITS / 2));
    for name in [&entry, ".respray-x1", "mine", "reps-0a", &format!("notes-{}", "z".repeat(KEY_DIGITS))] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("file"), "four").unwrap();
    }
    std::os::unix::fs::symlink(at("mine"), at(&entry).join("link")).unwrap();
    let link = at("mine").as_os_str().len() as u64;
    let size = CacheSize { entries: 2, bytes: 8 + link };
    assert_eq!(cache_size(folder.path()).unwrap(), size);
    assert_eq!(clear_cache(folder.path()).unwrap(), size);
    assert_eq!(cache_size(folder.path()).unwrap(), CacheSize::default());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    assert!(at("mine/file").is_file());
    // as when another process removes what was just listed
    assert_eq!(bytes(&at(&entry)).unwrap(), 0);
    remove(&at(&entry)).unwrap();
    assert_eq!(cache_size(&at("none")).unwrap(), CacheSize::default());
}
