//! Makes expressions: constants are folded, and a slice is pushed towards the operands, so that what is printed is as short as a
//! person would write it and no bit is computed that nothing reads.

use num_bigint::BigUint;

use super::expr::{Binary, Expr, Unary, bits_for, ones};

pub(super) fn unary(operator: Unary, inner: Expr) -> Expr {
    let width = inner.width();
    if let Some(value) = inner.value() {
        return match operator {
            Unary::Not => Expr::constant(ones(width) - value, width),
            Unary::Neg => Expr::constant((BigUint::from(1u8) << width) - value, width),
            Unary::All => Expr::bit(*value == ones(width)),
            Unary::Any => Expr::bit(*value != BigUint::ZERO),
            Unary::Parity => Expr::bit(value.count_ones() % 2 == 1),
        };
    }
    match (operator, inner) {
        (Unary::Not, Expr::Unary(Unary::Not, inner)) => *inner,
        (Unary::All | Unary::Any | Unary::Parity, inner) if width == 1 => inner,
        (operator, inner) => Expr::Unary(operator, Box::new(inner)),
    }
}

/// An operator on operands of one width; for a shift the right one may have any.
pub(super) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    use Binary::*;
    let width = left.width();
    if let (Some(a), Some(b)) = (left.value(), right.value()) {
        return evaluated(operator, a, b, width);
    }
    let (full, zero) = (ones(width), BigUint::ZERO);
    let low_signed = BigUint::from(1u8) << (width - 1);
    let high_signed = &low_signed - 1u8;
    match operator {
        BitAnd | LogicalAnd if left.is_zero() || right.is_zero() => Expr::zero(width),
        BitAnd | LogicalAnd if left.is(&full) => right,
        BitAnd | LogicalAnd if right.is(&full) => left,
        BitOr | LogicalOr if left.is(&full) || right.is(&full) => Expr::constant(full, width),
        BitXor if left.is(&full) => unary(Unary::Not, right),
        BitXor if right.is(&full) => unary(Unary::Not, left),
        BitOr | LogicalOr | BitXor | Add if left.is_zero() => right,
        BitOr | LogicalOr | BitXor | Add | Sub if right.is_zero() => left,
        BitAnd | BitOr | LogicalAnd | LogicalOr if left == right => left,
        BitOr => side_by_side(left, right),
        Shl | Shr if left.is_zero() || right.is_zero() => left,
        Shl | Shr if right.value().is_some_and(|by| *by >= width.into()) => Expr::zero(width),
        Eq | Ne if width == 1 && left.value().is_some() => {
            if left.is_zero() == (operator == Eq) {
                unary(Unary::Not, right)
            } else {
                right
            }
        }
        Eq | Ne if width == 1 && right.value().is_some() => {
            if right.is_zero() == (operator == Eq) {
                unary(Unary::Not, left)
            } else {
                left
            }
        }
        Lt if right.is(&zero) || left.is(&full) => Expr::bit(false),
        Gt if left.is(&zero) || right.is(&full) => Expr::bit(false),
        Ge if right.is(&zero) || left.is(&full) => Expr::bit(true),
        Le if left.is(&zero) || right.is(&full) => Expr::bit(true),
        SignedLt if right.is(&low_signed) || left.is(&high_signed) => Expr::bit(false),
        SignedGt if left.is(&low_signed) || right.is(&high_signed) => Expr::bit(false),
        SignedGe if right.is(&low_signed) || left.is(&high_signed) => Expr::bit(true),
        SignedLe if left.is(&low_signed) || right.is(&high_signed) => Expr::bit(true),
        _ => Expr::Binary(operator, Box::new(left), Box::new(right)),
    }
}

/// `left | right`; where the set bits of the one lie in constant zeros of the other, as they do when fields are shifted to their
/// places, the parts are joined instead: a reader sees which bits they are, and a simulator computes no wide shift.
fn side_by_side(left: Expr, right: Expr) -> Expr {
    let (ours, theirs) = (placed(&left), placed(&right));
    if ours.iter().any(|part| theirs.iter().any(|other| part.overlaps(other))) {
        return Expr::Binary(Binary::BitOr, Box::new(left), Box::new(right));
    }
    let mut parts = [ours, theirs].concat();
    parts.sort_by_key(|part| std::cmp::Reverse(part.lo));
    let mut filled = vec![];
    let mut above = left.width();
    for Placed { lo, expr } in parts {
        filled.push(Expr::zero(above - lo - expr.width()));
        filled.push(expr);
        above = lo;
    }
    filled.push(Expr::zero(above));
    concat(filled)
}

/// A part of an expression that is not constantly zero, and its lowest bit.
#[derive(Clone)]
struct Placed {
    lo: usize,
    expr: Expr,
}

impl Placed {
    fn overlaps(&self, other: &Placed) -> bool {
        self.lo < other.lo + other.expr.width() && other.lo < self.lo + self.expr.width()
    }
}

