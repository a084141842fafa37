//! Waves, as a reader of FST sees them.

use std::collections::BTreeMap;

use respray_cosim::verilator::{BuildOptions, CYCLE_NS, Model, Source};

use super::WIDE;
use crate::waves::Waves;

fn traced(source: &Source) -> Model {
    Model::build(source, &BuildOptions { trace: true, ..super::quick() }).unwrap()
}

#[test]
fn waves_are_those_of_their_window_with_every_value_from_its_first_time_on() {
    let mut model = traced(&Source::new("wide", WIDE));
    let (c, sum) = (model.port("c").unwrap(), model.port("sum_c").unwrap());
    let rst = model.port("rst").unwrap();
    model.set(c, 3);
    (0..10).for_each(|cycle| {
        model.set(rst, u64::from(cycle == 0));
        model.tick();
    });
    let before = model.get(sum);
    model.trace_start().unwrap();
    (0..7).for_each(|_| model.tick());
    let waves = Waves::read(model.trace_take().unwrap());
    assert_eq!(waves.window, (10 * CYCLE_NS, 16 * CYCLE_NS + CYCLE_NS / 2, -9));
    assert!(waves.changes.iter().all(|(_, time, value)| *time >= 10 * CYCLE_NS && !value.contains('x')));
    let binary = |value: u64| format!("{value:032b}");
    let mut sums = vec![(10 * CYCLE_NS, binary(before))];
    sums.extend((0..7).map(|n| ((10 + n) * CYCLE_NS + CYCLE_NS / 2, binary(before + 3 * (n + 1)))));
    let seen: Vec<_> = waves.of("TOP.sum_c [31:0]").into_iter().map(|(t, v)| (t, v.to_string())).collect();
    assert_eq!(seen, sums);
    assert_eq!(waves.of("TOP.clk").len(), 14, "the clock changes at every half of a cycle");
    let names: Vec<&String> = waves.signals.keys().collect();
    let width = |name: &str| waves.signals.get(name).unwrap_or_else(|| panic!("{name}: {names:?}")).0;
    assert_eq!((width("TOP.clk"), width("TOP.sum_e [64:0]"), width("TOP.wide.f [511:0]")), (1, 65, 512));
    assert_eq!(
        waves.signals["TOP.sum_c [31:0]"], waves.signals["TOP.wide.sum_c [31:0]"],
        "one signal, two names"
    );
    // A second window of the same model, and none.
    model.trace_start().unwrap();
    model.tick();
    assert_eq!(Waves::read(model.trace_take().unwrap()).window.0, 17 * CYCLE_NS);
    assert!(model.trace_take().unwrap().is_empty());
    model.trace_start().unwrap();
    assert!(
        !Waves::read(model.trace_take().unwrap()).signals.is_empty(),
        "a window without a cycle has names"
    );
}

#[test]
fn names_that_the_parser_of_vcd_does_not_know_are_there() {
    let text = "interface link; logic [3:0] word; endinterface\n\
                module odd(input clk, output reg [7:-2] below);\n\
                link a();\n\
                real weight;\n\
                reg [7:0] few [0:3];\n\
                initial weight = 0.5;\n\
                always @(posedge clk) begin below <= below + 10'd1; few[below[1:0]] <= below[7:0]; a.word <= a.word + 4'd1; weight <= weight * 2; end\n\
                endmodule\n";
    let mut model = traced(&Source::new("odd", text));
    model.trace_start().unwrap();
    (0..3).for_each(|_| model.tick());
    let waves = Waves::read(model.trace_take().unwrap());
    let names: Vec<&String> = waves.signals.keys().collect();
    assert_eq!(waves.signals["TOP.odd.below [7:-2]"].0, 10, "{names:?}");
    assert_eq!(waves.signals["TOP.odd.few[3] [7:0]"].0, 8, "{names:?}");
    assert!(names.iter().any(|name| name.ends_with(".word [3:0]")), "{names:?}");
    let weights: Vec<&str> = waves.of("TOP.odd.weight").into_iter().map(|(_, value)| value).collect();
    assert_eq!(weights, ["0.5", "1", "2", "4"]);
}

/// Some hundred thousand changes go out in blocks; none is lost between two of them.
#[test]
fn long_waves_hold_every_change() {
    let mut model = traced(&Source::new("wide", WIDE));
    let port = |name: &str| model.port(name).unwrap();
    let (rst, f, rotated) = (port("rst"), port("f"), port("rotated"));
    model.set(rst, 0);
    model.trace_start().unwrap();
    let mut expected = Vec::new();
    for cycle in 0..20_000u32 {
        let words: Vec<u32> =
            (0..16).map(|word| (cycle + 1).wrapping_mul(0x9e37_79b9).rotate_left(word)).collect();
        model.set_wide(f, &words);
        model.tick();
        let top = model.words(rotated)[15];
        expected.push((u64::from(cycle) * CYCLE_NS + CYCLE_NS / 2, format!("{top:032b}")));
    }
    let waves = Waves::read(model.trace_take().unwrap());
    let seen: BTreeMap<u64, &str> = waves.of("TOP.rotated [511:0]").into_iter().collect();
    assert_eq!(seen.len(), expected.len() + 1, "each cycle gives another value, and there is the one before");
    for (time, top) in &expected {
        assert_eq!(&seen[time][..32], top, "{time}");
    }
}
