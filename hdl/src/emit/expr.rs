//! Expressions whose width is known at every node.
//!
//! Operands of an operator have exactly the width of its result, extensions and truncations are explicit, so Verilog's
//! context-determined widths never come into play: the printed expression has the width that it has here.

use num_bigint::BigUint;

/// A scalar net of a module, an index into its table of nets.
pub(super) type NetId = usize;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Expr {
    Const {
        value: BigUint,
        width: usize,
    },
    /// A constant with a name, and the enum whose variant it is, if it is one.
    Param {
        name: String,
        of: Option<String>,
        value: BigUint,
        width: usize,
    },
    Net {
        id: NetId,
        width: usize,
    },
    /// `base[lo + width - 1 : lo]`. Verilog slices names only; any other base is given one before it is printed.
    Slice {
        base: Box<Expr>,
        lo: usize,
        width: usize,
    },
    /// `base[index]` or `base[index +: width]`, the index as wide as Verilog wants it.
    Select {
        base: Box<Expr>,
        index: Box<Expr>,
        width: usize,
    },
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// Most significant part first.
    Concat(Vec<Expr>),
    Repeat(usize, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unary {
    Not,
    Neg,
    All,
    Any,
    Parity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    BitAnd,
    BitOr,
    BitXor,
    LogicalAnd,
    LogicalOr,
    /// The right operand has a width of its own.
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    SignedLt,
    SignedLe,
    SignedGt,
    SignedGe,
}

impl Binary {
    /// Whether the result is one bit.
    pub fn is_test(self) -> bool {
        use Binary::*;
        matches!(self, LogicalAnd | LogicalOr) || self.is_comparison()
    }

    pub fn is_comparison(self) -> bool {
        use Binary::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge) || self.is_signed()
    }

    pub fn is_signed(self) -> bool {
        use Binary::*;
        matches!(self, SignedLt | SignedLe | SignedGt | SignedGe)
    }
}

pub(super) fn ones(width: usize) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

/// Bits that hold `value`, at least one.
pub(super) fn bits_for(value: usize) -> usize {
    (usize::BITS - value.leading_zeros()).max(1) as usize
}

impl Expr {
    pub fn constant(value: impl Into<BigUint>, width: usize) -> Expr {
        Expr::Const { value: value.into() & ones(width), width }
    }

    pub fn bit(value: bool) -> Expr {
        Expr::constant(u8::from(value), 1)
    }

    pub fn zero(width: usize) -> Expr {
        Expr::constant(0u8, width)
    }

    pub fn width(&self) -> usize {
        match self {
            Expr::Const { width, .. }
            | Expr::Param { width, .. }
            | Expr::Net { width, .. }
            | Expr::Slice { width, .. }
            | Expr::Select { width, .. } => *width,
            Expr::Unary(Unary::Not | Unary::Neg, inner) => inner.width(),
            Expr::Unary(..) => 1,
            Expr::Binary(operator, ..) if operator.is_test() => 1,
            Expr::Binary(_, left, _) => left.width(),
            Expr::Concat(parts) => parts.iter().map(Expr::width).sum(),
            Expr::Repeat(times, inner) => times * inner.width(),
            Expr::Cond(_, then, _) => then.width(),
        }
    }

    pub fn value(&self) -> Option<&BigUint> {
        match self {
            Expr::Const { value, .. } | Expr::Param { value, .. } => Some(value),
            _ => None,
        }
    }

    pub fn is(&self, number: &BigUint) -> bool {
        self.value() == Some(number)
    }

    pub fn is_zero(&self) -> bool {
        self.is(&BigUint::ZERO)
    }

    /// Its direct parts, in the order in which they are printed.
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Const { .. } | Expr::Param { .. } | Expr::Net { .. } => vec![],
            Expr::Slice { base: one, .. } | Expr::Unary(_, one) | Expr::Repeat(_, one) => vec![one],
            Expr::Select { base: left, index: right, .. } | Expr::Binary(_, left, right) => {
                vec![left, right]
            }
            Expr::Concat(parts) => parts.iter().collect(),
            Expr::Cond(test, then, other) => vec![test, then, other],
        }
    }

    /// Calls `visit` for this expression and all within it.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        self.parts().into_iter().for_each(|part| part.visit(visit));
    }

    /// The same expression with `map` applied to each of its direct parts.
    pub fn map_parts(self, map: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        match self {
            Expr::Const { .. } | Expr::Param { .. } | Expr::Net { .. } => self,
            Expr::Slice { base, lo, width } => Expr::Slice { base: Box::new(map(*base)), lo, width },
            Expr::Select { base, index, width } => {
                Expr::Select { base: Box::new(map(*base)), index: Box::new(map(*index)), width }
            }
            Expr::Unary(operator, inner) => Expr::Unary(operator, Box::new(map(*inner))),
            Expr::Binary(operator, left, right) => {
                Expr::Binary(operator, Box::new(map(*left)), Box::new(map(*right)))
            }
            Expr::Concat(parts) => Expr::Concat(parts.into_iter().map(map).collect()),
            Expr::Repeat(times, inner) => Expr::Repeat(times, Box::new(map(*inner))),
            Expr::Cond(test, then, other) => {
                Expr::Cond(Box::new(map(*test)), Box::new(map(*then)), Box::new(map(*other)))
            }
        }
    }

    /// Nets that it reads.
    pub fn nets(&self) -> Vec<NetId> {
        let mut found = vec![];
        self.visit(&mut |e| {
            if let Expr::Net { id, .. } = e {
                found.push(*id);
            }
        });
        found
    }
}
