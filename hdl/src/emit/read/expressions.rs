//! Expressions of rust-hdl's AST as expressions of known width.

use num_bigint::{BigInt, Sign};
use rust_hdl::core::ast::VerilogExpression;
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};

use super::design::{literal_value, own_name, width_of};
use super::paths;
use super::scope::{Scope, Symbol};
use crate::emit::error::EmitError;
use crate::emit::expr::{Binary, Expr, Unary};
use crate::emit::fold;

/// What an expression of the AST comes to.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number that takes its width from where it stands.
    Number(BigInt),
    /// Bits that are cut, or filled with zeros above, to the width of where they stand.
    Resized(Expr),
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

    pub fn signed(expr: Expr) -> Value {
        Value::Bits { expr, signed: true, ty: None, any_width: false }
    }

    fn typed(expr: Expr, ty: &TypeDescriptor) -> Value {
        let signed = matches!(ty.kind, TypeKind::Signed(_));
        Value::Bits { expr, signed, ty: Some(ty.clone()), any_width: false }
    }

    pub fn is_signed(&self) -> bool {
        matches!(self, Value::Bits { signed: true, .. })
    }

    /// Width, where it is known.
    pub fn width(&self) -> Option<usize> {
        match self {
            Value::Bits { expr, any_width: false, .. } => Some(expr.width()),
            _ => None,
        }
    }
}

/// Lowers expressions within one block and the loops around them.
pub struct Lowering<'a> {
    pub scope: &'a Scope,
    pub loops: Vec<(String, usize)>,
}

