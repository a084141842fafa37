//! Modules joined by wires: what the top does, how it reads, and what is refused.

mod refusals;
mod watch;

use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::join::{Instance, Netlist, Pin, Source};
use respray_hdl::manifest::{Direction, Port};

use crate::differential::{Case, Tool, differences, warnings};

const COUNTER: &str = "\
// a header, which belongs to no module

// verilator lint_off DECLFILENAME

// Adds one.
module plus_one (
    input  wire [7:0] a,
    output wire [7:0] sum
);
    assign sum = a + 8'd1;
endmodule

module counter (
    input  wire       clk,
    input  wire       rst,
    input  wire [7:0] step,
    output reg  [7:0] count,
    output wire [3:0] flags
);
    wire [7:0] next;
    plus_one plus_one_0 (.a(count + step), .sum(next));
    always @(posedge clk) count <= rst ? 8'd0 : next;
    assign flags = {count[0], count[1], count[2], count[3]};
endmodule
";

const MIXER: &str = "\
// Adds one.
module plus_one (
    input  wire [7:0] a,
    output wire [7:0] sum
);
    assign sum = a + 8'd1;
endmodule

// Two numbers become one.
module mixer (
    input  wire [7:0]  low,
    input  wire [11:0] high,
    output wire [11:0] mixed,
    output wire [2:0]  spare
);
    wire [7:0] next;
    plus_one plus_one_0 (.a(low), .sum(next));
    assign mixed = high ^ {4'd0, next};
    assign spare = high[2:0];
endmodule
";

fn port(name: &str, direction: Direction, width: u32, group: &str) -> Port {
    Port { name: name.into(), direction, width, group: group.into(), meaning: String::new() }
}

fn counter() -> Instance {
    let (input, output) = (Direction::Input, Direction::Output);
    Instance {
        name: "steps".into(),
        module: "counter".into(),
        about: "Counts in steps.".into(),
        ports: vec![
            port("clk", input, 1, "Clock"),
            port("rst", input, 1, "Clock"),
            port("step", input, 8, "Numbers"),
            port("count", output, 8, "Numbers"),
            port("flags", output, 4, "Numbers"),
        ],
        verilog: COUNTER.into(),
    }
}

fn mixer() -> Instance {
    Instance {
        name: "mix".into(),
        module: "mixer".into(),
        about: "Mixes the count\nwith itself.".into(),
        ports: vec![
            port("low", Direction::Input, 8, ""),
            port("high", Direction::Input, 12, ""),
            port("mixed", Direction::Output, 12, ""),
            port("spare", Direction::Output, 3, ""),
        ],
        verilog: MIXER.into(),
    }
}

/// A design with each kind of source.
fn netlist() -> Netlist {
    let ports = vec![
        port("clk", Direction::Input, 1, "Clock and reset"),
        port("rst", Direction::Input, 1, "Clock and reset"),
        Port { meaning: "less one".into(), ..port("step", Direction::Input, 4, "Numbers") },
        port("mixed", Direction::Output, 12, "Numbers"),
        port("parts", Direction::Output, 9, "Numbers"),
    ];
    let slice = |port, high, low| Source::Slice { pin: Pin::of("steps", port), high, low };
    let extended = |source, width| Source::Extended { source: Box::new(source), width };
    let mut netlist = Netlist::new("joined", "Two modules.\n\nMade for a test.", ports);
    netlist.add(counter()).add(mixer());
    netlist.share("clk").share("rst");
    netlist.connect(Pin::of("steps", "step"), extended(Pin::top("step").into(), 8));
    netlist.connect(Pin::of("mix", "low"), Pin::of("steps", "count"));
    netlist.connect(Pin::of("mix", "high"), extended(slice("count", 7, 4), 12));
    netlist.connect(Pin::top("mixed"), Pin::of("mix", "mixed"));
    let parts = vec![
        slice("flags", 0, 0),
        Source::Constant { value: 0xa, width: 4 },
        Source::Joined(vec![slice("count", 2, 1), slice("count", 1, 0)]),
    ];
    netlist.connect(Pin::top("parts"), Source::Joined(parts));
    netlist.open(Pin::of("steps", "flags")).open(Pin::of("mix", "spare"));
    netlist
}

/// What the design above does, said plainly.
fn expected(vectors: &[Vec<BigUint>]) -> Vec<Vec<BigUint>> {
    let mut count = 0u8;
    let number = |value: &BigUint| value.iter_u32_digits().next().unwrap_or(0);
    let outputs = |vector: &Vec<BigUint>| {
        count = count.wrapping_add(number(&vector[1]) as u8).wrapping_add(1);
        if number(&vector[0]) == 1 {
            count = 0;
        }
        let mixed = u16::from(count >> 4) ^ u16::from(count.wrapping_add(1));
        let parts = u16::from(count >> 3 & 1) << 8 | 0xa << 4 | u16::from(count >> 1 & 3) << 2;
        vec![mixed.into(), (parts | u16::from(count & 3)).into()]
    };
    vectors.iter().map(outputs).collect()
}

fn case(verilog: String) -> Case {
    let mut rng = StdRng::seed_from_u64(5);
    let mut vector =
        |at| vec![u8::from(at == 0 || rng.random_range(0..20) == 0).into(), rng.random_range(0..16u8).into()];
    let vectors: Vec<Vec<BigUint>> = (0..300).map(&mut vector).collect();
    let named =
        |ports: &[(&str, usize)]| ports.iter().map(|&(name, width)| (name.to_string(), width)).collect();
    Case {
        module: "joined".into(),
        verilog,
        inputs: named(&[("rst", 1), ("step", 4)]),
        outputs: named(&[("mixed", 12), ("parts", 9)]),
        clocked: true,
        expected: expected(&vectors),
        vectors,
        warmup: 0,
    }
}

#[test]
fn a_joined_design_reads_and_does_what_the_netlist_says() {
    let verilog = netlist().verilog().unwrap_or_else(|error| panic!("{error}"));
    insta::assert_snapshot!(verilog);
    assert_eq!(warnings("joined", &verilog), "");
    assert_eq!(verilog.matches("\nmodule plus_one ").count(), 1, "a module is printed once");
    let crossed = verilog.replace("steps_count[2:1],", "steps_count[3:2],");
    assert_ne!(crossed, verilog);
    // Icarus alone: a model of Verilator's more costs seconds, and the syntax is that of the lint above
    assert!(differences(&[case(verilog)], &[Tool::Icarus]).is_empty());
    assert!(!differences(&[case(crossed)], &[Tool::Icarus]).is_empty(), "a wrong slice is seen");
}
