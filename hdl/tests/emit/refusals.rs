//! What the backend refuses, and that it names the block.

use respray_hdl::comment;
use respray_hdl::emit::{EmitError, EmitOptions, verilog};
use respray_hdl::manifest::{Direction, Port};
use respray_hdl::prims::{Param, SimpleDualPort};
use rust_hdl::prelude::*;

fn refusal(top: &dyn Block) -> EmitError {
    let options = EmitOptions { module: "top", ..EmitOptions::default() };
    verilog(top, &options).expect_err("this design must be refused")
}

/// One block of a few ports whose `update` is given.
macro_rules! block {
    ($name:ident { $($field:ident: $ty:ty),* $(,)? } $($update:tt)*) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            $(pub $field: $ty,)*
        }
        impl Logic for $name {
            $($update)*
        }
    };
}

/// A top with the block under test within it.
macro_rules! within {
    ($top:ident, $inner:ident) => {
        block!($top { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, inner: $inner }
            #[hdl_gen]
            fn update(&mut self) {
                self.inner.a.next = self.a.val();
                self.y.next = self.inner.y.val();
            });
    };
}

const WIDE_OFFSET: u64 = 3;

block!(ReadsConst { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.a.val() + WIDE_OFFSET;
});
within!(ReadsConstTop, ReadsConst);

#[test]
fn a_rust_const_in_an_expression_is_an_unknown_identifier() {
    let error = refusal(&ReadsConstTop::default());
    assert_eq!(error, EmitError::UnknownIdentifier { block: "top.inner".into(), name: "WIDE_OFFSET".into() });
    let text = error.to_string();
    assert!(text.starts_with("top.inner: unknown identifier `WIDE_OFFSET`; "), "{text}");
}

#[derive(LogicBlock, Default)]
struct ReadsGeneric<const N: usize> {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
}

impl<const N: usize> Logic for ReadsGeneric<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val().get_bits::<8>(N);
    }
}

#[test]
fn a_const_generic_in_an_expression_is_an_unknown_identifier() {
    let error = refusal(&ReadsGeneric::<2>::default());
    assert_eq!(error, EmitError::UnknownIdentifier { block: "top".into(), name: "N".into() });
}

#[derive(LogicBlock, Default)]
struct IndexesBySignal {
    a: Signal<In, Bits<2>>,
    y: Signal<Out, Bits<8>>,
    row: [Signal<Local, Bits<8>>; 4],
}

impl Logic for IndexesBySignal {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..4 {
            self.row[i].next = bits::<8>(3);
        }
        self.y.next = self.row[self.a.val().index()].val();
    }
}

#[test]
fn an_array_is_indexed_by_loops_and_constants_and_not_by_a_signal() {
    let error = refusal(&IndexesBySignal::default());
    assert_eq!(error, EmitError::UnknownIdentifier { block: "top".into(), name: "a.index()".into() });
}

block!(Latch { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    if self.a.val() == 3 {
        self.y.next = self.a.val();
    }
});
within!(LatchTop, Latch);

#[test]
fn an_output_that_is_not_always_assigned_is_a_latch() {
    let error = refusal(&LatchTop::default());
    assert_eq!(error, EmitError::Latch { block: "top.inner".into(), signal: "y".into() });
    assert!(error.to_string().starts_with("top.inner: `y` is not assigned on every path"), "{error}");
}

block!(RegisterLatch { clk: Signal<In, Clock>, a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, held: DFF<Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.held.clock.next = self.clk.val();
    if self.a.val() == 3 {
        self.held.d.next = self.a.val();
    }
    self.y.next = self.held.q.val();
});

#[test]
fn a_register_without_a_default_is_a_latch() {
    let error = refusal(&RegisterLatch::default());
    assert_eq!(error, EmitError::Latch { block: "top".into(), signal: "held.d".into() });
}

block!(Unfollowed { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.a.val();
    if self.a.val() == 3 {
        self.y.next = 0.into();
        comment!("Nothing is below.");
    }
});

