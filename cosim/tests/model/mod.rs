//! The binding: ports, clock, seeds, threads, traces, coverage.

mod cache;
mod coverage;
mod cycles;
mod linked;
mod ports;
mod refused;
mod toolchain;
mod watch;
mod waves;

use respray_cosim::verilator::{
    Baseline, BuildOptions, Direction, Model, ModelError, Source, Stimulus, build,
};

const WIDE: &str = include_str!("../fixtures/wide.v");

/// Models of a few hundred cycles, compiled in less time.
fn quick() -> BuildOptions {
    BuildOptions { quick: true, ..BuildOptions::default() }
}

fn wide() -> Model {
    Model::build(&Source::new("wide", WIDE), &quick()).unwrap()
}

#[test]
fn ports_have_their_names_widths_and_directions() {
    let model = wide();
    let mut seen: Vec<_> = model.ports().iter().map(|p| (p.name.as_str(), p.width, p.direction)).collect();
    seen.sort_by_key(|port| port.0);
    use Direction::{Input, Output};
    let expected = [
        ("a", 8, Input),
        ("b", 9, Input),
        ("c", 32, Input),
        ("clk", 1, Input),
        ("d", 64, Input),
        ("e", 65, Input),
        ("f", 512, Input),
        ("float", 8, Output),
        ("foo__bar", 1, Output),
        ("inverse", 32, Output),
        ("rotated", 512, Output),
        ("rst", 1, Input),
        ("sum_ab", 16, Output),
        ("sum_c", 32, Output),
        ("sum_d", 64, Output),
        ("sum_e", 65, Output),
    ];
    assert_eq!(seen, expected);
}

/// What `wide.v` computes, plainly.
#[test]
fn every_width_is_written_and_read_back_through_the_registers() {
    let mut model = wide();
    let port = |name: &str| model.port(name).unwrap();
    let (rst, a, b, c, d, e, f) =
        (port("rst"), port("a"), port("b"), port("c"), port("d"), port("e"), port("f"));
    let (sum_ab, sum_c, sum_d, sum_e) = (port("sum_ab"), port("sum_c"), port("sum_d"), port("sum_e"));
    let (rotated, inverse, foo) = (port("rotated"), port("inverse"), port("foo__bar"));
    model.set(rst, 1);
    model.tick();
    model.set(rst, 0);
    model.set(a, 0xff);
    model.set(b, 0x1ff);
    model.set(c, 0x8000_0001);
    model.set(d, u64::MAX);
    model.set_wide(e, &[0xffff_ffff, 0xffff_ffff, 1]);
    let word: Vec<u32> = (0..16).map(|i| 0x1111_1111 * i).collect();
    model.set_wide(f, &word);
    model.eval();
    assert_eq!(model.get(inverse), 0x7fff_fffe, "combinational outputs follow an eval");
    assert_eq!(model.get(sum_c), 0, "registers do not");
    model.tick();
    model.tick();
    assert_eq!(model.cycle_count(), 3);
    assert_eq!(model.get(foo), 0);
    assert_eq!(model.get(sum_ab), 0xff + 0x1ff);
    assert_eq!(model.get(sum_c), 2);
    assert_eq!(model.get(sum_d), u64::MAX - 1);
    let mut wide = [0; 3];
    model.get_wide(sum_e, &mut wide);
    assert_eq!(wide, [0xffff_fffe, 0xffff_ffff, 1], "65 bits: -2");
    let mut seen = [0; 16];
    model.get_wide(rotated, &mut seen);
    let expected: Vec<u32> =
        (0..16).map(|i| word[i] ^ (word[i] << 1) ^ (word[(i + 15) % 16] >> 31)).collect();
    assert_eq!(seen.as_slice(), expected);
    let mut narrow = [0; 2];
    model.get_wide(sum_d, &mut narrow);
    assert_eq!(narrow, [0xffff_fffe, 0xffff_ffff], "narrow ports are read as words too");
}

#[test]
fn a_cycle_in_one_call_is_a_cycle_by_ports() {
    let (mut whole, mut steps) = (wide(), wide());
    let port = |name: &str| whole.port(name).unwrap();
    let (d, e, rst, sum_e, inverse) = (port("d"), port("e"), port("rst"), port("sum_e"), port("inverse"));
    let (inputs, outputs) = whole.design().row_words();
    assert_eq!((inputs, outputs), (1 + 1 + 1 + 1 + 1 + 2 + 8, 1 + 1 + 1 + 1 + 1 + 2 + 8 + 1));
    let (mut row, mut seen) = (vec![0; inputs], vec![0; outputs]);
    for cycle in 0..100u64 {
        row[rst.column()] = u64::from(cycle == 0);
        row[d.column()] = cycle << 40;
        row[e.column()] = u64::MAX - cycle;
        row[e.column() + 1] = cycle & 1;
        whole.cycle(&row, &mut seen);
        steps.set(rst, u64::from(cycle == 0));
        steps.set(d, cycle << 40);
        let low = u64::MAX - cycle;
        steps.set_wide(e, &[low as u32, (low >> 32) as u32, (cycle & 1) as u32]);
        steps.settle();
        let words = steps.words(sum_e);
        assert_eq!(seen[sum_e.column()], u64::from(words[0]) | u64::from(words[1]) << 32, "cycle {cycle}");
        assert_eq!(seen[sum_e.column() + 1], u64::from(words[2]), "cycle {cycle}");
        assert_eq!(seen[inverse.column()], 0xffff_ffff, "sampled just before the edge");
        steps.rise();
    }
    assert_eq!((whole.cycle_count(), steps.cycle_count()), (100, 100));
}

