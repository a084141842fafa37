//! Random expressions: as the AST that `hdl_gen` would make of them, and as rust-hdl evaluates them.

use num_bigint::BigUint;
use rand::RngExt;
use rand::rngs::StdRng;
use rust_hdl::core::ast::{VerilogExpression, VerilogOp, VerilogOpUnary};

use super::operators::{CAST_WIDTHS, Cast, Op, apply, convert, product};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty {
    pub width: usize,
    pub signed: bool,
}

pub fn unsigned(width: usize) -> Ty {
    Ty { width, signed: false }
}

/// What can be read: a whole signal, or a field of a struct at an offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Name in the AST, and index into the values.
    pub name: String,
    pub signal: usize,
    pub ty: Ty,
    /// Offset of the field, if it is one.
    pub field: Option<usize>,
}

#[derive(Clone, Debug)]
pub enum Tree {
    Read(Place),
    /// `bits::<N>(n)`, or `true`/`false` for one bit.
    Constant(u64, usize),
    /// A bare number beside an operand that has the width.
    Number(u64),
    Unary(Op, usize, Box<Tree>),
    Binary(Op, usize, Box<Tree>, Box<Tree>),
    /// `Bits<N> + bool`.
    AddBit(usize, Box<Tree>, Box<Tree>),
    Product(bool, Box<Tree>, Box<Tree>),
    /// `&&` and `||`.
    Logical(bool, Box<Tree>, Box<Tree>),
    Convert(Cast, usize, usize, Box<Tree>),
    /// `get_bits` at a computed offset.
    Window(usize, usize, Box<Tree>, Box<Tree>),
    GetBit(usize, Box<Tree>, Box<Tree>),
    ReplaceBit(usize, Box<Tree>, Box<Tree>, Box<Tree>),
    /// `signed_cast` and `unsigned_cast`.
    Reinterpret(bool, Box<Tree>),
    Parentheses(Box<Tree>),
}

impl Tree {
    pub fn ast(&self) -> VerilogExpression {
        use VerilogExpression as E;
        let pair = |a: &Tree, operator: VerilogOp, b: &Tree| {
            E::Binary(Box::new(a.ast()), operator, Box::new(b.ast()))
        };
        match self {
            Tree::Read(Place { name, field: None, .. }) => E::Signal(name.clone()),
            Tree::Read(Place { name, field: Some(offset), ty, .. }) => {
                let base = Box::new(E::Signal(name.clone()));
                E::Slice(base, ty.width, Box::new(E::Literal((*offset).into())))
            }
            Tree::Constant(value, 1) => E::Literal((*value == 1).into()),
            Tree::Constant(value, width) => E::Cast(Box::new(E::Literal((*value).into())), *width),
            Tree::Number(value) => match i32::try_from(*value) {
                Ok(value) => E::Literal(value.into()),
                Err(_) => E::Literal((*value).into()),
            },
            Tree::Unary(op, _, a) => {
                let operator = match op {
                    Op::Not => VerilogOpUnary::Not,
                    Op::SignedNeg => VerilogOpUnary::Neg,
                    Op::All => VerilogOpUnary::All,
                    Op::Any => VerilogOpUnary::Any,
                    _ => VerilogOpUnary::Xor,
                };
                E::Unary(operator, Box::new(a.ast()))
            }
            Tree::Binary(op, _, a, b) => pair(a, verilog_op(*op), b),
            Tree::AddBit(_, a, b) => pair(a, VerilogOp::Add, b),
            Tree::Product(_, a, b) => pair(a, VerilogOp::Mul, b),
            Tree::Logical(true, a, b) => pair(a, VerilogOp::LogicalAnd, b),
            Tree::Logical(false, a, b) => pair(a, VerilogOp::LogicalOr, b),
            Tree::Convert(Cast::Unsigned, to, _, a) => E::Cast(Box::new(a.ast()), *to),
            Tree::Convert(Cast::Signed, _, _, a) => E::Signed(Box::new(a.ast())),
            Tree::Convert(Cast::GetBits(offset), to, _, a) => {
                E::Slice(Box::new(a.ast()), *to, Box::new(E::Literal((*offset as u64).into())))
            }
            Tree::Window(to, _, a, offset) => E::Slice(Box::new(a.ast()), *to, Box::new(offset.ast())),
            Tree::GetBit(_, a, index) => E::Index(Box::new(a.ast()), Box::new(index.ast())),
            Tree::ReplaceBit(_, a, index, bit) => {
                E::IndexReplace(Box::new(a.ast()), Box::new(index.ast()), Box::new(bit.ast()))
            }
            Tree::Reinterpret(true, a) => E::Signed(Box::new(a.ast())),
            Tree::Reinterpret(false, a) => E::Unsigned(Box::new(a.ast())),
            Tree::Parentheses(a) => E::Paren(Box::new(a.ast())),
        }
    }

