//! What is asked for a packet.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;
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
#[derive(LogicBlock, Default)]
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

    kinds: Signal<Local, Bits<8>>,
    field: [Signal<Local, Bits<96>>; 11],
    masked: [Signal<Local, Bits<8>>; 11],
    shim: Signal<Local, Bits<96>>,
    is_known: Signal<Local, Bits<8>>,
    is_long: Signal<Local, Bits<8>>,
    answer: Signal<Local, Request>,
    /// Of each field the lowest bit in the shim, and the kinds that have it.
    low: [Param<Bits<10>>; 11],
    of: [Param<Bits<8>>; 11],
    kind_low: Param<Bits<10>>,
    ethertype_low: Param<Bits<10>>,
    known: Param<Bits<8>>,
    long: Param<Bits<8>>,
}

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
}

impl Logic for Writer {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Puts a shim together.");
        self.kinds.next = bits::<8>(1) << self.kind.val();
        self.field[0].next = bit_cast::<96, 4>(self.hops.val());
        self.field[1].next = bit_cast::<96, 4>(self.epoch.val());
        self.field[2].next = bit_cast::<96, 16>(self.timestamp.val());
        self.field[3].next = bit_cast::<96, 16>(self.hash.val());
        self.field[4].next = bit_cast::<96, 24>(self.bytes.val());
        self.field[5].next = bits::<96>(0).replace_bit(0, self.enable.val());
        self.field[6].next = bit_cast::<96, 2>(self.hop.val());
        self.field[7].next = bit_cast::<96, 32>(self.path.val());
        self.field[8].next = bit_cast::<96, 2>(self.len.val());
        self.field[9].next = bit_cast::<96, 8>(self.ce.val());
        self.field[10].next = bit_cast::<96, 16>(self.dst.val());
        self.shim.next = (bit_cast::<96, 16>(self.ethertype.val()) << self.ethertype_low.val())
            | (bit_cast::<96, 3>(self.kind.val()) << self.kind_low.val());
        for f in 0..11 {
            self.masked[f].next = self.kinds.val() & self.of[f].val();
            if self.masked[f].val() != bits::<8>(0) {
                self.shim.next = self.shim.val() | (self.field[f].val() << self.low[f].val());
            }
        }
        self.is_known.next = self.kinds.val() & self.known.val();
        self.is_long.next = self.kinds.val() & self.long.val();
        self.answer.next.inserts = self.op.val() == bits::<2>(1);
        self.answer.next.patches = self.op.val() == bits::<2>(2);
        self.answer.next.kind = self.kind.val();
        self.answer.next.is_known = self.is_known.val() != bits::<8>(0);
        self.answer.next.is_long = self.is_long.val() != bits::<8>(0);
        self.answer.next.shim = self.shim.val();
        self.request.next = self.answer.val();
    }
}