#[test]
fn an_open_trace_changes_no_cycle() {
    let options = BuildOptions { trace: true, ..quick() };
    let design = build(&Source::new("wide", WIDE), &options).unwrap();
    let stimulus = Stimulus::random(design, 200, 3, &[]).unwrap();
    let (mut plain, mut traced) = (design.model(5).unwrap(), design.model(5).unwrap());
    traced.trace_start().unwrap();
    assert_eq!(stimulus.run(&mut traced, 500).unwrap(), stimulus.run(&mut plain, 500).unwrap());
}

#[test]
fn a_value_beyond_the_width_is_refused() {
    for (what, act) in [
        (
            "set: 0x100 does not fit into a port 8 bits wide",
            (|model, port| model.set(port("a"), 0x100)) as Act,
        ),
        ("set: this port is an output", |model, port| model.set(port("sum_c"), 0)),
        ("set: this port is 65 bits wide, over 64 use set_wide", |model, port| model.set(port("e"), 0)),
        ("get: this port is 512 bits wide, over 64 use get_wide", |model, port| {
            model.get(port("rotated"));
        }),
        ("words: this port is 32 bits wide, up to 64 use get", |model, port| {
            model.words(port("sum_c"));
        }),
        ("2 words given for a port 65 bits wide", |model, port| model.set_wide(port("e"), &[0, 0])),
        ("does not fit into a port 65 bits wide", |model, port| model.set_wide(port("e"), &[0, 0, 2])),
        ("cycle: an input has bits beyond its width", |model, port| {
            let (inputs, outputs) = model.design().row_words();
            let mut row = vec![0; inputs];
            row[port("e").column() + 1] = 2;
            model.cycle(&row, &mut vec![0; outputs]);
        }),
        ("cycle: rows of 0 input and 0 output words given", |model, _| model.cycle(&[], &mut [])),
    ] {
        let said = panic_of(|| {
            let mut model = wide();
            let other = wide();
            act(&mut model, &|name| other.port(name).unwrap());
        });
        assert!(said.contains(what), "{said}");
    }
}

type Act = fn(&mut Model, &dyn Fn(&str) -> respray_cosim::verilator::Port);

fn panic_of(act: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(act).expect_err("it has to panic");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast::<&str>().expect("a panic carries text").to_string(),
    }
}

#[test]
fn a_port_of_another_design_is_refused() {
    let other = Source::new(
        "other",
        "module other(input clk, input [7:0] a, output [7:0] b); assign b = a; endmodule",
    );
    let mut other = Model::build(&other, &quick()).unwrap();
    let port = wide().port("a").unwrap();
    let said = panic_of(std::panic::AssertUnwindSafe(|| other.set(port, 1)));
    assert_eq!(said, "this port belongs to another design");
}

#[test]
fn missing_ports_and_other_widths_are_told() {
    let model = wide();
    let said = |result: Result<_, ModelError>| result.unwrap_err().to_string();
    assert_eq!(
        said(model.input("sum_c", 32)),
        "model `wide` has no input `sum_c`; it has: clk, rst, a, b, c, e, f, d"
    );
    assert_eq!(
        said(model.output("sum_c", 16)),
        "port `sum_c` of model `wide` is 32 bits wide, expected are 16"
    );
    assert!(said(model.port("nothing")).starts_with("model `wide` has no port `nothing`; it has: clk, rst"));
}

/// What is read of `unwritten` before anything is written to it.
fn unwritten(seed: u32) -> Vec<u64> {
    let design = build(&Source::new("wide", WIDE), &quick()).unwrap();
    let mut model = design.model(seed).unwrap();
    let (b, read) = (model.port("b").unwrap(), model.port("float").unwrap());
    let mut read_at = |index| {
        model.set(b, index);
        model.tick();
        model.get(read)
    };
    (0..64).map(&mut read_at).collect()
}

#[test]
fn unwritten_state_is_random_and_equal_for_equal_seeds() {
    let first = unwritten(1);
    assert!(first.iter().any(|&value| value != first[0]), "it is not random: {first:?}");
    assert_eq!(first, unwritten(1));
    assert_ne!(first, unwritten(2));
    assert_ne!(first, unwritten(0));
    assert_eq!(unwritten(0), unwritten(0), "0 is a seed like any other");
}

