//! The project's `hdl_gen` beside rust-hdl's own: of one block, both make the same tree and drive the same signals.

use respray_hdl::comment;
use respray_hdl::prims::Param;
use respray_hdl::signal_struct;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Pair {
    pub low: Bits<5>,
    pub high: Bits<12>,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Nested {
    pub valid: Bit,
    pub pair: Pair,
    pub count: Bits<9>,
}

signal_struct! {
    /// A struct whose fields have the widths of the block.
    pub struct Sized<const N: usize, const M: usize> {
        pub first: Bits<N>,
        pub second: Bits<M>,
        pub last: bool,
    }
}

/// What rust-hdl's own `hdl_gen` asks a struct for, which derives it for `LogicStruct` alone.
impl<const N: usize, const M: usize> Sized<N, M> {
    pub fn get_my_width_first(&self) -> usize {
        N
    }

    pub fn get_my_offset_first(&self) -> usize {
        0
    }

    pub fn get_my_width_second(&self) -> usize {
        M
    }

    pub fn get_my_offset_second(&self) -> usize {
        N
    }

    pub fn get_my_width_last(&self) -> usize {
        1
    }

    pub fn get_my_offset_last(&self) -> usize {
        N + M
    }
}

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
    pub full: Signal<Out, Bit>,
}

#[derive(LogicInterface, Default)]
#[join = "Sink"]
pub struct Source {
    pub data: Signal<Out, Bits<6>>,
    pub full: Signal<In, Bit>,
}

#[derive(LogicBlock, Default)]
pub struct Producer {
    pub bus: Source,
}

impl Logic for Producer {
    #[hdl_gen]
    fn update(&mut self) {
        self.bus.data.next = 5.into();
    }
}

#[derive(LogicBlock, Default)]
pub struct Consumer {
    pub bus: Sink,
    pub passed: Sink,
}

impl Logic for Consumer {
    #[hdl_gen]
    fn update(&mut self) {
        Sink::link(&mut self.bus, &mut self.passed);
    }
}

