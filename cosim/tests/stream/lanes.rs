//! A core of several lanes: two inputs, two outputs and two records, all with their own timing.
//!
//! The core stands in `fixtures/crossing.v`. Its second lane is run with faults that the first does not have.

use std::path::Path;

use respray_cosim::report::Verdict;
use respray_cosim::stream::list::FrameList;
use respray_cosim::stream::report::StreamReport;
use respray_cosim::stream::stream_core::{Answer, InputLane, OutputLane, Ports, RecordLane, StreamCore};
use respray_cosim::stream::{Frame, Pace, StreamError, StreamOptions, Traffic, cosim_with};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_hdl::config::Config;
use respray_hdl::manifest::{Generated, Manifest, Pause};

use super::{generated, options, run};

const VERILOG: &str = include_str!("../fixtures/crossing.v");
/// The second lane, as the Verilog names it.
const LANE_B: &str = "crossing_lane #(.FULL(6'd12), .FULL_RECORDS(5'd6), .LATE(1'b1)) b (";
const FRAMES: u64 = 20_000;
const KNOBS: FrameKnobs = FrameKnobs {
    odd: 0.3,
    wrong_checksum: 0.0,
    disabled: 0.0,
    resets: 0.002,
    noise_options: true,
    longest: 300,
};
const COUNTS: [&str; 3] = ["a", "b", "kept"];

/// The golden side: the EV of a frame is its tag.
struct Crossing(Ports);

impl Crossing {
    fn new() -> Crossing {
        let input = |prefix, tag, done| InputLane {
            prefix,
            sideband: vec![(tag, 16)],
            events: vec![(done, 1)],
            event_latency: "event",
        };
        let output = |prefix, from, latency| OutputLane {
            prefix,
            from,
            latency,
            decided_latency: None,
            unnamed_are_zero: false,
            ahead: None,
        };
        let records = |prefix, from, latency, [bytes, tag]: [&'static str; 2]| RecordLane {
            prefix,
            from,
            latency,
            fields: vec![(bytes, 16), (tag, 16)],
        };
        Crossing(Ports {
            settings: Vec::new(),
            inputs: vec![input("a_in", "a_tag", "a_done"), input("b_in", "b_tag", "b_done")],
            outputs: vec![output("a_out", 1, "b_beat"), output("b_out", 0, "a_beat")],
            records: vec![
                records("a_meta", 0, "a_record", ["a_meta_bytes", "a_meta_tag"]),
                records("b_meta", 1, "b_record", ["b_meta_bytes", "b_meta_tag"]),
            ],
        })
    }
}

impl StreamCore for Crossing {
    fn name(&self) -> &'static str {
        "crossing"
    }

    fn ports(&self) -> &Ports {
        &self.0
    }

    fn sideband(&self, frame: &Frame, values: &mut Vec<u64>) {
        values.push(frame.ev.into());
    }

    fn answer(&self, frame: &mut Frame, answer: &mut Answer) {
        let input = usize::from(frame.input);
        answer.leaves_by = (frame.ev & 3 != 3).then_some(1 - input);
        answer.is_changed = true;
        answer.events = 1;
        answer.add_record(input, &[frame.data.len() as u64, frame.ev.into()]);
        for (byte, tag) in frame.data.iter_mut().zip(frame.ev.to_le_bytes()) {
            *byte = tag;
        }
    }

    fn count(&self, input: usize, answer: &Answer, counts: &mut [u64]) {
        counts[input] += 1;
        counts[2] += u64::from(answer.leaves_by.is_none());
    }

    fn count_names(&self) -> &'static [&'static str] {
        &COUNTS
    }

    fn setting_arguments(&self) -> Vec<String> {
        Vec::new()
    }
}

