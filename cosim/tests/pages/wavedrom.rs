//! Waveforms as WaveDrom has them.

use respray_cosim::pages::wavedrom::{Lane, drawn};

#[test]
fn a_value_stands_where_it_begins() {
    let lanes = [
        Lane::bit("a", &[Some(0), Some(0), Some(1), None]),
        Lane::bus("bus", vec![None, Some("7".into()), Some("7".into()), Some("8".into())]),
    ];
    assert_eq!(
        drawn(&lanes),
        "```wavedrom\n{ \"signal\": [\n\
         \x20 { \"name\": \"clk\", \"wave\": \"p...\" },\n\
         \x20 { \"name\": \"a\",   \"wave\": \"0.1x\" },\n\
         \x20 { \"name\": \"bus\", \"wave\": \"x=.=\", \"data\": [\"7\", \"8\"] }\n] }\n```\n"
    );
}
