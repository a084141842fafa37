//! `respray cosim --sim`: other simulators in the place of Verilator.

use std::collections::HashSet;
use std::path::Path;

use respray_cosim::cores::CORES;
use respray_cosim::stream::STREAM_CORES;
use respray_hdl::catalogue;
use respray_hdl::config::Config;

use crate::runs::{
    assert_is_refusal, beside_recording, command, names, project, recordings_of, refused, respray,
    respray_with_small_disk, stderr, stdout,
};

const SIMULATORS: [&str; 3] = ["verilator", "icarus", "cxxrtl"];

/// A core that is compiled soon.
const SMALL: [&str; 3] = ["cosim", "--core", "ecmp"];

/// An op trace with a few ops of every kind.
const TRACE: &str = "time_ns,op,conn,ev,ecn
0,init,3,,
10,send,3,,
20,ack,3,7,0
30,send,3,,
40,send,200,,
50,timeout,3,,
60,nack,3,,
70,send,3,,
";

/// Runs `ecmp` on the trace in a simulator, with more arguments.
fn run(at: &Path, simulator: &str, more: &[&str]) -> (Option<i32>, serde_json::Value, String) {
    std::fs::write(at.join("ops.csv"), TRACE).unwrap();
    let run = [&SMALL[..], &["--ops", "ops.csv", "--sim", simulator, "--json", "-"], more].concat();
    let output = respray(at, &run);
    let json = serde_json::from_slice(&output.stdout).unwrap_or(serde_json::Value::Null);
    (output.status.code(), json, stderr(&output))
}

/// The Verilog of `ecmp` as a file, with `more` between its pipeline, whose outputs are `own_valid` and `own_ev`, and its outputs.
fn variant(at: &Path, more: &str) {
    let verilog = std::fs::read_to_string(project().join("generated/ecmp.v")).unwrap();
    let (parts, top) = verilog.split_at(verilog.find("\nmodule ecmp (").expect("the top module"));
    let start = "\n    ecmp_pipeline pipeline (";
    let end = ["res_valid", "res_conn", "res_kind", "res_ev"].map(|port| format!(".{port}({port})"));
    let end = end.join(", ") + "\n    );\n\n    ecmp_update update (";
    for place in [start, &end] {
        let found = top.matches(place).count();
        assert_eq!(found, 1, "`{place}` is generated differently: the variants have to be written anew");
    }
    let own = end.replace("(res_valid)", "(own_valid)").replace("(res_ev)", "(own_ev)");
    let own = own.replacen("    );\n", &format!("    );\n{more}"), 1);
    let wires = format!("\n    wire own_valid;\n    wire [15:0] own_ev;{start}");
    let top = top.replace(start, &wires).replace(&end, &own);
    std::fs::write(at.join("variant.v"), parts.to_string() + &top).unwrap();
}

#[test]
fn three_simulators_come_to_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let mut tables = Vec::new();
    for simulator in SIMULATORS {
        let table = format!("{simulator}.csv");
        let (code, json, said) = run(at, simulator, &["--results", &table]);
        assert_eq!(code, Some(0), "{simulator}: {said}");
        assert_eq!(
            (&json["result"], &json["ops"], &json["sends"]),
            (&"pass".into(), &8.into(), &4.into()),
            "{simulator}"
        );
        tables.push((json["cycles"].clone(), std::fs::read_to_string(at.join(table)).unwrap()));
        let named = &json["provenance"]["simulator"];
        match simulator {
            "verilator" => assert_eq!(named, &serde_json::Value::Null),
            "icarus" => assert!(named.as_str().unwrap().starts_with("Icarus Verilog "), "{named}"),
            _ => assert!(named.as_str().unwrap().starts_with("CXXRTL of yosys 0."), "{named}"),
        }
        let again = json["provenance"]["command"].as_str().unwrap();
        assert_eq!(again.contains(&format!("--sim {simulator}")), simulator != "verilator", "{again}");
    }
    assert!(tables[0].1.lines().count() == 5, "{}", tables[0].1);
    assert!(tables.iter().all(|table| *table == tables[0]), "{tables:?}");
}

#[test]
fn frames_come_out_the_same_in_three_simulators() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let mut tables = Vec::new();
    for simulator in SIMULATORS {
        let table = format!("{simulator}.csv");
        let run = ["cosim", "--core", "shim_pop", "--set", "bus_bits=64", "--random", "2000"];
        let run = [&run[..], &["--sim", simulator, "--results", &table, "--json", "-"]].concat();
        let output = respray(at, &run);
        assert_eq!(output.status.code(), Some(0), "{simulator}: {}", stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&json["result"], &json["cycles"]), (&"pass".into(), &2000.into()), "{simulator}");
        tables.push(std::fs::read_to_string(at.join(table)).unwrap());
    }
    assert!(tables[0].lines().count() > 20, "{}", tables[0]);
    assert!(tables.iter().all(|table| *table == tables[0]), "{tables:?}");
}

