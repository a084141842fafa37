//! The emitted Verilog means what the Rust means: random and hand-written designs run in rust-hdl, Verilator and Icarus.

use crate::differential::bench::case;
use crate::differential::blocks::{Feedthrough, Fields, Indexed, Machine, Operators, Rounds, Rows};
use crate::differential::packing::Packing;
use crate::differential::{Case, Difference, Tool, campaign, design, differences, installed, warnings};

const VECTORS: usize = 100;

fn assert_clean(cases: &[Case]) {
    for case in cases {
        let said = warnings(&case.module, &case.verilog);
        assert!(said.is_empty(), "{said}\n{}", case.verilog);
    }
}

fn assert_agree(cases: &[Case], tools: &[Tool]) {
    let found = differences(cases, tools);
    let report: String = found.iter().map(|difference| format!("{difference}\n")).collect();
    assert!(found.is_empty(), "{report}");
}

/// Blocks that `hdl_gen` has made, all operators at widths around every boundary.
fn written() -> Vec<Case> {
    let mut cases = vec![
        case("rows", Rows::default(), 1, VECTORS, 0),
        case("fields", Fields::default(), 2, VECTORS, 0),
        case("packing", Packing::default(), 7, VECTORS, 0),
        case("feedthrough", Feedthrough::default(), 4, VECTORS, 0),
        case("indexed", Indexed::new(), 6, VECTORS, 0),
        case("rounds", Rounds::default(), 5, VECTORS, 0),
        case("machine", Machine::new(), 3, VECTORS, 3),
    ];
    macro_rules! operators {
        ($($n:literal $w:literal),*) => {
            $(cases.push(case(concat!("operators", $n), Operators::<$n, $w>::default(), $n, VECTORS, 0));)*
        };
    }
    operators!(1 2, 2 3, 7 8, 8 9, 31 32, 32 33, 33 34, 63 64, 64 65, 65 66, 127 128, 128 129, 129 130);
    cases
}

fn agree_in_both_simulators(cases: &[Case]) {
    assert_clean(cases);
    assert_agree(cases, &[Tool::Icarus, Tool::Verilator]);
}

/// Random designs of seeds in a row.
fn random(seed: u64, designs: usize) -> impl Iterator<Item = Case> {
    (0..designs).map(move |n| design::case(&format!("random{n}"), seed + n as u64, 60, VECTORS))
}

/// One random design: to compile another takes a simulator longer than all that are written.
#[test]
fn a_random_and_written_designs_agree_in_both_simulators() {
    let (seed, _) = campaign();
    agree_in_both_simulators(&random(seed, 1).chain(written()).collect::<Vec<_>>());
}

#[test]
#[ignore = "half a minute"]
fn random_designs_agree_in_both_simulators() {
    let (seed, designs) = campaign();
    agree_in_both_simulators(&random(seed, designs).collect::<Vec<_>>());
}

/// The named rows of wrong output, one output of `Rows` each.
fn row_agrees(output: &str) {
    let mut rows = case("rows", Rows::default(), 1, 300, 0);
    let at = rows.outputs.iter().position(|(name, _)| name == output).expect("a row of this name");
    let values: std::collections::BTreeSet<_> =
        rows.expected.iter().map(|values| values[at].clone()).collect();
    assert!(values.len() > 1, "the vectors do not exercise {output}");
    rows.module = "rows".into();
    let found = differences(&[rows], &[Tool::Icarus]);
    let own: Vec<&Difference> = found.iter().filter(|difference| difference.output == output).collect();
    assert!(own.is_empty(), "{own:?}");
}

#[test]
fn a_sum_loses_its_carry_before_it_is_widened() {
    row_agrees("carry_dropped_then_widened");
}

#[test]
fn a_sum_wraps_before_it_is_compared() {
    row_agrees("sum_is_zero");
}

#[test]
fn a_sum_wraps_before_it_is_shifted_right() {
    row_agrees("sum_shifted_right");
}

#[test]
fn a_complement_has_the_width_of_its_operand() {
    row_agrees("not_is_zero");
}

#[test]
fn an_exclusive_or_binds_tighter_than_a_comparison() {
    row_agrees("xor_of_comparison");
}

#[test]
fn a_cast_within_an_expression_truncates() {
    row_agrees("truncated_within");
}

/// What the stock printer would have made of some rows, put into our text: each must be seen.
#[test]
fn a_broken_text_is_seen() {
    if !installed("iverilog") {
        return;
    }
    let rows = case("rows", Rows::default(), 1, 300, 0);
    let fields = case("fields", Fields::default(), 2, 300, 0);
    let operators = case("operators8", Operators::<8, 9>::default(), 8, 300, 0);
    for (case, output, correct, broken) in [
        (&rows, "carry_dropped_then_widened", "{1'b0, a + b}", "(a + b) & 9'h1ff"),
        (&rows, "sum_is_zero", "a + 8'd1 == 8'd0", "(a + 32'h1) == 32'h0"),
        (&rows, "not_is_zero", "~a == 8'd0", "~a == 32'h0"),
        (&rows, "xor_of_comparison", "(a ^ b) != c", "a ^ b != c"),
        (&rows, "truncated_within", "{4'd0, a[3:0] + n}", "a[3:0] + n"),
        (&fields, "bits_of_sum", "bits_of_sum_sum[10:6]", "bits_of_sum_sum[9:5]"),
        (&operators, "tests", "$signed(s) < $signed(t)", "s < t"),
        (&operators, "right", "(a + b) >> by", "{1'b0, a} + b >> by"),
    ] {
        let mut broken_case = Case::clone(case);
        assert!(case.verilog.contains(correct), "`{correct}` is not in\n{}", case.verilog);
        broken_case.verilog = case.verilog.replace(correct, broken);
        let found = differences(&[broken_case], &[Tool::Icarus]);
        assert!(
            found.iter().any(|difference| difference.output == output),
            "`{broken}` was not seen: {found:?}"
        );
    }
}
