//! Random designs: an `update` of assignments, conditions, matches, loops and struct fields, held as data, so that one
//! binary makes any number of them. They run in rust-hdl's simulator; every operator is rust-hdl's own.

use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::core::ast::{
    VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression, VerilogLoop, VerilogMatch,
    VerilogStatement,
};
use rust_hdl::prelude::*;

use super::operators::Op;
use super::tree::{Grower, Place, Tree, Ty, unsigned};
use super::{Case, bench};
use respray_hdl::emit::{EmitOptions, verilog};

/// A signal whose type is data.
struct Wire {
    /// Name as the probe gives it, e.g. `row$2`.
    name: String,
    kind: AtomKind,
    ty: TypeDescriptor,
    width: usize,
}

impl Atom for Wire {
    fn bits(&self) -> usize {
        self.width
    }
    fn connected(&self) -> bool {
        true
    }
    fn changed(&self) -> bool {
        false
    }
    fn kind(&self) -> AtomKind {
        self.kind
    }
    fn descriptor(&self) -> TypeDescriptor {
        self.ty.clone()
    }
    fn vcd(&self) -> VCDValue {
        VCDValue::from(false)
    }
    fn id(&self) -> usize {
        0
    }
    fn verilog(&self) -> VerilogLiteral {
        false.into()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        vec![]
    }
}

/// One statement.
enum Step {
    Assign(Place, Tree),
    If(Tree, Vec<Step>, Vec<Step>),
    /// On an enum of four variants; `None` is `_`.
    Match(Place, Vec<(Option<usize>, Vec<Step>)>),
    /// `for i in 0..rows { acc = acc op row[i] }`.
    Fold {
        op: Op,
        acc: Place,
        rows: Vec<Place>,
        array: String,
    },
}

const VARIANTS: [&str; 4] = ["Idle", "Wait", "Send", "Done"];

impl Step {
    fn ast(&self) -> VerilogStatement {
        let block = |steps: &[Step]| steps.iter().map(Step::ast).collect::<Vec<_>>();
        match self {
            Step::Assign(Place { name, field: Some(offset), ty, .. }, tree) => {
                VerilogStatement::SliceAssignment {
                    base: VerilogExpression::Signal(name.clone()),
                    width: ty.width,
                    offset: VerilogExpression::Literal((*offset).into()),
                    replacement: tree.ast(),
                }
            }
            Step::Assign(place, tree) => VerilogStatement::Assignment(
                VerilogExpression::Signal(format!("{}$next", place.name)),
                tree.ast(),
            ),
            Step::If(test, then, other) => VerilogStatement::If(VerilogConditional {
                test: test.ast(),
                then: block(then),
                otherwise: match &other[..] {
                    [] => VerilogBlockOrConditional::None,
                    [one @ Step::If(..)] => VerilogBlockOrConditional::Conditional(Box::new(one.ast())),
                    other => VerilogBlockOrConditional::Block(block(other)),
                },
            }),
            Step::Match(place, arms) => VerilogStatement::Match(VerilogMatch {
                test: VerilogExpression::Signal(place.name.clone()),
                cases: arms
                    .iter()
                    .map(|(variant, steps)| VerilogCase {
                        condition: variant.map_or("default".to_string(), |v| format!("Mode${}", VARIANTS[v])),
                        block: block(steps),
                    })
                    .collect(),
            }),
            Step::Fold { op, acc, rows, array } => VerilogStatement::Loop(VerilogLoop {
                index: "i".to_string(),
                from: 0_usize.into(),
                to: rows.len().into(),
                block: vec![VerilogStatement::Assignment(
                    VerilogExpression::Signal(format!("{}$next", acc.name)),
                    Tree::Binary(
                        *op,
                        acc.ty.width,
                        Box::new(Tree::Read(acc.clone())),
                        Box::new(Tree::Read(Place { name: format!("{array}[i]"), ..rows[0].clone() })),
                    )
                    .ast(),
                )],
            }),
        }
    }

