//! The attribute `block`: what it makes beside rust-hdl's own form of the same hardware, as Verilog and in simulation.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::emit::{EmitError, EmitOptions, verilog};
use respray_hdl::prims::{Array, Param, Reg, Stream, join, resize};
use respray_hdl::{comment, signal_struct};
use respray_hdl_macros::block;
use rust_hdl::prelude::*;

signal_struct! {
    /// What goes through the stage.
    pub struct Item {
        pub kind: Bits<2>,
        @flat pub rest: Rest,
    }
}

signal_struct! {
    /// All of it but its kind.
    pub struct Rest {
        pub value: Bits<8>,
        pub is_last: bool,
    }
}

/// A stage of a stream that keeps one item, and the sum of their values.
#[block]
pub struct Stage {
    pub taken: Stream<In, Item>,
    pub given: Stream<Out, Item>,
    pub sum: Signal<Out, Bits<12>>,

    #[reset = false]
    is_full: Reg<bool>,
    item: Reg<Item>,
    #[reset = start]
    total: Reg<Bits<12>>,
    start: Param<Bits<12>>,
}

#[block]
impl Stage {
    fn new() -> Self {
        Self { start: Param::new(5.into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module stage: one item, and the sum of all");
        let moves = !self.is_full | self.given.ready;
        self.taken.ready = moves;
        let mut more: Bits<12> = 0;
        if moves {
            self.is_full = self.taken.valid;
            self.item.kind = self.taken.item.kind + 1;
            self.item.rest = self.taken.item.rest;
            more = resize(self.taken.item.rest.value);
        }
        if self.taken.valid {
            self.total = self.total + more;
        }
        self.given.valid = self.is_full;
        self.given.item = self.item;
        self.sum = self.total;
    }
}

/// Two of them, one behind the other.
#[block]
pub struct Stages {
    pub taken: Stream<In, Item>,
    pub given: Stream<Out, Item>,
    pub sum: Signal<Out, Bits<12>>,
    pub seen: Signal<Out, Bits<4>>,

    first: Stage,
    second: Stage,
    #[reset = 1]
    ends: Array<Reg<Bits<4>>, 2>,
}

#[block]
impl Stages {
    fn new() -> Self {
        Self { first: Stage::new(), second: Stage::new(), ..Default::default() }
    }

    fn update(&mut self) {
        join(self.first.taken, self.taken);
        join(self.second.taken, self.first.given);
        join(self.given, self.second.given);
        for i in 0..2 {
            if self.first.given.item.rest.is_last {
                self.ends[i] = self.ends[i] + 1;
            }
        }
        self.seen = self.ends[0] ^ self.ends[1] ^ resize(self.first.given.item.kind);
        self.sum = self.second.sum;
    }
}

/// The same as [`Stage`] in rust-hdl's own form.
#[derive(LogicBlock, Default)]
pub struct OldStage {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub taken_valid: Signal<In, bool>,
    pub taken_ready: Signal<Out, bool>,
    pub taken_kind: Signal<In, Bits<2>>,
    pub taken_value: Signal<In, Bits<8>>,
    pub taken_is_last: Signal<In, bool>,
    pub given_valid: Signal<Out, bool>,
    pub given_ready: Signal<In, bool>,
    pub given_kind: Signal<Out, Bits<2>>,
    pub given_value: Signal<Out, Bits<8>>,
    pub given_is_last: Signal<Out, bool>,
    pub sum: Signal<Out, Bits<12>>,
    moves: Signal<Local, bool>,
    more: Signal<Local, Bits<12>>,
    is_full: DFF<bool>,
    item_kind: DFF<Bits<2>>,
    item_value: DFF<Bits<8>>,
    item_is_last: DFF<bool>,
    total: DFF<Bits<12>>,
    start: Param<Bits<12>>,
}

impl Logic for OldStage {
    #[respray_hdl_macros::hdl_gen]
    fn update(&mut self) {
        comment!("module stage: one item, and the sum of all");
        dff_setup!(self, clk, is_full, item_kind, item_value, item_is_last, total);
        self.moves.next = !self.is_full.q.val() | self.given_ready.val();
        self.taken_ready.next = self.moves.val();
        self.more.next = 0.into();
        if self.moves.val() {
            self.is_full.d.next = self.taken_valid.val();
            self.item_kind.d.next = self.taken_kind.val() + 1;
            self.item_value.d.next = self.taken_value.val();
            self.item_is_last.d.next = self.taken_is_last.val();
            self.more.next = bit_cast::<12, 8>(self.taken_value.val());
        }
        if self.taken_valid.val() {
            self.total.d.next = self.total.q.val() + self.more.val();
        }
        self.given_valid.next = self.is_full.q.val();
        self.given_kind.next = self.item_kind.q.val();
        self.given_value.next = self.item_value.q.val();
        self.given_is_last.next = self.item_is_last.q.val();
        self.sum.next = self.total.q.val();
        if self.rst.val() {
            self.is_full.d.next = false;
            self.total.d.next = self.start.val();
        }
    }
}

fn printed(top: &dyn Block) -> Result<String, EmitError> {
    verilog(top, &EmitOptions { module: "stage", ..EmitOptions::default() })
}

#[test]
fn a_block_is_the_verilog_of_rust_hdls_own_form() {
    let old = OldStage { start: Param::new(5.into()), ..Default::default() };
    let (old, new) = (printed(&old).unwrap(), printed(&Stage::new()).unwrap());
    // a register that is a struct is assigned whole, and then its field
    let lines =
        |text: &str| text.lines().map(str::trim).filter(|line| !line.is_empty()).map(String::from).collect();
    let (old, new): (Vec<String>, Vec<String>) = (lines(&old), lines(&new));
    assert_eq!(old, new);
}

#[test]
fn a_block_runs_as_rust_hdls_own_form_does() {
    let mut old = OldStage { start: Param::new(5.into()), ..Default::default() };
    let mut new = Stage::new();
    let mut random = StdRng::seed_from_u64(54);
    for cycle in 0..2000 {
        let (rst, valid, ready) = (random.random_ratio(1, 50), random.random(), random.random());
        let (kind, value) = (random.random_range(0..4u64), random.random_range(0..256u64));
        for is_high in [false, true] {
            (old.clk.next, new.clk.next) = (Clock { clk: is_high }, Clock { clk: is_high });
            (old.rst.next, new.rst.next) = (rst, rst);
            (old.taken_valid.next, new.taken.valid.next) = (valid, valid);
            (old.given_ready.next, new.given.ready.next) = (ready, ready);
            (old.taken_kind.next, old.taken_value.next) = (kind.into(), value.into());
            let rest = Rest { value: value.into(), is_last: value == 0 };
            new.taken.item.next = Item { kind: kind.into(), rest };
            old.taken_is_last.next = value == 0;
            assert!(simulate(&mut old, 10) && simulate(&mut new, 10));
        }
        let item = Item {
            kind: old.given_kind.val(),
            rest: Rest { value: old.given_value.val(), is_last: old.given_is_last.val() },
        };
        let of_old = (old.taken_ready.val(), old.given_valid.val(), item, old.sum.val());
        let of_new = (new.taken.ready.val(), new.given.valid.val(), new.given.item.val(), new.sum.val());
        assert_eq!(of_old, of_new, "cycle {cycle}");
    }
}

#[test]
fn streams_are_joined_both_ways_and_parts_have_clock_and_reset() {
    let text = printed(&Stages::new()).unwrap();
    for line in [
        ".clk(clk)",
        ".rst(rst)",
        ".taken_valid(taken_valid)",
        ".given_ready(given_ready)",
        ".taken_valid(first_given_valid)",
        ".given_ready(second_taken_ready)",
        ".taken_is_last(first_given_is_last)",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let mut top = Stages::new();
    top.connect_all();
    rust_hdl::core::check_connected::check_connected(&top).unwrap();
}

/// A block whose part has an input that nothing drives, and one that gives its part another reset.
#[block]
pub struct Unjoined {
    pub taken: Stream<In, Item>,
    pub given: Stream<Out, Item>,
    stage: Stage,
}

#[block]
impl Unjoined {
    fn update(&mut self) {
        self.stage.rst = self.rst | self.taken.valid;
        self.stage.taken.valid = self.taken.valid;
        self.stage.taken.item = self.taken.item;
        self.taken.ready = self.stage.taken.ready;
        self.given.valid = self.stage.given.valid;
        self.given.item = self.stage.given.item;
    }
}

#[test]
fn an_input_of_a_part_that_nothing_drives_is_named() {
    let error = printed(&Unjoined { stage: Stage::new(), ..Default::default() }).unwrap_err().to_string();
    assert!(error.contains("stage.given.ready"), "{error}");
    assert!(error.starts_with("stage: "), "{error}");
}

/// The same, whole: a reset that the block gives goes before its own.
#[block]
pub struct Rejoined {
    pub taken: Stream<In, Item>,
    pub given: Stream<Out, Item>,
    stage: Stage,
}

#[block]
impl Rejoined {
    fn update(&mut self) {
        self.stage.rst = self.rst | self.taken.valid;
        join(self.stage.taken, self.taken);
        join(self.given, self.stage.given);
    }
}

#[test]
fn a_reset_that_a_block_gives_its_part_goes_before_its_own() {
    let text = printed(&Rejoined { stage: Stage::new(), ..Default::default() }).unwrap();
    assert!(text.contains("wire stage_rst = rst | taken_valid;"), "{text}");
}
