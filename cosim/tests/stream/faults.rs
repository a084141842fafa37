//! Faults made by hand in the generated Verilog of the rewriters: each is found by random frames and shrunk to a few.
//!
//! A fault is one text of the Verilog and what stands in its place. Where the generator writes that text differently,
//! the test says so, and the fault is to be written anew.

use respray_cosim::lockstep::report::Verdict;
use respray_cosim::stream::list::FrameList;
use respray_cosim::stream::{Pace, StreamOptions, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_hdl::manifest::Generated;

use super::{generated, options, run};

/// Random frames within which every fault is found.
const FRAMES: u64 = 30_000;

/// The fault is found, and shrunk to at most `most` frames of a list that fail again and pass without the fault.
fn found(core: &Generated, verilog: &str, most: usize) {
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
    let longest = list.frames.iter().map(|frame| frame.data.len()).max();
    assert!(longest <= Some(130), "frames that a person can read: {failure}");

    let again = options(core, Traffic::List(path), Pace::default(), dir.path());
    let again_file = dir.path().join("again.csv");
    let again = StreamOptions { reproducer: again_file, ..again };
    let faulty = StreamOptions { verilog: Some(file), ..again.clone() };
    assert_eq!(run(core, &faulty).unwrap().result, Verdict::Fail, "the list fails again");
    assert_eq!(run(core, &again).unwrap().result, Verdict::Pass, "and passes without the fault");
}

/// Of `rewrite_rx` at 64 bits.
fn rx(text: &str, wrong: &str, most: usize) {
    let core = generated("rewrite_rx", &["bus_bits=64"]);
    assert_eq!(core.verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
    found(&core, &core.verilog.replace(text, wrong), most);
}

/// Of `rewrite_tx` at 64 bits, from outside: the core is wrapped, with one of its connections wrong.
fn tx(port: &str, wrong: &str) {
    let core = generated("rewrite_tx", &["bus_bits=64"]);
    let inside = core.verilog.replace("module rewrite_tx (", "module rewrite_tx_own (");
    assert_ne!(inside, core.verilog);
    let (mut header, mut connections) = (Vec::new(), Vec::new());
    for info in &core.manifest.ports {
        let name = &info.name;
        let direction =
            if info.direction == respray_hdl::manifest::Direction::Input { "input" } else { "output" };
        header.push(format!("{direction} [{}:0] {name}", info.width - 1));
        connections.push(format!(".{name}({})", if name == port { wrong } else { name }));
    }
    let wrapper = format!(
        "module rewrite_tx ({});\nreg [15:0] ev_before; wire spoilt; reg [6:0] edges;\n\
         always @(posedge clk) begin ev_before <= s_ev; edges <= rst ? 7'd0 : edges + 7'd1; end\n\
         {}rewrite_tx_own own ({});\nendmodule\n",
        header.join(", "),
        match port {
            "m_axis_tvalid" => "assign m_axis_tvalid = spoilt & (edges != 7'd20);\n",
            "m_axis_tlast" => "assign m_axis_tlast = spoilt & !m_axis_tuser;\n",
            "pkt_malformed" => "assign pkt_malformed = spoilt & m_axis_tready;\n",
            _ => "assign spoilt = 1'b0;\n",
        },
        connections.join(", ")
    );
    found(&core, &format!("{inside}\n{wrapper}"), 12);
}

#[test]
fn a_frame_cut_before_its_ip_header_is_whole() {
    rx("wire is_cut_in_ip = gap[7] || gap == 8'd0;", "wire is_cut_in_ip = gap[7];", 1);
}

#[test]
fn a_udp_header_may_lack_four_bytes() {
    rx("found_is_cut_in_udp = gap < 8'd3;", "found_is_cut_in_udp = gap < 8'd2;", 1);
}

#[test]
fn lengths_of_ip_and_udp_are_not_compared() {
    rx(
        "wire found_is_contradiction = in_ip != {1'b0, captured_ip_length};",
        "wire found_is_contradiction = 1'b0;",
        1,
    );
}

#[test]
fn padding_is_let_through_a_byte_too_long() {
    rx("frame_bytes > 17'h40", "frame_bytes > 17'h41", 1);
}

#[test]
fn an_ack_may_be_short() {
    rx("captured_udp_length < 16'h2c", "captured_udp_length < 16'h1c", 1);
}

#[test]
fn fragments_are_taken_for_whole_packets() {
    rx("captured_fragment != 14'd0 || ", "", 1);
}

#[test]
fn the_header_sum_is_not_restarted() {
    rx("wire [20:0] start = first_c ? 21'd0 : sum;", "wire [20:0] start = sum;", 2);
}

#[test]
fn opcodes_of_others_are_data() {
    rx(
        "wire found_is_data = kind == 5'd0 && captured_lead[15:13] == 3'd6;",
        "wire found_is_data = kind == 5'd0;",
        1,
    );
}

#[test]
fn unsupported_traffic_is_called_malformed() {
    rx(
        "pkt_malformed <= judge_4 && record_error != 3'd0 && record_error != 3'd4;",
        "pkt_malformed <= judge_4 && record_error != 3'd0;",
        1,
    );
}

#[test]
fn tuser_is_lost() {
    rx("assign m_axis_tuser = beats_head[72];", "assign m_axis_tuser = 1'b0;", 2);
}

#[test]
fn bytes_behind_the_last_are_kept() {
    rx("assign m_axis_tkeep = {kept[7:1], 1'b1};", "assign m_axis_tkeep = 8'hff;", 1);
}

#[test]
fn the_second_tag_is_not_counted() {
    rx("tags = 5'd5;", "tags = 5'd4;", 1);
}

#[test]
fn tx_the_ev_is_sampled_an_edge_late() {
    tx("s_ev", "ev_before");
}

#[test]
fn tx_a_beat_is_withdrawn_once() {
    tx("m_axis_tvalid", "spoilt");
}

#[test]
fn tx_a_last_beat_goes_missing_where_tuser_is_set() {
    tx("m_axis_tlast", "spoilt");
}

#[test]
fn tx_an_event_is_lost_under_backpressure() {
    tx("pkt_malformed", "spoilt");
}