#[test]
fn a_race_between_blocking_assignments_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    // both blocks run at the same edge, in any order; only in one of both orders are the registers equal
    variant(
        at,
        "    reg now, then;
    always @(posedge clk) if (rst) now = 1'b0; else now = ~now;
    always @(posedge clk) if (rst) then = 1'b0; else then = now;
    assign res_valid = own_valid;
    assign res_ev = own_ev ^ {16{now ^ then}};\n",
    );
    let (code, _, said) = run(at, "verilator", &["--verilog", "variant.v"]);
    assert_eq!(code, Some(0), "Verilator takes the order in which nothing shows: {said}");
    for simulator in ["icarus", "cxxrtl"] {
        let (code, json, said) = run(at, simulator, &["--verilog", "variant.v"]);
        assert_eq!(
            (code, &json["first_difference"]["port"]),
            (Some(1), &"res_ev".into()),
            "{simulator}: {said}{json}"
        );
    }
}

#[test]
fn verilog_that_means_something_else_to_another_simulator_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    // what one of them alone is told, by the macro that it defines
    for (simulator, other, macro_of) in [
        ("icarus", "cxxrtl", "__ICARUS__"),
        ("cxxrtl", "icarus", "YOSYS"),
        ("verilator", "icarus", "VERILATOR"),
    ] {
        let evs = format!(
            "`ifdef {macro_of}\n    assign res_ev = ~own_ev;\n`else\n    assign res_ev = own_ev;\n`endif\n"
        );
        variant(at, &(evs + "    assign res_valid = own_valid;\n"));
        let (code, json, said) = run(at, simulator, &["--verilog", "variant.v"]);
        assert_eq!(
            (code, &json["first_difference"]["port"]),
            (Some(1), &"res_ev".into()),
            "{simulator}: {said}{json}"
        );
        let (code, _, said) = run(at, other, &["--verilog", "variant.v"]);
        assert_eq!(code, Some(0), "{other} on a fault of {simulator}: {said}");
    }
}

#[test]
fn a_bit_that_is_unknown_where_one_is_promised_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    // nobody gives the register a value, and most simulators think of one
    variant(
        at,
        "    reg never;\n    assign res_valid = (never & ~never) | own_valid;\n    assign res_ev = own_ev;\n",
    );
    let (code, json, said) = run(at, "icarus", &["--verilog", "variant.v"]);
    assert_eq!((code, &json["first_difference"]["port"]), (Some(1), &"res_valid".into()), "{said}{json}");
    let (code, _, said) = run(at, "cxxrtl", &["--verilog", "variant.v"]);
    assert_eq!(code, Some(0), "it knows no unknown bits: {said}");
}

#[test]
fn a_number_less_itself_is_known() {
    let directory = tempfile::tempdir().unwrap();
    let generated = std::fs::read_to_string(project().join("generated/caver.v")).unwrap();
    let start = "initial for (place = 0; place <= 31; place = place + 1)";
    assert_eq!(generated.matches(start).count(), 1, "the memory of the sums is generated differently");
    let unknown = generated.replace(start, "initial if (1'b0)");
    for (simulator, verilog, code) in
        [("icarus", &generated, 0), ("icarus", &unknown, 1), ("cxxrtl", &generated, 0)]
    {
        std::fs::write(directory.path().join("sums.v"), verilog).unwrap();
        let run = ["cosim", "--core", "caver", "--random", "5000", "--verilog", "sums.v"];
        let output = respray(directory.path(), &[&run[..], &["--sim", simulator]].concat());
        assert_eq!(output.status.code(), Some(code), "{}{}", stderr(&output), stdout(&output));
    }
}

