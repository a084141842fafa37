//! A run's verdict for a hosted CI: JUnit XML and a summary in Markdown.

use std::fmt::Write;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::report::{Finding, Report, Verdict};

/// JUnit XML: one case, which fails with the first difference, as a person reads it on the terminal.
pub fn junit<F: Finding>(report: &Report<F>, source: &str) -> String {
    let mut status = TestCaseStatus::success();
    if let Some(failure) = &report.failure {
        status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(failure.sentence()).set_description(failure.to_string());
    } else if report.result != Verdict::Pass {
        status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(report.result.word());
    }
    let mut case = TestCase::new(source, status);
    case.set_classname(format!("cosim.{}", report.core));
    if report.cycles_per_second > 0.0 {
        case.set_time(std::time::Duration::from_secs_f64(report.cycles as f64 / report.cycles_per_second));
    }
    let mut suite = TestSuite::new("cosim");
    suite.add_properties(facts(report).into_iter().map(|(name, value)| Property::new(name, value)));
    suite.add_test_case(case);
    let mut xml = quick_junit::Report::new("respray");
    xml.add_test_suite(suite);
    xml.to_string().expect("texts that were printed are texts for XML")
}

/// Markdown: the verdict in bold, a row of figures, the difference as it stands on the terminal, and what repeats the run.
pub fn markdown<F: Finding>(report: &Report<F>, source: &str) -> String {
    let mut text = format!("## respray cosim: {} on {source}\n\n", report.core);
    let _ = writeln!(text, "| verdict | cycles | mismatches |{}", headings(report));
    let _ = writeln!(text, "| --- | ---: | ---: |{}", " ---: |".repeat(report.counts.0.len()));
    let _ = write!(text, "| **{}** | {} | {} |", report.result.word(), report.cycles, report.mismatches);
    for (_, count) in &report.counts.0 {
        let _ = write!(text, " {count} |");
    }
    text.push('\n');
    if let Some(ports) = report.differing_ports.as_ref().filter(|ports| !ports.is_empty()) {
        let _ = writeln!(text, "\n| port that differs | cycles |\n| --- | ---: |");
        ports.iter().for_each(|(port, cycles)| {
            let _ = writeln!(text, "| `{port}` | {cycles} |");
        });
    }
    if let Some(coverage) = &report.coverage {
        let _ =
            writeln!(text, "\nLines of the Verilog that ran: {} of {}.", coverage.executed, coverage.lines);
    }
    if let Some(failure) = &report.failure {
        let _ = writeln!(text, "\n```text\n{failure}\n```");
    }
    for sentence in &report.not_done {
        let _ = writeln!(text, "\n{sentence}");
    }
    text.push('\n');
    for (name, value) in facts(report) {
        let _ = writeln!(text, "- {name}: `{value}`");
    }
    text
}

/// Names and values of what ran, and the commands that repeat it.
fn facts<F>(report: &Report<F>) -> Vec<(String, String)> {
    let named = report.provenance.named().into_iter().map(|(name, value)| (name.to_string(), value));
    let commands = report.provenance.commands(report.failure.is_some()).into_iter();
    let commands = commands.map(|(what, command)| (format!("{what} again"), command.to_string()));
    let cycles = ("cycles".to_string(), report.cycles.to_string());
    named.chain([cycles]).chain(commands).collect()
}

fn headings<F>(report: &Report<F>) -> String {
    report.counts.0.iter().map(|(name, _)| format!(" {} |", name.replace('_', " "))).collect()
}

#[cfg(test)]
mod tests {
    use respray_hdl::config::Config;

    use super::*;
    use crate::lockstep::compare::{Against, Difference};
    use crate::lockstep::report::{Counts, Culprit, Failure};
    use crate::report::{Part, Provenance, Repeat};

