//! `rewrite_rx`, `nic_receiver` and `sack_rx` joined as the `nic` joins them.

use std::fmt::Write;

use respray_cosim::verilator::Source;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::emit::{EmitOptions, ports, verilog};
use respray_hdl::manifest::{Direction, Manifest};
use respray_hdl::nic::receiver;

const TOP: &str = "receive_side";

/// An expression in the Verilog of `nic_receiver` that is made wrong on purpose.
pub struct Fault {
    /// What is wrong then.
    pub about: &'static str,
    /// What stands before the expression.
    pub place: &'static str,
    pub right: &'static str,
    pub wrong: &'static str,
}

/// Name, whether it is an input, and width.
type Port = (String, bool, u32);

/// The three blocks under one top, with `faults` in the Verilog of `nic_receiver`. Of these the top's port `fault` chooses one, counted
/// from 1, so that one model has all of them.
///
/// The ports of the top are those of the blocks that join no other, and the handshakes between `nic_receiver` and `sack_rx`.
/// `decided` is the last beat of a frame on its way into `nic_receiver`.
pub fn source(config: &Config, faults: &[Fault]) -> Source {
    let reader = generate("rewrite_rx", config).expect("the reader is generated");
    let engine = generate("sack_rx", config).expect("the engine is generated");
    let block = receiver::block(config).expect("the sizes are on the menu");
    let options = EmitOptions { module: "nic_receiver", header: "The receive side.", ports: &[] };
    let mut receiver = verilog(block.as_ref(), &options).expect("the block can be printed");
    for (at, Fault { about, place, right, wrong }) in faults.iter().enumerate() {
        let statement = format!("{place}{right};");
        assert_eq!(receiver.matches(&statement).count(), 1, "{about}: `{statement}` stands there once");
        let either = format!("{place}({TOP}.fault == 4'd{}) ? {wrong} : {right};", at + 1);
        receiver = receiver.replace(&statement, &either);
    }
    let mut of_receiver: Vec<Port> = Vec::new();
    for (name, direction, width) in ports(block.as_ref()).expect("it has ports") {
        of_receiver.push((name, direction == Direction::Input, width));
    }
    let top = top(&of_core(&reader.manifest), &of_receiver, &of_core(&engine.manifest));
    Source::new(TOP, [reader.verilog, receiver, engine.verilog, top].concat())
}

fn of_core(manifest: &Manifest) -> Vec<Port> {
    let port = |port: &respray_hdl::manifest::Port| {
        (port.name.clone(), port.direction == Direction::Input, port.width)
    };
    manifest.ports.iter().map(port).collect()
}

/// What drives an input of a block, if another block does.
fn driver(block: &str, input: &str) -> Option<String> {
    match (block, input) {
        ("reader", "m_axis_tready") => Some("receiver_s_axis_tready".into()),
        ("reader", "meta_ready") => Some("receiver_meta_ready".into()),
        ("receiver", "rx_op_ready") => Some("engine_op_ready".into()),
        ("receiver", input) => {
            let stream = input.strip_prefix("s_axis_").map(|rest| format!("reader_m_axis_{rest}"));
            let result = input.strip_prefix("rx_").map(|rest| format!("engine_{rest}"));
            let is_record = input.starts_with("meta_") || input.starts_with("ack_");
            stream.or(result).or(is_record.then(|| format!("reader_{input}")))
        }
        ("engine", input) => input.strip_prefix("op_").map(|rest| format!("receiver_rx_op_{rest}")),
        _ => None,
    }
}

fn top(reader: &[Port], receiver: &[Port], engine: &[Port]) -> String {
    let (mut head, mut body) = (
        String::from("input wire clk, input wire rst, input wire [3:0] fault, output wire decided"),
        String::new(),
    );
    let blocks = [
        ("reader", "rewrite_rx", reader),
        ("receiver", "nic_receiver", receiver),
        ("engine", "sack_rx", engine),
    ];
    for (name, module, ports) in blocks {
        let mut wires = Vec::new();
        for (port, is_input, width) in ports {
            let own = format!("{name}_{port}");
            let range = format!("[{}:0]", width - 1);
            if !is_input {
                writeln!(body, "wire {range} {own};").unwrap();
                wires.push(format!(".{port}({own})"));
            } else if matches!(port.as_str(), "clk" | "rst") {
                wires.push(format!(".{port}({port})"));
            } else if let Some(driver) = driver(name, port) {
                wires.push(format!(".{port}({driver})"));
            } else {
                write!(head, ", input wire {range} {port}").unwrap();
                wires.push(format!(".{port}({port})"));
            }
            let is_inner = match name {
                "reader" => port != "s_axis_tready",
                "receiver" => matches!(port.as_str(), "s_axis_tready" | "meta_ready"),
                _ => !matches!(port.as_str(), "op_ready" | "res_valid" | "sack_valid"),
            };
            if !is_input && !is_inner {
                let shown = if name == "engine" { format!("rx_{port}") } else { port.clone() };
                write!(head, ", output wire {range} {shown}").unwrap();
                writeln!(body, "assign {shown} = {own};").unwrap();
            }
        }
        writeln!(body, "{module} {name} ({});", wires.join(", ")).unwrap();
    }
    let decided = "reader_m_axis_tvalid & reader_m_axis_tlast & receiver_s_axis_tready";
    format!("module {TOP}({head});\n{body}assign decided = {decided};\nendmodule\n")
}