#[test]
fn what_another_simulator_cannot_do_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = [&SMALL[..], &["--random", "100", "--sim"]].concat();
    refused(
        at,
        &[&run[..], &["questa"]].concat(),
        &["--sim", "questa", "verilator, icarus, unknown, cxxrtl"],
    );
    for other in [["--netlist", "ecp5"], ["--coverage", "lines"], ["--wave", "waves.fst"]] {
        refused(at, &[&run[..], &["icarus"], &other].concat(), &["--sim", "does not go with", other[0]]);
    }
    let networks = ["cosim", "--core", "sack", "--packets", "100", "--sim", "icarus"];
    refused(at, &networks, &["--sim is of runs of one core, not of core `sack`"]);
    std::fs::write(at.join("broken.v"), "module ecmp (\n").unwrap();
    for (simulator, name) in [("icarus", "Icarus Verilog refuses the Verilog: "), ("cxxrtl", "yosys 0.")] {
        refused(at, &[&run[..], &[simulator, "--verilog", "broken.v"]].concat(), &[name, "syntax error"]);
    }
    // without a PATH that leads to it
    let output = command(at, &[&run[..], &["icarus"]].concat()).env("PATH", at).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("Icarus Verilog is not installed or not on the PATH"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn verilog_that_ends_its_simulation_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let finish = "    always @(posedge clk) if (res_valid) $finish;\n";
    variant(at, &format!("{finish}    assign res_valid = own_valid;\n    assign res_ev = own_ev;\n"));
    let (code, _, said) = run(at, "icarus", &["--verilog", "variant.v"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("Icarus Verilog ended after "), "{said}");
}

#[test]
fn a_disk_that_is_too_small_for_the_rows_of_a_simulation_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let run = ["cosim", "--core", "shim_pop", "--set", "bus_bits=64", "--random", "20000", "--sim", "icarus"];
    let Some((output, left)) = respray_with_small_disk(directory.path(), 100, &run) else { return };
    let said = ["the outputs of a simulation cannot be kept in ", "/small: No space", "TMPDIR"];
    assert_is_refusal(&output, &said);
    assert!(left.is_empty(), "{left:?}");
}

/// What the simulators that know unknown bits say of a core on a short random run, which `verilog` may replace: exit code and text.
fn unknown_bits(
    at: &Path,
    core: &str,
    cycles: u64,
    sets: &[String],
    verilog: Option<&str>,
) -> [(i32, String); 2] {
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let cycles = cycles.to_string();
    ["icarus", "unknown"].map(|simulator| {
        let run = ["cosim", "--core", core, "--random", &cycles, "--seed", "3", "--sim", simulator];
        let mut run = [&run[..], &sets].concat();
        if let Some(verilog) = verilog {
            std::fs::write(at.join("variant.v"), verilog).unwrap();
            run.extend(["--verilog", "variant.v"]);
        }
        let output = respray(at, &run);
        (output.status.code().unwrap(), format!("{run:?}: {}{}", stderr(&output), stdout(&output)))
    })
}

/// The Verilog of a core with one text of it replaced, wherever it stands.
fn replaced(core: &str, sets: &[String], before: &str, after: &str) -> String {
    let verilog = catalogue::generate(core, &Config::load(None, sets).unwrap()).unwrap().verilog;
    assert!(verilog.contains(before), "{core} is generated differently: `{before}`");
    verilog.replace(before, after)
}

#[test]
fn no_unknown_bit_reaches_state_or_an_output() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let sets = |sets: [&str; 2]| sets.map(String::from);
    // its memories are cleared with what is known
    let reps = sets(["connections=256", "protect=parity"]);
    let without_past = "        forward_exit <= 32'd0;\n        forward_time <= 32'd0; forward_laps <= 1'b0;\n        if (read_valid) begin";
    let unmasked = replaced("reps", &reps, without_past, "        if (1'b1) begin");
    let sack_rx = sets(["connections=16", "protect=parity"]);
    let unfilled = replaced(
        "sack_rx",
        &sack_rx,
        "wire advance_fill = steps_fill | rst;",
        "wire advance_fill = steps_fill;",
    );
    // an ethertype that never came is compared in a frame's first beats
    let rewriter = sets(["bus_bits=64", "wire=strack"]);
    let reset = "        if (rst) begin
            head_is_tag <= 1'b0; head_is_ip4 <= 1'b0; head_is_ip6 <= 1'b0; head_is_malformed <= 1'b1;
            head_udp <= STEP;
        end
";
    let unset = replaced("rewrite_tx", &rewriter, reset, "");
    // the freeze time of a connection that does not freeze decides nothing that an output shows
    for (core, sets, faulty, state, plain_code) in [
        ("reps", &reps, &unmasked, "freeze.forward_time", 0),
        ("sack_rx", &sack_rx, &unfilled, "loss.ends", 1),
        ("rewrite_tx", &rewriter, &unset, "fields.judged", 1),
    ] {
        for (code, said) in unknown_bits(at, core, 3000, sets, None) {
            assert_eq!(code, 0, "{said}");
        }
        let [plain, spread] = unknown_bits(at, core, 3000, sets, Some(faulty));
        assert_eq!((plain.0, spread.0), (plain_code, 2), "{plain:?} {spread:?}");
        let told = format!("it gave `unknown bits in respray_bench.core.{state}: ");
        assert!(spread.1.contains(&told), "{}", spread.1);
    }
    // where an `if` takes what is unknown for false, nothing is seen without that
    let bus = sets(["bus_bits=64", "connections=16"]);
    let unset = replaced("shim_pop", &bus, " valid_5 <= 1'b0;", "");
    let [plain, spread] = unknown_bits(at, "shim_pop", 1000, &bus, Some(&unset));
    assert_eq!((plain.0, spread.0), (0, 2), "{plain:?} {spread:?}");
    assert!(spread.1.contains("unknown bits in respray_bench.core.window."), "{}", spread.1);
}