    pub fn evaluate(&self, values: &[BigUint]) -> BigUint {
        let number = |tree: &Tree| tree.evaluate(values);
        let small = |tree: &Tree| usize::try_from(tree.evaluate(values)).unwrap();
        match self {
            Tree::Read(Place { signal, field, ty, .. }) => {
                (&values[*signal] >> field.unwrap_or(0)) & ((BigUint::from(1u8) << ty.width) - 1u8)
            }
            Tree::Constant(value, _) | Tree::Number(value) => (*value).into(),
            Tree::Unary(op, width, a) => apply(*op, *width, &number(a), &BigUint::ZERO),
            Tree::Binary(op, width, a, b) => apply(*op, *width, &number(a), &number(b)),
            Tree::AddBit(width, a, b) => apply(Op::Add, *width, &number(a), &number(b)),
            Tree::Product(signed, a, b) => product(*signed, &number(a), &number(b)),
            Tree::Logical(true, a, b) => number(a) & number(b),
            Tree::Logical(false, a, b) => number(a) | number(b),
            Tree::Convert(cast, to, from, a) => convert(*cast, *to, *from, &number(a)),
            Tree::Window(to, from, a, offset) => {
                convert(Cast::GetBits(small(offset)), *to, *from, &number(a))
            }
            Tree::GetBit(width, a, index) => apply(Op::GetBit, *width, &number(a), &number(index)),
            Tree::ReplaceBit(width, a, index, bit) => {
                let bit = number(bit) == BigUint::from(1u8);
                apply(Op::ReplaceBit(bit), *width, &number(a), &number(index))
            }
            Tree::Reinterpret(_, a) | Tree::Parentheses(a) => number(a),
        }
    }
}

fn verilog_op(op: Op) -> VerilogOp {
    match op {
        Op::Add | Op::SignedAdd => VerilogOp::Add,
        Op::Sub | Op::SignedSub => VerilogOp::Sub,
        Op::And => VerilogOp::BitAnd,
        Op::Or => VerilogOp::BitOr,
        Op::Xor => VerilogOp::BitXor,
        Op::Shl => VerilogOp::Shl,
        Op::Shr => VerilogOp::Shr,
        Op::Eq | Op::SignedEq => VerilogOp::Eq,
        Op::Ne => VerilogOp::Ne,
        Op::Lt | Op::SignedLt => VerilogOp::Lt,
        Op::Le | Op::SignedLe => VerilogOp::Le,
        Op::Gt | Op::SignedGt => VerilogOp::Gt,
        Op::Ge | Op::SignedGe => VerilogOp::Ge,
        _ => unreachable!("{op:?} has one operand"),
    }
}

/// Makes random trees over `places`; asks `fresh` for an input where it wants a signal of a type.
pub struct Grower<'a> {
    pub rng: &'a mut StdRng,
    pub places: &'a [Place],
    pub fresh: &'a mut dyn FnMut(Ty) -> Place,
}