    fn report(failure: Option<Failure>) -> Report {
        Report {
            core: "reps".into(),
            config: Config::default(),
            provenance: provenance(),
            cycles: 900,
            counts: Counts(vec![("ops", 8), ("evs_cached", 3)]),
            mismatches: failure.is_some().into(),
            differing_ports: None,
            cycles_per_second: 1800.0,
            summary: Vec::new(),
            result: if failure.is_some() { Verdict::Fail } else { Verdict::Pass },
            coverage: None,
            warnings: Vec::new(),
            failure,
            not_done: Vec::new(),
        }
    }

    fn provenance() -> Provenance {
        Provenance {
            respray: "0.9.0",
            verilator: "5.006".into(),
            verilog_sha256: [("reps".to_string(), "0123456789abcdef".to_string())].into(),
            repeat: Repeat {
                seed: 7,
                part: Some(Part { shard: "2/3".into(), seed: 99, command: "the part's".into() }),
                command: "the campaign's".into(),
            },
        }
    }

    /// What both have of the run, whatever became of it.
    const FACTS: [(&str, &str); 7] = [
        ("seed", "7"),
        ("part", "2/3"),
        ("seed of the part", "99"),
        ("respray", "0.9.0"),
        ("Verilator", "5.006"),
        ("SHA-256 of the Verilog", "reps 0123456789abcdef"),
        ("the run again", "the campaign's"),
    ];

    #[test]
    fn both_say_what_ran_and_what_repeats_it() {
        for failure in [None, Some(failure())] {
            let report = report(failure);
            let (xml, text) = (junit(&report, "random ops"), markdown(&report, "random ops"));
            for (name, value) in FACTS.into_iter().chain([("cycles", "900")]) {
                let value_of_xml = value.replace('\'', "&apos;");
                assert!(xml.contains(&format!(r#"name="{name}" value="{value_of_xml}""#)), "{name}: {xml}");
                assert!(text.contains(&format!("\n- {name}: `{value}`\n")), "{name}: {text}");
            }
            let failed = report.failure.is_some();
            assert_eq!(text.contains("\n- the part alone again: `the part's`\n"), failed, "{text}");
        }
    }

    fn failure() -> Failure {
        Failure {
            difference: Difference {
                cycle: 17,
                port: "res_ev".into(),
                expected: "0x<1>".into(),
                seen: "0x2".into(),
                also: Vec::new(),
                connection: Some(3),
                entry: Some(5),
                against: Against::Golden,
                expects_of: "a send",
            },
            last_ops: vec!["0,send,3".into()],
            culprit: Some(Culprit { line: 0 }),
            wave: None,
            reproducer: None,
            reproducer_ops: None,
            command: "respray cosim --core reps --random 900".into(),
        }
    }

    #[test]
    fn junit_has_one_case_which_fails_with_the_difference() {
        let xml = junit(&report(None), "random ops");
        assert!(xml.contains(r#"<testcase name="random ops" classname="cosim.reps" time="0.500">"#), "{xml}");
        assert!(xml.contains(r#"tests="1" failures="0""#), "{xml}");
        let xml = junit(&report(Some(failure())), "random ops");
        assert!(xml.contains(r#"tests="1" failures="1""#), "{xml}");
        assert!(xml.contains("cycle 17: `res_ev` is 0x2, expected 0x&lt;1&gt;; connection 3"), "{xml}");
        assert!(xml.contains("again: respray cosim --core reps --random 900"), "{xml}");
    }

    #[test]
    fn markdown_has_the_verdict_the_counts_and_the_difference() {
        let text = markdown(&report(None), "random ops");
        assert!(text.starts_with(
            "## respray cosim: reps on random ops\n\n| verdict | cycles | mismatches | ops | evs cached |\n"
        ));
        assert!(text.contains("| **pass** | 900 | 0 | 8 | 3 |\n\n- seed: `7`\n"), "{text}");
        let text = markdown(&report(Some(failure())), "random ops");
        assert!(text.contains("| **FAIL** | 900 | 1 | 8 | 3 |\n\n```text\ncycle 17: `res_ev`"), "{text}");
    }
}
