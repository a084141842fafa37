//! The rules of AXI4-Stream as assertions about the rewriters: `tb/formal/axis_rules.v` around the generated Verilog, proved or
//! refuted by Yosys' SAT solver.
//!
//! What is offered stays until it is taken: by induction from any state at all, whatever the memories give, so for all time.
//! `tkeep` and `tlast` are as they must be: from reset on for [`STEPS`] cycles, memories and all, if those given are.

use crate::common::{bench, root};
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::{Direction, Generated, Port};
use respray_synth::tool::ToolError;

const CORES: [&str; 2] = ["rewrite_tx", "rewrite_rx"];
const NARROW: u32 = 64;
const WIDE: u32 = 512;
const PROFILES: [&str; 2] = ["strack", "uet"];
const CHANNEL: [&str; 6] = ["tdata", "tkeep", "tvalid", "tlast", "tuser", "tready"];
/// Clock edges of a proof from reset: packets of one and of several beats have left both cores by then.
const STEPS: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    /// Of a beat and the next: valid and all else hold until ready.
    Holding,
    /// Of a beat: `tkeep` contiguous from bit 0, all ones but in the last beat.
    Shape,
}

fn generated(core: &str, width: u32, profile: &str) -> Generated {
    let sets = [format!("bus_bits={width}"), format!("wire={profile}")];
    generate(core, &Config::load(None, &sets).unwrap()).unwrap()
}

/// The core with the rules at its channels. `spoilt` is a signal of the output channel as the rules are to see it instead; `spoil`
/// in it is an input that may do anything.
fn harness(core: &Generated, rules: Rules, spoilt: Option<(&str, &str)>) -> String {
    let manifest = &core.manifest;
    let joined = |lines: Vec<String>| lines.join(",\n    ");
    let declared = |kind: &str, port: &Port| format!("{kind} wire [{}:0] {}", port.width - 1, port.name);
    let of = |direction| manifest.ports.iter().filter(move |port| port.direction == direction);
    let inputs: Vec<String> = of(Direction::Input).map(|port| declared("input", port)).collect();
    let connected = manifest.ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
    let mut text = format!("module harness (\n    {},\n    input wire spoil\n);\n", joined(inputs));
    of(Direction::Output).for_each(|port| text += &format!("{};\n", declared("", port)));
    text += &format!("{} core (\n    {}\n);\n", manifest.module, joined(connected));
    for (channel, is_assumed) in [("s_axis", 1), ("m_axis", 0)] {
        let signal = |name: &&str| match spoilt {
            Some((port, seen)) if port == *name && is_assumed == 0 => format!(".{name}({seen})"),
            _ => format!(".{name}({channel}_{name})"),
        };
        text += &format!(
            "axis_rules #(.BYTES({}), .ASSUMED({is_assumed}), .OF_HOLDING({}), .OF_SHAPE({})) {channel}_rules (\n    \
             .clk(clk), .rst(rst), {}\n);\n",
            manifest.config.bus_bits / 8,
            u8::from(rules == Rules::Holding),
            u8::from(rules == Rules::Shape),
            CHANNEL.iter().map(signal).collect::<Vec<_>>().join(", ")
        );
    }
    let record: Vec<&Port> = of(Direction::Output)
        .filter(|port| port.name.starts_with("meta_") || port.name.starts_with("ack_"))
        .filter(|port| port.name != "meta_valid")
        .collect();
    if rules == Rules::Holding && !record.is_empty() {
        let names: Vec<&str> = record.iter().map(|port| port.name.as_str()).collect();
        text += &format!(
            "wire meta_is_held;\nstream_rules #(.BITS({})) meta_rules (\n    .clk(clk), .rst(rst), .valid(meta_valid), \
             .ready(meta_ready), .payload({{{}}}), .is_held(meta_is_held)\n);\nalways @* assert (meta_is_held);\n",
            record.iter().map(|port| port.width).sum::<u32>(),
            names.join(", ")
        );
    }
    text + "endmodule\n"
}

/// Whether the rules hold.
fn holds(core: &Generated, rules: Rules, spoilt: Option<(&str, &str)>) -> bool {
    let proof = match rules {
        // What a memory gives is anything: more than it can give, so what is proved holds for it.
        Rules::Holding => "cutpoint t:$memrd*\nopt_clean -purge\n\
                           sat -tempinduct -seq 1 -prove-asserts -set-assumes -verify\n"
            .to_string(),
        Rules::Shape => format!(
            "memory\nopt_clean -purge\nsat -seq {STEPS} -set-at 1 rst 1 -set-at 2 rst 1 -prove-skip 2 -prove-asserts \
             -set-assumes -verify\n"
        ),
    };
    let script = format!(
        "read_verilog core.v\nread_verilog -formal axis_rules.v harness.v\nhierarchy -check -top harness\n\
         proc\nflatten\nopt_clean -purge\nasync2sync\nopt\n{proof}"
    );
    is_proved(&[("core.v", &core.verilog), ("harness.v", &harness(core, rules, spoilt))], &script)
}