/// Every core, whatever its bus, profile, engine and memories are.
#[test]
#[ignore = "some hundred runs in a simulator that is slow: `make test-long`"]
fn no_unknown_bit_reaches_state_or_an_output_of_any_core() {
    let directory = tempfile::tempdir().unwrap();
    let mut failed = Vec::new();
    for core in CORES.iter().chain(&STREAM_CORES).copied() {
        let mut seen = HashSet::new();
        let values = ["bus_bits=64", "bus_bits=128", "bus_bits=256", "bus_bits=512"]
            .iter()
            .flat_map(|bus| ["wire=strack", "wire=uet"].map(|wire| [*bus, wire]))
            .flat_map(|some| {
                ["sack.engine=small", "sack.engine=fast"].map(|engine| [&some[..], &[engine]].concat())
            })
            .flat_map(|some| {
                ["protect=none", "protect=parity"].map(|protect| [&some[..], &[protect]].concat())
            })
            .flat_map(|some| [16, 256].map(|connections| (some.clone(), connections)));
        for (values, connections) in values {
            let mut sets: Vec<String> = values.iter().map(|set| set.to_string()).collect();
            sets.push(format!("connections={connections}"));
            let config = Config::load(None, &sets).unwrap();
            // not every core has parity
            let Ok(generated) = catalogue::generate(core, &config) else { continue };
            if !seen.insert(generated.verilog) {
                continue;
            }
            for (code, said) in unknown_bits(directory.path(), core, 12_000, &sets, None) {
                println!("{core} {sets:?}: {code}");
                if code != 0 {
                    failed.push(said);
                }
            }
        }
        assert!(!seen.is_empty(), "{core} has no configuration");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Every core in every simulator: random ops or frames, and all recordings and op traces.
#[test]
#[ignore = "runs every core in two further simulators, of which one is slow: `make test-long`"]
fn every_core_comes_to_the_same_in_every_simulator() {
    let directory = tempfile::tempdir().unwrap();
    let recordings = project().join("tb/recordings");
    let mut failed = Vec::new();
    for core in CORES.iter().chain(&STREAM_CORES).copied() {
        let mut stimuli = vec![["--random".to_string(), "20000".to_string()]];
        for recording in recordings_of(core) {
            stimuli.push(["--traffic".to_string(), recording.display().to_string()]);
        }
        if core == "reps" {
            for trace in names(&recordings).iter().filter(|name| name.ends_with(".csv.gz")) {
                stimuli.push(["--ops".to_string(), recordings.join(trace).display().to_string()]);
            }
        }
        for [option, value] in &stimuli {
            for simulator in &SIMULATORS[1..] {
                let run = ["cosim", "--core", core, option, value, "--sim", simulator, "--json", "-"];
                let output = respray(directory.path(), &run);
                let json = serde_json::from_slice(&output.stdout).unwrap_or(serde_json::Value::Null);
                println!(
                    "{core} in {simulator}: {option} {value}: {} cycles, {}",
                    json["cycles"], json["result"]
                );
                if !output.status.success() {
                    failed.push(format!("{run:?}: {}{}", stderr(&output), stdout(&output)));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
#[ignore = "all recordings through the block in two further simulators, of which one takes hours: `make test-long`"]
fn the_joined_block_comes_to_the_same_in_every_simulator() {
    let directory = tempfile::tempdir().unwrap();
    for simulator in &SIMULATORS[1..] {
        for capture in recordings_of("nic") {
            let run = ["cosim", "--core", "nic", "--traffic", capture.to_str().unwrap()];
            let beside = beside_recording(&capture, 2000);
            let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
            let run = [&run[..], &beside, &["--sim", simulator, "--json", "-"]].concat();
            let output = respray(directory.path(), &run);
            let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            assert_eq!(json["result"], "pass", "{run:?}: {}{json}", stderr(&output));
            println!("{run:?}: {} cycles", json["cycles"]);
        }
    }
}
