//! Blocks written in rust-hdl, each with a trap for whoever prints them.

use respray_hdl::comment;
use respray_hdl::prims::Param;
use rust_hdl::prelude::*;

use crate::bench;

/// The six rows of wrong output that rust-hdl's own printer gives.
#[derive(LogicBlock, Default)]
pub struct Rows {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub c: Signal<In, Bits<8>>,
    pub n: Signal<In, Bits<4>>,
    pub carry_dropped_then_widened: Signal<Out, Bits<9>>,
    pub sum_is_zero: Signal<Out, Bit>,
    pub sum_shifted_right: Signal<Out, Bits<8>>,
    pub not_is_zero: Signal<Out, Bit>,
    pub xor_of_comparison: Signal<Out, Bit>,
    pub truncated_within: Signal<Out, Bits<8>>,
}

impl Logic for Rows {
    #[hdl_gen]
    fn update(&mut self) {
        self.carry_dropped_then_widened.next = bit_cast::<9, 8>(self.a.val() + self.b.val());
        self.sum_is_zero.next = (self.a.val() + 1) == 0;
        self.sum_shifted_right.next = (self.a.val() + 3) >> 1;
        self.not_is_zero.next = !self.a.val() == 0;
        self.xor_of_comparison.next = self.a.val() ^ self.b.val() != self.c.val();
        self.truncated_within.next = bit_cast::<8, 4>(bit_cast::<4, 8>(self.a.val()) + self.n.val());
    }
}

