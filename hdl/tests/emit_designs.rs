//! Small designs and their Verilog, as a reader sees it.

#[allow(dead_code)]
mod differential;

use differential::blocks::{Feedthrough, Fields, Machine, Operators, Rows};
use differential::warnings;
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

/// Combinational statements: conditions, a sum built up, a struct, a default with one exception.
#[test]
fn the_blocks_of_the_differential_test() {
    for (module, block) in [
        ("rows", &Rows::default() as &dyn Block),
        ("fields", &Fields::default()),
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
