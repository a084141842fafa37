//! What is asked for a packet.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, resize};
use crate::wire::shim::{LONGEST, SHIMS, field, kinds_with};

/// What is asked for a packet, and the shim for it.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Request {
    pub inserts: Bit,
    pub patches: Bit,
    /// The kind of shim; none without `is_known`.
    pub kind: Bits<3>,
    pub is_known: Bit,
    /// It has 12 bytes.
    pub is_long: Bit,
    /// Its bytes, the first on top.
    pub shim: Bits<96>,
}

/// Puts the fields of a shim together, each at its place in the table.
#[block(no_clock)]
pub struct Writer {
    pub op: Signal<In, Bits<2>>,
    pub kind: Signal<In, Bits<3>>,
    pub ethertype: Signal<In, Bits<16>>,
    pub hops: Signal<In, Bits<4>>,
    pub epoch: Signal<In, Bits<4>>,
    pub timestamp: Signal<In, Bits<16>>,
    pub hash: Signal<In, Bits<16>>,
    pub bytes: Signal<In, Bits<24>>,
    pub enable: Signal<In, Bit>,
    pub hop: Signal<In, Bits<2>>,
    pub path: Signal<In, Bits<32>>,
    pub len: Signal<In, Bits<2>>,
    pub ce: Signal<In, Bits<8>>,
    pub dst: Signal<In, Bits<16>>,
    pub request: Signal<Out, Request>,

    field: [Signal<Local, Bits<96>>; 11],
    masked: [Signal<Local, Bits<8>>; 11],
    answer: Signal<Local, Request>,
    /// Of each field the lowest bit in the shim, and the kinds that have it.
    low: [Param<Bits<10>>; 11],
    of: [Param<Bits<8>>; 11],
    kind_low: Param<Bits<10>>,
    ethertype_low: Param<Bits<10>>,
    known: Param<Bits<8>>,
    long: Param<Bits<8>>,
}

#[block]
impl Writer {
    /// For the fields of the tables, in the order of the ports.
    pub fn new() -> Self {
        let names = crate::cores::shim::describe::FIELDS.map(|(name, ..)| name);
        let low = |name: &str| {
            let field = field(name);
            Param::new(((8 * LONGEST - field.offset - field.width) as u64).into())
        };
        let of = |name: &str| Param::new(kinds_with(name).map(|kind| 1u64 << kind).sum::<u64>().into());
        let kinds = |is: fn(usize) -> bool| {
            let codes = SHIMS.iter().enumerate().filter(|(_, shim)| is(shim.bytes()));
            Param::new(codes.map(|(code, _)| 1u64 << code).sum::<u64>().into())
        };
        Self {
            low: names.map(low),
            of: names.map(of),
            kind_low: low("kind"),
            ethertype_low: low("ethertype"),
            known: kinds(|_| true),
            long: kinds(|bytes| bytes == LONGEST),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Puts a shim together.");
        let kinds = bits::<8>(1) << self.kind;
        self.field[0] = resize(self.hops);
        self.field[1] = resize(self.epoch);
        self.field[2] = resize(self.timestamp);
        self.field[3] = resize(self.hash);
        self.field[4] = resize(self.bytes);
        self.field[5] = bits::<96>(0).replace_bit(0, self.enable);
        self.field[6] = resize(self.hop);
        self.field[7] = resize(self.path);
        self.field[8] = resize(self.len);
        self.field[9] = resize(self.ce);
        self.field[10] = resize(self.dst);
        let mut shim = (bit_cast::<96, 16>(self.ethertype) << self.ethertype_low)
            | (bit_cast::<96, 3>(self.kind) << self.kind_low);
        for f in 0..11 {
            self.masked[f] = kinds & self.of[f];
            if self.masked[f] != 0 {
                shim = shim | (self.field[f] << self.low[f]);
            }
        }
        let is_known = kinds & self.known;
        let is_long = kinds & self.long;
        self.answer.inserts = self.op == 1;
        self.answer.patches = self.op == 2;
        self.answer.kind = self.kind;
        self.answer.is_known = is_known != 0;
        self.answer.is_long = is_long != 0;
        self.answer.shim = shim;
        self.request = self.answer;
    }
}