#[test]
fn designs_and_models_run_in_parallel_threads() {
    let counter = |step: u32| {
        let text = format!(
            "module counter(input clk, input rst, output reg [31:0] n);\n\
             always @(posedge clk) n <= rst ? 32'd0 : n + 32'd{step};\nendmodule\n"
        );
        Model::build(&Source::new("counter", text), &quick()).unwrap()
    };
    let expected = unwritten(9);
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let expected = &expected;
            scope.spawn(move || {
                let step = thread % 3 + 1;
                let mut model = counter(step);
                let (rst, n) = (model.input("rst", 1).unwrap(), model.output("n", 32).unwrap());
                model.set(rst, 1);
                model.tick();
                model.set(rst, 0);
                // It goes on in another thread, and ends there.
                let seen = std::thread::spawn(move || {
                    for _ in 0..1000 {
                        model.tick();
                    }
                    model.get(n)
                });
                for _ in 0..20 {
                    assert_eq!(&unwritten(9), expected, "other models do not disturb a seed");
                }
                assert_eq!(seen.join().unwrap(), u64::from(1000 * step));
            });
        }
    });
}

#[test]
fn finish_and_failures_are_told_and_end_only_their_model() {
    let text = "module ends(input clk, input [1:0] how, output reg [3:0] n);\n\
                always @(posedge clk) begin\n\
                n <= n + 4'd1;\n\
                if (how == 2'd1) $finish;\n\
                if (how == 2'd2) $stop;\n\
                end endmodule\n";
    let model = || Model::build(&Source::new("ends", text), &quick()).unwrap();
    let (mut first, mut second) = (model(), model());
    let how = first.port("how").unwrap();
    first.set(how, 1);
    first.tick();
    second.tick();
    assert!(first.finished() && !second.finished(), "$finish is that model's alone");
    assert_eq!(first.failure(), None);
    second.set(how, 2);
    second.tick();
    assert_eq!(first.ended().as_deref(), Some("ends.v:4: $finish"));
    let failure = second.failure().unwrap();
    assert_eq!(failure, "ends.v:5: $stop or a failed assertion");
    second.tick();
    assert!(second.finished(), "a model that failed stays so");

    let text = "module swings(input clk, input go, output q);\n\
                wire a; wire b; assign a = go ? ~b : 1'b0; assign b = a; assign q = a;\nendmodule\n";
    let mut swings = Model::build(&Source::new("swings", text), &quick()).unwrap();
    swings.set(swings.port("go").unwrap(), 1);
    swings.tick();
    assert!(swings.failure().unwrap().contains("did not converge"), "{:?}", swings.failure());
}

#[test]
fn what_cannot_be_traced_or_counted_is_told() {
    let mut model = wide();
    assert_eq!(
        model.trace_start().unwrap_err().to_string(),
        "model `wide` was built without trace; set `trace` in its build options"
    );
    assert_eq!(
        model.coverage().unwrap_err().to_string(),
        "model `wide` was built without coverage; set `coverage` in its build options"
    );
}

#[test]
fn coverage_counts_the_lines_that_ran() {
    let options = BuildOptions { coverage: true, ..quick() };
    let mut model = Model::build(&Source::new("wide", WIDE), &options).unwrap();
    let line = |text: &str| WIDE.lines().position(|line| line.contains(text)).unwrap() as u32 + 1;
    let (rst, b) = (model.port("rst").unwrap(), model.port("b").unwrap());
    model.set(rst, 1);
    (0..3).for_each(|_| model.tick());
    let coverage = model.coverage().unwrap();
    assert_eq!(coverage.lines()[&line("sum_ab <= 16'd0")], 3);
    assert_eq!(coverage.lines()[&line("float <= unwritten")], 3);
    assert!(coverage.uncovered().contains(&line("sum_ab <= {8'd0, a}")));
    assert!(coverage.uncovered().contains(&line("unwritten[b[5:0]] <= {a, a}")));
    model.set(rst, 0);
    model.set(b, 0x100);
    (0..5).for_each(|_| model.tick());
    let coverage = model.coverage().unwrap();
    assert_eq!(coverage.lines()[&line("unwritten[b[5:0]] <= {a, a}")], 5);
    let (covered, total) = coverage.covered_and_total();
    assert_eq!((coverage.uncovered(), covered), (vec![], total));
    assert!(coverage.annotate(WIDE).contains("             5                 unwritten[b[5:0]] <= {a, a};"));
}

#[test]
fn the_bare_loop_sees_the_same_outputs() {
    let source = Source::new("wide", WIDE);
    let design = build(&source, &quick()).unwrap();
    let stimulus = Stimulus::random(design, 100, 7, &[("c", 5)]).unwrap();
    let loop_in_cpp = Baseline::build(&source, &stimulus).unwrap();
    let mut model = design.model(4).unwrap();
    let expected = stimulus.run(&mut model, 1000).unwrap();
    let run = loop_in_cpp.run(1000, 4).unwrap();
    assert_eq!(run.checksum, expected);
    assert_ne!(loop_in_cpp.run(1001, 4).unwrap().checksum, expected);
    assert!(run.time.as_nanos() > 0);
}