#[test]
fn a_comment_that_no_statement_follows_is_refused() {
    let (block, comment) = ("top".into(), "Nothing is below.".into());
    assert_eq!(refusal(&Unfollowed::default()), EmitError::Comment { block, comment });
}

block!(CutComment { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    comment!("Of this text (\"a quotation\") rust-hdl keeps a part.");
    self.y.next = self.a.val();
});

#[test]
fn a_comment_of_which_the_ast_lacks_a_part_is_refused() {
    let text = refusal(&CutComment::default()).to_string();
    assert!(text.contains("a comment with a parenthesis behind a quotation mark"), "{text}");
}

block!(Undriven { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, x: Signal<Local, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.a.val() + self.x.val();
});

#[test]
fn a_local_that_nothing_drives_is_refused() {
    assert_eq!(
        refusal(&Undriven::default()),
        EmitError::Undriven { block: "top".into(), signal: "x".into() }
    );
}

block!(WithoutValue { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, steps: [Param<Bits<8>>; 2] }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.a.val() + self.steps[1].val();
});
within!(WithoutValueTop, WithoutValue);

impl WithoutValue {
    fn new(steps: [u64; 2]) -> Self {
        Self { steps: steps.map(|step| Param::new(step.into())), ..Default::default() }
    }
}

#[test]
fn a_block_made_without_its_constructor_is_refused_by_the_name_of_a_parameter() {
    let error = refusal(&WithoutValueTop::default());
    assert_eq!(error, EmitError::NoValue { block: "top.inner".into(), name: "steps.0".into() });
    let options = EmitOptions { module: "top", ..EmitOptions::default() };
    verilog(&WithoutValueTop { inner: WithoutValue::new([3, 5]), ..Default::default() }, &options).unwrap();
}

#[test]
#[should_panic(expected = "a parameter has no value")]
fn the_simulation_stops_at_a_parameter_without_a_value() {
    simulate(&mut WithoutValueTop::default(), 10);
}

block!(WithoutLabel { clk: Signal<In, Clock>, a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, memory: Memory }
#[hdl_gen]
fn update(&mut self) {
    self.memory.clk.next = self.clk.val();
    self.memory.write_enable.next = true;
    self.memory.write_address.next = self.a.val();
    self.memory.write_data.next = self.a.val();
    self.memory.read_address.next = self.a.val();
    self.y.next = self.memory.read_data.val();
});
type Memory = SimpleDualPort<Bits<8>, Bits<8>>;

#[test]
fn a_memory_made_without_its_constructor_is_refused() {
    let EmitError::Unsupported { block, what } = refusal(&WithoutLabel::default()) else {
        panic!("another refusal was expected");
    };
    assert_eq!(block, "top.memory");
    assert!(what.contains("made without its constructor"), "{what}");
}

block!(WritesInput { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.a.next = 3.into();
    self.y.next = self.a.val();
});

#[test]
fn an_input_cannot_be_assigned() {
    assert_eq!(
        refusal(&WritesInput::default()),
        EmitError::InputAssigned { block: "top".into(), signal: "a".into() }
    );
}

block!(Circle { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, p: Signal<Local, Bits<8>>, q: Signal<Local, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.p.next = self.q.val() + self.a.val();
    self.q.next = self.p.val() + 1;
    self.y.next = self.q.val();
});

block!(CircleThroughInstance { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, inner: Adder }
#[hdl_gen]
fn update(&mut self) {
    self.inner.a.next = self.inner.y.val() ^ self.a.val();
    self.y.next = self.inner.y.val();
});

block!(Adder { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.a.val() + 1;
});

#[test]
fn a_combinational_loop_is_refused_also_through_an_instance() {
    let error = refusal(&Circle::default());
    assert_eq!(error, EmitError::CombinationalLoop { block: "top".into(), signals: "`p`, `q`".into() });
    let error = refusal(&CircleThroughInstance::default());
    assert_eq!(error, EmitError::CombinationalLoop { block: "top".into(), signals: "`inner.a`".into() });
}

