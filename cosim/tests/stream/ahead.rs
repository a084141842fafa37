//! The golden side runs ahead of the device in blocks: nothing behind a run's first difference shows.

use respray_cosim::stream::run::{Listeners, Run, run};
use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::timing::Timing;
use respray_cosim::stream::{Pace, StreamDevice, core_of};
use respray_cosim::traffic::frames::{FrameKnobs, RandomFrames};
use respray_cosim::verilator::{BuildOptions, Model, Source};
use respray_golden::wire::Profile;
use respray_hdl::manifest::Direction;

use super::generated;

/// A line of the Verilog that runs at every clock edge.
const COUNTER: &str = "edges <= edges + 32'd1;";
/// Differences in the first block, at its edges and behind, and where the golden side has a thread of its own.
const CYCLES: [u64; 3] = [511, 512, 40_000];

/// `rewrite_tx` at 64 bits with an output port that is other, and a statement for every clock edge; both see the number
/// of clock edges so far as `edges`, the port as it should be as `right`, and as `held` whether the beat at the output was there before.
fn spoilt(port: &str, wrong: &str, statement: &str) -> String {
    let core = generated("rewrite_tx", &["bus_bits=64"]);
    let inside = core.verilog.replace("module rewrite_tx (", "module rewrite_tx_own (");
    let (mut header, mut connections, mut right) = (Vec::new(), Vec::new(), String::new());
    for info in &core.manifest.ports {
        let name = &info.name;
        let direction = if info.direction == Direction::Input { "input" } else { "output" };
        header.push(format!("{direction} [{}:0] {name}", info.width - 1));
        connections.push(format!(".{name}({})", if name == port { "right" } else { name }));
        if name == port {
            right = format!("wire [{}:0] right; assign {port} = {wrong};", info.width - 1);
        }
    }
    format!(
        "{inside}\nmodule rewrite_tx ({});\nreg [31:0] edges; initial edges = 32'd0;\nreg held;\n{right}\n\
         always @(posedge clk) begin\n{COUNTER}\nheld <= m_axis_tvalid && !m_axis_tready;\n{statement}\nend\nrewrite_tx_own own ({});\nendmodule\n",
        header.join(", "),
        connections.join(", ")
    )
}

/// A run of it, and the device behind.
fn try_run(verilog: &str, coverage: bool) -> (Run, StreamDevice) {
    let core = generated("rewrite_tx", &["bus_bits=64"]);
    let build = BuildOptions { coverage, quick: true, ..BuildOptions::default() };
    let model = Model::build(&Source::new("rewrite_tx", verilog), &build).unwrap();
    let golden = core_of("rewrite_tx", &core.manifest.config, RewriterSettings::default()).unwrap();
    let mut device = StreamDevice::new(model, &core.manifest, golden.ports()).unwrap();
    let knobs = FrameKnobs { longest: 300, ..FrameKnobs::default() };
    let frames = RandomFrames::new(1, Profile::Strack, Profile::Strack.udp_port(), knobs);
    let pace = Pace { gap: 0.2, stall: 0.3, seed: 1 };
    let timing = Timing::of(&core.manifest, golden.ports());
    let mut listeners =
        Listeners { frame: None, progress: &mut |_, _| {}, row: None, wrong: None, keeps_going: false };
    let run = run(golden.as_ref(), &mut device, &timing, frames, pace, 60_000, &mut listeners);
    (run, device)
}

#[test]
fn a_model_that_stops_behind_the_first_difference_has_a_difference() {
    for cycle in CYCLES {
        for (stop, has_stopped) in [(cycle, true), (cycle + 1, false)] {
            let wrong = format!("right ^ (edges == 32'd{cycle})");
            let verilog = spoilt("s_axis_tready", &wrong, &format!("if (edges == 32'd{stop}) $stop;"));
            let (run, device) = try_run(&verilog, false);
            let found = run.difference.unwrap();
            assert_eq!((found.cycle, found.port.as_str(), run.cycles), (cycle, "s_axis_tready", cycle));
            assert_eq!(device.stopped().is_some(), has_stopped, "at {stop}, with a difference at {cycle}");
        }
    }
}

#[test]
fn counted_lines_end_with_the_first_difference() {
    for cycle in CYCLES {
        let verilog = spoilt("s_axis_tready", &format!("right ^ (edges == 32'd{cycle})"), "");
        let line = verilog.lines().position(|line| line == COUNTER).unwrap() as u32 + 1;
        let (run, mut device) = try_run(&verilog, true);
        assert_eq!(run.difference.unwrap().cycle, cycle);
        let coverage = device.model().coverage().unwrap();
        assert_eq!(
            coverage.lines()[&line],
            cycle + 1,
            "one for each clock edge, that of the difference included"
        );
    }
}

#[test]
fn bytes_behind_a_frame_stay_while_its_last_beat_is_held() {
    let wrong = "{right[63:56] ^ (m_axis_tkeep[7] ? 8'd0 : {8{held}}), right[55:0]}";
    let found = try_run(&spoilt("m_axis_tdata", wrong, ""), false).0.difference.unwrap();
    let said = (found.port.as_str(), found.expected.as_str());
    assert_eq!(said, ("m_axis_tdata", "as it was until the beat is taken"));

    let still = wrong.replace("{8{held}}", "8'hff");
    let found = try_run(&spoilt("m_axis_tdata", &still, ""), false).0.difference.unwrap();
    assert_eq!(found.port, "m_axis_tdata", "what stands there is promised, too: {found:?}");
}
