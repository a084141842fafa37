//! The designs that test themselves on a board.

use crate::runs::{names, refused, respray, stderr};

#[test]
fn an_example_is_its_verilog_and_its_pins() {
    let folder = tempfile::tempdir().unwrap();
    let output = respray(folder.path(), &["generate", "--example", "ecpix5", "-o", "board"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let board = folder.path().join("board");
    assert_eq!(names(&board), ["ecpix5.lpf", "ecpix5.v"]);
    let read = |name: &str| std::fs::read_to_string(board.join(name)).unwrap();
    assert!(read("ecpix5.v").contains("\nmodule ecpix5 ("));
    assert!(read("ecpix5.lpf").contains("LOCATE COMP \"led_verdict[0]\" SITE \"P21\";"));
}

#[test]
fn an_example_is_not_mixed_with_cores_and_an_output_is_tried_before_place_and_route() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("file"), "").unwrap();
    for (arguments, said) in [
        (&["generate", "--example", "ecpix5", "--core", "nic"][..], "--core"),
        (&["generate", "--example", "ecpix5", "--set", "connections=16"], "--set"),
        (&["generate", "--example", "ulx3s"], "ulx3s"),
        (&["report", "--example", "ecpix5", "--target", "ecp5"], "--target"),
        (&["report", "--bitstream", "nic.bit"], "--example"),
        (
            &["report", "--example", "ecpix5", "--bitstream", "file/nic.bit"],
            "file/nic.bit: cannot be written",
        ),
        (&["report", "--example", "ecpix5", "--json", "-", "--markdown", "-"], "both `-`"),
    ] {
        refused(at, arguments, &[said]);
    }
}