fn placed(expr: &Expr) -> Vec<Placed> {
    let whole = match expr {
        Expr::Binary(operator @ (Binary::Shl | Binary::Shr), left, right) => {
            shifted_by_constant(*operator, left, right).unwrap_or_else(|| expr.clone())
        }
        other => other.clone(),
    };
    let parts = match whole {
        Expr::Concat(parts) => parts,
        other => vec![other],
    };
    let mut lo: usize = expr.width();
    let placed = parts.into_iter().map(|expr| {
        lo -= expr.width();
        Placed { lo, expr }
    });
    placed.filter(|part| !part.expr.is_zero()).collect()
}

/// A shift by a constant as the bits that stay, beside zeros.
fn shifted_by_constant(operator: Binary, value: &Expr, by: &Expr) -> Option<Expr> {
    let by = by.value().and_then(|by| usize::try_from(by).ok())?;
    let rest = value.width().checked_sub(by)?;
    Some(match operator {
        Binary::Shl => concat(vec![slice(value.clone(), 0, rest), Expr::zero(by)]),
        _ => concat(vec![Expr::zero(by), slice(value.clone(), by, rest)]),
    })
}

fn evaluated(operator: Binary, a: &BigUint, b: &BigUint, width: usize) -> Expr {
    use Binary::*;
    let flipped = |v: &BigUint| v ^ (BigUint::from(1u8) << (width - 1));
    let shift = || u64::try_from(b).ok().filter(|by| *by < width as u64);
    match operator {
        Add => Expr::constant(a + b, width),
        Sub => Expr::constant(a + (BigUint::from(1u8) << width) - b, width),
        Mul => Expr::constant(a * b, width),
        BitAnd | LogicalAnd => Expr::constant(a & b, width),
        BitOr | LogicalOr => Expr::constant(a | b, width),
        BitXor => Expr::constant(a ^ b, width),
        Shl => shift().map_or(Expr::zero(width), |by| Expr::constant(a << by, width)),
        Shr => shift().map_or(Expr::zero(width), |by| Expr::constant(a >> by, width)),
        Eq => Expr::bit(a == b),
        Ne => Expr::bit(a != b),
        Lt => Expr::bit(a < b),
        Le => Expr::bit(a <= b),
        Gt => Expr::bit(a > b),
        Ge => Expr::bit(a >= b),
        SignedLt => Expr::bit(flipped(a) < flipped(b)),
        SignedLe => Expr::bit(flipped(a) <= flipped(b)),
        SignedGt => Expr::bit(flipped(a) > flipped(b)),
        SignedGe => Expr::bit(flipped(a) >= flipped(b)),
    }
}

pub(super) fn cond(test: Expr, then: Expr, other: Expr) -> Expr {
    match test.value() {
        Some(value) if *value == BigUint::ZERO => other,
        Some(_) => then,
        None if then == other => then,
        None if then.width() == 1 && then.value().is_some() && other.value().is_some() => {
            if then.is_zero() {
                unary(Unary::Not, test)
            } else {
                test
            }
        }
        None => match test {
            Expr::Unary(Unary::Not, test) => Expr::Cond(test, Box::new(other), Box::new(then)),
            test => Expr::Cond(Box::new(test), Box::new(then), Box::new(other)),
        },
    }
}

/// Joins parts, most significant first; neighbours that are constants or slices of one base become one part.
pub(super) fn concat(parts: Vec<Expr>) -> Expr {
    let mut joined: Vec<Expr> = vec![];
    let flat = parts.into_iter().flat_map(|part| match part {
        Expr::Concat(inner) => inner,
        other => vec![other],
    });
    for part in flat.filter(|part| part.width() > 0) {
        let merged = joined.last().and_then(|high| merged(high, &part));
        match merged {
            Some(both) => *joined.last_mut().expect("there is a neighbour") = both,
            None => joined.push(part),
        }
    }
    if joined.len() == 1 { joined.remove(0) } else { Expr::Concat(joined) }
}

fn merged(high: &Expr, low: &Expr) -> Option<Expr> {
    match (high, low) {
        (Expr::Const { value: a, width: wa }, Expr::Const { value: b, width: wb }) => {
            Some(Expr::constant((a << *wb) | b, wa + wb))
        }
        (Expr::Slice { base, lo: high_lo, width: high_width }, Expr::Slice { base: other, lo, width })
            if base == other && *high_lo == lo + width =>
        {
            Some(slice((**base).clone(), *lo, high_width + width))
        }
        _ => None,
    }
}

