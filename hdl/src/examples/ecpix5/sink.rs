//! `ecpix5_sink`: takes what the block hands to its host, and looks whether every packet is as it was sent, and comes once.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::pattern::Pattern;
use crate::comment;
use crate::prims::{MemoryStyle, Param, Reg, SimpleDualPort};
use crate::signal_struct;

signal_struct! {
    /// What the block hands over, named as its ports.
    pub struct Handed {
        pub data: Bits<64>,
        pub keep: Bits<8>,
        pub last: bool,
        pub kind: Bits<2>,
        pub error: Bits<3>,
        pub conn: Bits<6>,
        pub psn: Bits<24>,
        pub status: Bits<3>,
    }
}

/// Of each connection the memory has a bit for each of 128 PSNs in a row, twice the window: which of the packets with that PSN,
/// modulo 128, comes next, an even or an odd one. So a packet that is taken twice is seen, and with the count of all packets, whether one
/// is missing.
#[block]
pub struct Sink {
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tready: Signal<Out, bool>,
    pub s_axis_tdata: Signal<In, Bits<64>>,
    pub s_axis_tkeep: Signal<In, Bits<8>>,
    pub s_axis_tlast: Signal<In, bool>,
    pub rx_kind: Signal<In, Bits<2>>,
    pub rx_error: Signal<In, Bits<3>>,
    pub rx_conn: Signal<In, Bits<6>>,
    pub rx_psn: Signal<In, Bits<24>>,
    pub rx_status: Signal<In, Bits<3>>,
    /// New packets.
    pub taken: Signal<Out, Bits<32>>,
    /// A packet was not as it was sent, or came twice. It stays.
    pub is_wrong: Signal<Out, bool>,

    seen: SimpleDualPort<Bits<13>, Bits<1>>,
    clears: Reg<bool>,
    clear_at: Reg<Bits<13>>,
    beat: Reg<Bits<5>>,
    pattern: Pattern,
    /// A beat came at the edge before: what it is goes into registers first.
    takes: Reg<bool>,
    given: Reg<Handed>,
    checks: Reg<bool>,
    data: Reg<Bits<64>>,
    expected: Reg<Bits<64>>,
    writes: Reg<bool>,
    write_at: Reg<Bits<13>>,
    write_bit: Reg<Bits<1>>,
    count: Reg<Bits<32>>,
    wrong: Reg<bool>,
    packets: Param<Bits<24>>,
}

#[block]
impl Sink {
    /// Every connection gets `packets` packets.
    pub fn new(packets: u32) -> Self {
        let about = "whether an even or an odd packet comes next";
        let mut block = Self {
            seen: SimpleDualPort::new("seen_memory", about, MemoryStyle::Block),
            packets: Param::new(u64::from(packets).into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Looks whether every packet is as it was sent, and comes once.");
        let mut place: Bits<13> = bit_cast::<13, 6>(self.given.conn) << 7;
        place = place | bit_cast::<13, 7>(self.given.psn.get_bits::<7>(0));
        self.seen.read_address = place;
        self.s_axis_tready = !self.clears;
        self.takes = self.s_axis_tvalid & !self.clears;
        self.given.data = self.s_axis_tdata;
        self.given.keep = self.s_axis_tkeep;
        self.given.last = self.s_axis_tlast;
        self.given.kind = self.rx_kind;
        self.given.error = self.rx_error;
        self.given.conn = self.rx_conn;
        self.given.psn = self.rx_psn;
        self.given.status = self.rx_status;
        let is_new = !self.given.status.any();
        let ends = self.takes & self.given.last;

        comment!("The payload, beat by beat; the number of a beat is at most 31.");
        self.pattern.conn = self.given.conn;
        self.pattern.psn = self.given.psn;
        self.pattern.beat = self.beat.get_bits::<4>(0);
        self.data = self.given.data;
        self.expected = self.pattern.word;
        self.checks = self.takes & is_new & self.beat.get_bit(3);
        if self.checks & (self.data != self.expected) {
            self.wrong = true;
        }
        if self.takes {
            if !self.beat.all() {
                self.beat = self.beat + 1;
            }
            if !self.given.keep.all() {
                self.wrong = true;
            }
        }
        comment!(
            "The frame as a whole. All that the host may get are data packets, new ones or ones that came already."
        );
        self.writes = false;
        self.write_at = place;
        self.write_bit = !self.given.psn.get_bits::<1>(7);
        if ends {
            self.beat = 0;
            if (self.beat != 15)
                | self.given.kind.any()
                | self.given.error.any()
                | (self.given.status > 1)
                | (self.given.psn >= self.packets)
            {
                self.wrong = true;
            }
            if is_new {
                self.count = self.count + 1;
                self.writes = true;
                if self.seen.read_data != self.given.psn.get_bits::<1>(7) {
                    self.wrong = true;
                }
            }
        }
        self.seen.write_enable = self.writes | self.clears;
        self.seen.write_address = self.write_at;
        self.seen.write_data = self.write_bit;
        self.taken = self.count;
        self.is_wrong = self.wrong;

        comment!("The memory is cleared after a reset.");
        if self.clears {
            self.seen.write_address = self.clear_at;
            self.seen.write_data = 0;
            self.clear_at = self.clear_at + 1;
            if self.clear_at.all() {
                self.clears = false;
            }
        }
        if self.rst {
            self.clears = true;
            self.takes = false;
            self.clear_at = 0;
            self.beat = 0;
            self.checks = false;
            self.writes = false;
            self.count = 0;
            self.wrong = false;
        }
    }
}
