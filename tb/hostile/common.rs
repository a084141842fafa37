//! What the tests share: runs that are fed, captures made byte by byte, a fault, and small disks.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

pub use crate::runs::*;

/// Runs the binary in `directory` with `input` coming through a pipe on its standard input.
pub fn respray_fed(directory: &Path, arguments: &[&str], input: &[u8]) -> Output {
    fed(command(directory, arguments), input)
}

/// Runs a command with `input` coming through a pipe on its standard input.
pub fn fed(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary was built for this test");
    let mut pipe = child.stdin.take().expect("it is piped");
    std::thread::scope(|scope| {
        // what the run does not read it refuses, and its sentence tells
        scope.spawn(move || pipe.write_all(input));
        child.wait_with_output().expect("it ends")
    })
}

/// Standard output as JSON, the speed aside, which is another in every run.
pub fn json(output: &Output) -> serde_json::Value {
    let mut json: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)));
    json["cycles_per_second"] = 0.into();
    json
}

/// The head of a little-endian pcap with times in nanoseconds.
pub fn pcap_head(link_type: u32) -> Vec<u8> {
    let mut head = vec![0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0];
    for word in [0, 0, 262_144, link_type] {
        head.extend(u32::to_le_bytes(word));
    }
    head
}

/// A frame in such a pcap, of which the snap length left `data`.
pub fn record(time_ns: u64, data: &[u8], wire_bytes: u32) -> Vec<u8> {
    let (seconds, ns) = (time_ns / 1_000_000_000, time_ns % 1_000_000_000);
    let head = [seconds as u32, ns as u32, data.len() as u32, wire_bytes].map(u32::to_le_bytes);
    [&head.concat(), data].concat()
}

/// A pcap of whole frames, a microsecond apart.
pub fn pcap(frames: &[&[u8]]) -> Vec<u8> {
    let records = frames.iter().zip(0..).map(|(frame, at)| record(1000 * at, frame, frame.len() as u32));
    records.fold(pcap_head(1), |file, record| [file, record].concat())
}

/// What `parts` say, packed; it is never whole in memory.
pub fn gzip(path: &Path, parts: impl Iterator<Item = Vec<u8>>) {
    let mut file = GzEncoder::new(std::fs::File::create(path).expect("a file"), Compression::fast());
    parts.for_each(|part| file.write_all(&part).expect("there is room"));
    file.finish().expect("there is room");
}

/// Words of a command line; a word may hold no space.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
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
