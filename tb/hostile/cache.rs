//! Damaged caches, and caches in odd places.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::common::{assert_is_refusal, command, names, respray, stderr, stdout};
use super::verilog::{compiler, own_cache, run_of_mine, write_verilog};

fn entries(cache: &Path, prefix: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(cache).into_iter().flatten().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(prefix)).collect()
}

fn assert_passes(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
}

/// Runs `mine.v` with the cache `cache`, given as the environment gives it.
fn run_in(directory: &Path, cache: &str) -> Output {
    run_of_mine(directory).env("RESPRAY_CACHE", cache).output().unwrap()
}

#[test]
fn a_relative_cache_works_and_damaged_entries_are_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let own = own_cache(at, &["runtime-", "headers-"]);
    write_verilog(at, "// of the damaged entries");
    assert_passes(&run_in(at, "cache"));
    let library = entries(&own, "ecmp-")[0].join("model.so");
    let whole = fs::read(&library).unwrap();
    let written = fs::metadata(&library).unwrap().modified().unwrap();
    assert_passes(&run_in(at, "cache"));
    assert_eq!(fs::metadata(&library).unwrap().modified().unwrap(), written, "a sound entry is used");
    fs::write(&library, &whole[..whole.len() / 2]).unwrap();
    assert_passes(&run_in(at, "cache"));
    assert_eq!(fs::metadata(&library).unwrap().len(), whole.len() as u64);
    // The entry is a file, and an object of the runtime, which its link needs, is empty.
    let entry = library.parent().unwrap();
    fs::remove_dir_all(entry).unwrap();
    fs::write(entry, "").unwrap();
    let runtime = entries(&own, "runtime-");
    runtime.iter().for_each(|runtime| fs::write(runtime.join("verilated_threads.o"), "").unwrap());
    assert_passes(&run_in(at, "cache"));
    assert_eq!(entries(&own, ".respray-").len(), 0);
}

#[test]
fn an_object_that_a_compiler_leaves_half_written_is_never_kept() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for (of, whole) in [("verilated_threads.cpp", "headers-"), ("c++-header", "runtime-")] {
        let own = own_cache(at, &[whole]);
        write_verilog(at, "// of half an object");
        let halve = "g++ \"$@\"; head -c 400 $result > half; mv half $result; exit 0";
        let compiler = compiler(at, of, halve);
        let output = run_of_mine(at).env("RESPRAY_CACHE", &own).env("CXX", compiler).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let others = names(&own).into_iter().filter(|name| !name.starts_with(whole)).count();
        assert_eq!(others, 0, "nothing of it is kept, and nothing temporary is left: {:?}", names(&own));
        fs::remove_dir_all(&own).unwrap();
    }
}

#[test]
fn a_process_that_is_killed_leaves_nothing_in_the_cache() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let own = own_cache(at, &["runtime-", "headers-"]);
    write_verilog(at, "// of a run that is killed");
    let compiler = compiler(at, "unity.cpp", "exec sleep 3");
    let mut run = run_of_mine(at).env("RESPRAY_CACHE", &own).env("CXX", compiler).spawn().unwrap();
    while entries(&own, ".respray-").is_empty() {
        std::thread::yield_now();
    }
    let kill = Command::new("kill").arg(run.id().to_string()).status();
    assert!(kill.unwrap().success());
    run.wait().unwrap();
    assert_eq!(entries(&own, ".respray-").len(), 0);
}

#[test]
fn without_a_place_for_the_cache_the_variable_is_named() {
    let directory = tempfile::tempdir().unwrap();
    write_verilog(directory.path(), "");
    let mut run = run_of_mine(directory.path());
    for variable in ["HOME", "XDG_CACHE_HOME", "RESPRAY_CACHE"] {
        run.env_remove(variable);
    }
    assert_is_refusal(&run.output().unwrap(), &["RESPRAY_CACHE", "HOME"]);
}

#[test]
fn the_cache_is_kept_to_a_limit_that_is_said_and_set() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = |arguments: &[&str]| command(at, arguments).env("RESPRAY_CACHE", "cache").output().unwrap();
    assert!(stdout(&run(&["cache"])).contains("entries 0, 0.0 MB, kept to 4000 MB"));
    for (age, name) in [(30, "a"), (10, "b"), (20, "c")] {
        let entry = at.join(format!("cache/ecmp-{}", name.repeat(32)));
        fs::create_dir_all(&entry).unwrap();
        fs::write(entry.join("model.so"), vec![0; 600_000]).unwrap();
        let used = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        fs::File::open(&entry).unwrap().set_modified(used).unwrap();
    }
    let said = stdout(&run(&["cache", "limit", "1"]));
    assert!(said.contains("entries 1, 0.6 MB, kept to 1 MB; 2 entries were removed"), "{said}");
    assert!(at.join(format!("cache/ecmp-{}", "b".repeat(32))).exists(), "the latest one stays");
    // a model that is made takes the place of what is not in use, and is itself in use
    write_verilog(at, "// of the limit");
    assert_passes(&run_of_mine(at).env("RESPRAY_CACHE", "cache").output().unwrap());
    let left = entries(&at.join("cache"), "ecmp-");
    assert!(left.len() == 1 && left[0].join("ecmp.v").exists(), "{left:?}");
    assert_eq!(stdout(&run(&["cache", "clear"])).lines().count(), 1);
    assert_eq!(names(&at.join("cache")), ["LIMIT"], "what was set stays");
    for wrong in ["0", "1000001", "1e3", "-1", "much"] {
        assert_is_refusal(&run(&["cache", "limit", wrong]), &[wrong, "allowed: 1 to 1000000"]);
    }
    fs::write(at.join("cache/LIMIT"), "much").unwrap();
    assert_is_refusal(&run(&["cache"]), &["LIMIT: the limit is `much`; allowed: 1 to 1000000 megabytes"]);
}

#[test]
fn the_cache_says_its_place_and_size_and_clearing_it_spares_what_is_not_of_respray() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let entry = at.join(format!("cache/ecmp-{}", "0a".repeat(16)));
    fs::create_dir_all(&entry).unwrap();
    fs::write(entry.join("model.so"), vec![0; 3_000_000]).unwrap();
    fs::write(at.join("cache/notes.txt"), "mine").unwrap();
    let said_by =
        |arguments: &[&str]| stdout(&command(at, arguments).env("RESPRAY_CACHE", "cache").output().unwrap());
    let place = at.join("cache").display().to_string();
    let said = said_by(&["cache"]);
    assert!(said.contains(&place) && said.contains("entries 1, 3.0 MB"), "{said}");
    assert!(said_by(&["doctor"]).contains(&said));
    let json: serde_json::Value = serde_json::from_str(&said_by(&["doctor", "--json", "-"])).unwrap();
    assert_eq!(json["cache"]["place"].as_str().unwrap(), place);
    assert_eq!(json["cache"]["bytes"], 3_000_000);
    assert!(said_by(&["cache", "clear"]).contains("cleared"));
    assert_eq!(names(&at.join("cache")), ["notes.txt"]);
    assert!(stdout(&respray(at, &["cosim", "--help"])).contains("RESPRAY_CACHE"));
}
