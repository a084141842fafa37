//! A run's verdict for a hosted CI: JUnit XML and a summary in Markdown.

use std::fmt::Write;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

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
    suite.add_test_case(case);
    let mut xml = quick_junit::Report::new("respray");
    xml.add_test_suite(suite);
    xml.to_string().expect("texts that were printed are texts for XML")
}

/// Markdown: the verdict in bold, a row of figures, and the difference as it stands on the terminal.
pub fn markdown<F: Finding>(report: &Report<F>, source: &str) -> String {
    let mut text = format!("## respray cosim: {} on {source}\n\n", report.core);
    let _ = writeln!(text, "| verdict | cycles | mismatches |{}", headings(report));
    let _ = writeln!(text, "| --- | ---: | ---: |{}", " ---: |".repeat(report.counts.0.len()));
    let _ = write!(text, "| **{}** | {} | {} |", report.result.word(), report.cycles, report.mismatches);
    for (_, count) in &report.counts.0 {
        let _ = write!(text, " {count} |");
    }
    text.push('\n');
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
    text
}

fn headings<F>(report: &Report<F>) -> String {
    report.counts.0.iter().map(|(name, _)| format!(" {} |", name.replace('_', " "))).collect()
}

#[cfg(test)]
mod tests {
    use respray_hdl::config::Config;

    use super::*;
    use crate::lockstep::compare::{Against, Difference};
    use crate::lockstep::report::{Counts, Failure};

    fn report(failure: Option<Failure>) -> Report {
        Report {
            core: "reps".into(),
            config: Config::default(),
            cycles: 900,
            counts: Counts(vec![("ops", 8), ("evs_cached", 3)]),
            mismatches: failure.is_some().into(),
            cycles_per_second: 1800.0,
            summary: Vec::new(),
            result: if failure.is_some() { Verdict::Fail } else { Verdict::Pass },
            coverage: None,
            warnings: Vec::new(),
            failure,
            not_done: Vec::new(),
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
        assert!(text.ends_with("| **pass** | 900 | 0 | 8 | 3 |\n"), "{text}");
        let text = markdown(&report(Some(failure())), "random ops");
        assert!(text.contains("| **FAIL** | 900 | 1 | 8 | 3 |\n\n```text\ncycle 17: `res_ev`"), "{text}");
    }
}