    fn run(&self, values: &mut [BigUint]) {
        match self {
            Step::Assign(place, tree) => {
                let value = tree.evaluate(values);
                put(values, place, value);
            }
            Step::If(test, then, other) => {
                let chosen = if test.evaluate(values) == BigUint::ZERO { other } else { then };
                chosen.iter().for_each(|step| step.run(values));
            }
            Step::Match(place, arms) => {
                let value = usize::try_from(&values[place.signal]).unwrap();
                let chosen = arms.iter().find(|(variant, _)| variant.is_none_or(|v| v == value));
                chosen.unwrap().1.iter().for_each(|step| step.run(values));
            }
            Step::Fold { op, acc, rows, .. } => {
                for row in rows {
                    let (a, b) = (Tree::Read(acc.clone()), Tree::Read(row.clone()));
                    let value = Tree::Binary(*op, acc.ty.width, Box::new(a), Box::new(b)).evaluate(values);
                    put(values, acc, value);
                }
            }
        }
    }
}

fn put(values: &mut [BigUint], place: &Place, value: BigUint) {
    let mask = (BigUint::from(1u8) << place.ty.width) - 1u8;
    let own = &mut values[place.signal];
    *own = match place.field {
        None => value,
        Some(offset) => (&*own - (&*own & (&mask << offset))) | (value << offset),
    };
}

/// A design of random statements.
pub struct RandomDesign {
    wires: Vec<Wire>,
    values: Vec<BigUint>,
    steps: Vec<Step>,
    changed: bool,
}

impl Logic for RandomDesign {
    fn update(&mut self) {
        let before = self.values.clone();
        let values = &mut self.values;
        self.steps.iter().for_each(|step| step.run(values));
        self.changed = before != self.values;
    }
    fn hdl(&self) -> Verilog {
        Verilog::Combinatorial(self.steps.iter().map(Step::ast).collect())
    }
}

impl Block for RandomDesign {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {
        self.update();
    }
    fn has_changed(&self) -> bool {
        self.changed
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        self.wires.iter().for_each(|wire| probe.visit_atom(&wire.name, wire));
        probe.visit_end_scope(name, self);
    }
}

fn scalar(ty: Ty) -> TypeDescriptor {
    let kind = if ty.signed { TypeKind::Signed(ty.width) } else { TypeKind::Bits(ty.width) };
    TypeDescriptor { name: format!("Bits::<{}>", ty.width), kind }
}

fn add(wires: &mut Vec<Wire>, name: String, kind: AtomKind, ty: TypeDescriptor, width: usize) -> usize {
    wires.push(Wire { name, kind, ty, width });
    wires.len() - 1
}

/// An input of type `ty`: one of two that every type has.
fn input(wires: &mut Vec<Wire>, ty: Ty, which: usize) -> Place {
    let name = format!("{}{}_{}", if ty.signed { "s" } else { "x" }, ty.width, which % 2);
    let known = wires.iter().position(|wire| wire.name == name);
    let signal =
        known.unwrap_or_else(|| add(wires, name.clone(), AtomKind::InputParameter, scalar(ty), ty.width));
    Place { name, signal, ty, field: None }
}

struct Maker {
    rng: StdRng,
    wires: Vec<Wire>,
    steps: Vec<Step>,
}

impl Maker {
    fn wire(&mut self, stem: &str, kind: AtomKind, ty: Ty) -> Place {
        let name = format!("{stem}{}", self.wires.len());
        let signal = add(&mut self.wires, name.clone(), kind, scalar(ty), ty.width);
        Place { name, signal, ty, field: None }
    }

    fn tree(&mut self, ty: Ty, places: &[Place], depth: usize) -> Tree {
        let wires = &mut self.wires;
        let mut count = self.rng.random_range(0..2);
        let mut fresh = |ty: Ty| {
            count += 1;
            input(wires, ty, count)
        };
        let mut grower = Grower { rng: &mut self.rng, places, fresh: &mut fresh };
        // Only where it is assigned does a `signed_bit_cast` have a width.
        if ty.signed && places.len().is_multiple_of(2) {
            grower.signed_cast(ty, depth)
        } else {
            grower.grow(ty, depth)
        }
    }

    fn ty(&mut self) -> Ty {
        let edges = [1, 2, 8, 16, 31, 32, 33, 63, 64, 65, 128, 130];
        let width = match self.rng.random_range(0..3) {
            0 => edges[self.rng.random_range(0..edges.len())],
            _ => self.rng.random_range(1..131),
        };
        Ty { width, signed: self.rng.random_range(0..4) == 0 }
    }

