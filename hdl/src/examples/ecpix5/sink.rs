//! `ecpix5_sink`: takes what the block hands to its host, and looks whether every packet is as it was sent, and comes once.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::pattern::Pattern;
use crate::comment;
use crate::prims::{MemoryStyle, Param, SimpleDualPort};
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
#[derive(LogicBlock, Default)]
pub struct Sink {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    place: Signal<Local, Bits<13>>,
    clears: DFF<bool>,
    clear_at: DFF<Bits<13>>,
    beat: DFF<Bits<5>>,
    pattern: Pattern,
    /// A beat came at the edge before: what it is goes into registers first.
    takes: DFF<bool>,
    given: DFF<Handed>,
    is_new: Signal<Local, bool>,
    ends: Signal<Local, bool>,
    checks: DFF<bool>,
    data: DFF<Bits<64>>,
    expected: DFF<Bits<64>>,
    writes: DFF<bool>,
    write_at: DFF<Bits<13>>,
    write_bit: DFF<Bits<1>>,
    count: DFF<Bits<32>>,
    wrong: DFF<bool>,
    packets: Param<Bits<24>>,
}

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
}

impl Logic for Sink {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Looks whether every packet is as it was sent, and comes once.");
        dff_setup!(self, clk, clears, clear_at, beat, checks, data, expected, writes, write_at);
        dff_setup!(self, clk, write_bit, count, wrong, takes, given);
        self.seen.clk.next = self.clk.val();
        self.place.next = bit_cast::<13, 6>(self.given.q.val().conn) << 7;
        self.place.next = self.place.val() | bit_cast::<13, 7>(self.given.q.val().psn.get_bits::<7>(0));
        self.seen.read_address.next = self.place.val();
        self.s_axis_tready.next = !self.clears.q.val();
        self.takes.d.next = self.s_axis_tvalid.val() & !self.clears.q.val();
        self.given.d.next.data = self.s_axis_tdata.val();
        self.given.d.next.keep = self.s_axis_tkeep.val();
        self.given.d.next.last = self.s_axis_tlast.val();
        self.given.d.next.kind = self.rx_kind.val();
        self.given.d.next.error = self.rx_error.val();
        self.given.d.next.conn = self.rx_conn.val();
        self.given.d.next.psn = self.rx_psn.val();
        self.given.d.next.status = self.rx_status.val();
        self.is_new.next = !self.given.q.val().status.any();
        self.ends.next = self.takes.q.val() & self.given.q.val().last;

        comment!("The payload, beat by beat; the number of a beat is at most 31.");
        self.pattern.conn.next = self.given.q.val().conn;
        self.pattern.psn.next = self.given.q.val().psn;
        self.pattern.beat.next = self.beat.q.val().get_bits::<4>(0);
        self.data.d.next = self.given.q.val().data;
        self.expected.d.next = self.pattern.word.val();
        self.checks.d.next = self.takes.q.val() & self.is_new.val() & self.beat.q.val().get_bit(3);
        if self.checks.q.val() & (self.data.q.val() != self.expected.q.val()) {
            self.wrong.d.next = true;
        }
        if self.takes.q.val() {
            if !self.beat.q.val().all() {
                self.beat.d.next = self.beat.q.val() + 1;
            }
            if !self.given.q.val().keep.all() {
                self.wrong.d.next = true;
            }
        }
        comment!(
            "The frame as a whole. All that the host may get are data packets, new ones or ones that came already."
        );
        self.writes.d.next = false;
        self.write_at.d.next = self.place.val();
        self.write_bit.d.next = !self.given.q.val().psn.get_bits::<1>(7);
        if self.ends.val() {
            self.beat.d.next = 0.into();
            if (self.beat.q.val() != 15)
                | self.given.q.val().kind.any()
                | self.given.q.val().error.any()
                | (self.given.q.val().status > 1)
                | (self.given.q.val().psn >= self.packets.val())
            {
                self.wrong.d.next = true;
            }
            if self.is_new.val() {
                self.count.d.next = self.count.q.val() + 1;
                self.writes.d.next = true;
                if self.seen.read_data.val() != self.given.q.val().psn.get_bits::<1>(7) {
                    self.wrong.d.next = true;
                }
            }
        }
        self.seen.write_enable.next = self.writes.q.val() | self.clears.q.val();
        self.seen.write_address.next = self.write_at.q.val();
        self.seen.write_data.next = self.write_bit.q.val();
        self.taken.next = self.count.q.val();
        self.is_wrong.next = self.wrong.q.val();

        comment!("The memory is cleared after a reset.");
        if self.clears.q.val() {
            self.seen.write_address.next = self.clear_at.q.val();
            self.seen.write_data.next = 0.into();
            self.clear_at.d.next = self.clear_at.q.val() + 1;
            if self.clear_at.q.val().all() {
                self.clears.d.next = false;
            }
        }
        if self.rst.val() {
            self.clears.d.next = true;
            self.takes.d.next = false;
            self.clear_at.d.next = 0.into();
            self.beat.d.next = 0.into();
            self.checks.d.next = false;
            self.writes.d.next = false;
            self.count.d.next = 0.into();
            self.wrong.d.next = false;
        }
    }
}