bench!([] Rows, ; a, b, c, n -> carry_dropped_then_widened, sum_is_zero, sum_shifted_right, not_is_zero,
    xor_of_comparison, truncated_within);

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Inner {
    pub low: Bits<5>,
    pub high: Bits<12>,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Outer {
    pub valid: Bit,
    pub inner: Inner,
    pub count: Bits<9>,
}

/// Fields within fields, bits of fields, and slices of what is no name.
#[derive(LogicBlock, Default)]
pub struct Fields {
    pub a: Signal<In, Bits<12>>,
    pub b: Signal<In, Bits<12>>,
    pub i: Signal<In, Bits<3>>,
    pub bit_of_field: Signal<Out, Bit>,
    pub bits_of_sum: Signal<Out, Bits<5>>,
    pub bit_of_sum: Signal<Out, Bit>,
    pub window_of_product: Signal<Out, Bits<4>>,
    pub nested: Signal<Out, Bits<12>>,
    pub whole: Signal<Out, Bits<27>>,
    pub narrower: Signal<Out, Bits<12>>,
    pub equal: Signal<Out, Bit>,
    pub word: Signal<Local, Outer>,
    pub copy: Signal<Local, Outer>,
}

impl Logic for Fields {
    #[hdl_gen]
    fn update(&mut self) {
        self.word.next.valid = self.a.val().get_bit(0);
        self.word.next.inner.low = self.b.val().get_bits::<5>(7);
        self.word.next.inner.high = self.a.val();
        self.word.next.count = bit_cast::<9, 12>(self.a.val() ^ self.b.val());
        self.copy.next = self.word.val();
        if self.b.val().get_bit(self.i.val().index()) {
            self.copy.next.count = self.word.val().count + 1;
        }
        self.bit_of_field.next = self.copy.val().count.get_bit(3);
        self.bits_of_sum.next = (self.a.val() + self.b.val()).get_bits::<5>(6);
        self.bit_of_sum.next = (self.a.val() - self.b.val()).get_bit(11);
        self.window_of_product.next = (self.a.val() + self.b.val()).get_bits::<4>(self.i.val().index());
        self.nested.next = self.copy.val().inner.high;
        self.whole.next = self.copy.val().into();
        self.narrower.next = self.i.val().index().to_bits();
        self.equal.next = self.copy.val() == self.word.val();
    }
}

bench!([] Fields, ; a, b, i -> bit_of_field, bits_of_sum, bit_of_sum, window_of_product, nested, whole, narrower,
    equal);

/// Every operator at one width, `W` being one more.
#[derive(LogicBlock, Default)]
pub struct Operators<const N: usize, const W: usize> {
    pub a: Signal<In, Bits<N>>,
    pub b: Signal<In, Bits<N>>,
    pub s: Signal<In, Signed<N>>,
    pub t: Signal<In, Signed<N>>,
    pub by: Signal<In, Bits<8>>,
    pub yes: Signal<In, Bit>,
    pub arithmetic: Signal<Out, Bits<N>>,
    pub bitwise: Signal<Out, Bits<N>>,
    pub wide: Signal<Out, Bits<W>>,
    pub left: Signal<Out, Bits<N>>,
    pub right: Signal<Out, Bits<N>>,
    pub mixed: Signal<Out, Bits<N>>,
    pub negated: Signal<Out, Signed<N>>,
    pub signed_wide: Signal<Out, Signed<W>>,
    pub reinterpreted: Signal<Out, Bits<N>>,
    pub tests: Signal<Out, Bits<8>>,
    flags: [Signal<Local, Bit>; 8],
    sum: Signal<Local, Signed<N>>,
}

// Operators mixed without parentheses are what is tested.
#[allow(clippy::precedence, clippy::nonminimal_bool)]
impl<const N: usize, const W: usize> Logic for Operators<N, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arithmetic.next =
            self.a.val() + self.b.val() - (self.b.val() - (self.a.val() - 1)) + self.yes.val();
        self.bitwise.next = self.a.val() & !self.b.val() | (self.a.val() ^ 1) & self.b.val();
        self.wide.next = bit_cast::<W, N>(self.a.val()) + bit_cast::<W, N>(self.b.val() + 1);
        self.left.next = self.a.val() << self.by.val() | self.b.val() << 1;
        self.right.next = self.a.val() + self.b.val() >> self.by.val();
        self.mixed.next =
            bit_cast::<N, W>(bit_cast::<W, N>(self.a.val()) + bit_cast::<W, N>(self.b.val()) >> 1);
        self.sum.next = self.s.val() - self.t.val();
        self.negated.next = -(self.sum.val() + self.s.val());
        // rust-hdl cannot widen the least value.
        self.signed_wide.next = signed_bit_cast::<W, N>(signed_cast::<N>(self.a.val() >> 1));
        self.reinterpreted.next = unsigned_cast::<N>(self.s.val()) ^ self.b.val();
        self.flags[0].next = self.a.val() < self.b.val() && self.a.val() != 0;
        self.flags[1].next = self.s.val() < self.t.val() || self.s.val() == self.t.val();
        self.flags[2].next = self.s.val() >= self.t.val();
        self.flags[3].next = (self.a.val() ^ self.b.val()).xor();
        self.flags[4].next = (self.a.val() | self.b.val()).all();
        self.flags[5].next = (self.a.val() & self.b.val()).any() ^ self.yes.val();
        self.flags[6].next = !(self.a.val() + 1 > self.b.val());
        self.flags[7].next = self.a.val().replace_bit(0, self.yes.val()) <= self.b.val();
        self.tests.next = 0.into();
        for i in 0..8 {
            self.tests.next = self.tests.val().replace_bit(i, self.flags[i].val());
        }
    }
}

bench!([const N: usize, const W: usize] Operators<N, W>, ; a, b, s, t, by, yes -> arithmetic, bitwise, wide, left,
    right, mixed, negated, signed_wide, reinterpreted, tests);

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Turn {
    First,
    Second,
    Third,
}

#[derive(LogicInterface, Default)]
#[join = "Source"]
pub struct Sink {
    pub data: Signal<In, Bits<6>>,
    pub valid: Signal<In, Bit>,
    pub full: Signal<Out, Bit>,
}

// No block here drives one, but rust-hdl wants the other end of an interface.
#[allow(dead_code)]
#[derive(LogicInterface, Default)]
#[join = "Sink"]
pub struct Source {
    pub data: Signal<Out, Bits<6>>,
    pub valid: Signal<Out, Bit>,
    pub full: Signal<In, Bit>,
}

