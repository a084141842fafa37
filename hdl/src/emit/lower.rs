//! Expressions of rust-hdl's AST as expressions of known width.

use num_bigint::{BigInt, Sign};
use rust_hdl::core::ast::{VerilogExpression, VerilogOp, VerilogOpUnary};
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};

use super::build;
use super::design::{literal_value, width_of};
use super::error::EmitError;
use super::expr::{Binary, Expr, Unary};
use super::names;
use super::scope::{Scope, Symbol};

/// What an expression of the AST comes to.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A number that takes its width from where it stands.
    Number(BigInt),
    Bits {
        expr: Expr,
        signed: bool,
        /// The struct or enum that it is, if it is one.
        ty: Option<TypeDescriptor>,
        /// Result of `signed_bit_cast`, whose width the AST does not tell.
        any_width: bool,
    },
}

impl Value {
    pub fn bits(expr: Expr) -> Value {
        Value::Bits { expr, signed: false, ty: None, any_width: false }
    }

    fn signed(expr: Expr) -> Value {
        Value::Bits { expr, signed: true, ty: None, any_width: false }
    }

    fn typed(expr: Expr, ty: &TypeDescriptor) -> Value {
        let signed = matches!(ty.kind, TypeKind::Signed(_));
        Value::Bits { expr, signed, ty: Some(ty.clone()), any_width: false }
    }

    fn is_signed(&self) -> bool {
        matches!(self, Value::Bits { signed: true, .. })
    }

    /// Width, where it is known.
    fn width(&self) -> Option<usize> {
        match self {
            Value::Bits { expr, any_width: false, .. } => Some(expr.width()),
            _ => None,
        }
    }
}

/// Lowers expressions within one block and the loops around them.
pub(super) struct Lowering<'a> {
    pub scope: &'a Scope,
    pub loops: Vec<(String, usize)>,
}

