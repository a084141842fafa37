//! CRC32C as a linear function: what a bit adds to the state, and how the state moves on over zeros, and back.
//!
//! The state is that of RFC 9260 appendix A: 32 bits, the highest power in the lowest bit, in front of the last inversion. A step takes a bit
//! of the message, the lowest of a byte first.

use rust_hdl::prelude::*;

use crate::prims::Param;

/// The polynomial in this order, x^32 left out.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// The state a bit later, where the bit is 0.
const fn next(state: u32) -> u32 {
    if state & 1 == 1 { state >> 1 ^ POLYNOMIAL } else { state >> 1 }
}

/// The state that becomes this one: the polynomial sets the top bit.
const fn previous(state: u32) -> u32 {
    if state >> 31 == 1 { (state ^ POLYNOMIAL) << 1 | 1 } else { state << 1 }
}

/// The state so many bits of zeros later, or earlier.
pub fn moved(state: u32, bits: i64) -> u32 {
    let step = if bits < 0 { previous } else { next };
    (0..bits.unsigned_abs()).fold(state, |state, _| step(state))
}

/// Of a linear function of up to 64 bits, given by what each of them makes: for each bit of the result, those that it is the parity of.
fn rows<const WIDTH: usize>(columns: &[u32]) -> [Param<Bits<WIDTH>>; 32] {
    std::array::from_fn(|bit| {
        let is_in = |(at, column): (usize, &u32)| u64::from(column >> bit & 1) << at;
        Param::new(columns.iter().enumerate().map(is_in).sum::<u64>().into())
    })
}

/// What 64 bits of a message add to a state so many bits behind the last of them.
pub fn of_message(behind: i64) -> [Param<Bits<64>>; 32] {
    rows(&std::array::from_fn::<u32, 64, _>(|bit| moved(1, 64 - bit as i64 + behind)))
}

/// What becomes of a state in so many bits of zeros.
pub fn of_state(bits: i64) -> [Param<Bits<32>>; 32] {
    rows(&std::array::from_fn::<u32, 32, _>(|bit| moved(1 << bit, bits)))
}