impl Lowering<'_> {
    pub fn block(&self) -> String {
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
    pub fn number(&self, number: &BigInt, width: usize) -> Result<Expr, EmitError> {
        let limit = BigInt::from(1) << width;
        let wrapped = if number.sign() == Sign::Minus { number + &limit } else { number.clone() };
        let fits = wrapped < limit && (number.sign() != Sign::Minus || wrapped >= limit >> 1);
        match (fits, wrapped.to_biguint()) {
            (true, Some(value)) => Ok(Expr::constant(value, width)),
            _ => Err(EmitError::Literal { block: self.block(), value: number.to_string(), width }),
        }
    }

    /// `value` where exactly `width` bits are wanted; a number or `signed_bit_cast` takes that width.
    pub fn coerced(&self, value: Value, width: usize, what: &str) -> Result<Expr, EmitError> {
        match value {
            Value::Number(number) => self.number(&number, width),
            Value::Resized(expr) => Ok(fold::resize(expr, width)),
            Value::Bits { expr, any_width: true, .. } => Ok(fold::resize_signed(expr, width)),
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
                Ok(fold::resize(expr, width))
            }
            value => self.coerced(value, width, &format!("the value assigned to `{target}`")),
        }
    }

    /// `value` as an expression, which a bare number is not.
    pub fn known(&self, value: Value, what: &str) -> Result<Expr, EmitError> {
        match value {
            Value::Bits { any_width: true, .. } => Err(EmitError::SignedCast { block: self.block() }),
            Value::Bits { expr, .. } => Ok(expr),
            Value::Number(_) => Err(self.unsupported(format!("{what} of a bare number"))),
            Value::Resized(_) => {
                Err(self.unsupported(format!("{what} of `resize`, whose width nothing says there,")))
            }
        }
    }

    /// The type of a wire, which is that of its value.
    pub fn wire(&self, name: &str, value: &VerilogExpression) -> Result<TypeDescriptor, EmitError> {
        match self.lower(value)? {
            Value::Bits { ty: Some(ty), any_width: false, .. } => Ok(ty),
            Value::Bits { expr, signed, any_width: false, .. } => {
                let kind = if signed { TypeKind::Signed(expr.width()) } else { TypeKind::Bits(expr.width()) };
                Ok(TypeDescriptor { name: String::new(), kind })
            }
            _ => Err(self
                .unsupported(format!("the wire `{name}`, whose width neither its value nor a type says,"))),
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
            E::Cast(inner, 0) => Ok(Value::Resized(self.known(self.lower(inner)?, "`resize`")?)),
            E::Cast(inner, width) => match self.lower(inner)? {
                Value::Resized(expr) => Ok(Value::bits(fold::resize(expr, *width))),
                Value::Number(number) => Ok(Value::bits(self.number(&number, *width)?)),
                value => Ok(Value::bits(fold::resize(self.known(value, "a cast")?, *width))),
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
                    Value::Number(index) => fold::slice(base.clone(), self.position(&base, &index)?, 1),
                    index => fold::select_bit(base, self.known(index, "an index")?),
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
            Value::Number(_) | Value::Resized(_) => (false, None),
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
                let expr = fold::select(base, offset, width);
                return Ok(if signed { Value::signed(expr) } else { Value::bits(expr) });
            }
        };
        if let Some((field, _)) = ty.as_ref().and_then(|ty| field_at(ty, offset, width)) {
            return Ok(Value::typed(fold::slice(base, offset, width), &field));
        }
        let within = width.min(base.width() - offset);
        let expr = if within == 0 {
            Expr::zero(width)
        } else {
            fold::resize(fold::slice(base, offset, within), width)
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
                    parts.insert(0, fold::slice(base.clone(), at + 1, width - at - 1));
                }
                if at > 0 {
                    parts.push(fold::slice(base, 0, at));
                }
                return Ok(Value::bits(fold::concat(parts)));
            }
            index => self.known(index, "an index")?,
        };
        let one = fold::shift(Binary::Shl, Expr::constant(1u8, width), index.clone());
        let rest = fold::binary(Binary::BitAnd, base, fold::unary(Unary::Not, one));
        let placed = fold::shift(Binary::Shl, fold::resize(bit, width), index);
        Ok(Value::bits(fold::binary(Binary::BitOr, rest, placed)))
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
        Ok(Value::typed(fold::slice(symbol.expr(), offset, width_of(&ty)), &ty))
    }

    /// The name of the AST as the probe spells it, or what of it stands for no number.
    pub fn path(&self, raw: &str) -> Result<String, String> {
        let constant = |path: &str| {
            let path = path.strip_suffix("$val()").unwrap_or(path);
            let (symbol, offset, ty) = self.field(path)?;
            symbol.constant.as_ref()?;
            usize::try_from(fold::slice(symbol.expr(), offset, width_of(&ty)).value()?).ok()
        };
        paths::normalized(raw, &paths::Indices { loops: &self.loops, constant: &constant })
    }

    /// The signal that a path starts with, and offset and type of the field that the rest of it names.
    pub fn field(&self, path: &str) -> Option<(&Symbol, usize, TypeDescriptor)> {
        if let Some(symbol) = self.scope.symbols.get(path) {
            return Some((symbol, 0, symbol.ty.clone()));
        }
        let (base, fields) = path.split_once("$val()$").or_else(|| path.split_once("$next$")).unzip();
        match base.and_then(|base| self.scope.symbols.get(base)).zip(fields) {
            Some((symbol, fields)) => Self::field_of(symbol, fields),
            None => {
                // a field of a wire, or of one of several signals that make up a port
                let path = path.replace("$val()$", "$").replace("$next$", "$");
                let begun = path.rmatch_indices('$').find_map(|(at, _)| {
                    self.scope.symbols.get(&path[..at]).map(|symbol| (symbol, &path[at + 1..]))
                });
                let whole = || self.scope.symbols.get(&path).map(|symbol| (symbol, 0, symbol.ty.clone()));
                whole().or_else(|| begun.and_then(|(symbol, fields)| Self::field_of(symbol, fields)))
            }
        }
    }

    fn field_of<'s>(symbol: &'s Symbol, fields: &str) -> Option<(&'s Symbol, usize, TypeDescriptor)> {
        let (mut offset, mut ty) = (0, symbol.ty.clone());
        for name in fields.split('$') {
            let TypeKind::Composite(members) = &ty.kind else { return None };
            let mut found = None;
            for member in members {
                if own_name(&member.fieldname) == name {
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
