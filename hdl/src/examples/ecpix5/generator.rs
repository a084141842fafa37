//! `ecpix5_generator`: a small host. It sends the packets of every connection in turn, and again what the events name.
//!
//! ```text
//!  event_* ─┬─ acknowledged ──► EPSN of each connection ─┐
//!           │                   next PSN of each ────────┴─► is there room in the window? ─┐
//!           └─ retransmit ─────────────────────────────────────────────────────────────────┴─► frame ─► m_axis_*
//! ```

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::frame::{FIRST_OF_PAYLOAD, head};
use super::pattern::Pattern;
use crate::comment;
use crate::prims::{MemoryStyle, Param, Reg, SimpleDualPort};

/// Packets that a connection has under way at most, without those that are sent again.
pub const WINDOW: u64 = 32;

/// Visits the 64 connections in turn: one edge to read where it stands, one to reckon, one to decide. A packet that is to be sent
/// again goes before them.
#[block]
pub struct Generator {
    pub run: Signal<In, bool>,
    pub event_valid: Signal<In, bool>,
    pub event_ready: Signal<Out, bool>,
    pub event_kind: Signal<In, Bits<4>>,
    pub event_conn: Signal<In, Bits<6>>,
    pub event_psn: Signal<In, Bits<24>>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    pub m_axis_tdata: Signal<Out, Bits<64>>,
    pub m_axis_tkeep: Signal<Out, Bits<8>>,
    pub m_axis_tlast: Signal<Out, bool>,
    /// Every packet of every connection is acknowledged, and nothing is to be sent again.
    pub is_done: Signal<Out, bool>,

    next_psn: SimpleDualPort<Bits<6>, Bits<24>>,
    acknowledged: SimpleDualPort<Bits<6>, Bits<24>>,
    /// Both memories are being cleared; `turn` is the address.
    #[reset = true]
    clears: Reg<bool>,
    #[reset = 0]
    turn: Reg<Bits<6>>,
    /// What a visit is at; none of these while a frame is made.
    #[reset = false]
    looks: Reg<bool>,
    #[reset = false]
    reckons: Reg<bool>,
    #[reset = false]
    decides: Reg<bool>,
    in_flight: Reg<Bits<24>>,
    psn: Reg<Bits<24>>,
    has_more: Reg<bool>,
    is_finished: Reg<bool>,
    /// Connections in a row of which everything is acknowledged.
    #[reset = 0]
    finished: Reg<Bits<7>>,
    #[reset = false]
    is_complete: Reg<bool>,
    #[reset = false]
    makes: Reg<bool>,
    #[reset = 0]
    beat: Reg<Bits<4>>,
    frame_conn: Reg<Bits<6>>,
    frame_psn: Reg<Bits<24>>,
    pattern: Pattern,
    #[reset = false]
    has_word: Reg<bool>,
    held: Reg<Bits<64>>,
    is_last: Reg<bool>,
    head: [Param<Bits<64>>; FIRST_OF_PAYLOAD],
    number: [Param<Bits<4>>; FIRST_OF_PAYLOAD],
    packets: Param<Bits<24>>,
    window: Param<Bits<24>>,
}

#[block]
impl Generator {
    /// Sends `packets` packets on each connection to the UDP port `udp_port`.
    pub fn new(packets: u32, udp_port: u16) -> Self {
        let memory = |name, about| SimpleDualPort::new(name, about, MemoryStyle::Distributed);
        let mut block = Self {
            next_psn: memory("next_memory", "next PSN of every connection"),
            acknowledged: memory(
                "acknowledged_memory",
                "lowest PSN of every connection that is not acknowledged",
            ),
            head: head(udp_port).map(|word| Param::new(word.into())),
            number: std::array::from_fn(|beat| Param::new((beat as u64).into())),
            packets: Param::new(u64::from(packets).into()),
            window: Param::new(WINDOW.into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Sends the packets of every connection in turn, and again what the events name.");
        self.next_psn.read_address = self.turn;
        self.acknowledged.read_address = self.turn;

        comment!(
            "Events: one to send again waits for a visit to begin; others do not come while a memory is read."
        );
        let is_again = self.event_valid & (self.event_kind == 2);
        let takes_event = self.event_valid & (self.looks == is_again) & !self.clears;
        self.event_ready = takes_event;
        self.acknowledged.write_enable = takes_event & (self.event_kind == 0);
        self.acknowledged.write_address = self.event_conn;
        self.acknowledged.write_data = self.event_psn;

        comment!("A visit, and what is sent.");
        let mut sends = false;
        if self.looks & self.run {
            self.looks = false;
            if is_again {
                self.makes = true;
                self.frame_conn = self.event_conn;
                self.frame_psn = self.event_psn;
            } else {
                self.reckons = true;
            }
        }
        if self.reckons {
            self.reckons = false;
            self.decides = true;
            self.psn = self.next_psn.read_data;
            self.in_flight = self.next_psn.read_data - self.acknowledged.read_data;
            self.has_more = self.next_psn.read_data != self.packets;
            self.is_finished = self.acknowledged.read_data == self.packets;
        }
        if self.decides {
            self.decides = false;
            self.turn = self.turn + 1;
            self.finished = 0;
            if self.is_finished {
                self.finished = self.finished + 1;
            }
            sends = self.has_more & (self.in_flight < self.window);
            self.looks = !sends;
            self.makes = sends;
            self.frame_conn = self.turn;
            self.frame_psn = self.psn;
        }
        if self.finished.get_bit(6) {
            self.is_complete = true;
        }
        self.is_done = self.is_complete & !self.event_valid & !self.makes;
        self.next_psn.write_enable = sends;
        self.next_psn.write_address = self.turn;
        self.next_psn.write_data = self.psn + 1;

        comment!("The frame, beat by beat.");
        self.pattern.conn = self.frame_conn;
        self.pattern.psn = self.frame_psn;
        self.pattern.beat = self.beat;
        let numbers = (bit_cast::<64, 6>(self.frame_conn) << 8)
            | (bit_cast::<64, 8>(self.frame_psn.get_bits::<8>(16)) << 24)
            | (bit_cast::<64, 8>(self.frame_psn.get_bits::<8>(8)) << 32)
            | (bit_cast::<64, 8>(self.frame_psn.get_bits::<8>(0)) << 40);
        let mut word = self.pattern.word;
        for i in 0..8 {
            if self.beat == self.number[i] {
                word = self.head[i];
            }
        }
        if self.beat == 6 {
            word = self.head[6] | numbers;
        }
        let moves = !self.has_word | self.m_axis_tready;
        if moves {
            self.has_word = self.makes;
            self.held = word;
            self.is_last = self.beat.all();
            if self.makes {
                self.beat = self.beat + 1;
                if self.beat.all() {
                    self.makes = false;
                    self.looks = true;
                }
            }
        }
        self.m_axis_tvalid = self.has_word;
        self.m_axis_tdata = self.held;
        self.m_axis_tkeep = 255;
        self.m_axis_tlast = self.is_last;

        comment!("Both memories are cleared after a reset.");
        if self.clears {
            self.turn = self.turn + 1;
            self.next_psn.write_enable = true;
            self.next_psn.write_data = 0;
            self.acknowledged.write_enable = true;
            self.acknowledged.write_address = self.turn;
            self.acknowledged.write_data = 0;
            if self.turn.all() {
                self.clears = false;
                self.looks = true;
            }
        }
    }
}
