//! Where the words of a connection lie in a memory.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Addresses `{number, connection}` of `2^N` words a connection: `C = clog2(connections)`, `A = C + N`.
///
/// The number stands above, so that a memory for fewer words a connection is the lower part of a whole one.
#[derive(LogicBlock, Default)]
pub struct WordAddress<const C: usize, const N: usize, const A: usize> {
    pub conn: Signal<In, Bits<C>>,
    pub read_number: Signal<In, Bits<N>>,
    pub write_number: Signal<In, Bits<N>>,
    pub read: Signal<Out, Bits<A>>,
    pub write: Signal<Out, Bits<A>>,
    conn_bits: Param<Bits<4>>,
}

impl<const C: usize, const N: usize, const A: usize> WordAddress<C, N, A> {
    /// The block.
    pub fn new() -> Self {
        Self { conn_bits: Param::new((C as u64).into()), ..Default::default() }
    }
}

impl<const C: usize, const N: usize, const A: usize> Logic for WordAddress<C, N, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module word_address: where the words of a connection lie");
        self.read.next = (bit_cast::<A, N>(self.read_number.val()) << self.conn_bits.val())
            | bit_cast::<A, C>(self.conn.val());
        self.write.next = (bit_cast::<A, N>(self.write_number.val()) << self.conn_bits.val())
            | bit_cast::<A, C>(self.conn.val());
    }
}
