//! Tables of the documents, between their marks.

mod papers;
mod results;
mod wavedrom;

use respray_cosim::pages::{self, Made, Subject};
use respray_hdl::cores::find;

#[test]
fn a_table_is_put_between_its_marks_and_nowhere_else() {
    let text = "# A\n<!-- begin cores -->\nbefore\n<!-- end cores -->\nrest\n";
    let table = pages::table(&["core", "page"], [vec!["a".to_string(), "b".to_string()]]);
    let table = Made::from([("cores", table)]);
    let filled = pages::filled("p.md", Subject::Project, text, &table).unwrap();
    assert!(
        filled.starts_with("# A\n<!-- begin cores -->\n\n| core | page |\n| --- | --- |\n| a | b |\n"),
        "{filled}"
    );
    assert!(filled.ends_with("\n\n<!-- end cores -->\nrest\n") && !filled.contains("\nbefore\n"), "{filled}");
    assert_eq!(pages::filled("p.md", Subject::Project, &filled, &table).unwrap(), filled);
}

#[test]
fn in_an_example_the_marks_are_comments() {
    let text = "  # begin op_cores\n  core: [x]\n  # end op_cores\n";
    let filled = pages::filled("p.md", Subject::Project, text, &Made::new()).unwrap();
    assert!(filled.starts_with("  # begin op_cores\n  core: [reps, sack_rx, sack_tx"), "{filled}");
}

#[test]
fn what_is_no_table_has_lines_of_at_most_120_columns() {
    let list = "  # begin op_cores\n  # end op_cores\n";
    let list = pages::filled("p.md", Subject::Project, list, &Made::new()).unwrap();
    let page = include_str!("../../../docs/shim_push.md");
    let core = Subject::Core(find("shim_push").unwrap());
    let page = pages::filled("docs/shim_push.md", core, page, &Made::new()).unwrap();
    for text in [&list, &page] {
        let long = text.lines().filter(|line| !line.starts_with('|') && line.chars().count() > 120);
        assert_eq!(long.collect::<Vec<_>>(), [""; 0]);
    }
    assert_eq!(list.lines().count(), 4, "the list is longer than a line: {list}");
}

#[test]
fn what_is_unknown_open_or_missing_is_refused_by_name() {
    let (project, reps) = (Subject::Project, Subject::Core(find("reps").unwrap()));
    for (subject, text, said) in [
        (
            project,
            "<!-- begin sizes -->\n",
            "p.md: `sizes` is no table; allowed: keys, cores, op_cores, commands",
        ),
        (project, "<!-- begin keys -->\n", "p.md: the table `keys` has no end"),
        (reps, "none\n", "p.md: the table `configuration` is missing"),
        (reps, "<!-- begin ports x=1 -->\n", "unknown key `x`"),
        (Subject::Nic, "<!-- begin latency -->\n", "p.md: `latency` is no table; allowed: configuration,"),
        (Subject::Nic, "none\n", "p.md: the table `configuration` is missing"),
    ] {
        let error = pages::filled("p.md", subject, text, &Made::new()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