/// Whether a script of Yosys succeeds on these files beside the rules; a refutation is the solver's, any other failure is the test's.
pub fn is_proved(files: &[(&str, &str)], script: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    for rules in ["axis_rules.v", "axi_lite_rules.v", "memory_rules.v"] {
        write(rules, &std::fs::read_to_string(root().join("tb/formal").join(rules)).unwrap());
    }
    files.iter().for_each(|(name, text)| write(name, text));
    write("proof.ys", script);
    match bench().tools.yosys().unwrap().run(folder.path(), &["proof.ys"]) {
        Ok(_) => true,
        Err(ToolError::Failed(failure))
            if failure
                .lines
                .iter()
                .any(|line| line.contains("proof did fail") || line.contains("selection is not empty")) =>
        {
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// The rules hold of the core.
fn proved(core: &str, rules: Rules, width: u32, profile: &str) {
    assert!(holds(&generated(core, width, profile), rules, None), "{core} of {width} bits, {profile}");
}

#[test]
fn what_is_offered_stays_until_it_is_taken() {
    CORES.iter().for_each(|core| proved(core, Rules::Holding, NARROW, PROFILES[0]));
}

#[test]
#[ignore = "the same at the widest bus, in ten times the time"]
fn what_is_offered_stays_at_the_widest_bus() {
    CORES.iter().for_each(|core| proved(core, Rules::Holding, WIDE, PROFILES[0]));
}

#[test]
fn tkeep_of_what_is_sent_is_contiguous_and_whole_up_to_the_last_beat() {
    proved("rewrite_tx", Rules::Shape, NARROW, PROFILES[0]);
}

#[test]
#[ignore = "ten seconds for the outlet that both cores have"]
fn tkeep_of_what_is_passed_on_is_contiguous_and_whole_up_to_the_last_beat() {
    proved("rewrite_rx", Rules::Shape, NARROW, PROFILES[0]);
}

/// The channels of both profiles are the same modules; what differs are the places of fields.
#[test]
#[ignore = "ten seconds for what the other profile shows already"]
fn the_rules_hold_with_the_other_profile() {
    for core in CORES {
        proved(core, Rules::Holding, NARROW, PROFILES[1]);
        proved(core, Rules::Shape, NARROW, PROFILES[1]);
    }
}

/// A rule, a signal of the output channel, and what the rules see instead of it.
type Spoilt = (Rules, &'static str, &'static str);

/// The rules are the same text around either core.
fn refuted(outputs: &[Spoilt]) {
    let generated = generated("rewrite_tx", NARROW, PROFILES[0]);
    for (rules, signal, seen) in outputs {
        assert!(!holds(&generated, *rules, Some((signal, seen))), "{seen}");
    }
}

#[test]
fn an_output_that_breaks_a_rule_is_refuted() {
    refuted(&[
        (Rules::Holding, "tvalid", "m_axis_tvalid && !spoil"),
        (Rules::Shape, "tkeep", "m_axis_tkeep << spoil"),
    ]);
}

#[test]
#[ignore = "a second each"]
fn every_output_that_breaks_a_rule_is_refuted() {
    refuted(&[
        (Rules::Holding, "tdata", "m_axis_tdata ^ {63'd0, spoil}"),
        (Rules::Holding, "tkeep", "m_axis_tkeep ^ {spoil, 7'd0}"),
        (Rules::Holding, "tlast", "m_axis_tlast ^ spoil"),
        (Rules::Holding, "tuser", "m_axis_tuser ^ spoil"),
        (Rules::Shape, "tkeep", "m_axis_tkeep ^ {spoil, 7'd0}"),
        (Rules::Shape, "tlast", "m_axis_tlast && !spoil"),
    ]);
}

/// The core with `fault` in place of `text` breaks the rules.
fn fault_is_refuted(rules: Rules, text: &str, fault: &str) {
    let core = generated("rewrite_rx", NARROW, PROFILES[0]);
    assert!(core.verilog.contains(text), "`{text}` is generated differently: write the fault anew");
    let faulty = Generated { verilog: core.verilog.replace(text, fault), ..core };
    assert!(!holds(&faulty, rules, None), "{fault}");
}

#[test]
fn a_core_whose_valid_drops_under_a_stall_is_refuted() {
    fault_is_refuted(Rules::Holding, "valid <= load || (valid && !pop);", "valid <= load;");
}

#[test]
#[ignore = "ten seconds for more of the same"]
fn a_core_that_breaks_a_rule_is_refuted() {
    // the head is replaced under a stall; tlast stands in tkeep
    fault_is_refuted(Rules::Holding, "load = (!valid || pop) && ", "load = ");
    fault_is_refuted(Rules::Shape, "m_axis_tkeep = {kept[7:1], 1'b1};", "m_axis_tkeep = kept;");
}
