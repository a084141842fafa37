//! Ports of the joined `nic`: that they are those of the parts of which the bus rules are proved, and that they come from registers.

use respray_hdl::manifest::{Direction, Port};
use respray_synth::prove::nic::{Whole, whole};
use respray_synth::tool::ToolError;

use crate::common::bench;

/// Where the names of ports of the whole begin, the part that they belong to, and where their names begin there.
const JOINTS: [(&str, &str, &str); 6] = [
    ("tx_in_", "sender", "s_axis_"),
    ("tx_out_", "outlet", "m_axis_"),
    ("rx_in_", "rewrite_rx", "s_axis_"),
    ("rx_out_", "receiver", "m_axis_"),
    ("event_t", "events", "event_t"),
    ("s_axil_", "registers", "s_axil_"),
];

/// Ports of the whole that are not those of the parts, as the top has them.
fn unlike(whole: &Whole, (of_whole, part, of_part): (&str, &str, &str)) -> Vec<String> {
    let connections = whole.connections(part);
    let ports: Vec<&Port> =
        whole.parts[part].ports.iter().filter(|port| port.name.starts_with(of_part)).collect();
    assert!(!ports.is_empty(), "{part} has no port {of_part}");
    let outer = |port: &Port| format!("{of_whole}{}", &port.name[of_part.len()..]);
    let is_joined = |port: &Port| match port.direction {
        Direction::Input => connections[port.name.as_str()] == outer(port),
        Direction::Output => whole.is_assigned(&outer(port), &format!("{part}_{}", port.name)),
    };
    ports.iter().filter(|port| !is_joined(port)).map(|port| outer(port)).collect()
}

#[test]
fn ports_of_the_whole_are_those_of_the_parts() {
    let mut whole = whole().clone();
    for joint in JOINTS {
        assert_eq!(unlike(&whole, joint), [""; 0]);
    }
    for (wire, _) in whole.beside() {
        assert!(whole.is_assigned(wire.trim_start_matches("receiver_"), &wire), "{wire}");
    }
    whole.top = whole.top.replace("sender_s_axis_tready;", "sender_s_axis_tready & tx_in_tvalid;");
    assert_eq!(unlike(&whole, JOINTS[0]), ["tx_in_tready"]);
    whole.top = whole.top.replace("(tx_out_tready)", "(1'b1)");
    assert_eq!(unlike(&whole, JOINTS[1]), ["tx_out_tready"]);
}

/// Whether no path leads from an input of some parts, joined, to these wires but through registers.
fn come_from_registers(verilog: &str, outputs: &[(String, u32)]) -> bool {
    let wires: Vec<String> = outputs.iter().map(|(wire, _)| format!("w:{wire}")).collect();
    yosys(
        verilog,
        &format!(
            "read_verilog core.v\nhierarchy -check -top nic\nproc\nflatten\ncd nic\nselect -set outputs {}\n\
             select -assert-any @outputs\nselect -set reached @outputs %ci*:-$dff i:* %i\nselect -assert-none @reached\n",
            wires.join(" ")
        ),
    )
}

/// Whether a script of Yosys succeeds; a refutation is what it was asked for, any other failure is the test's.
fn yosys(verilog: &str, script: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("core.v"), verilog).unwrap();
    std::fs::write(folder.path().join("proof.ys"), script).unwrap();
    let is_refuted =
        |line: &String| line.contains("proof did fail") || line.contains("selection is not empty");
    match bench().tools.yosys().unwrap().run(folder.path(), &["proof.ys"]) {
        Ok(_) => true,
        Err(ToolError::Failed(failure)) if failure.lines.iter().any(is_refuted) => false,
        Err(error) => panic!("{error}"),
    }
}

/// Both streams of frames that go out, and what makes the host wait.
#[test]
fn frames_of_the_whole_come_from_registers() {
    let whole = whole();
    let to_host = [whole.outputs("receiver", "receiver_m_axis_"), whole.beside()].concat();
    let fault =
        ("assign m_axis_tvalid = ring_valid &", "assign m_axis_tvalid = s_axis_tvalid & ring_valid &");
    let receiver = whole.verilog(&["receiver"]);
    assert!(come_from_registers(&receiver, &to_host));
    assert_eq!(receiver.matches(fault.0).count(), 1, "it is generated differently: write the fault anew");
    assert!(!come_from_registers(&receiver.replace(fault.0, fault.1), &to_host));
    for (part, begins) in [("outlet", "outlet_m_axis_"), ("sender", "sender_s_axis_")] {
        assert!(come_from_registers(&whole.verilog(&[part]), &whole.outputs(part, begins)), "{part}");
    }
}

#[test]
#[ignore = "the same of the other ports"]
fn all_other_outputs_of_the_whole_come_from_registers() {
    for (part, begins) in [
        ("rewrite_rx", "rewrite_rx_s_axis_"),
        ("events", "events_event_t"),
        ("registers", "registers_s_axil_"),
    ] {
        assert!(come_from_registers(&whole().verilog(&[part]), &whole().outputs(part, begins)), "{part}");
    }
}

/// What the proofs take for given of a memory, shown of the smallest of them: all are made by one block.
#[test]
fn a_memory_keeps_its_words() {
    let memory = "nic_receiver_status_ram";
    let verilog = &whole().parts["receiver"].verilog;
    let begin = verilog.find(&format!("module {memory} (")).expect("the memory");
    let (module, _) = verilog[begin..].split_once("endmodule").expect("its end");
    let rules = include_str!("../../src/prove/nic/keeps.v").replace("assume (", "assert (");
    assert!(rules.contains("assert ("));
    let module = format!("{module}{rules}endmodule\n");
    let keeps = |module: &str| {
        let script = format!(
            "read_verilog -sv -formal core.v\nhierarchy -check -top {memory}\nproc\nflatten\nmemory\nopt\nasync2sync\n\
             sat -tempinduct -seq 1 -maxsteps 4 -prove-asserts -verify\n"
        );
        yosys(module, &script)
    };
    assert!(keeps(&module));
    let fault = ("if (write_enable) words", "if (write_enable || read_address == 9'd5) words");
    assert_eq!(module.matches(fault.0).count(), 1);
    assert!(!keeps(&module.replace(fault.0, fault.1)), "a word that changes is not refuted");
}
