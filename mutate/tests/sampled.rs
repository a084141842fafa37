//! Hardware that looks at an input when it must not: a cycle before it is offered, or behind that. Inputs carry noise
//! then, so each is found.

use std::collections::BTreeSet;

use respray_cosim::cores::CONTRACTS;
use respray_cosim::verilator::{BuildOptions, Design, Source, build};
use respray_hdl::catalogue::{NAMES, generate};
use respray_hdl::config::Config;
use respray_hdl::manifest::{Direction, Generated};
use respray_mutate::runs::{Plan, Runs, runs};
use respray_mutate::schemata::{SELECT, SELECT_BITS};
use respray_mutate::texts::watched;

/// Cycles of the longest runs. Most differ in the first of the short ones.
const CYCLES: u64 = 4_000_000;
/// The last stage of rounds.
const LAST_STAGE: usize = 3;

/// Of each core a register that an input goes into, and what is assigned to it: it follows the input instead, and so is
/// what the input is in the cycles behind that of the op or of the beat.
const LATE: &[(&str, &str, &str)] = &[
    ("reps", "read_op_ev", "op_ev"),
    ("sack_rx", "packet_psn", "op_psn"),
    ("sack_tx", "held_psn", "op_psn"),
    ("rewrite_tx", "word", "data"),
    ("rewrite_rx", "word", "data"),
    ("ops", "read_conn", "op_conn"),
    ("ecmp", "read_conn", "op_conn"),
    ("subflows", "read_op_count", "op_count"),
    ("mprdma", "read_op_ev", "op_ev"),
    ("flowlet", "read_now", "now"),
    ("plb", "read_op_threshold", "op_threshold"),
    ("strack", "taken_path", "op_path"),
    ("bitmap", "taken_path", "op_path"),
    ("mixed", "taken_ev", "op_ev"),
    ("strack_cc", "held_timestamp", "op_timestamp"),
    ("flowcut", "read_op_bytes", "op_bytes"),
    ("flowcut_switch", "candidates", "up"),
    ("caver", "dsts_0", "dst"),
    ("shim_push", "data_at_2", "data"),
    ("shim_pop", "data_at_2", "data"),
    ("nic", "value", "wdata"),
];

/// Inputs of ops that a core looks at in every cycle, so that they never carry noise: what is early in them is a change of a setting alone.
const ALWAYS_SEEN: &[(&str, &str)] = &[("caver", "dre_period")];

fn generated(core: &str) -> Generated {
    generate(core, &Config::default()).unwrap()
}

/// What runs of a core: its Verilog, with outputs by which it is watched if it has to be.
fn verilog(generated: &Generated) -> String {
    watched(generated).unwrap().unwrap_or_else(|| generated.verilog.clone())
}

/// The rounds of a core, without recordings.
fn rounds_of(generated: &Generated) -> Box<dyn Runs> {
    runs(generated, &Plan { cycles: CYCLES, seed: 1, recordings: None }).unwrap()
}

/// Whether a round up to a stage finds a model.
fn is_found(runs: &dyn Runs, design: &'static Design, select: Option<u64>, stage: usize) -> bool {
    let rounds = runs.rounds().iter().enumerate();
    let mut rounds: Vec<_> = rounds.filter(|(_, round)| round.stage <= stage).collect();
    rounds.sort_by_key(|(_, round)| round.stage);
    let mut seen = rounds.into_iter().map(|(number, round)| {
        let mut model = design.model(round.seed as u32).unwrap();
        if let Some(select) = select {
            let port = model.input(SELECT, SELECT_BITS).unwrap();
            model.hold(port, select);
        }
        runs.run(number, model).unwrap().seen
    });
    seen.any(|seen| seen.is_some())
}

fn built(core: &str, verilog: String) -> &'static Design {
    let source = Source::new(core, verilog);
    build(&source, &BuildOptions { quick: true, ..BuildOptions::default() }).unwrap()
}

/// A part of a core's Verilog, and where it begins and ends: what stands between the head of the module and its end.
fn body(verilog: &str, module: &str) -> (usize, usize) {
    let head = verilog.find(&format!("module {module} (")).expect("the module is there");
    let begin = head + verilog[head..].find(");\n").expect("its ports end") + 3;
    (begin, begin + verilog[begin..].find("endmodule").expect("it ends"))
}

/// Whether a name stands here, and not the port of an instance.
fn is_name(text: &str, at: usize, name: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.';
    let before = at.checked_sub(1).map(|before| &text.as_bytes()[before]);
    let behind = text.as_bytes().get(at + name.len());
    !before.is_some_and(is_part) && !behind.is_some_and(is_part)
}

/// A text with a name in the place of another.
fn renamed(text: &str, name: &str, with: &str) -> String {
    let (mut made, mut last) = (String::new(), 0);
    for (at, _) in text.match_indices(name).filter(|(at, _)| is_name(text, *at, name)) {
        made += &text[last..at];
        made += with;
        last = at + name.len();
    }
    made + &text[last..]
}

