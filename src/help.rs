//! What the help of each subcommand ends with: examples, and what its exit codes mean.

use clap::Command;

/// The end of the help of one subcommand.
struct End {
    /// The subcommand, by its words.
    path: &'static [&'static str],
    /// Command lines without the name of the program.
    examples: &'static [&'static str],
    /// What exit code 0 means, and 1 where it has a meaning. 2 means the same everywhere.
    success: &'static str,
    mismatch: Option<&'static str>,
}

const REFUSED: &str = "something was refused or could not be done; one sentence says what";

const ENDS: &[End] = &[
    End {
        path: &["generate"],
        examples: &[
            "generate -o rtl",
            "generate --set connections=1024 --set reps.depth=16 -o rtl",
            "generate --core reps --prefix nic0 -o rtl",
            "generate --example ecpix5 -o board",
        ],
        success: "all files are written",
        mismatch: None,
    },
    End {
        path: &["cosim"],
        examples: &[
            "cosim --core reps --random 10000000 --seed 7",
            "cosim --core reps --traffic capture.pcap.gz --json verdict.json",
            "cosim --core reps --random 1000000 --verilog my_reps.v --wave reps.fst",
            "cosim --core sack --packets 10000 --seeds 100",
        ],
        success: "the Verilog and the golden model agree",
        mismatch: Some("they differ"),
    },
    End {
        path: &["demo"],
        examples: &["demo", "demo -o /tmp/demo --recordings tb/recordings"],
        success: "every step passes",
        mismatch: Some("a core and its golden model differ"),
    },
    End {
        path: &["report"],
        examples: &[
            "report --core reps --target u50,ecp5",
            "report --check --junit report.xml",
            "report --core sack_rx --sweep sack.window=64,128,256,512 --html report.html",
            "report --target u50,ecp5 --clock 250",
            "report --example ecpix5 --bitstream ecpix5.bit",
        ],
        success: "all is measured, and holds where --check or --clock is given",
        mismatch: Some("a core got worse than accepted, or does not meet the clock"),
    },
    End {
        path: &["mutate"],
        examples: &["mutate --core reps --n 200", "mutate --core sack_rx --n 20 --seed 7 --json -"],
        success: "every mutant was killed, shown to be equivalent, or is explained",
        mismatch: Some("a mutant survived"),
    },
    End {
        path: &["new-core"],
        examples: &["new-core wave", "new-core wave --project ../respray"],
        success: "the skeleton was written",
        mismatch: None,
    },
    End {
        path: &["upset"],
        examples: &[
            "upset --core reps --runs 1000",
            "upset --core sack_tx --kind flip,reset --runs 500 --json -",
        ],
        success: "no core stopped, and none mixed up its connections",
        mismatch: Some("a run differed"),
    },
    End {
        path: &["cover"],
        examples: &["cover --core reps,sack_rx", "cover --core flowcut --toggles --json -"],
        success: "every point was hit",
        mismatch: Some("a point was never hit"),
    },
    End {
        path: &["prove"],
        examples: &["prove", "prove --core flowcut --json -", "prove --core flowcut --keep proofs"],
        success: "every property holds, and every fault was found",
        mismatch: Some("a property does not hold, or a fault was not found"),
    },
    End {
        path: &["compare"],
        examples: &[
            "compare",
            "compare --selectors reps,strack,ops --random 200000 --ack-every 4 --html compare.html",
            "compare --traffic capture.pcap.gz --json -",
        ],
        success: "every Verilog does as its golden model, whose figures are shown",
        mismatch: Some("one does not"),
    },
    End {
        path: &["fabric", "run"],
        examples: &[
            "fabric run --workload tornado:8 --bytes 4194304 --selector reps,ops --seeds 10",
            "fabric run --workload permutation --fail link:tor0.up0=rate=0.5 --html run.html --json run.json",
            "fabric run --topology t128x3 --selector reps:uet,adaptive --engine golden --set fabric.full=drop",
        ],
        success: "all runs are done",
        mismatch: Some(
            "with --engine both: the Verilog and the golden model differ; or flows had not begun when a run ended",
        ),
    },
    End {
        path: &["fabric", "figure"],
        examples: &[
            "fabric figure 3 --seeds 3",
            "fabric figure 12 --html figure12.html --json figure12.json --check",
        ],
        success: "the figure is shown",
        mismatch: Some(
            "with --check: a claim is not met; with --engine both: the Verilog and the golden model differ",
        ),
    },
    End {
        path: &["fabric", "figures"],
        examples: &["fabric figures"],
        success: "they are listed",
        mismatch: None,
    },
    End {
        path: &["fabric", "paper"],
        examples: &[
            "fabric paper --only 3 --seeds 3",
            "fabric paper --beside sack.window=512 --json claims.json",
        ],
        success: "the claims are shown, met or not",
        mismatch: Some("with --engine both: the Verilog and the golden model differ"),
    },
    End {
        path: &["fabric", "suite"],
        examples: &["fabric suite suite.toml -o results", "fabric suite suite.toml --shard 3/4 -o results"],
        success: "all runs of the part are done",
        mismatch: Some(
            "with an engine of both: the Verilog and the golden model differ; or flows had not begun when a run ended",
        ),
    },
    End {
        path: &["fabric", "merge"],
        examples: &[
            "fabric merge suite.toml results --json all.jsonl",
            "fabric merge suite.toml results --html suite.html --means means.csv --cdf cdf.csv",
        ],
        success: "every run was there once",
        mismatch: None,
    },
    End {
        path: &["index"],
        examples: &["index build/demo", "index build/figures --json -"],
        success: "the page is written",
        mismatch: None,
    },
    End {
        path: &["traffic", "info"],
        examples: &["traffic info capture.pcap.gz", "traffic info capture.pcapng --set wire=uet --json -"],
        success: "the capture was read",
        mismatch: None,
    },
    End {
        path: &["traffic", "record"],
        examples: &["traffic record", "traffic record losses -o recordings"],
        success: "the recordings are written",
        mismatch: None,
    },
    End {
        path: &["traffic", "live"],
        examples: &[
            "traffic live --verilog",
            "traffic live --verilog --path 2 --down 500 --up 2500 --html live.html",
        ],
        success: "the recording is written",
        mismatch: None,
    },
    End {
        path: &["cores"],
        examples: &["cores", "cores --nic --json -"],
        success: "the cores are listed",
        mismatch: None,
    },
    End {
        path: &["docs"],
        examples: &["docs", "docs --check"],
        success: "the documents are as they should be",
        mismatch: Some("with --check: a document is not"),
    },
    End {
        path: &["doctor"],
        examples: &["doctor", "doctor --json -"],
        success: "every tool is there",
        mismatch: None,
    },
    End { path: &["cache"], examples: &["cache"], success: "it was looked at", mismatch: None },
    End {
        path: &["cache", "limit"],
        examples: &["cache limit 2000"],
        success: "it is set, and the cache no larger but for what is in use",
        mismatch: None,
    },
    End { path: &["cache", "clear"], examples: &["cache clear"], success: "it is cleared", mismatch: None },
    End {
        path: &["completions"],
        examples: &["completions bash"],
        success: "the script is printed",
        mismatch: None,
    },
    End {
        path: &["man"],
        examples: &["man", "man -o /usr/local/share/man/man1"],
        success: "the pages are written",
        mismatch: None,
    },
];

