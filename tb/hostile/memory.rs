//! Memory does not grow with a file, packed or not.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use super::common::{assert_is_refusal, command, gzip, json, pcap_head, record};

const MEGABYTE: u64 = 1 << 20;

/// Runs the binary; its end, and the most memory that it held, in bytes, as the kernel counts it.
fn watched(directory: &Path, arguments: &[&str]) -> (Output, u64) {
    let mut command = command(directory, arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it was built");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("it is ours").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(1024 * kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    (child.wait_with_output().expect("it has ended"), peak)
}

/// A capture of so many bytes.
fn capture(path: &Path, bytes: u64) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    file.write_all(&pcap_head(1)).unwrap();
    let record = record(1, &[2; 1484], 1484);
    for _ in 0..bytes / record.len() as u64 {
        file.write_all(&record).unwrap();
    }
    file.flush().unwrap();
}

#[test]
fn a_run_on_a_capture_of_ten_times_the_length_takes_no_more_memory() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let peak = |megabytes| {
        capture(&at.join("long.pcap"), megabytes * MEGABYTE);
        let run = [
            "cosim",
            "--core",
            "rewrite_tx",
            "--traffic",
            "long.pcap",
            "--json",
            "-",
            "--pcap-out",
            "out.pcap",
        ];
        let (output, peak) = watched(at, &run);
        let frames = json(&output)["frames"].as_u64().unwrap();
        assert_eq!(frames, megabytes * MEGABYTE / 1500);
        peak
    };
    let (short, long) = (peak(6), peak(60));
    assert!(long < short + 16 * MEGABYTE, "{short} and {long} bytes");
}

#[test]
fn frames_that_were_cut_are_filled_one_at_a_time_and_absurd_ones_skipped() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let filled = std::iter::repeat_n(record(1, &[2; 14], 65_535), 1500);
    let absurd = std::iter::repeat_n(record(2, &[2; 14], u32::MAX), 1500);
    gzip(&at.join("bomb.pcap.gz"), std::iter::once(pcap_head(1)).chain(filled).chain(absurd));
    let run = ["cosim", "--core", "rewrite_rx", "--traffic", "bomb.pcap.gz", "--json", "-"];
    let (output, peak) = watched(at, &run);
    let json = json(&output);
    assert_eq!((json["frames"].as_u64(), json["skipped"].as_u64()), (Some(1500), Some(1500)));
    assert!(peak < 64 * MEGABYTE, "{peak} bytes");
}

/// A packed op trace that unpacks to `parts`.
fn bomb_is_refused(parts: impl Iterator<Item = Vec<u8>>, said: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    gzip(&directory.path().join("ops.csv.gz"), parts);
    let (output, peak) = watched(directory.path(), &["cosim", "--core", "reps", "--ops", "ops.csv.gz"]);
    assert_is_refusal(&output, said);
    assert!(peak < 64 * MEGABYTE, "{peak} bytes");
}

#[test]
fn a_packed_op_trace_of_one_endless_line_is_refused_at_its_limit() {
    let endless = || std::iter::repeat_n(vec![b'1'; 1 << 20], 200);
    let head = b"time_ns,op,conn\n1,send,0\n".to_vec();
    let limit = ["longer than 65536 bytes", "ops.csv.gz:3:"];
    bomb_is_refused(std::iter::once(head.clone()).chain(endless()), &limit);
    bomb_is_refused(endless(), &["longer than 65536 bytes", "ops.csv.gz:1:"]);
    bomb_is_refused(std::iter::once(b"#".to_vec()).chain(endless()), &["65536", "ops.csv.gz:1:"]);
    // a quotation mark opens no field that goes on over lines without end
    let quoted = std::iter::repeat_n(b"1,\n".repeat(1 << 18), 200);
    bomb_is_refused([head, b"\"".to_vec()].into_iter().chain(quoted), &["ops.csv.gz:3:"]);
}

#[test]
fn a_line_of_a_list_of_frames_has_a_limit() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let head = "ev,timestamp,enable,reset_after,frame\n";
    let run = ["cosim", "--core", "rewrite_tx", "--frames", "frames.csv"];
    for (text, said) in [
        (format!("{head}1,2,1,,{}", "00".repeat(50 << 20)), ["frames.csv:2:", "longer than 132094 bytes"]),
        (
            format!("{head}\n1,2,1,,{}\n", "00".repeat(65_536)),
            ["frames.csv:3:", "65536 bytes; allowed: 1 to 65535"],
        ),
    ] {
        std::fs::write(at.join("frames.csv"), text).unwrap();
        let (output, peak) = watched(at, &run);
        assert_is_refusal(&output, &said);
        assert!(peak < 64 * MEGABYTE, "{peak} bytes");
    }
}
