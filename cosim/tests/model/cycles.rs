//! A block of cycles in one call.

use respray_cosim::verilator::{BuildOptions, Direction, Model, Source, build};

use super::{WIDE, panic_of, wide};

#[test]
fn a_block_of_cycles_is_as_many_single_cycles_with_a_trace_and_without() {
    let options = BuildOptions { trace: true, ..super::quick() };
    let design = build(&Source::new("wide", WIDE), &options).unwrap();
    let model = || design.model(5).unwrap();
    let (mut block, mut traced, mut single) = (model(), model(), model());
    let (inputs, outputs) = design.row_words();
    let mut rows = vec![0u64; 300 * inputs];
    for info in design.ports().iter().filter(|port| port.direction == Direction::Input && port.name != "clk")
    {
        let first = single.port(&info.name).unwrap().column();
        for (row, words) in rows.chunks_mut(inputs).enumerate() {
            for word in 0..info.width.div_ceil(64) {
                let noise = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(first as u32);
                words[first + word as usize] = noise >> (64 - (info.width - 64 * word).min(64));
            }
        }
    }
    let mut expected = vec![0; 300 * outputs];
    for (row, seen) in rows.chunks(inputs).zip(expected.chunks_mut(outputs)) {
        single.cycle(row, seen);
    }
    traced.trace_start().unwrap();
    for model in [&mut block, &mut traced] {
        let mut seen = vec![0; 300 * outputs];
        let (first, rest) = seen.split_at_mut(7 * outputs);
        assert_eq!(model.cycles(&rows[..7 * inputs], first), 7);
        assert_eq!(model.cycles(&[], &mut []), 0);
        assert_eq!(model.cycles(&rows[7 * inputs..], rest), 293);
        assert_eq!((seen == expected, model.cycle_count(), model.finished()), (true, 300, false));
    }
}

#[test]
fn a_block_of_cycles_ends_where_the_model_does() {
    let text = "module halts(input clk, input [3:0] finish, input [3:0] stop, output reg [3:0] n);\n\
                initial n = 4'd0;\n\
                always @(posedge clk) begin\n\
                n <= n + 4'd1;\n\
                if (n == finish) $finish;\n\
                if (n == stop) $stop;\n\
                end endmodule\n";
    for trace in [false, true] {
        let options = BuildOptions { trace, ..super::quick() };
        let model = || Model::build(&Source::new("halts", text), &options).unwrap();
        for (finish, stop, failure) in [(2, 9, None), (9, 2, Some("halts.v:6: $stop or a failed assertion"))]
        {
            let (mut block, mut single) = (model(), model());
            if trace {
                block.trace_start().unwrap();
            }
            let mut row = [0; 2];
            row[block.port("finish").unwrap().column()] = finish;
            row[block.port("stop").unwrap().column()] = stop;
            let mut seen = [7; 5];
            assert_eq!(block.cycles(&row.repeat(5), &mut seen), 3, "{failure:?}");
            assert_eq!((seen, block.cycle_count()), ([0, 1, 2, 7, 7], 3));
            assert_eq!((block.finished(), block.failure().as_deref()), (true, failure));
            assert_eq!(
                block.cycles(&row.repeat(2), &mut seen[3..]),
                1,
                "one that has ended goes on step by step"
            );
            let mut last = [0];
            (0..4).for_each(|_| single.cycle(&row, &mut last));
            assert_eq!((seen[3], block.cycle_count()), (last[0], 4));
        }
    }
}

/// The last output fills its words to the last bit, and nothing behind them is written.
#[test]
fn rows_behind_the_last_cycle_stay_as_they_are() {
    for width in [32_usize, 33, 64, 65, 96, 97, 128, 192, 512] {
        let text = format!(
            "module full(input clk, output reg [{top}:0] n);\n\
             initial n = {{{width}{{1'b1}}}};\n\
             always @(posedge clk) $finish; endmodule\n",
            top = width - 1
        );
        let mut model = Model::build(&Source::new("full", text), &super::quick()).unwrap();
        let words = width.div_ceil(64);
        let mut seen = vec![7; 3 * words];
        assert_eq!(model.cycles(&[], &mut seen), 1);
        assert_eq!(seen[words..], vec![7; 2 * words], "{width} bits");
        let last = u64::MAX >> (64 * words - width);
        assert_eq!(
            (seen[words - 1], seen[0]),
            (last, if words > 1 { u64::MAX } else { last }),
            "{width} bits"
        );
    }
}

#[test]
fn a_block_of_cycles_ends_before_a_bit_beyond_a_width() {
    let mut model = wide();
    let (inputs, outputs) = model.design().row_words();
    let mut rows = vec![0; 5 * inputs];
    rows[3 * inputs + model.port("e").unwrap().column() + 1] = 2;
    let mut seen = vec![7; 5 * outputs];
    let mut refused = |seen: &mut [u64]| {
        panic_of(std::panic::AssertUnwindSafe(|| {
            model.cycles(&rows, seen);
        }))
    };
    assert_eq!(refused(&mut seen), "cycle: an input has bits beyond its width");
    assert_eq!(
        refused(&mut seen[1..]),
        "cycles: 75 input and 79 output words given, expected are as many rows of 15 as of 16"
    );
    assert_eq!((model.cycle_count(), seen[2 * outputs] == 7, seen[3 * outputs]), (3, false, 7));
}
