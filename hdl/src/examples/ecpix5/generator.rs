//! `ecpix5_generator`: a small host. It sends the packets of every connection in turn, and again what the events name.
//!
//! ```text
//!  event_* ─┬─ acknowledged ──► EPSN of each connection ─┐
//!           │                   next PSN of each ────────┴─► is there room in the window? ─┐
//!           └─ retransmit ─────────────────────────────────────────────────────────────────┴─► frame ─► m_axis_*
//! ```

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::frame::{FIRST_OF_PAYLOAD, head};
use super::pattern::Pattern;
use crate::comment;
use crate::prims::{MemoryStyle, Param, SimpleDualPort};

/// Packets that a connection has under way at most, without those that are sent again.
pub const WINDOW: u64 = 32;

/// Visits the 64 connections in turn: one edge to read where it stands, one to reckon, one to decide. A packet that is to be sent
/// again goes before them.
#[derive(LogicBlock, Default)]
pub struct Generator {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    clears: DFF<bool>,
    turn: DFF<Bits<6>>,
    /// What a visit is at; none of these while a frame is made.
    looks: DFF<bool>,
    reckons: DFF<bool>,
    decides: DFF<bool>,
    in_flight: DFF<Bits<24>>,
    psn: DFF<Bits<24>>,
    has_more: DFF<bool>,
    is_finished: DFF<bool>,
    /// Connections in a row of which everything is acknowledged.
    finished: DFF<Bits<7>>,
    is_complete: DFF<bool>,
    is_again: Signal<Local, bool>,
    takes_event: Signal<Local, bool>,
    sends: Signal<Local, bool>,
    makes: DFF<bool>,
    beat: DFF<Bits<4>>,
    frame_conn: DFF<Bits<6>>,
    frame_psn: DFF<Bits<24>>,
    pattern: Pattern,
    word: Signal<Local, Bits<64>>,
    numbers: Signal<Local, Bits<64>>,
    moves: Signal<Local, bool>,
    has_word: DFF<bool>,
    held: DFF<Bits<64>>,
    is_last: DFF<bool>,
    head: [Param<Bits<64>>; FIRST_OF_PAYLOAD],
    number: [Param<Bits<4>>; FIRST_OF_PAYLOAD],
    packets: Param<Bits<24>>,
    window: Param<Bits<24>>,
}

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
}

impl Logic for Generator {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Sends the packets of every connection in turn, and again what the events name.");
        dff_setup!(self, clk, clears, turn, looks, reckons, decides, in_flight, psn, has_more, is_finished);
        dff_setup!(
            self,
            clk,
            finished,
            is_complete,
            makes,
            beat,
            frame_conn,
            frame_psn,
            has_word,
            held,
            is_last
        );
        self.next_psn.clk.next = self.clk.val();
        self.acknowledged.clk.next = self.clk.val();
        self.next_psn.read_address.next = self.turn.q.val();
        self.acknowledged.read_address.next = self.turn.q.val();

        comment!(
            "Events: one to send again waits for a visit to begin; others do not come while a memory is read."
        );
        self.is_again.next = self.event_valid.val() & (self.event_kind.val() == 2);
        self.takes_event.next =
            self.event_valid.val() & (self.looks.q.val() == self.is_again.val()) & !self.clears.q.val();
        self.event_ready.next = self.takes_event.val();
        self.acknowledged.write_enable.next = self.takes_event.val() & (self.event_kind.val() == 0);
        self.acknowledged.write_address.next = self.event_conn.val();
        self.acknowledged.write_data.next = self.event_psn.val();

