//! One record a packet.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::shim::Found;
use crate::prims::Param;
use crate::wire::shim::{LONGEST, field, kinds_with};

/// What is said of a packet. Fields that the kind of its shim has not are 0.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Record {
    /// The shim's kind, 7 without one that is whole and known.
    pub kind: Bits<3>,
    /// 0 none, 1 truncated, 2 a kind that is unknown.
    pub error: Bits<2>,
    /// Bytes of the packet without that shim.
    pub bytes: Bits<14>,
    pub hops: Bits<4>,
    pub epoch: Bits<4>,
    pub timestamp: Bits<16>,
    pub hash: Bits<16>,
    pub acked: Bits<24>,
    pub enable: Bit,
    pub hop: Bits<2>,
    pub path: Bits<32>,
    pub len: Bits<2>,
    pub ce: Bits<8>,
    pub dst: Bits<16>,
}

/// Takes the fields of a shim, each at its place in the table, and blanks those that its kind has not.
#[derive(LogicBlock, Default)]
pub struct Reader {
    pub found: Signal<In, Found>,
    /// All but the bytes.
    pub record: Signal<Out, Record>,

    kinds: Signal<Local, Bits<16>>,
    shim: Signal<Local, Bits<96>>,
    is_whole: Signal<Local, Bit>,
    wide_hop: Signal<Local, Bits<3>>,
    wide_len: Signal<Local, Bits<3>>,
    answer: Signal<Local, Record>,
    /// Of each field the lowest bit in the shim, and the kinds that have it.
    low: [Param<Bits<10>>; 11],
    of: [Param<Bits<16>>; 11],
    has: [Signal<Local, Bit>; 11],
    masked: [Signal<Local, Bits<16>>; 11],
}

impl Reader {
    /// For the fields of the tables, in the order of the ports.
    pub fn new() -> Self {
        let names = crate::cores::shim::describe::FIELDS.map(|(name, ..)| name);
        let low = |name: &str| {
            let field = field(name);
            Param::new(((8 * LONGEST - field.offset - field.width) as u64).into())
        };
        let of = |name: &str| Param::new(kinds_with(name).map(|kind| 1u64 << kind).sum::<u64>().into());
        Self { low: names.map(low), of: names.map(of), ..Default::default() }
    }
}

impl Logic for Reader {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Reads a shim.");
        self.is_whole.next = !self.found.val().is_cut
            && self.found.val().is_shim
            && !self.found.val().is_cut_in_shim
            && self.found.val().is_known;
        self.shim.next = self.found.val().shim;
        self.kinds.next = bits::<16>(0);
        if self.is_whole.val() {
            self.kinds.next = bits::<16>(1) << self.found.val().kind;
        }
        for f in 0..11 {
            self.masked[f].next = self.kinds.val() & self.of[f].val();
            self.has[f].next = self.masked[f].val() != bits::<16>(0);
        }
        self.answer.next.kind = bits::<3>(7);
        if self.is_whole.val() {
            self.answer.next.kind = self.found.val().kind.get_bits::<3>(0);
        }
        self.answer.next.error = bits::<2>(0);
        if self.found.val().is_cut {
            self.answer.next.error = bits::<2>(1);
        } else if self.found.val().is_shim {
            if self.found.val().is_cut_in_shim {
                self.answer.next.error = bits::<2>(1);
            } else if !self.found.val().is_known {
                self.answer.next.error = bits::<2>(2);
            }
        }
        comment!("A hop or a length above 3 is said to be 3.");
        self.wide_hop.next = self.shim.val().get_bits::<3>(self.low[6].val().index());
        self.wide_len.next = self.shim.val().get_bits::<3>(self.low[8].val().index());
        self.answer.next.bytes = bits::<14>(0);
        self.answer.next.hops = bits::<4>(0);
        self.answer.next.epoch = bits::<4>(0);
        self.answer.next.timestamp = bits::<16>(0);
        self.answer.next.hash = bits::<16>(0);
        self.answer.next.acked = bits::<24>(0);
        self.answer.next.enable = false;
        self.answer.next.hop = bits::<2>(0);
        self.answer.next.path = bits::<32>(0);
        self.answer.next.len = bits::<2>(0);
        self.answer.next.ce = bits::<8>(0);
        self.answer.next.dst = bits::<16>(0);
        if self.has[0].val() {
            self.answer.next.hops = self.shim.val().get_bits::<4>(self.low[0].val().index());
        }
        if self.has[1].val() {
            self.answer.next.epoch = self.shim.val().get_bits::<4>(self.low[1].val().index());
        }
        if self.has[2].val() {
            self.answer.next.timestamp = self.shim.val().get_bits::<16>(self.low[2].val().index());
        }
        if self.has[3].val() {
            self.answer.next.hash = self.shim.val().get_bits::<16>(self.low[3].val().index());
        }
        if self.has[4].val() {
            self.answer.next.acked = self.shim.val().get_bits::<24>(self.low[4].val().index());
        }
        if self.has[5].val() {
            self.answer.next.enable = self.shim.val().get_bit(self.low[5].val().index());
        }
        if self.has[6].val() {
            self.answer.next.hop = self.wide_hop.val().get_bits::<2>(0);
            if self.wide_hop.val().get_bit(2) {
                self.answer.next.hop = bits::<2>(3);
            }
        }
        if self.has[7].val() {
            self.answer.next.path = self.shim.val().get_bits::<32>(self.low[7].val().index());
        }
        if self.has[8].val() {
            self.answer.next.len = self.wide_len.val().get_bits::<2>(0);
            if self.wide_len.val().get_bit(2) {
                self.answer.next.len = bits::<2>(3);
            }
        }
        if self.has[9].val() {
            self.answer.next.ce = self.shim.val().get_bits::<8>(self.low[9].val().index());
        }
        if self.has[10].val() {
            self.answer.next.dst = self.shim.val().get_bits::<16>(self.low[10].val().index());
        }
        self.record.next = self.answer.val();
    }
}