/// Two entries behind an interface.
#[derive(LogicBlock, Default)]
pub struct Lane {
    pub clock: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub sink: Sink,
    pub out: Signal<Out, Bits<6>>,
    held: DFF<Bits<6>>,
    busy: DFF<Bit>,
}

impl Logic for Lane {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module lane: one entry");
        dff_setup!(self, clock, held, busy);
        self.sink.full.next = self.busy.q.val();
        self.out.next = self.held.q.val();
        if self.sink.valid.val() && !self.busy.q.val() {
            self.held.d.next = self.sink.data.val();
        }
        self.busy.d.next = self.sink.valid.val() & !self.busy.q.val();
        if self.rst.val() {
            self.busy.d.next = false;
            self.held.d.next = 0.into();
        }
    }
}

/// Registers with and without reset, enables, a state machine, arrays of registers and of instances, an interface.
#[derive(LogicBlock, Default)]
pub struct Machine {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub go: Signal<In, Bit>,
    pub x: Signal<In, Bits<6>>,
    pub y: Signal<Out, Bits<6>>,
    pub turn_is: Signal<Out, Bits<2>>,
    pub total: Signal<Out, Bits<6>>,
    pub upcoming: Signal<Out, Bits<6>>,
    pub full: Signal<Out, Bit>,
    pub word: Signal<Out, Bits<17>>,
    turn: DFF<Turn>,
    pipe: [DFF<Bits<6>>; 3],
    count: DFF<Bits<6>>,
    stage: DFF<Inner>,
    lanes: [Lane; 2],
    step: Param<Bits<6>>,
    sum: Signal<Local, Bits<6>>,
}

impl Machine {
    pub fn new() -> Self {
        Self { step: Param::new(5.into()), ..Default::default() }
    }
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, turn, count, stage);
        for i in 0..3 {
            self.pipe[i].clock.next = self.clk.val();
            self.pipe[i].d.next = self.pipe[i].q.val();
        }
        for i in 0..2 {
            self.lanes[i].clock.next = self.clk.val();
            self.lanes[i].rst.next = self.rst.val();
            self.lanes[i].sink.valid.next = self.go.val();
            self.lanes[i].sink.data.next = self.x.val() + self.pipe[i + 1].q.val();
        }
        if self.go.val() {
            self.pipe[0].d.next = self.x.val();
            for i in 0..2 {
                self.pipe[i + 1].d.next = self.pipe[i].q.val();
            }
            self.stage.d.next.low = self.x.val().get_bits::<5>(1);
        }
        self.stage.d.next.high = self.stage.q.val().high + 1;
        self.sum.next = 0.into();
        for i in 0..3 {
            self.sum.next = self.sum.val() + self.pipe[i].q.val();
        }
        match self.turn.q.val() {
            Turn::First => {
                if self.go.val() {
                    self.turn.d.next = Turn::Second;
                }
            }
            Turn::Second => {
                self.turn.d.next = Turn::Third;
                self.count.d.next = self.count.q.val() + self.step.val();
            }
            Turn::Third => {
                self.turn.d.next = Turn::First;
            }
        }
        self.upcoming.next = self.count.d.val();
        self.total.next = self.sum.val();
        self.turn_is.next = self.turn.q.val().into();
        self.full.next = self.lanes[0].sink.full.val() ^ self.lanes[1].sink.full.val();
        self.y.next = self.lanes[0].out.val() & self.lanes[1].out.val();
        self.word.next = self.stage.q.val().into();
        if self.rst.val() {
            self.turn.d.next = Turn::First;
            self.count.d.next = 0.into();
            for i in 0..3 {
                self.pipe[i].d.next = 0.into();
            }
            self.stage.d.next.high = 0.into();
            self.stage.d.next.low = 0.into();
        }
    }
}

bench!([] Machine, clk; rst, go, x -> y, turn_is, total, upcoming, full, word);

/// Adds one.
#[derive(LogicBlock, Default)]
pub struct Increment {
    pub x: Signal<In, Bits<8>>,
    pub y: Signal<Out, Bits<8>>,
}