impl Grower<'_> {
    fn below(&mut self, end: usize) -> usize {
        self.rng.random_range(0..end)
    }

    fn boxed(&mut self, ty: Ty, depth: usize) -> Box<Tree> {
        Box::new(self.grow(ty, depth))
    }

    /// A tree of type `ty` of at most `depth` operators in a row.
    pub fn grow(&mut self, ty: Ty, depth: usize) -> Tree {
        if depth == 0 {
            return self.leaf(ty);
        }
        let tree = if ty.signed { self.signed(ty, depth - 1) } else { self.unsigned(ty, depth - 1) };
        if self.below(5) == 0 { Tree::Parentheses(Box::new(tree)) } else { tree }
    }

    fn leaf(&mut self, ty: Ty) -> Tree {
        let fitting: Vec<&Place> = self.places.iter().filter(|place| place.ty == ty).collect();
        if !fitting.is_empty() && self.rng.random_range(0..3) > 0 {
            let at = self.rng.random_range(0..fitting.len());
            return Tree::Read(fitting[at].clone());
        }
        match self.below(8) {
            0 if !ty.signed => Tree::Constant(self.number(ty.width), ty.width),
            _ => Tree::Read((self.fresh)(ty)),
        }
    }

    fn number(&mut self, width: usize) -> u64 {
        let all: u64 = self.rng.random();
        let small = self.rng.random_range(0..8);
        let number = if self.below(2) == 0 { small } else { all };
        if width >= 64 { number } else { number & ((1 << width) - 1) }
    }

    /// The right operand: a tree, or a bare number.
    fn operand(&mut self, width: usize, depth: usize) -> Box<Tree> {
        if width > 1 && self.below(4) == 0 {
            return Box::new(Tree::Number(self.number(width)));
        }
        self.boxed(unsigned(width), depth)
    }

    fn signed(&mut self, ty: Ty, depth: usize) -> Tree {
        let width = ty.width;
        match self.below(6) {
            0 => Tree::Binary(Op::SignedAdd, width, self.boxed(ty, depth), self.signed_operand(ty, depth)),
            1 => Tree::Binary(Op::SignedSub, width, self.boxed(ty, depth), self.signed_operand(ty, depth)),
            2 => Tree::Unary(Op::SignedNeg, width, self.boxed(ty, depth)),
            3 if width == 32 => {
                let factor = Ty { width: 16, signed: true };
                Tree::Product(true, self.boxed(factor, depth), self.boxed(factor, depth))
            }
            4 => Tree::Reinterpret(true, self.boxed(unsigned(width), depth)),
            _ => self.grow(ty, depth),
        }
    }

    /// An operand beside one of known width, where a `signed_bit_cast` may stand.
    fn signed_operand(&mut self, ty: Ty, depth: usize) -> Box<Tree> {
        Box::new(if self.below(3) == 0 { self.signed_cast(ty, depth) } else { self.grow(ty, depth) })
    }

    /// A `signed_bit_cast` to `ty` if there is one to that width.
    pub fn signed_cast(&mut self, ty: Ty, depth: usize) -> Tree {
        if !CAST_WIDTHS.contains(&ty.width) {
            return self.grow(ty, depth);
        }
        let from = CAST_WIDTHS[self.below(CAST_WIDTHS.len())];
        let inner = self.boxed(Ty { width: from, signed: true }, depth);
        Tree::Convert(Cast::Signed, ty.width, from, inner)
    }

    fn unsigned(&mut self, ty: Ty, depth: usize) -> Tree {
        let width = ty.width;
        if width == 1 && self.below(3) > 0 {
            return self.test(depth);
        }
        match self.below(14) {
            0..=4 => {
                let ops = [Op::Add, Op::Sub, Op::And, Op::Or, Op::Xor];
                let op = ops[self.below(5)];
                let (left, right) = (self.boxed(ty, depth), self.operand(width, depth));
                // A number may stand on either side.
                let swap = self.below(2) == 0;
                let (left, right) =
                    if swap && matches!(*right, Tree::Number(_)) { (right, left) } else { (left, right) };
                Tree::Binary(op, width, left, right)
            }
            5 => Tree::AddBit(width, self.boxed(ty, depth), self.boxed(unsigned(1), depth)),
            6 => Tree::Unary(Op::Not, width, self.boxed(ty, depth)),
            7 | 8 => self.shift(width, depth),
            9 => Tree::Reinterpret(false, self.boxed(Ty { width, signed: true }, depth)),
            10 => self.replace_bit(width, depth),
            11 if width == 32 => {
                Tree::Product(false, self.boxed(unsigned(16), depth), self.boxed(unsigned(16), depth))
            }
            _ if CAST_WIDTHS.contains(&width) => self.convert(width, depth),
            _ => self.grow(ty, depth),
        }
    }

    fn shift(&mut self, width: usize, depth: usize) -> Tree {
        let op = if self.below(2) == 0 { Op::Shl } else { Op::Shr };
        let amount = match self.below(6) {
            0 | 1 => Box::new(Tree::Number(self.below(width + 3) as u64)),
            // rust-hdl's left shift of a short number by a long amount runs out of memory.
            2 if op == Op::Shr || width > 32 => self.boxed(unsigned(40), depth.min(1)),
            _ => {
                let bits = 1 + self.below(8);
                self.boxed(unsigned(bits), depth.min(1))
            }
        };
        let base =
            if width == 64 && op == Op::Shl && !matches!(*amount, Tree::Number(_)) && self.below(4) == 0 {
                Box::new(Tree::Number(self.number(63)))
            } else {
                self.boxed(unsigned(width), depth)
            };
        Tree::Binary(op, width, base, amount)
    }

    /// An index that stays below `width`.
    fn index(&mut self, width: usize) -> Box<Tree> {
        let bits = width.ilog2() as usize;
        if bits == 0 || self.below(2) == 0 {
            return Box::new(Tree::Number(self.below(width) as u64));
        }
        let bits = 1 + self.below(bits);
        self.boxed(unsigned(bits), 1)
    }

    fn replace_bit(&mut self, width: usize, depth: usize) -> Tree {
        let base = self.boxed(unsigned(width), depth);
        Tree::ReplaceBit(width, base, self.index(width), self.boxed(unsigned(1), depth.min(1)))
    }

    fn convert(&mut self, to: usize, depth: usize) -> Tree {
        let from = CAST_WIDTHS[self.below(CAST_WIDTHS.len())];
        let inner = self.boxed(unsigned(from), depth);
        match self.below(3) {
            0 => Tree::Convert(Cast::Unsigned, to, from, inner),
            1 => Tree::Convert(Cast::GetBits(self.below(from + 1)), to, from, inner),
            _ => {
                let bits = (from + 1).ilog2() as usize;
                let bits = 1 + self.below(bits);
                Tree::Window(to, from, inner, self.boxed(unsigned(bits), 1))
            }
        }
    }

    fn test(&mut self, depth: usize) -> Tree {
        let width = 1 + self.below(130);
        let pair = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge];
        let signed_pair = [Op::SignedEq, Op::SignedLt, Op::SignedLe, Op::SignedGt, Op::SignedGe];
        match self.below(8) {
            0..=2 => {
                let op = pair[self.below(pair.len())];
                Tree::Binary(op, width, self.boxed(unsigned(width), depth), self.operand(width, depth))
            }
            3 | 4 => {
                let op = signed_pair[self.below(signed_pair.len())];
                let ty = Ty { width, signed: true };
                Tree::Binary(op, width, self.boxed(ty, depth), self.signed_operand(ty, depth))
            }
            5 => {
                let op = [Op::All, Op::Any, Op::Parity][self.below(3)];
                Tree::Unary(op, width, self.boxed(unsigned(width), depth))
            }
            6 => Tree::GetBit(width, self.boxed(unsigned(width), depth), self.index(width)),
            _ => {
                let and = self.below(2) == 0;
                Tree::Logical(and, self.boxed(unsigned(1), depth), self.boxed(unsigned(1), depth))
            }
        }
    }
}
