//! Designs for boards.

use respray_hdl::examples::ecpix5::{Length, NAME, generate};

use crate::differential::warnings;

#[test]
fn the_self_test_of_the_ecpix5_is_clean_for_verilator_and_icarus() {
    let made = generate(Length::BOARD).unwrap_or_else(|error| panic!("{error}"));
    let said = warnings(NAME, &made.verilog);
    assert!(said.is_empty(), "{said}");
}