fn crossing() -> Generated {
    let latencies = [("a_beat", 1), ("b_beat", 2), ("a_record", 1), ("b_record", 2), ("event", 1)];
    let manifest = Manifest {
        module: "crossing".into(),
        source: "none".into(),
        generator: "none".into(),
        config: Config { bus_bits: 64, ..Config::default() },
        ports: Vec::new(),
        latency_cycles: latencies.map(|(class, cycles)| (class.to_string(), cycles.into())).into(),
        initiation_interval_cycles: Default::default(),
        same_connection_interval_cycles: Default::default(),
        pauses: vec![
            Pause::of_beats("a_in", "b_out", 8, 1),
            Pause::of_records("a_in", "a_meta", 4, 1, 1),
            Pause::of_beats("b_in", "a_out", 12, 2),
            Pause::of_records("b_in", "b_meta", 6, 2, 1),
        ],
        stalls: Vec::new(),
        reset_cycles: 0,
        memories: Vec::new(),
    };
    Generated { verilog: VERILOG.into(), manifest }
}

fn go(options: &StreamOptions) -> StreamReport {
    cosim_with(&Crossing::new(), &crossing(), options, &mut |_| {}).unwrap()
}

#[test]
fn lanes_pass_with_and_without_gaps_and_stalls() {
    for (gap, stall, seed) in [(0.0, 0.0, 1), (0.3, 0.0, 2), (0.0, 0.4, 3), (0.4, 0.4, 4), (0.2, 0.7, 5)] {
        let traffic = Traffic::Frames { frames: FRAMES, knobs: KNOBS };
        let report = go(&options(&crossing(), traffic, Pace { gap, stall, seed }, Path::new(".")));
        assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
        for count in ["a", "b"] {
            assert!(report.counts.get(count) > FRAMES * 2 / 5, "half of the frames come on {count}_in");
        }
        assert!(report.counts.get("kept") > FRAMES / 5);
        assert!(report.counts.get("resets") > 10);
        assert_eq!(report.counts.get("held_up") > 1000, stall > 0.0);
    }
}

#[test]
fn a_lane_goes_on_without_frames_for_the_other() {
    let frame = |input, ev| Frame { input, ev, data: vec![7; 100], ..Frame::default() };
    for input in [0, 1] {
        let frames: Vec<Frame> =
            (0..500).map(|ev| frame(input, 4 * ev)).chain([frame(1 - input, 0)]).collect();
        let report = go(&options(&crossing(), Traffic::Given(frames), Pace::default(), Path::new(".")));
        assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
        assert_eq!(report.counts.get("frames"), 501);
        let beats = 500 * 100_u64.div_ceil(8);
        assert!(report.cycles - beats < 60, "one beat a cycle: {} cycles for {beats}", report.cycles);
    }
}

/// What is found first, and the inputs and the port of the frames that are left.
struct Found {
    port: String,
    expected: String,
    inputs: Vec<u8>,
    port_of_list: String,
}

/// The fault is found, and shrunk to a list of frames that fails again and passes without the fault.
fn found(verilog: &str) -> Found {
    let (core, dir) = (crossing(), tempfile::tempdir().unwrap());
    let file = dir.path().join("faulty.v");
    std::fs::write(&file, verilog).unwrap();
    let pace = Pace { gap: 0.2, stall: 0.3, seed: 1 };
    let random = options(&core, Traffic::Frames { frames: FRAMES, knobs: KNOBS }, pace, dir.path());
    let failure = go(&StreamOptions { verilog: Some(file.clone()), ..random }).failure.expect("it is found");
    println!("{failure}");
    let path = failure.reproducer.clone().expect("it is shrunk");
    let list = FrameList::read(&path).unwrap();

    let again = options(&core, Traffic::List(path), Pace::default(), dir.path());
    let again = StreamOptions { reproducer: dir.path().join("again.csv"), ..again };
    let faulty = StreamOptions { verilog: Some(file), ..again.clone() };
    let port_of_list = go(&faulty).failure.expect("the list fails again").difference.port;
    assert_eq!(go(&again).result, Verdict::Pass, "and passes without the fault");
    let inputs = list.frames.iter().map(|frame| frame.input).collect();
    Found { port: failure.difference.port, expected: failure.difference.expected, inputs, port_of_list }
}

