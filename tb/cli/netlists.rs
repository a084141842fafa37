//! `respray cosim --netlist`: the cells that synthesis makes of a core, in the place of its Verilog.

use std::path::Path;

use respray_cosim::cores::CORES;
use respray_cosim::stream::STREAM_CORES;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_synth::Bench;
use respray_synth::cells::{Family, cells};

use crate::runs::{
    beside_recording, command, names, project, recordings_of, refused, respray, stderr, stdout,
};

/// The smallest core with a block RAM.
const SMALL: [&str; 3] = ["cosim", "--core", "ecmp"];

/// The cells of `ecmp` on a family, as the binary makes them.
fn netlist(family: Family) -> String {
    let config = Config::default();
    let bench = Bench::new(project());
    cells(&bench, family, &generate("ecmp", &config).unwrap()).unwrap().verilog
}

/// The netlist with one of its places changed, which there is once or more often: the first of them is.
fn changed(family: Family, right: &str, wrong: &str) -> String {
    let netlist = netlist(family);
    assert!(
        netlist.contains(right),
        "`{right}` is not in the netlist any more: the fault has to be written anew"
    );
    netlist.replacen(right, wrong, 1)
}

/// Runs `ecmp` with this Verilog: the exit code, and all that was said.
fn code_of(at: &Path, verilog: &str) -> (Option<i32>, String) {
    std::fs::write(at.join("changed.v"), verilog).unwrap();
    let output = respray(at, &[&SMALL[..], &["--random", "20000", "--verilog", "changed.v"]].concat());
    (output.status.code(), stdout(&output) + &stderr(&output))
}

#[test]
fn the_cells_of_each_device_do_what_the_core_does() {
    let directory = tempfile::tempdir().unwrap();
    let recording = project().join("tb/recordings/steady-sender.pcap.gz");
    for (family, stimulus) in
        [(Family::Xcup, ["--random", "20000"]), (Family::Ecp5, ["--traffic", recording.to_str().unwrap()])]
    {
        let device = family.name();
        let run = [&SMALL[..], &stimulus, &["--netlist", device, "--json", "-"]].concat();
        let output = respray(directory.path(), &run);
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let netlist = &json["provenance"]["netlist"];
        assert_eq!(netlist["device"], device);
        assert!(netlist["synthesised_by"].as_str().unwrap().starts_with("yosys 0."), "{netlist}");
        assert!(
            json["provenance"]["command"].as_str().unwrap().contains(&format!(" --netlist {device}")),
            "{json}"
        );
        assert!(json["cycles"].as_u64().unwrap() >= 20_000, "{json}");
        let said = respray(directory.path(), &run[..run.len() - 2]);
        assert!(
            stdout(&said).contains(&format!("; netlist cells of {device} by yosys 0.")),
            "{}",
            stdout(&said)
        );
    }
}

/// Vivado's settings have a Python of their own, and a folder of temporary files may have a space in its name, at which ABC would see half of it.
#[test]
fn the_tools_run_whatever_the_environment_says_of_python_and_of_temporary_files() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let spaced = at.join("a b");
    std::fs::create_dir(&spaced).unwrap();
    // with a cache of its own nothing was synthesised before
    let output = command(at, &[&SMALL[..], &["--random", "1000", "--netlist", "ecp5"]].concat())
        .env("PYTHONHOME", at.join("nowhere"))
        .env("PYTHONPATH", at.join("nowhere"))
        .env("TMPDIR", &spaced)
        .env("RESPRAY_CACHE", at.join("cache"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(names(&spaced), Vec::<String>::new(), "nothing is left behind");
}

#[test]
fn a_lut_with_another_table_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    // the table of a LUT of six inputs is in two halves, of which the highest input chooses
    let netlist = netlist(Family::Xcup);
    let is_table = |line: &&str| line.contains(" ? 32'h") && line.contains(" : 32'h");
    let table = netlist.lines().find(is_table).expect("there are LUTs of six inputs");
    let (head, halves) = table.split_once(" ? ").unwrap();
    let (upper, lower) = halves.trim_end_matches(';').split_once(" : ").unwrap();
    let wrong = format!("{head} ? ~{} : ~{};", upper.trim(), lower.trim());
    let (code, said) = code_of(at, &netlist.replacen(table, &wrong, 1));
    assert_eq!(code, Some(1), "{table}: {said}");
}

#[test]
#[ignore = "compiles a netlist for each fault: `make test-long`"]
fn a_model_of_a_block_ram_that_errs_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let faults = [
        // it reads where it writes, and loses a bit of what it writes
        (Family::Ecp5, ".address_b(address_b)", ".address_b(address_a)"),
        (Family::Xcup, ".data_in_a({48'd0, DINADIN})", ".data_in_a({48'd0, DINADIN[14:0], 1'b0})"),
    ];
    for (family, right, wrong) in faults {
        let (code, said) = code_of(directory.path(), &changed(family, right, wrong));
        assert_eq!(code, Some(1), "{right}: {said}");
    }
}

