//! What several of these tests need.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The binary, to be run in this folder.
pub fn respray(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_respray"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs the binary in this folder.
pub fn run<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Output {
    respray(folder).args(arguments).output().expect("the binary was built for this test")
}

/// Words of a command line; a word may hold no space.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Names of what is in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The project's folder.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Writes the Verilog of `reps` with a fault, a connection that never recycles, and gives its name.
pub fn faulty_reps(folder: &Path) -> PathBuf {
    let verilog = std::fs::read_to_string(project().join("generated/reps.v")).expect("it is committed");
    let faulty = verilog.replace("assign recycle = send & ", "assign recycle = 1'b0 & ");
    assert_ne!(faulty, verilog, "the fault is in it");
    std::fs::write(folder.join("faulty.v"), faulty).expect("the folder can be written");
    PathBuf::from("faulty.v")
}

/// Whether this process may make devices and mount; says so where it may not.
pub fn is_root(test: &str) -> bool {
    let is_root = nix::unistd::geteuid().is_root();
    if !is_root {
        println!("skipped: {test} needs root");
    }
    is_root
}

/// A small file system in memory, over a folder, until it is dropped.
pub struct Tmpfs(tempfile::TempDir);

impl Tmpfs {
    /// With room for so many KiB, if this process may mount.
    pub fn new(test: &str, kib: u32) -> Option<Tmpfs> {
        if !is_root(test) {
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = format!("size={kib}k");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path());
        let is_mounted = mount.output().is_ok_and(|output| output.status.success());
        if !is_mounted {
            println!("skipped: {test} needs to mount a tmpfs, which is not allowed here");
        }
        is_mounted.then_some(Tmpfs(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Leaves so many bytes of room.
    pub fn fill(&self, room: usize) {
        let path = self.path().join("filler");
        let mut size = 1 << 22;
        let fits = |size: usize| std::fs::write(&path, vec![0; size]).is_ok();
        while !fits(size) {
            size -= 4096;
        }
        std::fs::write(&path, vec![0; size.saturating_sub(room)]).expect("it has just had room");
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}
