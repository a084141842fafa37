//! Tables of the documents, between their marks.

mod papers;
mod results;
mod wavedrom;

use respray_cosim::pages::{self, Subject};
use respray_hdl::cores::find;

#[test]
fn a_table_is_put_between_its_marks_and_nowhere_else() {
    let text = "# A\n<!-- begin cores -->\nbefore\n<!-- end cores -->\nrest\n";
    let filled = pages::filled("p.md", Subject::Project, text).unwrap();
    assert!(filled.starts_with("# A\n<!-- begin cores -->\n\n| core | does | page |\n"), "{filled}");
    assert!(filled.ends_with("\n\n<!-- end cores -->\nrest\n") && !filled.contains("\nbefore\n"), "{filled}");
    assert_eq!(pages::filled("p.md", Subject::Project, &filled).unwrap(), filled);
}

#[test]
fn in_an_example_the_marks_are_comments() {
    let text = "  # begin op_cores\n  core: [x]\n  # end op_cores\n";
    let filled = pages::filled("p.md", Subject::Project, text).unwrap();
    assert!(filled.starts_with("  # begin op_cores\n  core: [reps, sack_rx, sack_tx"), "{filled}");
}

#[test]
fn what_is_unknown_open_or_missing_is_refused_by_name() {
    let (project, reps) = (Subject::Project, Subject::Core(find("reps").unwrap()));
    for (subject, text, said) in [
        (project, "<!-- begin sizes -->\n", "p.md: `sizes` is no table; allowed: keys, cores, op_cores"),
        (project, "<!-- begin keys -->\n", "p.md: the table `keys` has no end"),
        (reps, "none\n", "p.md: the table `configuration` is missing"),
        (reps, "<!-- begin ports x=1 -->\n", "unknown key `x`"),
        (Subject::Nic, "<!-- begin latency -->\n", "p.md: `latency` is no table; allowed: configuration,"),
        (Subject::Nic, "none\n", "p.md: the table `configuration` is missing"),
    ] {
        let error = pages::filled("p.md", subject, text).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
