//! Small designs and their Verilog, as a reader sees it.

use crate::differential::blocks::{Feedthrough, Fields, Machine, Operators, Rows};
use crate::differential::packing::Packing;
use crate::differential::warnings;
use respray_hdl::comment;
use respray_hdl::emit::{EmitOptions, verilog};
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Event {
    conn: Bits<4>,
    ev: Bits<16>,
    ecn: Bit,
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Phase {
    Clearing,
    Running,
    Stopped,
}

/// Simple dual port memory as a primitive brings it.
#[derive(LogicBlock, Default)]
struct Ram {
    clk: Signal<In, Clock>,
    write: Signal<In, Bit>,
    write_address: Signal<In, Bits<4>>,
    write_data: Signal<In, Event>,
    read_address: Signal<In, Bits<4>>,
    read_data: Signal<Out, Event>,
}

impl Logic for Ram {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            r#"
            // module event_ram: simple dual port, one word per connection
            (* ram_style = "block" *) reg [20:0] memory [0:15];

            always @(posedge clk) begin
                if (write) begin
                    memory[write_address] <= write_data;
                end
                read_data <= memory[read_address];
            end
            "#
            .to_string(),
        )
    }
}

#[derive(LogicBlock, Default)]
struct Engine {
    clk: Signal<In, Clock>,
    rst: Signal<In, Bit>,
    op_valid: Signal<In, Bit>,
    op: Signal<In, Event>,
    res_valid: Signal<Out, Bit>,
    res: Signal<Out, Event>,
    count: Signal<Out, Bits<8>>,
    ready: Signal<Out, Bit>,
    valid: DFF<Bit>,
    stage: DFF<Event>,
    counter: DFF<Bits<8>>,
    phase: DFF<Phase>,
    ram: Ram,
    marked: Signal<Local, Bit>,
}

impl Logic for Engine {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Counts and stores events.");
        dff_setup!(self, clk, valid, stage, counter, phase);
        self.ram.clk.next = self.clk.val();
        self.marked.next = self.op_valid.val() && self.op.val().ecn;
        comment!("Stage 1: take the op.");
        self.valid.d.next = self.op_valid.val();
        if self.op_valid.val() {
            self.stage.d.next = self.op.val();
        }
        if self.marked.val() {
            self.counter.d.next = self.counter.q.val() + 1;
        }
        match self.phase.q.val() {
            Phase::Clearing => {
                self.phase.d.next = Phase::Running;
            }
            Phase::Running => {
                if self.marked.val() {
                    self.phase.d.next = Phase::Stopped;
                }
            }
            Phase::Stopped => {}
        }
        self.ram.write.next = self.valid.q.val() && !self.marked.val();
        self.ram.write_address.next = self.stage.q.val().conn;
        self.ram.write_data.next = self.stage.q.val();
        self.ram.read_address.next = self.op.val().conn;
        self.res_valid.next = self.valid.q.val();
        self.res.next = self.ram.read_data.val();
        self.count.next = self.counter.q.val();
        self.ready.next = self.phase.q.val() == Phase::Running;
        if self.rst.val() {
            self.valid.d.next = false;
            self.counter.d.next = 0.into();
            self.phase.d.next = Phase::Clearing;
        }
    }
}

#[test]
fn a_registered_design_with_a_memory() {
    let options = EmitOptions { module: "engine", header: "An engine.", ..Default::default() };
    let text = verilog(&Engine::default(), &options).unwrap();
    assert_eq!(warnings("engine", &text), "");
    insta::assert_snapshot!(text);
}

/// A comment stands above an assignment that reads nothing.
#[derive(LogicBlock, Default)]
struct Level {
    level: Signal<Out, Bits<4>>,
}

impl Logic for Level {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module constant: one level");
        comment!("Nothing changes it.");
        self.level.next = 5.into();
    }
}

/// An `always @*` that reads nothing would never run, and its output stay unknown.
#[test]
fn a_constant_is_assigned_and_waits_for_no_change() {
    let options = EmitOptions { module: "constant", header: "A constant.", ..Default::default() };
    let text = verilog(&Level::default(), &options).unwrap();
    assert_eq!(warnings("constant", &text), "");
    assert!(text.contains("assign level = 4'd5;") && !text.contains("always"), "{text}");
}

/// What an instance of it is wired to needs no statement of its own.
#[derive(LogicBlock, Default)]
struct Inverter {
    level: Signal<In, Bits<4>>,
    inverted: Signal<Out, Bits<4>>,
}

impl Logic for Inverter {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module inverter: all bits turned round");
        self.inverted.next = !self.level.val();
    }
}

