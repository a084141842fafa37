//! What a run says to a CI.

use respray_cosim::lockstep::ci::{junit, markdown};
use respray_cosim::lockstep::compare::{Against, Difference};
use respray_cosim::lockstep::report::{Counts, Culprit, Failure, Report, Verdict};
use respray_cosim::report::{Part, Provenance, Repeat};
use respray_hdl::config::Config;

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
        account: None,
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
        simulator: None,
        netlist: None,
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
