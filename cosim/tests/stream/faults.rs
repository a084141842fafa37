//! Faults made by hand in the generated Verilog of the rewriters: each is found by random frames and shrunk to a few.
//!
//! A fault is one text of the Verilog and what stands in its place. Where the generator writes that text differently,
//! the test says so, and the fault is to be written anew.

use respray_cosim::report::Verdict;
use respray_cosim::stream::list::FrameList;
use respray_cosim::stream::{Pace, StreamOptions, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_hdl::manifest::Generated;

use super::{generated, options, run};

/// Random frames within which every fault is found.
const FRAMES: u64 = 30_000;
/// Bytes of a shrunken frame, on average: the longest headers, and what is short behind them.
const BYTES: usize = 130;

/// The fault is found, and shrunk to at most `most` frames of a list that fail again and pass without the fault.
pub fn found(core: &Generated, verilog: &str, most: usize) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("faulty.v");
    std::fs::write(&file, verilog).unwrap();
    let pace = Pace { gap: 0.2, stall: 0.3, seed: 1 };
    let knobs = FrameKnobs { longest: 300, ..FrameKnobs::default() };
    let random = options(core, Traffic::Frames { frames: FRAMES, knobs }, pace, dir.path());
    let faulty = StreamOptions { verilog: Some(file.clone()), ..random };
    let failure = run(core, &faulty).unwrap().failure.expect("the fault is found");
    let path = failure.reproducer.clone().expect("it is shrunk");
    let list = FrameList::read(&path).unwrap();
    println!("{failure}");
    assert!(list.frames.len() <= most, "{failure}");
    let bytes: usize = list.frames.iter().map(|frame| frame.data.len()).sum();
    assert!(bytes <= BYTES * most, "frames that a person can read: {failure}");

    let again = options(core, Traffic::List(path), Pace::default(), dir.path());
    let again_file = dir.path().join("again.csv");
    let again = StreamOptions { reproducer: again_file, ..again };
    let faulty = StreamOptions { verilog: Some(file), ..again.clone() };
    assert_eq!(run(core, &faulty).unwrap().result, Verdict::Fail, "the list fails again");
    assert_eq!(run(core, &again).unwrap().result, Verdict::Pass, "and passes without the fault");
}

/// The same of one text of the Verilog.
pub fn text_is_found(core: &str, sets: &[&str], text: &str, wrong: &str, most: usize) {
    let core = generated(core, sets);
    assert_eq!(core.verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
    found(&core, &core.verilog.replace(text, wrong), most);
}
