//! A simulation that is looked at again with another value for its unknown bits.

use std::fs;
use std::path::Path;

use respray_cosim::simulators::{Pin, Pins, Process, Program, Simulator, SimulatorError};

/// A counter by `step`, beside which stand bits that nobody gives a value. It writes a line into a file whenever a simulation starts.
fn counter(starts: &Path) -> Program {
    let verilog = format!(
        r#"module stepped (
    input clk,
    input [7:0] step,
    output reg [7:0] count,
    output [69:0] wide
);
    integer starts;
    reg [61:0] never;
    initial begin
        starts = $fopen("{}", "a");
        $fdisplay(starts, "started");
        $fclose(starts);
        count = 8'd0;
    end
    always @(posedge clk) if (step == 8'hff) $finish; else count <= count + step;
    assign wide = {{never, count}};
endmodule
"#,
        starts.display()
    );
    let pin = |name: &str, width| Pin { name: name.to_string(), width };
    let pins = Pins { inputs: vec![pin("step", 8)], outputs: vec![pin("count", 8), pin("wide", 70)] };
    Simulator::Icarus.program("stepped", &verilog, &pins).unwrap()
}

/// The counts in so many cycles, and whether all unknown bits are what they are taken for.
fn counts(process: &mut Process, steps: &[u64], unknown: bool) -> Vec<u64> {
    let never = if unknown { u64::MAX } else { 0 };
    let mut outputs = vec![0; 3 * steps.len()];
    let taken = process.cycles(steps, &mut outputs);
    let counts = outputs.chunks_exact(3).take(taken).map(|row| {
        assert_eq!((row[1] >> 8, row[2]), (never >> 8, never >> 58), "the unknown bits");
        assert_eq!(row[1] & 0xff, row[0]);
        row[0]
    });
    counts.collect()
}

fn starts(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

/// Runs the counter twice: with unknown bits at 0, then at 1.
fn twice(
    program: &Program,
    first: impl Fn(&mut Process),
    second: impl Fn(&mut Process),
) -> Result<(), SimulatorError> {
    let mut runs = 0;
    program.run_each(|mut process| {
        runs += 1;
        match runs {
            1 => first(&mut process),
            2 => second(&mut process),
            _ => panic!("a bit has two values"),
        }
        Ok::<_, SimulatorError>(((), Some(process.whole()?)))
    })?;
    assert_eq!(runs, 2);
    Ok(())
}

#[test]
fn a_simulation_runs_again_only_from_where_its_inputs_are_others() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("starts");
    let program = counter(&path);

    let first = |process: &mut Process| {
        assert_eq!(counts(process, &[1, 2, 3], false), [0, 1, 3]);
        assert_eq!(counts(process, &[4], false), [6]);
    };
    // blocks need not be those of before
    let alike = |process: &mut Process| {
        assert_eq!(counts(process, &[1, 2], true), [0, 1]);
        assert_eq!(counts(process, &[3, 4], true), [3, 6]);
    };
    twice(&program, first, alike).unwrap();
    assert_eq!(starts(&path), 1, "what was kept is enough");

    let other = |process: &mut Process| {
        assert_eq!(counts(process, &[1, 2, 7, 8, 9], true), [0, 1, 3, 10, 18]);
        assert_eq!(counts(process, &[0], true), [27]);
    };
    twice(&program, first, other).unwrap();
    assert_eq!(starts(&path), 3);

    // one that goes on behind the end of the one before
    let short = |process: &mut Process| assert_eq!(counts(process, &[1], false), [0]);
    let longer = |process: &mut Process| assert_eq!(counts(process, &[1, 2, 3], true), [0, 1, 3]);
    twice(&program, short, longer).unwrap();
}

#[test]
fn a_run_that_keeps_its_simulation_is_the_last_one() {
    let directory = tempfile::tempdir().unwrap();
    let mut runs = 0;
    let last = counter(&directory.path().join("starts")).run_each(|mut process| {
        runs += 1;
        Ok::<_, SimulatorError>((counts(&mut process, &[5, 6], false), None))
    });
    assert_eq!((last.unwrap(), runs), (vec![0, 5], 1));
}

#[test]
fn the_end_of_a_simulation_is_seen_when_it_runs_again() {
    let directory = tempfile::tempdir().unwrap();
    let program = counter(&directory.path().join("starts"));
    let first = |process: &mut Process| assert_eq!(counts(process, &[5, 6], false), [0, 5]);
    let ends = |process: &mut Process| {
        assert_eq!(counts(process, &[5, 0xff, 1, 1], true), [0, 5]);
        assert!(counts(process, &[1], true).is_empty(), "it has ended");
    };
    let error = twice(&program, first, ends).unwrap_err();
    assert!(error.to_string().starts_with("Icarus Verilog ended after 2 cycles: "), "{error}");
}