#[test]
fn what_a_model_does_not_know_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for (family, right, wrong, sentence) in [
        (
            Family::Xcup,
            ".DOB_REG(32'h00000000)",
            ".DOB_REG(32'h00000001)",
            "the model of RAMB18E2 has no output registers",
        ),
        (
            Family::Xcup,
            ".WRITE_MODE_A(\"READ_FIRST\")",
            ".WRITE_MODE_A(\"ANY\")",
            "knows the modes READ_FIRST",
        ),
        (
            Family::Xcup,
            ".DOB_REG(32'h00000000)",
            ".DOB_REG(32'h00000000), .CLOCK_DOMAINS(\"COMMON\")",
            "CLOCK_DOMAINS",
        ),
        (Family::Xcup, ".SLEEP(1'h0)", ".SLEEP(1'h0), .CASDOMUXA(clk)", "CASDOMUXA"),
        (
            Family::Ecp5,
            ".CLKBMUX(\"CLKB\")",
            ".CLKBMUX(\"INV\")",
            "the model of DP16KD has no inverted clock",
        ),
        (Family::Ecp5, "  DP16KD #(", "  DP16KE #(", "DP16KE"),
    ] {
        let (code, said) = code_of(directory.path(), &changed(family, right, wrong));
        assert_eq!(code, Some(2), "{wrong}: {said}");
        assert!(said.contains(sentence), "`{sentence}` is not in: {said}");
    }
}

#[test]
#[ignore = "compiles a netlist more: `make test-long`"]
fn a_pin_that_a_model_does_nothing_with_stops_the_simulation() {
    let directory = tempfile::tempdir().unwrap();
    let sleeping = changed(Family::Xcup, ".SLEEP(1'h0)", ".SLEEP(op_valid)");
    let (code, said) = code_of(directory.path(), &sleeping);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the Verilog stopped its simulation after"), "{said}");
}

#[test]
fn a_netlist_goes_with_no_other_verilog_and_counts_no_lines() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = [&SMALL[..], &["--random", "100", "--netlist"]].concat();
    refused(at, &[&run[..], &["u250"]].concat(), &["--netlist", "u250", "xcup", "ecp5"]);
    for other in [["--verilog", "my.v"], ["--coverage", "lines"]] {
        refused(at, &[&run[..], &["xcup"], &other].concat(), &["--netlist", "does not go with", other[0]]);
    }
    let networks = ["cosim", "--core", "sack", "--packets", "100", "--netlist", "ecp5"];
    refused(at, &networks, &["--netlist is of runs of one core, not of core `sack`"]);
}

/// How much faster a capture comes: no faster than packets leave by the bus, so that ACKs do not come before them.
fn speedup(family: Family) -> u32 {
    if family == Family::Ecp5 { 500 } else { 2000 }
}

/// No ECP5 has a memory for the words of a wide bus.
fn width(family: Family) -> &'static [&'static str] {
    if family == Family::Ecp5 { &["--set", "bus_bits=64"] } else { &[] }
}

#[test]
#[ignore = "synthesises the joined block for two families: `make test-long`"]
fn the_cells_of_the_joined_block_do_what_it_does() {
    for family in Family::ALL {
        joined_block_passes(family, &["--pair", "lossy", "--bytes", "100000"]);
    }
}

#[test]
#[ignore = "all recordings in the cells of two families, an hour or two: `make test-long`"]
fn the_cells_of_the_joined_block_do_again_what_was_recorded() {
    for family in Family::ALL {
        for capture in recordings_of("nic") {
            let mut run = vec!["--traffic".to_string(), capture.display().to_string()];
            run.extend(beside_recording(&capture, speedup(family)));
            joined_block_passes(family, &run.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}

fn joined_block_passes(family: Family, run: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let block = ["cosim", "--core", "nic", "--netlist", family.name(), "--json", "-"];
    let run = [&block, run, width(family)].concat();
    let output = respray(directory.path(), &run);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(json["result"], "pass", "{run:?}: {}{json}", stderr(&output));
    println!("{run:?}: {} cycles", json["cycles"]);
}

/// Every core on every device: random stimulus, and the recordings of its end.
#[test]
#[ignore = "synthesises every core for two families and runs millions of cycles: `make test-long`"]
fn the_cells_of_every_core_do_what_the_core_does() {
    let directory = tempfile::tempdir().unwrap();
    let mut failed = Vec::new();
    for core in CORES.iter().chain(&STREAM_CORES) {
        for family in Family::ALL {
            let mut stimuli = vec![["--random".to_string(), "1000000".to_string()]];
            for recording in recordings_of(core) {
                stimuli.push(["--traffic".to_string(), recording.display().to_string()]);
            }
            let width = if STREAM_CORES.contains(core) { width(family) } else { &[] };
            for [option, value] in &stimuli {
                let run = ["cosim", "--core", core, option, value, "--netlist", family.name(), "--json", "-"];
                let run = [&run[..], width].concat();
                let output = respray(directory.path(), &run);
                let json = serde_json::from_slice(&output.stdout).unwrap_or(serde_json::Value::Null);
                println!(
                    "{core} on {}: {option} {value}: {} cycles, {}",
                    family.name(),
                    json["cycles"],
                    json["result"]
                );
                if !output.status.success() {
                    failed.push(format!("{run:?}: {}", stderr(&output)));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
