//! Where the words of a connection lie in a memory.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Addresses `{number, connection}` of `2^N` words a connection: `C = clog2(connections)`, `A = C + N`.
///
/// The number stands above, so that a memory for fewer words a connection is the lower part of a whole one.
#[block(no_clock)]
pub struct WordAddress<const C: usize, const N: usize, const A: usize> {
    pub conn: Signal<In, Bits<C>>,
    pub read_number: Signal<In, Bits<N>>,
    pub write_number: Signal<In, Bits<N>>,
    pub read: Signal<Out, Bits<A>>,
    pub write: Signal<Out, Bits<A>>,
    conn_bits: Param<Bits<4>>,
}

#[block]
impl<const C: usize, const N: usize, const A: usize> WordAddress<C, N, A> {
    /// The block.
    pub fn new() -> Self {
        Self { conn_bits: Param::new((C as u64).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module word_address: where the words of a connection lie");
        self.read = (bit_cast::<A, N>(self.read_number) << self.conn_bits) | bit_cast::<A, C>(self.conn);
        self.write = (bit_cast::<A, N>(self.write_number) << self.conn_bits) | bit_cast::<A, C>(self.conn);
    }
}