/// The inputs that are offered with another one, which tells when they may be looked at.
fn offered(generated: &Generated) -> Vec<(String, u32, String)> {
    let core = generated.manifest.module.as_str();
    let contract = CONTRACTS.iter().find(|contract| contract.core == core);
    let inputs = generated.manifest.ports.iter().filter(|port| port.direction == Direction::Input);
    let valid_of = |name: &str| {
        if contract.is_some_and(|contract| contract.op_fields().any(|field| field.port == name)) {
            return Some("op_valid".to_string());
        }
        let (stream, field) = name.rsplit_once('_')?;
        let valid = match field {
            "tdata" | "tkeep" | "tlast" | "tuser" => "tvalid",
            "awaddr" => "awvalid",
            "wdata" | "wstrb" => "wvalid",
            "araddr" => "arvalid",
            _ => return None,
        };
        Some(format!("{stream}_{valid}"))
    };
    inputs.filter_map(|port| Some((port.name.clone(), port.width, valid_of(&port.name)?))).collect()
}

/// A Verilog in which each of the inputs is looked at a cycle early, if the input that selects it says so: where
/// nothing was offered before, what stood there then. Beside it the inputs that something is made of at all.
fn early(generated: &Generated) -> (String, Vec<String>) {
    let core = generated.manifest.module.as_str();
    let mut verilog = verilog(generated);
    let (begin, end) = body(&verilog, core);
    let mut inside = verilog[begin..end].to_string();
    let (mut more, mut names) = (String::new(), Vec::new());
    let mut valids = BTreeSet::new();
    for (name, width, valid) in offered(generated) {
        let lines = inside.lines().filter(|line| !line.trim_start().starts_with("wire unused"));
        let used = lines.collect::<Vec<_>>().join("\n");
        if renamed(&used, &name, "") == used || ALWAYS_SEEN.contains(&(core, name.as_str())) {
            continue;
        }
        inside = renamed(&inside, &name, &format!("{name}_sampled"));
        names.push(name.clone());
        let number = names.len();
        if valids.insert(valid.clone()) {
            more +=
                &format!("    reg {valid}_before;\n    always @(posedge clk) {valid}_before <= {valid};\n");
        }
        let range = if width > 1 { format!("[{}:0] ", width - 1) } else { String::new() };
        more += &format!(
            "    reg {range}{name}_before;\n    always @(posedge clk) {name}_before <= {name};\n    wire {range}{name}_sampled = \
             {SELECT} == {SELECT_BITS}'d{number} & !{valid}_before ? {name}_before : {name};\n"
        );
    }
    verilog.replace_range(begin..end, &(more + &inside));
    let head = format!("module {core} (");
    let select = format!("{head} input wire [{}:0] {SELECT},", SELECT_BITS - 1);
    (verilog.replace(&head, &select), names)
}

/// A Verilog in which a register follows what is assigned to it.
fn late(verilog: &str, register: &str, input: &str) -> String {
    let assigned = format!(" {register} <= ");
    let statement = format!("{assigned}{input};");
    assert_eq!(verilog.matches(&statement).count(), 1, "`{statement}` stands in the Verilog once");
    let at = verilog.find(&statement).expect("the statement is there");
    let (begin, end) =
        (verilog[..at].rfind("\nmodule ").unwrap(), at + verilog[at..].find("endmodule").unwrap());
    let mut module = String::new();
    let mut rest = &verilog[begin..end];
    while let Some(at) = rest.find(&assigned) {
        module += &rest[..at];
        module += " begin end";
        rest = &rest[at + rest[at..].find(';').expect("the statement ends") + 1..];
    }
    module += rest;
    format!("{}{module}    always @* {register} = {input};\n{}", &verilog[..begin], &verilog[end..])
}

/// Inputs of a core that are looked at early and registers of it that are filled late, and no run finds it. Without
/// either the core passes.
fn missed(core: &str) -> Vec<String> {
    let generated = generated(core);
    let runs = rounds_of(&generated);
    let (text, names) = early(&generated);
    let design = built(core, text);
    assert!(!is_found(runs.as_ref(), design, Some(0), 0), "{core}: nothing is sampled early");
    let mut missed: Vec<String> = (1..)
        .zip(&names)
        .filter(|(number, _)| !is_found(runs.as_ref(), design, Some(*number), LAST_STAGE))
        .map(|(_, name)| format!("{core}: `{name}` is sampled early"))
        .collect();
    for (_, register, input) in LATE.iter().filter(|(of, ..)| *of == core) {
        let design = built(core, late(&verilog(&generated), register, input));
        if !is_found(runs.as_ref(), design, None, LAST_STAGE) {
            missed.push(format!("{core}: `{register}` is filled late"));
        }
    }
    println!("{core}: {names:?}, missed: {missed:?}");
    missed
}

#[test]
fn an_input_of_these_cores_that_is_sampled_at_the_wrong_time_is_found() {
    assert_eq!(["plb", "shim_push"].map(missed).concat(), Vec::<String>::new());
}

#[test]
#[ignore = "minutes: every core"]
fn an_input_of_every_core_that_is_sampled_at_the_wrong_time_is_found() {
    assert!(NAMES.iter().all(|core| LATE.iter().any(|(of, ..)| of == core)), "each core has a line");
    assert_eq!(NAMES.iter().flat_map(|core| missed(core)).collect::<Vec<_>>(), Vec::<String>::new());
}
