//! rust-hdl's operators on numbers of any width, through its own `Bits` and `Signed`.

use num_bigint::BigUint;
use rust_hdl::prelude::*;
use seq_macro::seq;

/// An operator whose operands and width are given by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Not,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    All,
    Any,
    Parity,
    GetBit,
    /// The bit to place is `Op::ReplaceBit(bit)`.
    ReplaceBit(bool),
    SignedAdd,
    SignedSub,
    SignedNeg,
    SignedEq,
    SignedLt,
    SignedLe,
    SignedGt,
    SignedGe,
}

type Operator = fn(Op, &BigUint, &BigUint) -> BigUint;

// Conversions and operators are kept apart so that each exists once per width: 130 widths take their time to compile.
#[inline(never)]
fn load<const N: usize>(value: &BigUint) -> Bits<N> {
    value.clone().into()
}

#[inline(never)]
fn store<const N: usize>(value: Bits<N>) -> BigUint {
    value.into()
}

#[inline(never)]
fn operator<const N: usize>(op: Op, left: &BigUint, right: &BigUint) -> BigUint {
    let a: Bits<N> = load(left);
    let amount = u64::try_from(right).unwrap_or(u64::MAX);
    if !matches!(op, Op::Shl | Op::Shr | Op::GetBit | Op::ReplaceBit(_)) {
        let b: Bits<N> = load(right);
        return match tested(op, a, b) {
            Some(test) => u8::from(test).into(),
            None => store(combined(op, a, b)),
        };
    }
    match op {
        Op::GetBit => u8::from(a.get_bit(amount as usize)).into(),
        Op::ReplaceBit(bit) => store(a.replace_bit(amount as usize, bit)),
        Op::Shl => store(a << amount),
        _ => store(a >> amount),
    }
}

#[inline(never)]
fn tested<const N: usize>(op: Op, a: Bits<N>, b: Bits<N>) -> Option<bool> {
    let order = || a.partial_cmp(&b).unwrap();
    let signed_order = || signed_cast(a).partial_cmp(&signed_cast(b)).unwrap();
    Some(match op {
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::Lt => order().is_lt(),
        Op::Le => order().is_le(),
        Op::Gt => order().is_gt(),
        Op::Ge => order().is_ge(),
        Op::All => a.all(),
        Op::Any => a.any(),
        Op::Parity => a.xor(),
        Op::SignedEq => signed_cast(a) == signed_cast(b),
        Op::SignedLt => signed_order().is_lt(),
        Op::SignedLe => signed_order().is_le(),
        Op::SignedGt => signed_order().is_gt(),
        Op::SignedGe => signed_order().is_ge(),
        _ => return None,
    })
}

#[inline(never)]
fn combined<const N: usize>(op: Op, a: Bits<N>, b: Bits<N>) -> Bits<N> {
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not => !a,
        Op::SignedAdd => (signed_cast(a) + signed_cast(b)).inner(),
        Op::SignedSub => (signed_cast(a) - signed_cast(b)).inner(),
        _ => (-signed_cast(a)).inner(),
    }
}

/// `op` at `width` bits, 1 to 130. Shifts and bits take their amount or index as the right operand.
pub fn apply(op: Op, width: usize, left: &BigUint, right: &BigUint) -> BigUint {
    let table: [Operator; 130] = seq!(N in 1..=130 { [#(operator::<N>,)*] });
    table[width - 1](op, left, right)
}

/// Widths that casts go between.
pub const CAST_WIDTHS: [usize; 12] = [1, 2, 4, 8, 16, 17, 32, 33, 64, 65, 128, 130];

/// What leads from one width to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// `bit_cast`.
    Unsigned,
    /// `signed_bit_cast`.
    Signed,
    /// `get_bits` at an offset.
    GetBits(usize),
}

type Caster = fn(Cast, &BigUint) -> BigUint;

#[inline(never)]
fn caster<const M: usize, const N: usize>(cast: Cast, value: &BigUint) -> BigUint {
    let a: Bits<N> = load(value);
    let least = BigUint::from(1u8) << (N - 1);
    store(match cast {
        Cast::Unsigned => bit_cast::<M, N>(a),
        // rust-hdl never returns for the least value: it negates until the sign goes away. What was meant:
        Cast::Signed if *value == least => {
            let extension = ((BigUint::from(1u8) << M.max(N)) - least) & ((BigUint::from(1u8) << M) - 1u8);
            load(&extension)
        }
        Cast::Signed => signed_bit_cast::<M, N>(signed_cast(a)).inner(),
        Cast::GetBits(offset) => a.get_bits::<M>(offset),
    })
}

macro_rules! row {
    ($n:literal) => {
        [
            caster::<1, $n>,
            caster::<2, $n>,
            caster::<4, $n>,
            caster::<8, $n>,
            caster::<16, $n>,
            caster::<17, $n>,
            caster::<32, $n>,
            caster::<33, $n>,
            caster::<64, $n>,
            caster::<65, $n>,
            caster::<128, $n>,
            caster::<130, $n>,
        ]
    };
}

/// `value`, `from` bits wide, at `to` bits; both are in [`CAST_WIDTHS`].
pub fn convert(cast: Cast, to: usize, from: usize, value: &BigUint) -> BigUint {
    let table: [[Caster; 12]; 12] = [
        row!(1),
        row!(2),
        row!(4),
        row!(8),
        row!(16),
        row!(17),
        row!(32),
        row!(33),
        row!(64),
        row!(65),
        row!(128),
        row!(130),
    ];
    let index = |width| CAST_WIDTHS.iter().position(|known| *known == width).unwrap();
    table[index(from)][index(to)](cast, value)
}

/// `Bits<16> * Bits<16>`, or the signed product.
pub fn product(signed: bool, left: &BigUint, right: &BigUint) -> BigUint {
    let (a, b): (Bits<16>, Bits<16>) = (left.clone().into(), right.clone().into());
    if signed { (signed_cast(a) * signed_cast(b)).inner().into() } else { (a * b).into() }
}