/// The block whose `update` has every construct, with one of the attributes.
macro_rules! every_construct {
    ($module:ident, $attribute:path) => {
        mod $module {
            use super::*;

            #[derive(LogicBlock, Default)]
            pub struct Every<const N: usize, const M: usize, const L: usize> {
                pub clk: Signal<In, Clock>,
                pub yes: Signal<In, Bit>,
                pub a: Signal<In, Bits<N>>,
                pub b: Signal<In, Bits<N>>,
                pub s: Signal<In, Signed<N>>,
                pub wide: Signal<Out, Bits<M>>,
                pub y: Signal<Out, Bits<N>>,
                pub z: Signal<Out, Bits<128>>,
                pub sum: Signal<Out, Signed<N>>,
                pub far: Sink,
                flags: [Signal<Local, Bit>; 12],
                row: [Signal<Local, Bits<N>>; 5],
                next: Signal<Local, Bit>,
                pair: Signal<Local, Pair>,
                nested: Signal<Local, Nested>,
                sized: Signal<Local, Sized<N, M>>,
                turn: DFF<Turn>,
                held: DFF<Sized<M, N>>,
                plain: DFF<Bits<N>>,
                producer: Producer,
                consumer: Consumer,
                inner: Sink,
                place: Param<Bits<4>>,
            }

            impl<const N: usize, const M: usize, const L: usize> Every<N, M, L> {
                pub fn new() -> Self {
                    Self { turn: DFF::default(), place: Param::new(2.into()), ..Default::default() }
                }
            }

            impl<const N: usize, const M: usize, const L: usize> Logic for Every<N, M, L> {
                #[$attribute]
                fn update(&mut self) {
                    comment!(
                        "module every: a \"comment\" with a backslash \\, which goes on
                        in another line"
                    );
                    clock!(self, clk, turn);
                    dff_setup!(self, clk, turn, held, plain);
                    Source::join(&mut self.producer.bus, &mut self.consumer.bus);
                    Sink::link(&mut self.far, &mut self.inner);
                    assert!(L > 0, "a check of the Rust side");
                    // Sums, operators and literals of all kinds.
                    self.y.next = self.a.val() + self.b.val() - (self.b.val() - (self.a.val() - 1));
                    self.y.next = self.a.val() & !self.b.val() | (self.a.val() ^ 0x1_u64) & self.b.val();
                    self.y.next = self.a.val() << self.b.val() | self.b.val() >> 1;
                    self.z.next = bits::<128>(0x1234_5678_9abc_def0_u64) | bits::<128>(0b11_u64);
                    self.z.next = self.z.val() ^ 77_u64;
                    self.wide.next = bit_cast::<M, N>(self.a.val()) + bits::<M>(3);
                    self.wide.next = bit_cast::<M, 4>(self.a.val().get_bits::<4>(self.b.val().index()));
                    self.y.next = bit_cast::<N, { 2 + 1 }>(self.wide.val().get_bits::<{ 2 + 1 }>(1));
                    self.sum.next = self.s.val() + signed_cast::<N>(self.a.val());
                    self.sum.next = -self.s.val();
                    self.sum.next = signed_bit_cast::<N, N>(self.s.val());
                    self.y.next = unsigned_cast::<N>(self.s.val());
                    self.y.next = self.y.val().replace_bit(1, self.yes.val());
                    self.flags[0].next = self.a.val() < self.b.val() && self.a.val() != 0;
                    self.flags[1].next = self.a.val() <= self.b.val() || self.a.val() == self.b.val();
                    self.flags[2].next = self.s.val() >= self.s.val();
                    self.flags[3].next = self.a.val() > self.b.val();
                    self.flags[4].next =
                        (self.a.val() ^ self.b.val()).xor() & self.a.val().all() | self.b.val().any();
                    self.flags[5].next = self.a.val().get_bit(self.b.val().index());
                    self.flags[6].next = self.a.val().get_bit(3) ^ true;
                    self.next.next = false;
                    self.flags[7].next = self.next.val();
                    // Structs.
                    self.pair.next = self.nested.val().pair;
                    self.pair.next.low = self.nested.val().pair.low;
                    self.nested.next.pair.high = self.pair.val().high;
                    self.nested.next.count = bits::<9>(2) + self.nested.val().count;
                    self.nested.next.valid = self.pair.val().low.get_bit(2);
                    self.sized.next.first = self.a.val();
                    self.sized.next.second = self.held.q.val().first;
                    self.held.d.next.second = self.sized.val().first;
                    self.held.d.next.last = self.sized.val().last;
                    // Statements.
                    for i in 0..L {
                        self.row[i].next = self.a.val() + 1;
                        self.flags[i].next = self.row[i].val().get_bit(i);
                        for j in 0..2 {
                            self.row[i].next = self.row[(i + j) % L].val();
                        }
                    }
                    for i in 2..4_usize {
                        self.y.next = self.y.val().replace_bit(i, self.flags[i + 1].val());
                    }
                    self.flags[11].next = self.flags[self.place.val().index()].val();
                    if self.yes.val() {
                        self.plain.d.next = self.a.val();
                    } else if self.flags[8].val() {
                        comment!("In a branch.");
                        self.plain.d.next = self.b.val();
                    } else {
                        self.plain.d.next = 0.into();
                        if self.flags[0].val() {}
                    }
                    match self.turn.q.val() {
                        Turn::First => self.turn.d.next = Turn::Second,
                        Turn::Second => {
                            self.turn.d.next = Turn::Third;
                            self.flags[9].next = true;
                        }
                        _ => {}
                    }
                    match self.yes.val() {
                        true => self.flags[10].next = false,
                        false => self.flags[10].next = true,
                    }
                }
            }
        }
    };
}

every_construct!(ours, respray_hdl_macros::hdl_gen);
every_construct!(theirs, rust_hdl::prelude::hdl_gen);

/// The atoms that have a driver.
#[derive(Default)]
struct Driven {
    path: Vec<String>,
    found: Vec<String>,
}

impl Probe for Driven {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.to_string());
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.to_string());
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        if atom.connected() {
            self.found.push(format!("{}.{name}", self.path.join(".")));
        }
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
}

fn driven(mut block: impl Block) -> Vec<String> {
    let mut driven = Driven::default();
    block.connect_all();
    block.accept("every", &mut driven);
    driven.found
}

fn tree(block: impl Logic) -> String {
    format!("{:#?}", block.hdl())
}

#[test]
fn both_attributes_make_the_same_tree_of_every_construct() {
    let small = (tree(ours::Every::<8, 12, 3>::new()), tree(theirs::Every::<8, 12, 3>::new()));
    assert_eq!(small.0, small.1);
    let large = (tree(ours::Every::<10, 100, 5>::new()), tree(theirs::Every::<10, 100, 5>::new()));
    assert_eq!(large.0, large.1);
    assert_ne!(small.0, large.0, "the sizes show in the tree");
}

#[test]
fn both_attributes_drive_the_same_signals() {
    let found = driven(ours::Every::<8, 12, 3>::new());
    assert_eq!(found, driven(theirs::Every::<8, 12, 3>::new()));
    assert!(found.contains(&"every.plain.d".to_string()), "{found:?}");
}