/// The same of one text of the second lane; the first lane stays as it is.
fn found_in_b(text: &str, wrong: &str) -> Found {
    let (lane, top) = VERILOG.split_once("endmodule\n").unwrap();
    assert_eq!(lane.matches(text).count(), 1, "`{text}` stands in the Verilog once");
    assert_eq!(top.matches(LANE_B).count(), 1);
    let faulty = lane.replace(text, wrong).replace("module crossing_lane", "module faulty_lane");
    let top = top.replace(LANE_B, &LANE_B.replace("crossing_lane", "faulty_lane"));
    found(&format!("{lane}endmodule\n{faulty}endmodule\n{top}"))
}

#[test]
fn a_beat_lost_on_the_second_lane_is_found_there() {
    let found = found_in_b("write <= write + 6'd1;", "write <= write + {5'd0, beat_1[7:0] != 8'h55};");
    // where the input would have paused, the lane is found to hold less; a frame alone does not leave
    assert_eq!((found.port.as_str(), found.port_of_list.as_str()), ("b_in_tready", "a_out_tvalid"));
    assert_eq!(found.inputs, [1]);
}

#[test]
fn a_wrong_record_of_the_second_lane_is_found_there() {
    let found = found_in_b("(first ? 16'd0 : bytes)", "bytes");
    assert_eq!((found.port.as_str(), &found.inputs[..]), ("b_meta_bytes", &[1, 1][..]));
}

#[test]
fn a_beat_withdrawn_on_the_second_lane_breaks_a_rule_there() {
    let withdrawn = "reg held;\nalways @(posedge clk) held <= out_valid && !out_ready;\n\
                     assign out_valid = write != read && !held;";
    let found = found_in_b("assign out_valid = write != read;", withdrawn);
    assert_eq!((found.port.as_str(), &found.inputs[..]), ("a_out_tvalid", &[1][..]));
    assert_eq!(found.expected, "high until the beat is taken");
}

#[test]
fn a_beat_changed_on_the_second_lane_breaks_a_rule_there() {
    let changed = "reg held;\nalways @(posedge clk) held <= out_valid && !out_ready;\n\
                   assign out_user = beats[read[4:0]][73] ^ held;\n\
                   assign {out_last, out_keep, out_data} = beats[read[4:0]][72:0];";
    let found = found_in_b("assign {out_user, out_last, out_keep, out_data} = beats[read[4:0]];", changed);
    assert_eq!((found.port.as_str(), &found.inputs[..]), ("a_out_tuser", &[1][..]));
    assert_eq!(found.expected, "as it was until the beat is taken");
}

#[test]
fn an_event_of_the_second_lane_lost_beside_one_of_the_first_is_found() {
    let wrong = VERILOG
        .replace("assign a_in_tready", "wire done;\nassign b_done = done && !a_done;\nassign a_in_tready");
    let wrong = wrong.replace(".done(b_done)", ".done(done)");
    let Found { port, inputs, .. } = found(&wrong);
    assert_eq!(port, "b_done");
    assert!(inputs.contains(&0) && inputs.contains(&1) && inputs.len() <= 4, "{inputs:?}");
}

#[test]
fn an_output_stalled_on_the_first_lane_must_not_stall_the_second() {
    let text = "assign b_in_tready = b_room;";
    assert_eq!(VERILOG.matches(text).count(), 1);
    let found = found(&VERILOG.replace(text, "assign b_in_tready = b_room && a_room;"));
    assert_eq!((found.port.as_str(), found.expected.as_str()), ("b_in_tready", "high: there is room"));
    assert!(found.inputs.len() <= 3 && found.inputs.iter().all(|input| *input == 0), "{:?}", found.inputs);
}

#[test]
fn a_frame_for_an_input_that_the_core_lacks_is_refused() {
    let core = generated("rewrite_tx", &["bus_bits=64"]);
    let frame = |input| Frame { input, data: vec![1], ..Frame::default() };
    let traffic = Traffic::Given(vec![frame(0), frame(1)]);
    let refused = run(&core, &options(&core, traffic, Pace::default(), Path::new("."))).unwrap_err();
    assert!(matches!(refused, StreamError::Input { .. }));
    assert_eq!(
        refused.to_string(),
        "frame 1, counted from 0, is for input 1 of `rewrite_tx`; allowed: 0 to 0"
    );
}
