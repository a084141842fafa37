//! Packets whose status is not known yet.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::words::Trigger;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Array, Param, SimpleDualPort, bits_of};

/// Keeps of each packet what its result needs, its first 64 bytes included: 64 packets at most in a ring of 128.
///
/// The first bytes are written as the beats come, into the place of the next packet. That is always free, because the ring has
/// twice the places; a frame that becomes no op leaves it to the next one. `L` memories hold a beat each, as 64 bytes have
/// `L = 512 / W` beats.
#[derive(LogicBlock, Default)]
pub struct Pending<const W: usize, const L: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// A beat came.
    pub beat_valid: Signal<In, bool>,
    /// It was its frame's last.
    pub is_last: Signal<In, bool>,
    pub data: Signal<In, Bits<W>>,
    /// The frame becomes an op. There has to be room.
    pub push: Signal<In, bool>,
    pub item: Signal<In, Trigger>,
    pub has_room: Signal<Out, bool>,

    /// A packet had its turn at `sack_rx`.
    pub issued: Signal<In, bool>,
    /// `sack_rx` shows the result of a packet.
    pub res_valid: Signal<In, bool>,
    /// The packet at the head is done: by that result, or because there is no such connection.
    pub done: Signal<Out, bool>,
    pub head: Signal<Out, Trigger>,
    pub line: Signal<Out, Bits<512>>,

    triggers: SimpleDualPort<Bits<7>, Trigger>,
    /// The last beat of the 64 bytes first.
    lanes: Array<SimpleDualPort<Bits<7>, Bits<W>>, L>,
    beat_number: DFF<Bits<4>>,
    write_at: DFF<Bits<8>>,
    issued_at: DFF<Bits<8>>,
    read_at: DFF<Bits<8>>,
    /// One more than `read_at`.
    after: DFF<Bits<8>>,
    is_open: DFF<bool>,
    has_issued: DFF<bool>,
    ends: Signal<Local, bool>,
    read_address: Signal<Local, Bits<7>>,
    fill: Signal<Local, Bits<8>>,
    lane: Signal<Local, Bits<W>>,
    joined: Signal<Local, Bits<512>>,
    limit: Param<Bits<8>>,
    lane_bits: Param<Bits<10>>,
    lane_numbers: Array<Param<Bits<4>>, L>,
}

impl<const W: usize, const L: usize> Pending<W, L> {
    /// Without packets.
    ///
    /// # Panics
    /// If `L` beats are not 64 bytes.
    pub fn new() -> Self {
        assert!(W * L == 512, "{L} beats of {W} bits are not 64 bytes");
        let mut lanes = Array::default();
        let mut lane_numbers = Array::default();
        for lane in 0..L {
            let about = "one of the beats that hold the first 64 bytes of a packet";
            lanes[lane] = SimpleDualPort::new("line_ram", about, MemoryKind::Block);
            lane_numbers[lane] = Param::new(((L - 1 - lane) as u64).into());
        }
        Self {
            triggers: SimpleDualPort::new(
                "trigger_ram",
                "what the result of a packet needs of it",
                MemoryKind::Block,
            )
            .with_votes(bits_of::<Trigger>("is_probe", "is_foreign")),
            lanes,
            lane_numbers,
            limit: Param::new(63u64.into()),
            lane_bits: Param::new((W as u64).into()),
            ..Default::default()
        }
    }
}

impl<const W: usize, const L: usize> Logic for Pending<W, L> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module pending: packets whose status is not known yet");
        dff_setup!(self, clk, beat_number, write_at, issued_at, read_at, after, is_open, has_issued);
        self.triggers.clk.next = self.clk.val();
        self.triggers.write_enable.next = self.push.val();
        self.triggers.write_address.next = self.write_at.q.val().get_bits::<7>(0);
        self.triggers.write_data.next = self.item.val();
        if self.push.val() {
            self.write_at.d.next = self.write_at.q.val() + 1;
        }
        comment!("The beats of a frame are numbered up to 8.");
        if self.beat_valid.val() & !self.beat_number.q.val().get_bit(3) {
            self.beat_number.d.next = self.beat_number.q.val() + 1;
        }
        if self.is_last.val() {
            self.beat_number.d.next = bits::<4>(0);
        }
        comment!(
            "sack_rx gives its results in order. One of its own has a packet of no connection, once it had its turn: sack_rx has none then."
        );
        self.ends.next =
            self.res_valid.val() | (self.has_issued.q.val() & self.triggers.read_data.val().is_foreign);
        self.done.next = self.ends.val();
        if self.issued.val() {
            self.issued_at.d.next = self.issued_at.q.val() + 1;
        }
        self.read_address.next = self.read_at.q.val().get_bits::<7>(0);
        self.has_issued.d.next = self.read_at.q.val() != self.issued_at.q.val();
        if self.ends.val() {
            self.read_address.next = self.after.q.val().get_bits::<7>(0);
            self.has_issued.d.next = self.after.q.val() != self.issued_at.q.val();
            self.read_at.d.next = self.after.q.val();
            self.after.d.next = self.after.q.val() + 1;
        }
        self.triggers.read_address.next = self.read_address.val();
        self.head.next = self.triggers.read_data.val();
        self.joined.next = bits::<512>(0);
        for i in 0..L {
            self.lanes[i].clk.next = self.clk.val();
            self.lanes[i].write_enable.next =
                self.beat_valid.val() & (self.beat_number.q.val() == self.lane_numbers[i].val());
            self.lanes[i].write_address.next = self.write_at.q.val().get_bits::<7>(0);
            self.lanes[i].write_data.next = self.data.val();
            self.lanes[i].read_address.next = self.read_address.val();
            self.lane.next = self.lanes[i].read_data.val();
            self.joined.next =
                (self.joined.val() << self.lane_bits.val()) | bit_cast::<512, W>(self.lane.val());
        }
        self.line.next = self.joined.val();
        self.fill.next = self.write_at.q.val() - self.read_at.q.val();
        self.is_open.d.next = self.fill.val() < self.limit.val();
        self.has_room.next = self.is_open.q.val();
        if self.rst.val() {
            self.beat_number.d.next = bits::<4>(0);
            self.write_at.d.next = bits::<8>(0);
            self.issued_at.d.next = bits::<8>(0);
            self.read_at.d.next = bits::<8>(0);
            self.after.d.next = bits::<8>(1);
            self.is_open.d.next = false;
            self.has_issued.d.next = false;
        }
    }
}
