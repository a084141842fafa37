//! Verilator's coverage, read and shown.

use respray_cosim::verilator::{Coverage, sum_coverage};

#[test]
fn a_line_counts_as_its_rarest_point_and_instances_add_up() {
    let text = "# SystemC::Coverage-3\n\
        C '\x01f\x02t.v\x01l\x023\x01n\x025\x01page\x02v_line/a\x01o\x02if\x01S\x023-4,6\x01h\x02TOP.a' 7\n\
        C '\x01f\x02t.v\x01l\x023\x01n\x025\x01page\x02v_line/a__1\x01o\x02if\x01S\x023-4,6\x01h\x02TOP.b' 1\n\
        C '\x01f\x02t.v\x01l\x023\x01n\x026\x01page\x02v_branch/a\x01o\x02else\x01S\x023,8\x01h\x02TOP.a' 0\n\
        C '\x01f\x02t.v\x01l\x025\x01n\x026\x01page\x02v_branch/a\x01o\x02else\x01h\x02TOP.a' 0\n\
        C '\x01f\x02t.v\x01l\x029\x01n\x026\x01page\x02v_toggle/a\x01o\x02x[0]\x01h\x02TOP.a' 0\n";
    let coverage = Coverage::parse(text).unwrap();
    assert_eq!(coverage.lines().into_iter().collect::<Vec<_>>(), [(3, 0), (4, 8), (6, 8), (8, 0)]);
    assert_eq!((coverage.covered_and_total(), coverage.uncovered()), ((2, 4), vec![3, 8]));
    let mut twice = coverage.clone();
    twice.merge(&coverage);
    assert_eq!(twice.lines()[&4], 16);
    assert_eq!(
        coverage.annotate("a\nb\nif\nx").lines().collect::<Vec<_>>(),
        ["               a", "               b", "!            0 if", "             8 x",]
    );
}

#[test]
fn counts_of_several_models_are_added_point_by_point() {
    let text = |counts: [u64; 2]| {
        let [a, b] = counts.map(|count| count.to_string());
        format!(
            "# SystemC::Coverage-3\nC '\x01l\x023\x01S\x023\x01h\x02TOP.a' {a}\nC '\x01l\x023\x01S\x023\x01h\x02TOP.b' {b}\n"
        )
    };
    assert_eq!(sum_coverage(&[text([7, 0]), text([1, 2])]).unwrap(), text([8, 2]));
    let said = sum_coverage(&[text([7, 0]), "C 1".to_string()]).unwrap_err().to_string();
    assert!(said.starts_with("line 1 is not Verilator's coverage"), "{said}");
}

#[test]
fn what_is_not_coverage_is_refused_with_its_line() {
    for (text, said) in [
        ("# h\nC 1\n", "line 2 is not Verilator's coverage: a line is \"C 'keys' count\""),
        (
            "C '\x01S\x021\x01page\x02v_line/a' x",
            "line 1 is not Verilator's coverage: the count is no number",
        ),
        ("C '\x01S\x021\x01page\x02v_line/a' 1", "line 1 is not Verilator's coverage: a point has no line"),
        (
            "C '\x01l\x021\x01S\x02a-b\x01page\x02v_line/a' 1",
            "line 1 is not Verilator's coverage: the lines of a point are not like 5-7,9",
        ),
    ] {
        assert_eq!(Coverage::parse(text).unwrap_err().to_string(), said);
    }
}