impl Lowering<'_> {
    fn block(&self) -> String {
        self.scope.block.clone()
    }

    fn unknown(&self, name: &str) -> EmitError {
        let name = name.replace("$val()", "").replace('$', ".");
        EmitError::UnknownIdentifier { block: self.block(), name }
    }

    pub fn unsupported(&self, what: impl Into<String>) -> EmitError {
        EmitError::Unsupported { block: self.block(), what: what.into() }
    }

    /// The number at `width` bits.
    fn number(&self, number: &BigInt, width: usize) -> Result<Expr, EmitError> {
        let limit = BigInt::from(1) << width;
        let wrapped = if number.sign() == Sign::Minus { number + &limit } else { number.clone() };
        let fits = wrapped < limit && (number.sign() != Sign::Minus || wrapped >= limit >> 1);
        match (fits, wrapped.to_biguint()) {
            (true, Some(value)) => Ok(Expr::constant(value, width)),
            _ => Err(EmitError::Literal { block: self.block(), value: number.to_string(), width }),
        }
    }

    /// `value` where exactly `width` bits are wanted; a number or `signed_bit_cast` takes that width.
    fn coerced(&self, value: Value, width: usize, what: &str) -> Result<Expr, EmitError> {
        match value {
            Value::Number(number) => self.number(&number, width),
            Value::Bits { expr, any_width: true, .. } => Ok(build::resize_signed(expr, width)),
            Value::Bits { expr, .. } if expr.width() == width => Ok(expr),
            Value::Bits { expr, .. } => Err(EmitError::Width {
                block: self.block(),
                what: what.to_string(),
                found: expr.width(),
                expected: width,
            }),
        }
    }

    /// `value` as it is assigned to `width` bits. A narrower one comes from `index().to_bits()` and is extended.
    pub fn assigned(&self, value: Value, width: usize, target: &str) -> Result<Expr, EmitError> {
        match value {
            Value::Bits { expr, signed: false, any_width: false, .. } if expr.width() < width => {
                Ok(build::resize(expr, width))
            }
            value => self.coerced(value, width, &format!("the value assigned to `{target}`")),
        }
    }

    /// `value` as an expression, which a bare number is not.
    fn known(&self, value: Value, what: &str) -> Result<Expr, EmitError> {
        match value {
            Value::Bits { any_width: true, .. } => Err(EmitError::SignedCast { block: self.block() }),
            Value::Bits { expr, .. } => Ok(expr),
            Value::Number(_) => Err(self.unsupported(format!("{what} of a bare number"))),
        }
    }

    pub fn test(&self, expression: &VerilogExpression) -> Result<Expr, EmitError> {
        self.coerced(self.lower(expression)?, 1, "a condition")
    }

    pub fn lower(&self, expression: &VerilogExpression) -> Result<Value, EmitError> {
        use VerilogExpression as E;
        match expression {
            E::Signal(name) => self.name(name),
            E::Paren(inner) => self.lower(inner),
            E::Literal(literal) => {
                let (value, negative, width) = literal_value(literal);
                let sign = if negative { Sign::Minus } else { Sign::Plus };
                match width {
                    1 => Ok(Value::bits(Expr::constant(value, 1))),
                    _ => Ok(Value::Number(BigInt::from_biguint(sign, value))),
                }
            }
            E::Cast(inner, width) => match self.lower(inner)? {
                Value::Number(number) => Ok(Value::bits(self.number(&number, *width)?)),
                value => Ok(Value::bits(build::resize(self.known(value, "a cast")?, *width))),
            },
            E::Signed(inner) => Ok(match self.lower(inner)? {
                Value::Bits { expr, signed, .. } => {
                    Value::Bits { expr, signed: true, ty: None, any_width: signed }
                }
                number => number,
            }),
            E::Unsigned(inner) => Ok(match self.lower(inner)? {
                Value::Bits { expr, any_width, .. } => {
                    Value::Bits { expr, signed: false, ty: None, any_width }
                }
                number => number,
            }),
            E::Unary(operator, inner) => self.unary(operator, self.lower(inner)?),
            E::Binary(left, operator, right) => self.binary(self.lower(left)?, operator, self.lower(right)?),
            E::Index(base, index) => {
                let base = self.known(self.lower(base)?, "get_bit")?;
                Ok(Value::bits(match self.lower(index)? {
                    Value::Number(index) => build::slice(base.clone(), self.position(&base, &index)?, 1),
                    index => build::select_bit(base, self.known(index, "an index")?),
                }))
            }
            E::Slice(base, width, offset) => {
                let (base, offset) = (self.lower(base)?, self.lower(offset)?);
                self.slice(base, *width, offset)
            }
            E::IndexReplace(base, index, bit) => {
                let base = self.known(self.lower(base)?, "replace_bit")?;
                let bit = self.coerced(self.lower(bit)?, 1, "the bit given to replace_bit")?;
                let index = self.lower(index)?;
                self.replaced(base, index, bit)
            }
        }
    }

    fn position(&self, base: &Expr, index: &BigInt) -> Result<usize, EmitError> {
        usize::try_from(index).ok().filter(|at| *at < base.width()).ok_or_else(|| EmitError::Index {
            block: self.block(),
            what: "the expression indexed".to_string(),
            index: usize::try_from(index).unwrap_or(usize::MAX),
            width: base.width(),
        })
    }

    fn slice(&self, base: Value, width: usize, offset: Value) -> Result<Value, EmitError> {
        let (signed, ty) = match &base {
            Value::Bits { signed, ty, .. } => (*signed, ty.clone()),
            Value::Number(_) => (false, None),
        };
        let base = self.known(base, "get_bits")?;
        let offset = match offset {
            Value::Number(offset) => {
                usize::try_from(&offset).ok().filter(|at| *at <= base.width()).ok_or(EmitError::Index {
                    block: self.block(),
                    what: "the expression sliced".to_string(),
                    index: usize::try_from(&offset).unwrap_or(usize::MAX),
                    width: base.width(),
                })?
            }
            offset => {
                let offset = self.known(offset, "an offset")?;
                let expr = build::select(base, offset, width);
                return Ok(if signed { Value::signed(expr) } else { Value::bits(expr) });
            }
        };
        if let Some((field, _)) = ty.as_ref().and_then(|ty| field_at(ty, offset, width)) {
            return Ok(Value::typed(build::slice(base, offset, width), &field));
        }
        let within = width.min(base.width() - offset);
        let expr = if within == 0 {
            Expr::zero(width)
        } else {
            build::resize(build::slice(base, offset, within), width)
        };
        Ok(if signed { Value::signed(expr) } else { Value::bits(expr) })
    }

    fn replaced(&self, base: Expr, index: Value, bit: Expr) -> Result<Value, EmitError> {
        let width = base.width();
        let index = match index {
            Value::Number(index) => {
                let at = self.position(&base, &index)?;
                let mut parts = vec![bit];
                if at + 1 < width {
                    parts.insert(0, build::slice(base.clone(), at + 1, width - at - 1));
                }
                if at > 0 {
                    parts.push(build::slice(base, 0, at));
                }
                return Ok(Value::bits(build::concat(parts)));
            }
            index => self.known(index, "an index")?,
        };
        let one = build::shift(Binary::Shl, Expr::constant(1u8, width), index.clone());
        let rest = build::binary(Binary::BitAnd, base, build::unary(Unary::Not, one));
        let placed = build::shift(Binary::Shl, build::resize(bit, width), index);
        Ok(Value::bits(build::binary(Binary::BitOr, rest, placed)))
    }

    fn unary(&self, operator: &VerilogOpUnary, inner: Value) -> Result<Value, EmitError> {
        if let (VerilogOpUnary::Neg, Value::Number(number)) = (operator, &inner) {
            return Ok(Value::Number(-number));
        }
        let signed = inner.is_signed();
        let inner = self.known(inner, "an operator")?;
        Ok(match operator {
            VerilogOpUnary::Not => Value::bits(build::unary(Unary::Not, inner)),
            VerilogOpUnary::Neg if signed => Value::signed(build::unary(Unary::Neg, inner)),
            VerilogOpUnary::Neg => Value::bits(build::unary(Unary::Neg, inner)),
            VerilogOpUnary::All => Value::bits(build::unary(Unary::All, inner)),
            VerilogOpUnary::Any => Value::bits(build::unary(Unary::Any, inner)),
            VerilogOpUnary::Xor => Value::bits(build::unary(Unary::Parity, inner)),
        })
    }

    fn binary(&self, left: Value, operator: &VerilogOp, right: Value) -> Result<Value, EmitError> {
        use VerilogOp as V;
        if let (Value::Number(a), Value::Number(b)) = (&left, &right) {
            return self.folded(a, operator, b);
        }
        let signed = left.is_signed() || right.is_signed();
        let operator = match operator {
            V::Shl | V::Shr => return self.shift(left, operator, right),
            V::Mul => return self.product(left, right),
            V::Add => Binary::Add,
            V::Sub => Binary::Sub,
            V::LogicalAnd => Binary::LogicalAnd,
            V::LogicalOr => Binary::LogicalOr,
            V::BitXor => Binary::BitXor,
            V::BitAnd => Binary::BitAnd,
            V::BitOr => Binary::BitOr,
            V::Eq => Binary::Eq,
            V::Ne => Binary::Ne,
            V::Lt => {
                if signed {
                    Binary::SignedLt
                } else {
                    Binary::Lt
                }
            }
            V::Le => {
                if signed {
                    Binary::SignedLe
                } else {
                    Binary::Le
                }
            }
            V::Gt => {
                if signed {
                    Binary::SignedGt
                } else {
                    Binary::Gt
                }
            }
            V::Ge => {
                if signed {
                    Binary::SignedGe
                } else {
                    Binary::Ge
                }
            }
        };
        let width = match (operator, left.width(), right.width()) {
            (Binary::LogicalAnd | Binary::LogicalOr, ..) => 1,
            (_, Some(width), _) | (_, None, Some(width)) => width,
            _ => return Err(EmitError::SignedCast { block: self.block() }),
        };
        let left = self.coerced(left, width, "the left operand")?;
        let right = match right {
            // `Bits<N> + bool` is the one operator of unequal operands.
            Value::Bits { expr, signed: false, any_width: false, .. }
                if operator == Binary::Add && expr.width() == 1 =>
            {
                build::resize(expr, width)
            }
            right => self.coerced(right, width, "the right operand")?,
        };
        let result = build::binary(operator, left, right);
        Ok(if signed && !operator.is_test() { Value::signed(result) } else { Value::bits(result) })
    }

    fn shift(&self, left: Value, operator: &VerilogOp, right: Value) -> Result<Value, EmitError> {
        let operator = if matches!(operator, VerilogOp::Shl) { Binary::Shl } else { Binary::Shr };
        if left.is_signed() {
            return Err(self.unsupported("a shift of a signed value"));
        }
        // A number on the left is a u64 in Rust.
        let left = match left {
            Value::Number(number) => self.number(&number, 64)?,
            left => self.known(left, "a shift")?,
        };
        let by = match right {
            Value::Number(by) => {
                let by = by.to_biguint().ok_or_else(|| self.unsupported("a shift by a negative number"))?;
                let width = (by.bits() as usize).max(1);
                Expr::constant(by, width)
            }
            right => self.known(right, "a shift amount")?,
        };
        Ok(Value::bits(build::shift(operator, left, by)))
    }

    fn product(&self, left: Value, right: Value) -> Result<Value, EmitError> {
        let signed = left.is_signed();
        if signed != right.is_signed() {
            return Err(self.unsupported("a product of a signed and an unsigned value"));
        }
        let (left, right) = (self.coerced(left, 16, "a factor")?, self.coerced(right, 16, "a factor")?);
        let resize = if signed { build::resize_signed } else { build::resize };
        let result = build::binary(Binary::Mul, resize(left, 32), resize(right, 32));
        Ok(if signed { Value::signed(result) } else { Value::bits(result) })
    }

    fn folded(&self, a: &BigInt, operator: &VerilogOp, b: &BigInt) -> Result<Value, EmitError> {
        let amount = || u32::try_from(b).map_err(|_| self.unsupported(format!("a shift by {b}")));
        Ok(match operator {
            VerilogOp::Add => Value::Number(a + b),
            VerilogOp::Sub => Value::Number(a - b),
            VerilogOp::Mul => Value::Number(a * b),
            VerilogOp::BitXor => Value::Number(a ^ b),
            VerilogOp::BitAnd => Value::Number(a & b),
            VerilogOp::BitOr => Value::Number(a | b),
            VerilogOp::Shl => Value::Number(a << amount()?),
            VerilogOp::Shr => Value::Number(a >> amount()?),
            VerilogOp::Eq => Value::bits(Expr::bit(a == b)),
            VerilogOp::Ne => Value::bits(Expr::bit(a != b)),
            VerilogOp::Lt => Value::bits(Expr::bit(a < b)),
            VerilogOp::Le => Value::bits(Expr::bit(a <= b)),
            VerilogOp::Gt => Value::bits(Expr::bit(a > b)),
            VerilogOp::Ge => Value::bits(Expr::bit(a >= b)),
            VerilogOp::LogicalAnd | VerilogOp::LogicalOr => {
                return Err(self.unsupported("`&&` or `||` of numbers"));
            }
        })
    }

    fn name(&self, raw: &str) -> Result<Value, EmitError> {
        let path = self.path(raw).map_err(|name| self.unknown(&name))?;
        if let Some((_, value)) = self.loops.iter().rev().find(|(name, _)| *name == path) {
            return Ok(Value::Number((*value).into()));
        }
        if let Some((expr, _)) = self.scope.variant(&path) {
            return Ok(Value::bits(expr));
        }
        let (symbol, offset, ty) = self.field(&path).ok_or_else(|| self.unknown(&path))?;
        Ok(Value::typed(build::slice(symbol.expr(), offset, width_of(&ty)), &ty))
    }

    /// The name of the AST as the probe spells it, or what of it stands for no number.
    pub fn path(&self, raw: &str) -> Result<String, String> {
        let constant = |path: &str| {
            let path = path.strip_suffix("$val()").unwrap_or(path);
            let (symbol, offset, ty) = self.field(path)?;
            symbol.constant.as_ref()?;
            usize::try_from(build::slice(symbol.expr(), offset, width_of(&ty)).value()?).ok()
        };
        names::normalized(raw, &names::Indices { loops: &self.loops, constant: &constant })
    }

    /// The signal that a path starts with, and offset and type of the field that the rest of it names.
    pub fn field(&self, path: &str) -> Option<(&Symbol, usize, TypeDescriptor)> {
        if let Some(symbol) = self.scope.symbols.get(path) {
            return Some((symbol, 0, symbol.ty.clone()));
        }
        let (base, fields) = path.split_once("$val()$").or_else(|| path.split_once("$next$"))?;
        let symbol = self.scope.symbols.get(base)?;
        let (mut offset, mut ty) = (0, symbol.ty.clone());
        for name in fields.split('$') {
            let TypeKind::Composite(members) = &ty.kind else { return None };
            let mut found = None;
            for member in members {
                if member.fieldname == name {
                    found = Some(member.kind.clone());
                    break;
                }
                offset += width_of(&member.kind);
            }
            ty = found?;
        }
        Some((symbol, offset, ty))
    }
}

/// The field of a struct that holds just these bits.
fn field_at(ty: &TypeDescriptor, offset: usize, width: usize) -> Option<(TypeDescriptor, usize)> {
    let TypeKind::Composite(fields) = &ty.kind else { return None };
    let mut at = 0;
    for field in fields {
        let own = width_of(&field.kind);
        if at == offset && own == width {
            return Some((field.kind.clone(), at));
        }
        at += own;
    }
    None
}
