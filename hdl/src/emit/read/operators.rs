//! Operators of rust-hdl's AST on operands of known width.

use num_bigint::BigInt;
use rust_hdl::core::ast::{VerilogOp, VerilogOpUnary};

use super::expressions::{Lowering, Value};
use crate::emit::error::EmitError;
use crate::emit::expr::{Binary, Expr, Unary};
use crate::emit::fold;

impl Lowering<'_> {
    pub fn unary(&self, operator: &VerilogOpUnary, inner: Value) -> Result<Value, EmitError> {
        if let (VerilogOpUnary::Neg, Value::Number(number)) = (operator, &inner) {
            return Ok(Value::Number(-number));
        }
        let signed = inner.is_signed();
        let inner = self.known(inner, "an operator")?;
        Ok(match operator {
            VerilogOpUnary::Not => Value::bits(fold::unary(Unary::Not, inner)),
            VerilogOpUnary::Neg if signed => Value::signed(fold::unary(Unary::Neg, inner)),
            VerilogOpUnary::Neg => Value::bits(fold::unary(Unary::Neg, inner)),
            VerilogOpUnary::All => Value::bits(fold::unary(Unary::All, inner)),
            VerilogOpUnary::Any => Value::bits(fold::unary(Unary::Any, inner)),
            VerilogOpUnary::Xor => Value::bits(fold::unary(Unary::Parity, inner)),
        })
    }

    pub fn binary(&self, left: Value, operator: &VerilogOp, right: Value) -> Result<Value, EmitError> {
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
                fold::resize(expr, width)
            }
            right => self.coerced(right, width, "the right operand")?,
        };
        let result = fold::binary(operator, left, right);
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
        Ok(Value::bits(fold::shift(operator, left, by)))
    }

    fn product(&self, left: Value, right: Value) -> Result<Value, EmitError> {
        let signed = left.is_signed();
        if signed != right.is_signed() {
            return Err(self.unsupported("a product of a signed and an unsigned value"));
        }
        let (left, right) = (self.coerced(left, 16, "a factor")?, self.coerced(right, 16, "a factor")?);
        let resize = if signed { fold::resize_signed } else { fold::resize };
        let result = fold::binary(Binary::Mul, resize(left, 32), resize(right, 32));
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
}