        comment!("A visit, and what is sent.");
        self.sends.next = false;
        if self.looks.q.val() & self.run.val() {
            self.looks.d.next = false;
            if self.is_again.val() {
                self.makes.d.next = true;
                self.frame_conn.d.next = self.event_conn.val();
                self.frame_psn.d.next = self.event_psn.val();
            } else {
                self.reckons.d.next = true;
            }
        }
        if self.reckons.q.val() {
            self.reckons.d.next = false;
            self.decides.d.next = true;
            self.psn.d.next = self.next_psn.read_data.val();
            self.in_flight.d.next = self.next_psn.read_data.val() - self.acknowledged.read_data.val();
            self.has_more.d.next = self.next_psn.read_data.val() != self.packets.val();
            self.is_finished.d.next = self.acknowledged.read_data.val() == self.packets.val();
        }
        if self.decides.q.val() {
            self.decides.d.next = false;
            self.turn.d.next = self.turn.q.val() + 1;
            self.finished.d.next = 0.into();
            if self.is_finished.q.val() {
                self.finished.d.next = self.finished.q.val() + 1;
            }
            self.sends.next = self.has_more.q.val() & (self.in_flight.q.val() < self.window.val());
            self.looks.d.next = !self.sends.val();
            self.makes.d.next = self.sends.val();
            self.frame_conn.d.next = self.turn.q.val();
            self.frame_psn.d.next = self.psn.q.val();
        }
        if self.finished.q.val().get_bit(6) {
            self.is_complete.d.next = true;
        }
        self.is_done.next = self.is_complete.q.val() & !self.event_valid.val() & !self.makes.q.val();
        self.next_psn.write_enable.next = self.sends.val();
        self.next_psn.write_address.next = self.turn.q.val();
        self.next_psn.write_data.next = self.psn.q.val() + 1;

        comment!("The frame, beat by beat.");
        self.pattern.conn.next = self.frame_conn.q.val();
        self.pattern.psn.next = self.frame_psn.q.val();
        self.pattern.beat.next = self.beat.q.val();
        self.numbers.next = (bit_cast::<64, 6>(self.frame_conn.q.val()) << 8)
            | (bit_cast::<64, 8>(self.frame_psn.q.val().get_bits::<8>(16)) << 24)
            | (bit_cast::<64, 8>(self.frame_psn.q.val().get_bits::<8>(8)) << 32)
            | (bit_cast::<64, 8>(self.frame_psn.q.val().get_bits::<8>(0)) << 40);
        self.word.next = self.pattern.word.val();
        for i in 0..8 {
            if self.beat.q.val() == self.number[i].val() {
                self.word.next = self.head[i].val();
            }
        }
        if self.beat.q.val() == 6 {
            self.word.next = self.head[6].val() | self.numbers.val();
        }
        self.moves.next = !self.has_word.q.val() | self.m_axis_tready.val();
        if self.moves.val() {
            self.has_word.d.next = self.makes.q.val();
            self.held.d.next = self.word.val();
            self.is_last.d.next = self.beat.q.val().all();
            if self.makes.q.val() {
                self.beat.d.next = self.beat.q.val() + 1;
                if self.beat.q.val().all() {
                    self.makes.d.next = false;
                    self.looks.d.next = true;
                }
            }
        }
        self.m_axis_tvalid.next = self.has_word.q.val();
        self.m_axis_tdata.next = self.held.q.val();
        self.m_axis_tkeep.next = 255.into();
        self.m_axis_tlast.next = self.is_last.q.val();

        comment!("Both memories are cleared after a reset.");
        if self.clears.q.val() {
            self.turn.d.next = self.turn.q.val() + 1;
            self.next_psn.write_enable.next = true;
            self.next_psn.write_data.next = 0.into();
            self.acknowledged.write_enable.next = true;
            self.acknowledged.write_address.next = self.turn.q.val();
            self.acknowledged.write_data.next = 0.into();
            if self.turn.q.val().all() {
                self.clears.d.next = false;
                self.looks.d.next = true;
            }
        }
        if self.rst.val() {
            self.clears.d.next = true;
            self.turn.d.next = 0.into();
            self.looks.d.next = false;
            self.reckons.d.next = false;
            self.decides.d.next = false;
            self.finished.d.next = 0.into();
            self.is_complete.d.next = false;
            self.makes.d.next = false;
            self.beat.d.next = 0.into();
            self.has_word.d.next = false;
        }
    }
}