    fn assign(&mut self, place: &Place, places: &[Place]) -> Step {
        let tree = self.tree(place.ty, places, 3);
        Step::Assign(place.clone(), tree)
    }

    /// Statements around one local or output, of one of several shapes.
    fn unit(&mut self) {
        let ty = self.ty();
        let out = self.wire("y", AtomKind::OutputParameter, ty);
        let test = |maker: &mut Self, places: &[Place]| maker.tree(unsigned(1), places, 2);
        match self.rng.random_range(0..8) {
            0 | 1 => {
                let step = self.assign(&out, &[]);
                self.steps.push(step);
            }
            2 => {
                let local = self.wire("l", AtomKind::LocalSignal, ty);
                let (first, second) = (self.assign(&local, &[]), self.assign(&local, &[]));
                let third = self.assign(&local, &[]);
                let nested = Step::If(test(self, &[]), vec![third], vec![]);
                let whole = Step::If(test(self, &[]), vec![second], vec![nested]);
                let last = self.assign(&out, std::slice::from_ref(&local));
                self.steps.extend([first, whole, last]);
            }
            3 => {
                let local = self.wire("l", AtomKind::LocalSignal, ty);
                let own = std::slice::from_ref(&local);
                let first = self.assign(&local, &[]);
                let (second, third) = (self.assign(&local, own), self.assign(&local, own));
                let whole = Step::If(test(self, own), vec![third], vec![]);
                let last = self.assign(&out, own);
                self.steps.extend([first, second, whole, last]);
            }
            4 => self.structs(&out),
            5 => self.modes(&out),
            6 => {
                let array = format!("row{}_", self.wires.len());
                let ty = unsigned(ty.width);
                let mut rows = vec![];
                for index in 0..3 {
                    let name = format!("{array}${index}");
                    let signal =
                        add(&mut self.wires, name.clone(), AtomKind::InputParameter, scalar(ty), ty.width);
                    rows.push(Place { name, signal, ty, field: None });
                }
                let acc = self.wire("acc", AtomKind::LocalSignal, ty);
                let first = self.assign(&acc, &[]);
                let op = [Op::Add, Op::Sub, Op::Xor, Op::Or][self.rng.random_range(0..4)];
                self.steps.extend([first, Step::Fold { op, acc: acc.clone(), rows, array }]);
                let last = self.assign(&out, &[acc]);
                self.steps.push(last);
            }
            _ => {
                // Read above, written below: settles in the second pass.
                let local = self.wire("l", AtomKind::LocalSignal, ty);
                let early = self.assign(&out, std::slice::from_ref(&local));
                let late = self.assign(&local, &[]);
                self.steps.extend([early, late]);
            }
        }
    }

    fn structs(&mut self, out: &Place) {
        let mut fields = vec![];
        let (mut members, mut offset) = (vec![], 0);
        for name in ["a", "b", "c"] {
            let ty = unsigned(self.rng.random_range(1..40));
            let kind = scalar(ty);
            members.push(Box::new(TypeField { fieldname: name.to_string(), kind }));
            fields.push((offset, ty));
            offset += ty.width;
        }
        let ty = TypeDescriptor { name: "Word".to_string(), kind: TypeKind::Composite(members) };
        let mut local = |kind: AtomKind, stem: &str| {
            let name = format!("{stem}{}", self.wires.len());
            let signal = add(&mut self.wires, name.clone(), kind, ty.clone(), offset);
            let place =
                |(at, ty): &(usize, Ty)| Place { name: name.clone(), signal, ty: *ty, field: Some(*at) };
            let whole = Place { name: name.clone(), signal, ty: unsigned(offset), field: None };
            (fields.iter().map(place).collect::<Vec<_>>(), whole)
        };
        let (word, whole) = local(AtomKind::LocalSignal, "w");
        let (copy, whole_copy) = local(AtomKind::LocalSignal, "w");
        let (_, whole_out) = local(AtomKind::OutputParameter, "z");
        for place in &word {
            let step = self.assign(place, &[]);
            self.steps.push(step);
        }
        let (test, inner) = (self.tree(unsigned(1), &[], 2), self.assign(&word[1], &word[..1]));
        self.steps.push(Step::If(test, vec![inner], vec![]));
        self.steps.push(Step::Assign(whole_copy.clone(), Tree::Read(whole.clone())));
        let (test, inner) = (self.tree(unsigned(1), &[], 2), self.assign(&copy[2], &word));
        self.steps.push(Step::If(test, vec![inner], vec![]));
        self.steps.push(Step::Assign(whole_out, Tree::Read(whole_copy)));
        let step = self.assign(out, &copy);
        self.steps.push(step);
    }

