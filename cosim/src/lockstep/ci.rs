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
