//! Frames of a capture, as a stimulus.

use std::path::Path;

use respray_cosim::stream::CaptureFrames;
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::frames::Frame;

/// A pcap of frames that begin with these bytes, a second apart, and are of so many.
fn pcap(frames: &[(u8, u32)]) -> Vec<u8> {
    let mut file = vec![0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0];
    file.extend([0, 0, 65_535, 1].map(u32::to_le_bytes).concat());
    for (second, (first, bytes)) in (1..).zip(frames) {
        file.extend([second, 0, 1, *bytes].map(u32::to_le_bytes).concat());
        file.push(*first);
    }
    file
}

fn frames(directory: &Path, bytes: &[u8]) -> CaptureFrames {
    let path = directory.join("x.pcap");
    std::fs::write(&path, bytes).unwrap();
    CaptureFrames::open(&path, Cut::Refused, 1).unwrap()
}

#[test]
fn a_clone_goes_on_where_the_original_was() {
    let directory = tempfile::tempdir().unwrap();
    let mut frames = frames(directory.path(), &pcap(&[(7, 3), (8, 70_000), (9, 1), (10, 2)]));
    assert_eq!((frames.frames(), frames.skipped()), (3, 1));
    let whole: Vec<Frame> = frames.clone().collect();
    let data: Vec<&[u8]> = whole.iter().map(|frame| &frame.data[..]).collect();
    assert_eq!(data, [&[7, 0, 0][..], &[9], &[10, 0]]);
    assert_eq!(frames.next(), Some(whole[0].clone()));
    assert_eq!(frames.clone().collect::<Vec<_>>(), whole[1..]);
    assert_eq!(frames.collect::<Vec<_>>(), whole[1..]);
}

#[test]
fn times_are_asked_for_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let mut frames = frames(directory.path(), &pcap(&[(7, 3), (8, 70_000), (9, 1), (10, 2)]));
    assert_eq!(
        [0, 2, 3].map(|number| frames.time_of(number)),
        [Some(1_000_000_000), Some(4_000_000_000), None]
    );
}

#[test]
fn a_file_that_becomes_another_ends_the_run_with_a_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let bytes = pcap(&[(7, 3), (8, 4), (9, 5)]);
    for (length, said) in
        [(bytes.len() - 17, "it has fewer frames than before"), (bytes.len() - 1, "byte 58")]
    {
        let frames = frames(directory.path(), &bytes);
        std::fs::write(directory.path().join("x.pcap"), &bytes[..length]).unwrap();
        assert_eq!(frames.clone().count(), 2);
        let error = frames.take_error().expect("the clone ended too early").to_string();
        assert!(error.contains("x.pcap: ") && error.contains(said), "{error}");
    }
}