block!(WideNumber { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.a.val() + 300;
});

#[test]
fn a_number_that_does_not_fit_is_refused() {
    let error = refusal(&WideNumber::default());
    assert_eq!(error, EmitError::Literal { block: "top".into(), value: "300".into(), width: 8 });
}

block!(Keyword { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, priority: Signal<Local, Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.priority.next = self.a.val() + 1;
    self.y.next = self.priority.val() & self.a.val();
});

#[test]
fn a_keyword_is_no_name() {
    assert_eq!(
        refusal(&Keyword::default()),
        EmitError::Name { block: "top".into(), name: "priority".into() }
    );
}

#[test]
fn a_module_has_a_name_that_every_tool_takes() {
    for name in ["reg", "bit", "3a", "a$b", ""] {
        let error = verilog(&Adder::default(), &EmitOptions { module: name, ..EmitOptions::default() });
        assert_eq!(error, Err(EmitError::Name { block: "the design".into(), name: name.into() }));
    }
}

block!(Clash { a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, pair: [Signal<Local, Bit>; 2], pair_0: Signal<Local, Bit> }
#[hdl_gen]
fn update(&mut self) {
    self.pair[0].next = self.a.val().get_bit(0);
    self.pair[1].next = self.a.val().get_bit(1);
    self.pair_0.next = self.pair[0].val() & self.pair[1].val();
    self.y.next = self.a.val().replace_bit(0, self.pair_0.val());
});

#[test]
fn two_signals_of_one_name_are_refused() {
    assert_eq!(
        refusal(&Clash::default()),
        EmitError::NameClash { block: "top".into(), name: "pair_0".into() }
    );
}

block!(GatedClock { clk: Signal<In, Clock>, a: Signal<In, Bits<8>>, y: Signal<Out, Bits<8>>, held: DFF<Bits<8>> }
#[hdl_gen]
fn update(&mut self) {
    self.held.clock.next = !self.clk.val();
    self.held.d.next = self.a.val();
    self.y.next = self.held.q.val();
});

#[test]
fn a_clock_is_passed_on_unchanged() {
    let error = refusal(&GatedClock::default());
    assert_eq!(error, EmitError::Clock { block: "top".into(), register: "held".into() });
}

block!(CastWithoutWidth { a: Signal<In, Signed<8>>, y: Signal<Out, Bit> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = signed_bit_cast::<9, 8>(self.a.val()) < signed_bit_cast::<9, 8>(-self.a.val());
});

#[test]
fn a_signed_cast_needs_a_width_beside_it() {
    assert_eq!(refusal(&CastWithoutWidth::default()), EmitError::SignedCast { block: "top".into() });
}

#[test]
fn ports_must_be_described_as_they_are() {
    let port = |name: &str, direction, width| Port {
        name: name.into(),
        direction,
        width,
        group: "Data".into(),
        meaning: "a number".into(),
    };
    let (a, y) = (port("a", Direction::Input, 8), port("y", Direction::Output, 8));
    for (ports, said) in [
        (vec![a.clone()], "top: port `y` is not described"),
        (vec![a.clone(), y.clone(), port("z", Direction::Input, 1)], "top: port `z` is described but"),
        (
            vec![a.clone(), port("y", Direction::Output, 9)],
            "top: port `y` is described as 9 bits, Output, but is 8",
        ),
        (vec![a.clone(), a.clone(), y.clone()], "top: port `a` is described twice"),
    ] {
        let options = EmitOptions { module: "top", ports: &ports, ..EmitOptions::default() };
        let error = verilog(&Adder::default(), &options).unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
    let options = EmitOptions { module: "top", ports: &[y, a], ..EmitOptions::default() };
    insta::assert_snapshot!(verilog(&Adder::default(), &options).unwrap());
}