    fn modes(&mut self, out: &Place) {
        let variants = VARIANTS.iter().map(|name| format!("Mode::{name}")).collect();
        let ty = TypeDescriptor { name: "Mode".to_string(), kind: TypeKind::Enum(variants) };
        let name = format!("mode{}", self.wires.len());
        let signal = add(&mut self.wires, name.clone(), AtomKind::InputParameter, ty, 2);
        let mode = Place { name, signal, ty: unsigned(2), field: None };
        let local = self.wire("l", AtomKind::LocalSignal, out.ty);
        let first = self.assign(&local, &[]);
        let default = self.assign(out, &[]);
        let mut arms = vec![];
        for variant in 0..self.rng.random_range(1..5) {
            let (a, b) = (self.assign(&local, &[]), self.assign(out, std::slice::from_ref(&local)));
            arms.push((Some(variant), vec![a, b]));
        }
        if arms.len() < 4 {
            let step = self.assign(&local, &[]);
            arms.push((None, vec![step]));
        }
        let last = self.wire("y", AtomKind::OutputParameter, out.ty);
        self.steps.extend([default, first, Step::Match(mode, arms)]);
        let step = self.assign(&last, std::slice::from_ref(&local));
        self.steps.push(step);
    }
}

/// A random design of `units` units with random vectors.
pub fn case(module: &str, seed: u64, units: usize, vectors: usize) -> Case {
    let mut maker = Maker { rng: StdRng::seed_from_u64(seed), wires: vec![], steps: vec![] };
    (0..units).for_each(|_| maker.unit());
    let Maker { mut rng, wires, steps } = maker;
    let values = vec![BigUint::ZERO; wires.len()];
    let mut design = RandomDesign { wires, values, steps, changed: false };
    let options = EmitOptions { module, ..EmitOptions::default() };
    let text = verilog(&design, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let of_kind = |kind: AtomKind| design.wires.iter().enumerate().filter(move |(_, wire)| wire.kind == kind);
    let inputs: Vec<(String, usize)> = of_kind(AtomKind::InputParameter)
        .map(|(_, wire)| (wire.name.replace('$', "_"), wire.width))
        .collect();
    let input_at: Vec<usize> = of_kind(AtomKind::InputParameter).map(|(at, _)| at).collect();
    // Port, signal, offset and width.
    let mut outputs = vec![];
    for (at, wire) in of_kind(AtomKind::OutputParameter) {
        let TypeKind::Composite(fields) = &wire.ty.kind else {
            outputs.push((wire.name.clone(), at, 0, wire.width));
            continue;
        };
        let mut offset = 0;
        for field in fields {
            let TypeKind::Bits(width) = field.kind.kind else { unreachable!() };
            outputs.push((format!("{}_{}", wire.name, field.fieldname), at, offset, width));
            offset += width;
        }
    }
    let mut case = Case {
        module: module.to_string(),
        verilog: text,
        inputs,
        outputs: outputs.iter().map(|(name, _, _, width)| (name.clone(), *width)).collect(),
        clocked: false,
        vectors: vec![],
        expected: vec![],
        warmup: 0,
    };
    for _ in 0..vectors {
        let vector = bench::random_vector(&mut rng, &case.inputs);
        for (at, value) in input_at.iter().zip(&vector) {
            design.values[*at] = value.clone();
        }
        assert!(simulate(&mut design, 20), "seed {seed} does not settle");
        let mask = |width: usize| (BigUint::from(1u8) << width) - 1u8;
        let read = |(_, at, offset, width): &(String, usize, usize, usize)| {
            (&design.values[*at] >> *offset) & mask(*width)
        };
        case.expected.push(outputs.iter().map(read).collect());
        case.vectors.push(vector);
    }
    case
}
