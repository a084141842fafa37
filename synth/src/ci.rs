//! What a hosted CI shows: JUnit XML and a summary in Markdown.

use std::fmt::Write;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::baseline::{self, Difference};
use crate::report::{Report, tables};

/// JUnit XML: one suite, a case per figure, a failure where the gate fails.
pub fn junit(differences: &[Difference]) -> String {
    let mut suite = TestSuite::new("report");
    for difference in differences {
        let mut status = TestCaseStatus::success();
        if difference.fails {
            status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(difference.sentence());
        }
        let mut case = TestCase::new(&*difference.figure, status);
        case.set_classname(format!("report.{}.{}", difference.core, difference.device));
        suite.add_test_case(case);
    }
    let mut xml = quick_junit::Report::new("respray");
    xml.add_test_suite(suite);
    xml.to_string().expect("names of figures are texts for XML")
}

/// Markdown: the verdict, what changed, and every table.
pub fn markdown(report: &Report, differences: Option<&[Difference]>) -> String {
    let mut text = String::from("## respray report\n\n");
    if let Some(differences) = differences {
        let failing: Vec<&Difference> = differences.iter().filter(|difference| difference.fails).collect();
        let _ = match failing.as_slice() {
            [] => writeln!(text, "**Passes**: {} figures within the gate.\n", differences.len()),
            failing => writeln!(text, "**Fails**: {} of {} figures.\n", failing.len(), differences.len()),
        };
        let changed = baseline::table(differences, false);
        if !changed.rows.is_empty() {
            text += &changed.markdown();
            text.push('\n');
        }
    }
    let _ = writeln!(text, "Tools: {}.\n", report.tools.join(", "));
    for table in tables(report) {
        text += &table.markdown();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junit_has_a_case_per_figure_and_a_failure_where_the_gate_fails() {
        let difference =
            |figure: &str, now| Difference::new(["sack_rx fast", "xcup", figure], 5.0, now, false);
        let xml = junit(&[difference("lut", 5.0), difference("a<b", 6.0)]);
        insta::assert_snapshot!(xml, @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="respray" tests="2" failures="1" errors="0">
            <testsuite name="report" tests="2" disabled="0" errors="0" failures="1">
                <testcase name="lut" classname="report.sack_rx fast.xcup">
                </testcase>
                <testcase name="a&lt;b" classname="report.sack_rx fast.xcup">
                    <failure message="sack_rx fast on xcup: a&lt;b 5 → 6 (+20.0%)"/>
                </testcase>
            </testsuite>
        </testsuites>
        "#);
    }
}
