//! One record a packet.

use respray_hdl_macros::block;
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

/// What is said of a packet as soon as its head is found.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Head {
    /// The shim's kind, 7 without one that is whole and known.
    pub kind: Bits<3>,
    /// As in [`Record`].
    pub error: Bits<2>,
    /// The bytes where its shim is, if it has one, the first on top.
    pub shim: Bits<96>,
}

/// Says of a packet which shim it has. The fields are read a cycle later, by [`Reader`].
#[block(no_clock)]
pub struct Teller {
    pub found: Signal<In, Found>,
    pub head: Signal<Out, Head>,
    answer: Signal<Local, Head>,
}

#[block]
impl Teller {
    fn update(&mut self) {
        comment!("Says which shim there is.");
        let is_whole =
            !self.found.is_cut && self.found.is_shim && !self.found.is_cut_in_shim && self.found.is_known;
        self.answer.shim = self.found.shim;
        self.answer.kind = 7;
        if is_whole {
            self.answer.kind = self.found.kind.get_bits::<3>(0);
        }
        self.answer.error = 0;
        if self.found.is_cut {
            self.answer.error = 1;
        } else if self.found.is_shim {
            if self.found.is_cut_in_shim {
                self.answer.error = 1;
            } else if !self.found.is_known {
                self.answer.error = 2;
            }
        }
        self.head = self.answer;
    }
}

/// Takes the fields of a shim, each at its place in the table, and blanks those that its kind has not.
#[block(no_clock)]
pub struct Reader {
    pub head: Signal<In, Head>,
    /// All but the bytes.
    pub record: Signal<Out, Record>,

    answer: Signal<Local, Record>,
    /// Of each field the lowest bit in the shim, and the kinds that have it.
    low: [Param<Bits<10>>; 11],
    of: [Param<Bits<8>>; 11],
    has: [Signal<Local, Bit>; 11],
    masked: [Signal<Local, Bits<8>>; 11],
}

#[block]
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

    fn update(&mut self) {
        comment!("Reads a shim.");
        let shim = self.head.shim;
        let kinds: Bits<8> = bits::<8>(1) << self.head.kind;
        for f in 0..11 {
            self.masked[f] = kinds & self.of[f];
            self.has[f] = self.masked[f] != 0;
        }
        self.answer.kind = self.head.kind;
        self.answer.error = self.head.error;
        comment!("A hop or a length above 3 is said to be 3.");
        let wide_hop = shim.get_bits::<3>(self.low[6].index());
        let wide_len = shim.get_bits::<3>(self.low[8].index());
        self.answer.bytes = 0;
        self.answer.hops = 0;
        self.answer.epoch = 0;
        self.answer.timestamp = 0;
        self.answer.hash = 0;
        self.answer.acked = 0;
        self.answer.enable = false;
        self.answer.hop = 0;
        self.answer.path = 0;
        self.answer.len = 0;
        self.answer.ce = 0;
        self.answer.dst = 0;
        if self.has[0] {
            self.answer.hops = shim.get_bits::<4>(self.low[0].index());
        }
        if self.has[1] {
            self.answer.epoch = shim.get_bits::<4>(self.low[1].index());
        }
        if self.has[2] {
            self.answer.timestamp = shim.get_bits::<16>(self.low[2].index());
        }
        if self.has[3] {
            self.answer.hash = shim.get_bits::<16>(self.low[3].index());
        }
        if self.has[4] {
            self.answer.acked = shim.get_bits::<24>(self.low[4].index());
        }
        if self.has[5] {
            self.answer.enable = shim.get_bit(self.low[5].index());
        }
        if self.has[6] {
            self.answer.hop = wide_hop.get_bits::<2>(0);
            if wide_hop.get_bit(2) {
                self.answer.hop = 3;
            }
        }
        if self.has[7] {
            self.answer.path = shim.get_bits::<32>(self.low[7].index());
        }
        if self.has[8] {
            self.answer.len = wide_len.get_bits::<2>(0);
            if wide_len.get_bit(2) {
                self.answer.len = 3;
            }
        }
        if self.has[9] {
            self.answer.ce = shim.get_bits::<8>(self.low[9].index());
        }
        if self.has[10] {
            self.answer.dst = shim.get_bits::<16>(self.low[10].index());
        }
        self.record = self.answer;
    }
}
