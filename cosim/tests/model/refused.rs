//! Verilog that is refused.

use respray_cosim::verilator::inside::first_error;
use respray_cosim::verilator::{Model, Source};

use super::quick;

#[test]
fn the_first_error_with_a_place_is_the_one_told() {
    let said = "%Warning-WIDTH: t.v:2:3: bits\n%Error: Exiting due to\n%Error-PIN: t.v:9:3: no such pin\n";
    assert_eq!(first_error(said), "t.v:9:3: no such pin");
    assert_eq!(
        first_error("%Error: Specified --top-module 'x' was not found"),
        "Specified --top-module 'x' was not found"
    );
}

#[test]
fn an_include_is_refused_with_its_place() {
    let source = Source { name: "a/t.v".into(), ..Source::new("t", "\n `include \"x.vh\"\n") };
    assert_eq!(
        Model::build(&source, &quick()).err().expect("it cannot be built").to_string(),
        "a/t.v:2: `include is not supported, one file holds the whole design"
    );
}
