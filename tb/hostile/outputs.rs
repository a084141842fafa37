//! Where outputs go: devices, FIFOs, links, folders that are not there, and full disks.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, symlink};
use std::path::Path;
use std::process::Output;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::{Mode, SFlag, makedev, mknod};

use super::common::{Tmpfs, faulty_reps, is_root, names, respray, stderr, stdout, words};

/// A run that passes, and each option of it that names a file.
const PASSING: &str = "cosim --core rewrite_rx --random 2000";
const FILES_OF_PASSING: [&str; 5] = ["--wave", "--json", "--junit", "--markdown", "--pcap-out"];

fn failing(folder: &Path, more: &str) -> Output {
    let verilog = faulty_reps(folder);
    let line = format!("cosim --core reps --random 20000 --verilog {} {more}", verilog.display());
    respray(folder, &words(&line))
}

#[test]
fn a_device_stays_a_device() {
    if !is_root("a device as an output") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let null = at.join("null");
    mknod(&null, SFlag::S_IFCHR, Mode::from_bits_truncate(0o666), makedev(1, 3)).unwrap();
    let is_device = || fs::symlink_metadata(&null).unwrap().file_type().is_char_device();
    for option in FILES_OF_PASSING {
        let output = respray(at, &words(&format!("{PASSING} {option} null")));
        assert_eq!(output.status.code(), Some(0), "{option}: {}", stderr(&output));
        assert!(is_device(), "{option} has put a file in place of the device");
    }
    let output = failing(at, "--reproducer null --wave null --json null");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(is_device());
    assert_eq!(names(at), ["faulty.v", "null"]);
}

#[test]
fn a_fifo_gets_the_bytes_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let fifo = at.join("fifo");
    nix::unistd::mkfifo(&fifo, Mode::from_bits_truncate(0o600)).unwrap();
    for (line, begins) in [
        ("cosim --core ecmp --random 5000 --json fifo", &b"{"[..]),
        ("cosim --core ecmp --random 300 --wave fifo", &[0]),
        ("cosim --core rewrite_rx --random 500 --pcap-out fifo", &[0x4d, 0x3c, 0xb2, 0xa1]),
    ] {
        // a reader that does not wait, and room for all that is written
        let mut reader =
            File::options().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(&fifo).unwrap();
        fcntl(&reader, FcntlArg::F_SETPIPE_SZ(1 << 20)).unwrap();
        let output = respray(at, &words(line));
        assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        assert!(bytes.starts_with(begins), "{line}");
        assert!(fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo());
    }
}

#[test]
fn of_a_link_the_file_it_leads_to_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("far")).unwrap();
    for option in FILES_OF_PASSING {
        let _ = fs::remove_file(at.join("link"));
        let target = format!("far/{}", option.trim_start_matches('-'));
        symlink(&target, at.join("link")).unwrap();
        let output = respray(at, &words(&format!("{PASSING} {option} link")));
        assert_eq!(output.status.code(), Some(0), "{option}: {}", stderr(&output));
        assert!(fs::symlink_metadata(at.join("link")).unwrap().is_symlink(), "{option}");
        assert!(fs::metadata(at.join(&target)).unwrap().len() > 0, "{option}");
    }
}

#[test]
fn a_difference_is_told_though_its_files_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // a file stands where a folder would have to
    let files = "--reproducer faulty.v/r.csv --wave faulty.v/w.fst --json run.json --junit run.xml";
    let output = failing(at, files);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("FAIL"), "{}", stdout(&output));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(at.join("run.json")).unwrap()).unwrap();
    assert_eq!(json["result"], "fail");
    assert!(json["first_difference"]["port"].is_string());
    assert_eq!((&json["reproducer"], &json["wave"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    assert!(!json["command"].as_str().unwrap().contains("r.csv"), "the command of the whole run");
    assert!(fs::read_to_string(at.join("run.xml")).unwrap().contains("failures=\"1\""));
    let said = stderr(&output);
    assert_eq!(said.lines().count(), 2, "{said}");
    for (line, file) in said.lines().zip(["faulty.v/r.csv", "faulty.v/w.fst"]) {
        assert!(line.starts_with(&format!("respray: {file}: cannot be written: ")), "{line}");
    }
    assert_eq!(json["not_done"].as_array().unwrap().len(), 2);
    assert_eq!(names(at), ["faulty.v", "run.json", "run.xml"]);
}

#[test]
fn a_passing_run_whose_waves_cannot_be_written_ends_with_2_after_its_verdict() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("none"), "a file, no folder").unwrap();
    let output = respray(folder.path(), &words(&format!("{PASSING} --wave none/w.fst --json run.json")));
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stdout(&output).contains(": pass"), "{}", stdout(&output));
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["none", "run.json"]);
}

#[test]
fn one_file_that_cannot_be_written_keeps_no_other_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("taken")).unwrap();
    let output = respray(at, &words(&format!("{PASSING} --json taken --junit run.xml --markdown run.md")));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "respray: taken: cannot be written: is a directory\n");
    assert_eq!(names(at), ["run.md", "run.xml", "taken"]);
}

/// What is asked for of a run on a disk with room for so many bytes.
fn on_a_full_disk(room: usize) {
    for option in FILES_OF_PASSING.iter().chain(&["--coverage"]) {
        let Some(disk) = Tmpfs::new("a full disk", 1024) else { return };
        disk.fill(room);
        let before = names(disk.path());
        let folder = tempfile::tempdir().unwrap();
        let target = disk.path().join("out");
        // a million cycles of frames, so that a capture of them has more bytes than there is room
        let line = format!("cosim --core rewrite_rx --random 20000 {option} {}", target.display());
        let output = respray(folder.path(), &words(&line));
        let said = stderr(&output);
        match output.status.code() {
            // what there is room for is whole
            Some(0) => assert!(names(disk.path()).contains(&"out".to_string()), "{option}"),
            code => {
                assert_eq!(code, Some(2), "{option} with {room} bytes: {said}");
                assert_eq!(said.lines().count(), 1, "{option}: {said}");
                assert!(said.contains("out") && said.contains("o space"), "{option}: {said}");
                assert!(stdout(&output).contains(": pass"), "{option}");
                let mut left = names(disk.path());
                left.retain(|name| name != "out" || *option != "--coverage");
                assert_eq!(left, before, "{option} left something behind");
                if *option == "--coverage" {
                    assert!(names(&target).is_empty(), "{:?}", names(&target));
                }
            }
        }
    }
}

#[test]
fn on_a_disk_with_no_or_little_room_files_are_whole_or_not_there_and_a_sentence_says_so() {
    [0, 16 << 10].into_iter().for_each(on_a_full_disk);
}

#[test]
fn a_difference_is_told_on_a_full_disk() {
    let Some(disk) = Tmpfs::new("a full disk", 1024) else { return };
    let verilog = faulty_reps(disk.path());
    disk.fill(0);
    let before = names(disk.path());
    let line = format!("cosim --core reps --random 20000 --verilog {} --json run.json", verilog.display());
    let output = respray(disk.path(), &words(&line));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("FAIL"));
    assert_eq!(stderr(&output).lines().count(), 3, "reproducer, waves, JSON: {}", stderr(&output));
    assert_eq!(names(disk.path()), before);
}

#[test]
fn what_is_generated_is_whole_or_not_there() {
    let Some(disk) = Tmpfs::new("a full disk", 256) else { return };
    let output = respray(disk.path(), &["generate", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("No space left"), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1);
    let out = disk.path().join("out");
    let files = names(&out).into_iter().filter(|name| out.join(name).is_file()).count();
    assert_eq!(files, 0, "{:?}", names(&out));
}