/// Bits `lo .. lo + width`, which lie within `base`; pushed towards the operands as far as that keeps the value.
pub(super) fn slice(base: Expr, lo: usize, width: usize) -> Expr {
    if lo == 0 && width == base.width() {
        return base;
    }
    let both =
        |operator, left: Expr, right: Expr| binary(operator, slice(left, lo, width), slice(right, lo, width));
    match base {
        Expr::Const { value, .. } | Expr::Param { value, .. } => Expr::constant(value >> lo, width),
        Expr::Slice { base, lo: inner, .. } => slice(*base, inner + lo, width),
        Expr::Concat(parts) => {
            let mut offset: usize = parts.iter().map(Expr::width).sum();
            let mut kept = vec![];
            for part in parts {
                offset -= part.width();
                let (from, to) = (lo.max(offset), (lo + width).min(offset + part.width()));
                if from < to {
                    kept.push(slice(part, from - offset, to - from));
                }
            }
            concat(kept)
        }
        Expr::Repeat(_, inner) if inner.width() == 1 => repeat(width, *inner),
        Expr::Unary(Unary::Not, inner) => unary(Unary::Not, slice(*inner, lo, width)),
        Expr::Unary(Unary::Neg, inner) if lo == 0 => unary(Unary::Neg, slice(*inner, 0, width)),
        Expr::Binary(operator @ (Binary::BitAnd | Binary::BitOr | Binary::BitXor), left, right) => {
            both(operator, *left, *right)
        }
        Expr::Binary(operator @ (Binary::Add | Binary::Sub | Binary::Mul), left, right) if lo == 0 => {
            both(operator, *left, *right)
        }
        Expr::Binary(operator @ (Binary::Shl | Binary::Shr), left, right) if right.value().is_some() => {
            let shifted = shifted_by_constant(operator, &left, &right).expect("below the width");
            slice(shifted, lo, width)
        }
        Expr::Binary(Binary::Shl, left, right) if lo == 0 => {
            binary(Binary::Shl, slice(*left, 0, width), *right)
        }
        Expr::Binary(operator @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl), left, right)
            if lo + width < left.width() =>
        {
            let low = slice(Expr::Binary(operator, left, right), 0, lo + width);
            Expr::Slice { base: Box::new(low), lo, width }
        }
        Expr::Cond(test, then, other) => cond(*test, slice(*then, lo, width), slice(*other, lo, width)),
        base => Expr::Slice { base: Box::new(base), lo, width },
    }
}

pub(super) fn repeat(times: usize, inner: Expr) -> Expr {
    match (times, inner.value()) {
        (1, _) => inner,
        (_, Some(value)) if inner.width() == 1 => {
            let value = if *value == BigUint::ZERO { BigUint::ZERO } else { ones(times) };
            Expr::constant(value, times)
        }
        _ => Expr::Repeat(times, Box::new(inner)),
    }
}

/// `value` at `width` bits: truncated, or extended with zeros.
pub(super) fn resize(value: Expr, width: usize) -> Expr {
    let own = value.width();
    if width <= own {
        slice(value, 0, width)
    } else if let Some(number) = value.value() {
        Expr::constant(number.clone(), width)
    } else {
        concat(vec![Expr::zero(width - own), value])
    }
}

/// `value` at `width` bits: truncated, or extended with its sign.
pub(super) fn resize_signed(value: Expr, width: usize) -> Expr {
    let own = value.width();
    if width <= own {
        return slice(value, 0, width);
    }
    let sign = slice(value.clone(), own - 1, 1);
    concat(vec![repeat(width - own, sign), value])
}

/// Bit `index` of `base`. Rust stops at an index beyond the end, so only bits that can be within are looked at.
pub(super) fn select_bit(base: Expr, index: Expr) -> Expr {
    let own = base.width();
    if own == 1 {
        return base;
    }
    selected(base, resize(index, bits_for(own - 1)), 1)
}

/// Bits `index ..` of `base`, zeros beyond its end.
pub(super) fn select(base: Expr, index: Expr, width: usize) -> Expr {
    let own = base.width();
    let reach = if index.width() >= usize::BITS as usize { usize::MAX } else { (1 << index.width()) - 1 };
    if reach.saturating_add(width) > own {
        return resize(shift(Binary::Shr, base, index), width);
    }
    selected(base, resize(index, bits_for(own - 1)), width)
}

fn selected(base: Expr, index: Expr, width: usize) -> Expr {
    let fixed = index.value().and_then(|at| usize::try_from(at).ok()).filter(|at| at + width <= base.width());
    match fixed {
        Some(at) => slice(base, at, width),
        None => Expr::Select { base: Box::new(base), index: Box::new(index), width },
    }
}

/// A shift by any amount. Tools refuse amounts of more than 32 bits, so a wider one is first looked at for being too large.
pub(super) fn shift(operator: Binary, value: Expr, by: Expr) -> Expr {
    let (width, amount) = (value.width(), by.width());
    if amount <= 32 || by.value().is_some() {
        return binary(operator, value, by);
    }
    let beyond = unary(Unary::Any, slice(by.clone(), 32, amount - 32));
    let shifted = binary(operator, value, slice(by, 0, 32));
    cond(beyond, Expr::zero(width), shifted)
}