/// Comments wherever they may stand, and a check that only runs in Rust, which the AST holds as one.
#[derive(LogicBlock, Default)]
struct Explained {
    clk: Signal<In, Clock>,
    up: Signal<In, Bit>,
    level: Signal<In, Bits<4>>,
    moved: Signal<Out, Bits<4>>,
    above: Signal<Out, Bits<4>>,
    odd: Signal<Out, Bit>,
    seen: Signal<Out, Bits<4>>,
    last: Signal<Out, Bits<4>>,
    turned: Signal<Out, Bits<4>>,
    step: Signal<Local, Bits<4>>,
    ones: Signal<Local, Bits<4>>,
    parity: Signal<Local, Bit>,
    held: DFF<Bits<4>>,
    history: [DFF<Bits<4>>; 3],
    inverter: Inverter,
}

impl Logic for Explained {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module explained: a comment in every place");
        comment!("Behind the clocks of a register stands what it says of the register.");
        dff_setup!(self, clk, held);
        self.held.d.next = self.level.val();

        comment!("The first of two lines,");
        comment!("and the second (\"quotes\", not!(b); c \\ d within).");
        self.step.next = 1.into();
        assert!(self.step.val().any());

        comment!("An exception in a wire.");
        self.above.next = self.level.val();
        if self.up.val() {
            comment!("The exception itself.");
            self.above.next = self.level.val() + self.step.val();
        }

        comment!("A condition for a wire and for a register.");
        if self.up.val() {
            self.moved.next = self.level.val() + self.step.val();
            self.ones.next = 0.into();
            comment!("Up: the register counts.");
            self.held.d.next = self.held.q.val() + self.step.val();
        } else {
            comment!("Down.");
            self.moved.next = self.level.val() - self.step.val();
            self.ones.next = 15.into();
        }

        comment!("A value that is kept after all.");
        if self.level.val() == 0 {
            self.held.d.next = self.held.q.val();
        }

        comment!("A loop that only wires is spoken of once.");
        self.parity.next = self.ones.val().get_bit(0);
        for i in 0..3 {
            comment!("A turn of it.");
            self.parity.next = self.parity.val() ^ self.level.val().get_bit(i);
        }
        self.odd.next = self.parity.val();

        comment!("Over all turns: a chain.");
        for i in 0..3 {
            self.history[i].clock.next = self.clk.val();
            self.history[i].d.next = self.level.val();
        }
        for i in 1..3 {
            self.history[i].d.next = self.history[i - 1].q.val();
        }

        comment!("An output that would be the register itself.");
        self.last.next = self.history[2].q.val();

        comment!("Only a connection.");
        self.inverter.level.next = self.held.q.val();

        comment!("A connection first, then a wire.");
        self.turned.next = self.inverter.inverted.val();
        self.seen.next = self.held.q.val() & self.step.val();
    }
}

#[test]
fn every_comment_stands_above_what_it_explains_and_changes_nothing_else() {
    let options = EmitOptions { module: "explained", ..EmitOptions::default() };
    let text = verilog(&Explained::default(), &options).unwrap();
    assert_eq!(warnings("explained", &text), "");
    assert!(text.contains("wire [3:0] step = 4'd1;"), "{text}");
    assert!(text.contains("assign above = up ? level + step : level;"), "{text}");
    insta::assert_snapshot!(text);
}

/// Combinational statements: conditions, a sum built up, a struct, a default with one exception.
#[test]
fn the_blocks_of_the_differential_test() {
    for (module, block) in [
        ("rows", &Rows::default() as &dyn Block),
        ("fields", &Fields::default()),
        ("packing", &Packing::default()),
        ("feedthrough", &Feedthrough::default()),
        ("machine", &Machine::new()),
        ("operators", &Operators::<8, 9>::default()),
    ] {
        let options = EmitOptions { module, ..EmitOptions::default() };
        let text = verilog(block, &options).unwrap();
        assert_eq!(warnings(module, &text), "");
        insta::assert_snapshot!(module, text);
    }
}

#[test]
fn the_same_design_gives_the_same_bytes() {
    let options = EmitOptions { module: "machine", ..EmitOptions::default() };
    let text = || verilog(&Machine::new(), &options).unwrap();
    assert_eq!(text(), text());
}

#[test]
fn identical_blocks_share_a_module() {
    let options = EmitOptions { module: "machine", ..EmitOptions::default() };
    let text = verilog(&Machine::new(), &options).unwrap();
    assert_eq!(text.matches("\nmodule ").count(), 2, "{text}");
    assert_eq!(text.matches("machine_lane lanes_").count(), 2, "{text}");
}

#[test]
fn a_name_holds_no_dollar_sign() {
    let options = EmitOptions { module: "machine", ..EmitOptions::default() };
    let text = verilog(&Machine::new(), &options).unwrap();
    assert!(!text.replace("$signed", "").contains('$'), "{text}");
}