/// `command` with the ends of all helps.
pub fn with_ends(command: Command) -> Command {
    ENDS.iter().fold(command, |command, end| attach(command, end.path, &end.text()))
}

/// Puts `text` behind the help of the subcommand `path`.
fn attach(command: Command, path: &[&str], text: &str) -> Command {
    match path {
        [] => {
            let before = command.get_after_help().map(|help| format!("{help}\n\n")).unwrap_or_default();
            command.after_help(before + text)
        }
        [first, rest @ ..] => command.mut_subcommand(first, |subcommand| attach(subcommand, rest, text)),
    }
}

impl End {
    fn text(&self) -> String {
        let examples: String = self.examples.iter().map(|line| format!("  respray {line}\n")).collect();
        let mismatch = self.mismatch.map(|means| format!("  1  {means}\n")).unwrap_or_default();
        format!("Examples:\n{examples}\nExit codes:\n  0  {}\n{mismatch}  2  {REFUSED}", self.success)
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::Cli;

    /// The subcommands that do something, by their words.
    fn paths(command: &Command, above: &[&str]) -> Vec<Vec<String>> {
        let mut found = vec![];
        for subcommand in command.get_subcommands() {
            let path = [above, &[subcommand.get_name()]].concat();
            if !subcommand.is_subcommand_required_set() {
                found.push(path.iter().map(ToString::to_string).collect());
            }
            found.extend(paths(subcommand, &path));
        }
        found
    }

    #[test]
    fn every_subcommand_has_examples_and_exit_codes() {
        let mut there = paths(&Cli::command(), &[]);
        let mut described: Vec<Vec<String>> =
            ENDS.iter().map(|end| end.path.iter().map(ToString::to_string).collect()).collect();
        there.sort();
        described.sort();
        assert_eq!(there, described);
    }

    #[test]
    fn every_example_is_understood_and_is_of_its_subcommand() {
        for end in ENDS {
            for example in end.examples {
                let words: Vec<&str> = example.split(' ').collect();
                assert!(words.starts_with(end.path), "{example}");
                if let Err(error) = Cli::try_parse_from(["respray"].into_iter().chain(words)) {
                    panic!("{example}: {error}");
                }
            }
        }
    }

    #[test]
    fn the_help_of_a_run_keeps_what_it_says_of_the_environment() {
        let mut command = with_ends(Cli::command());
        let cosim = command.find_subcommand_mut("cosim").expect("there is such a command");
        let help = cosim.render_help().to_string();
        assert!(
            help.contains("RESPRAY_CACHE") && help.contains("Exit codes:\n  0  the Verilog and"),
            "{help}"
        );
    }
}