impl Logic for Increment {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.x.val() + 1;
    }
}

/// One `if` that feeds an instance and reads it: in one process that would be a loop to a simulator. Its outputs have
/// nothing to do with the instance and stay together.
#[derive(LogicBlock, Default)]
pub struct Feedthrough {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub y: Signal<Out, Bits<8>>,
    pub high: Signal<Out, Bits<8>>,
    pub low: Signal<Out, Bits<8>>,
    inner: Increment,
    swapped: Signal<Local, Bit>,
}

impl Logic for Feedthrough {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.x.next = self.a.val();
        self.y.next = 0.into();
        self.swapped.next = self.a.val() < self.b.val();
        if self.a.val().get_bit(0) {
            self.inner.x.next = self.b.val();
            self.y.next = self.inner.y.val();
        } else {
            comment!("Nothing to add to.");
            self.y.next = self.b.val() - self.a.val();
            if self.swapped.val() {
                self.y.next = self.a.val();
            }
        }
        comment!("In order.");
        if self.swapped.val() {
            self.high.next = self.b.val();
            self.low.next = self.a.val();
        } else {
            self.high.next = self.a.val();
            self.low.next = self.b.val();
        }
    }
}

bench!([] Feedthrough, ; a, b -> y, high, low);

/// A local that is assigned anew in every round of a loop, and wired to an instance in each.
#[derive(LogicBlock, Default)]
pub struct Rounds {
    pub pair: Signal<In, Bits<16>>,
    pub sums: Signal<Out, Bits<16>>,
    one: Signal<Local, Bits<8>>,
    sum: Signal<Local, Bits<8>>,
    increments: [Increment; 2],
}

impl Logic for Rounds {
    #[hdl_gen]
    fn update(&mut self) {
        self.sums.next = 0.into();
        for i in 0..2 {
            self.one.next = self.pair.val().get_bits::<8>(8 * i);
            self.increments[i].x.next = self.one.val();
            self.sum.next = self.increments[i].y.val();
            self.sums.next = (self.sums.val() >> 8) | (bit_cast::<16, 8>(self.sum.val()) << 8);
        }
    }
}

bench!([] Rounds, ; pair -> sums);

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Place {
    pub row: Bits<2>,
    pub word: Bits<3>,
}

/// Arrays that are indexed by sums, differences, products, quotients and remainders of loop indices, numbers and parameters.
#[derive(LogicBlock, Default)]
pub struct Indexed {
    pub a: Signal<In, Bits<64>>,
    pub sums: Signal<Out, Bits<8>>,
    pub last: Signal<Out, Bits<8>>,
    pub literal: Signal<Out, Bits<8>>,
    bytes: [Signal<Local, Bits<8>>; 8],
    increments: [Increment; 8],
    place: Param<Place>,
    sum: Signal<Local, Bits<8>>,
}

impl Indexed {
    pub fn new() -> Self {
        Self { place: Param::new(Place { row: 2.into(), word: 6.into() }), ..Default::default() }
    }
}

impl Logic for Indexed {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..4 {
            for j in 1..3 {
                self.bytes[2 * i + j - 1].next = self.a.val().get_bits::<8>(8 * (2 * i + j - 1));
            }
        }
        for i in 0..8 {
            self.increments[7 - i].x.next = self.bytes[(i * 3 + 1) % 8].val();
        }
        self.sum.next = 0.into();
        for i in 1..4 {
            for j in 3..5 {
                self.sum.next = (self.sum.val() << 1) + self.increments[(j - 1) * 2 / i].y.val();
            }
        }
        self.sums.next = self.sum.val();
        self.last.next = 0.into();
        for i in 0..2 {
            self.last.next = self.last.val() ^ self.bytes[self.place.val().word.index() - i].val();
        }
        self.literal.next =
            self.bytes[0x0_1_usize].val() - self.bytes[self.place.val().row.index() + 1].val();
    }
}

bench!([] Indexed, ; a -> sums, last, literal);
