//! What the tests share: runs of the binary, and captures made byte by byte.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The binary in `directory`.
pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_respray"));
    command.args(arguments).current_dir(directory);
    command
}

/// Runs it.
pub fn respray(directory: &Path, arguments: &[&str]) -> Output {
    command(directory, arguments).output().expect("the binary was built for this test")
}

/// Runs it with `input` coming through a pipe on its standard input.
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

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Standard output as JSON, the speed aside, which is another in every run.
pub fn json(output: &Output) -> serde_json::Value {
    let mut json: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)));
    json["cycles_per_second"] = 0.into();
    json
}

/// One sentence of bounded length on standard error that holds all of `said`, exit code 2, and no new file.
pub fn refused(directory: &Path, arguments: &[&str], said: &[&str]) {
    let files = || std::fs::read_dir(directory).expect("a folder").count();
    let before = files();
    let output = respray(directory, arguments);
    assert_is_refusal(&output, said);
    assert_eq!(files(), before, "{arguments:?} left something behind");
}

pub fn assert_is_refusal(output: &Output, said: &[&str]) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    assert!(text.len() < 1000, "{} bytes", text.len());
    for word in said {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
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
