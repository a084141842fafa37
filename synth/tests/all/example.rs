//! The self-test of the ECPIX-5: its pins, and its place on the device.

use std::collections::BTreeSet;

use respray_hdl::examples::ecpix5::{Length, generate};
use respray_hdl::manifest::Generated;
use respray_synth::boards::BOARDS;
use respray_synth::{constraints, example};

use crate::common::{bench, root};

fn made() -> Generated {
    generate(Length::BOARD).unwrap_or_else(|error| panic!("{error}"))
}

/// The names behind `COMP` in a constraint file.
fn placed(pins: &str) -> BTreeSet<String> {
    let located = pins.lines().filter_map(|line| line.strip_prefix("LOCATE COMP \""));
    located.filter_map(|line| line.split('"').next()).map(str::to_string).collect()
}

#[test]
fn every_port_of_the_self_test_has_a_pin_of_its_own() {
    let ports = made().manifest.ports;
    let bits = ports.iter().flat_map(|port| match port.width {
        1 => vec![port.name.clone()],
        width => (0..width).map(|bit| format!("{}[{bit}]", port.name)).collect(),
    });
    let bits: BTreeSet<String> = bits.collect();
    let pins = constraints::of_self_test(&BOARDS[0]);
    assert_eq!(placed(&pins), bits);
    let sites: Vec<&str> = pins.lines().filter_map(|line| line.split("SITE \"").nth(1)).collect();
    assert_eq!(sites.iter().collect::<BTreeSet<_>>().len(), bits.len(), "a pin is there twice");
}

#[test]
#[ignore = "place and route with three seeds takes many minutes"]
fn the_self_test_meets_the_clock_of_the_board_and_is_packed() {
    let bench = bench();
    let measured = example::measure(&bench, &made()).unwrap_or_else(|error| panic!("{error}"));
    assert!(measured.meets_clock(), "{}", measured.text());
    let bitstream = measured.bitstream(&bench).unwrap_or_else(|error| panic!("{error}"));
    let head = String::from_utf8_lossy(&bitstream[..200]).into_owned();
    assert!(head.contains("LFE5UM5G-85F"), "{head}");
    let page = std::fs::read_to_string(root().join("docs/ecpix5_figures.md")).unwrap();
    assert_eq!(
        page,
        measured.markdown(),
        "`respray report --example ecpix5 --markdown` writes the page anew"
    );
}
