//! Faults made by hand in the generated Verilog of the rewriters: each is found by random frames and shrunk to a few.
//!
//! A fault is one text of the Verilog and what stands in its place. Where the generator writes that text differently,
//! the test says so, and the fault is to be written anew.

use respray_cosim::report::Verdict;
use respray_cosim::stream::list::FrameList;
use respray_cosim::stream::{Pace, Pacing, StreamOptions, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_hdl::manifest::Generated;

use super::{generated, options, run};
use crate::waves::{Marked, Waves};

/// Random frames within which every fault is found.
const FRAMES: u64 = 30_000;
/// Bytes of a shrunken frame, on average: the longest headers, and what is short behind them.
const BYTES: usize = 130;

/// Clock edges within which a queue's limit that is off by one is found at the pace of `respray cosim --random`.
const CYCLES: u64 = 300_000;

/// The fault is found, and shrunk to at most `most` frames of a list that fail again and pass without the fault.
pub fn found(core: &Generated, verilog: &str, most: usize) {
    let pace = Pace { gap: 0.2, stall: 0.3, seed: 1 };
    let knobs = FrameKnobs { longest: 300, ..FrameKnobs::default() };
    let traffic = Traffic::Frames { frames: FRAMES, knobs };
    let list = shrunken(core, verilog, traffic, pace.into());
    assert!(list.frames.len() <= most, "{list:?}");
    let bytes: usize = list.frames.iter().map(|frame| frame.data.len()).sum();
    assert!(bytes <= BYTES * most, "frames that a person can read: {list:?}");
}

/// The list to which random traffic is shrunk that finds the fault. It fails again, and passes without the fault.
fn shrunken(core: &Generated, verilog: &str, traffic: Traffic, pacing: Pacing) -> FrameList {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("faulty.v");
    std::fs::write(&file, verilog).unwrap();
    let mut faulty = options(core, traffic, Pace::default(), dir.path());
    (faulty.own.pacing, faulty.verilog) = (pacing, Some(file.clone()));
    let failure = run(core, &faulty).unwrap().failure.expect("the fault is found");
    println!("{failure}");
    let path = failure.reproducer.clone().expect("it is shrunk");
    let list = FrameList::read(&path).unwrap();

    let again = options(core, Traffic::List(path), Pace::default(), dir.path());
    let again_file = dir.path().join("again.csv");
    let again = StreamOptions { reproducer: again_file, ..again };
    let faulty = StreamOptions { verilog: Some(file), ..again.clone() };
    assert_eq!(run(core, &faulty).unwrap().result, Verdict::Fail, "the list fails again");
    assert_eq!(run(core, &again).unwrap().result, Verdict::Pass, "and passes without the fault");
    list
}

/// One more than a queue at 64 bits may hold goes in: random frames at the pace that a run has by default find it.
pub fn limit_is_kept(core: &str, limit: &str, wrong: &str) {
    let core = generated(core, &["bus_bits=64"]);
    let [limit, wrong] = [limit, wrong].map(|limit| format!("localparam [5:0] LIMIT = {limit};"));
    assert_eq!(core.verilog.matches(&limit).count(), 1, "`{limit}` stands in the Verilog once");
    let traffic = Traffic::Random { cycles: CYCLES, knobs: FrameKnobs::default() };
    let pacing = traffic.pacing(1);
    assert!(shrunken(&core, &core.verilog.replace(&limit, &wrong), traffic, pacing).frames.len() < 200);
}

#[test]
fn one_beat_more_in_rewrite_rx_is_found_by_default() {
    limit_is_kept("rewrite_rx", "6'h18", "6'h19");
}

#[test]
fn one_record_more_in_rewrite_rx_is_found_by_default() {
    limit_is_kept("rewrite_rx", "6'h10", "6'h11");
}

#[test]
fn one_beat_more_in_rewrite_tx_is_found_by_default() {
    limit_is_kept("rewrite_tx", "6'h18", "6'h19");
}

/// The same of one text of the Verilog.
pub fn text_is_found(core: &str, sets: &[&str], text: &str, wrong: &str, most: usize) {
    let core = generated(core, sets);
    assert_eq!(core.verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
    found(&core, &core.verilog.replace(text, wrong), most);
}

/// Clock edge behind which a fault shows that no shorter run has: further than the frames that are looked back on last.
const LATE: u64 = 200_000;

#[test]
fn the_command_of_a_run_that_is_not_shrunk_gives_its_pace_again() {
    let core = generated("rewrite_rx", &["bus_bits=64"]);
    let right = "assign m_axis_tuser = beats_head[72];";
    assert_eq!(core.verilog.matches(right).count(), 1, "`{right}` stands in the Verilog once");
    let late = format!(
        "reg [31:0] edges; initial edges = 32'd0; always @(posedge clk) edges <= edges + 32'd1;\n\
         assign m_axis_tuser = beats_head[72] ^ (edges > 32'd{LATE});"
    );
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("late.v");
    std::fs::write(&file, core.verilog.replace(right, &late)).unwrap();
    let knobs = FrameKnobs { longest: 20, ..FrameKnobs::default() };
    let report = |pacing: Option<Pacing>, keep_going| {
        let traffic = Traffic::Random { cycles: LATE + 10_000, knobs };
        let mut late = options(&core, traffic.clone(), Pace::default(), dir.path());
        late.own.pacing = pacing.unwrap_or(traffic.pacing(7));
        late.verilog = Some(file.clone());
        late.waves = pacing.is_some();
        late.keep_going = keep_going;
        run(&core, &late).unwrap()
    };
    let failure = |pacing: Option<Pacing>| {
        let failure = report(pacing, false).failure.expect("the fault is found");
        assert!(failure.reproducer.is_none(), "{failure}");
        failure
    };
    let by_default = failure(None);
    assert!(by_default.command.contains("--random 210000 --seed 7 --set"), "{}", by_default.command);
    assert_eq!(by_default.difference, failure(None).difference);
    let free = failure(Some(Pacing::free(7)));
    assert!(free.command.contains("--random 210000 --gap 0 --stall 0 --seed 7 --set"), "{}", free.command);
    let waves = Waves::read(std::fs::read(free.wave.expect("it is asked for")).unwrap());
    let marked = Marked { cycle: free.difference.cycle, port: "m_axis_tuser", width: 1 };
    assert_eq!(marked.check(&waves), [&free.difference.expected, &free.difference.seen].map(String::clone));
    // behind its first difference, the run goes on to its end
    let went_on = report(None, true);
    assert_eq!(went_on.failure.expect("it differs").difference, by_default.difference);
    assert_eq!(went_on.cycles, LATE + 10_000);
    let ports = went_on.differing_ports.expect("they are counted");
    assert_eq!(ports.keys().collect::<Vec<_>>(), ["m_axis_tuser"]);
    assert!(went_on.mismatches == ports["m_axis_tuser"] && went_on.mismatches > 1000, "{ports:?}");
}
