//! `ecpix5_fabric`: the network. What leaves the block comes back to it, less what is lost, and some of it marked.
//!
//! A connection has one number at both ends, so data that comes back is data for a receiver, and the SACK that it brings about is
//! one for the sender: nothing has to be turned around.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Of 64 frames one is lost whole, and one ends with `tuser`, as a MAC ends a frame that it found bad. An ECN-capable frame with an
/// EV whose lower two bits are set is marked: a quarter of all paths is congested.
///
/// A frame has five beats at least, and waits for as many: the EV stands behind the ECN bits. Then it has a beat an edge, as it came.
#[derive(LogicBlock, Default)]
pub struct Fabric {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tready: Signal<Out, bool>,
    pub s_axis_tdata: Signal<In, Bits<64>>,
    pub s_axis_tkeep: Signal<In, Bits<8>>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tuser: Signal<In, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    /// The block takes a beat in every cycle, but around its reset: then nothing is sent.
    pub m_axis_tready: Signal<In, bool>,
    pub m_axis_tdata: Signal<Out, Bits<64>>,
    pub m_axis_tkeep: Signal<Out, Bits<8>>,
    pub m_axis_tlast: Signal<Out, bool>,
    pub m_axis_tuser: Signal<Out, bool>,
    /// Frames that came, and of those the ones that were lost whole, and the ones that ended as bad.
    pub frames: Signal<Out, Bits<32>>,
    pub dropped: Signal<Out, Bits<32>>,
    pub spoiled: Signal<Out, Bits<32>>,
    /// Data packets and probes that were marked, and are not bad.
    pub marked: Signal<Out, Bits<32>>,

    takes: Signal<Local, bool>,
    in_frame: DFF<bool>,
    moves: Signal<Local, bool>,
    /// The last beats that came, the newest first.
    valid: [DFF<bool>; 4],
    data: [DFF<Bits<64>>; 4],
    keep: [DFF<Bits<8>>; 4],
    last: [DFF<bool>; 4],
    user: [DFF<bool>; 4],
    /// Number of the oldest of them within its frame, at most 31.
    beat: DFF<Bits<5>>,
    random: DFF<Bits<16>>,
    feedback: Signal<Local, bool>,
    drops: DFF<bool>,
    spoils: DFF<bool>,
    marks: DFF<bool>,
    is_dropped: Signal<Local, bool>,
    is_marked: Signal<Local, bool>,
    leaves: Signal<Local, bool>,
    word: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<16>>,
    next_sum: Signal<Local, Bits<16>>,
    out_valid: DFF<bool>,
    out_data: DFF<Bits<64>>,
    out_keep: DFF<Bits<8>>,
    out_last: DFF<bool>,
    out_user: DFF<bool>,
    counts_frame: DFF<bool>,
    counts_dropped: DFF<bool>,
    counts_spoiled: DFF<bool>,
    counts_marked: DFF<bool>,
    frame_count: DFF<Bits<32>>,
    drop_count: DFF<Bits<32>>,
    spoil_count: DFF<Bits<32>>,
    mark_count: DFF<Bits<32>>,
    mark_bit: Param<Bits<64>>,
    below_zero: Param<Bits<16>>,
    without_sum: Param<Bits<64>>,
    seed: Param<Bits<16>>,
    data_code: Param<Bits<8>>,
}

impl Fabric {
    /// An empty one.
    pub fn new() -> Self {
        let mut block = Self {
            mark_bit: Param::new((1u64 << 56).into()),
            below_zero: Param::new(0xfffeu64.into()),
            without_sum: Param::new((!0xffffu64).into()),
            seed: Param::new(0xace1u64.into()),
            data_code: Param::new(0xc0u64.into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }
}

impl Logic for Fabric {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "The network: what leaves the block comes back to it, less what is lost, and some of it marked."
        );
        dff_setup!(self, clk, in_frame, beat, random, drops, spoils, marks, out_valid, out_data, out_keep);
        dff_setup!(
            self,
            clk,
            out_last,
            out_user,
            counts_frame,
            counts_dropped,
            counts_spoiled,
            counts_marked
        );
        dff_setup!(self, clk, frame_count, drop_count, spoil_count, mark_count);
        for i in 0..4 {
            self.valid[i].clock.next = self.clk.val();
            self.data[i].clock.next = self.clk.val();
            self.keep[i].clock.next = self.clk.val();
            self.last[i].clock.next = self.clk.val();
            self.user[i].clock.next = self.clk.val();
            self.valid[i].d.next = self.valid[i].q.val();
            self.data[i].d.next = self.data[i].q.val();
            self.keep[i].d.next = self.keep[i].q.val();
            self.last[i].d.next = self.last[i].q.val();
            self.user[i].d.next = self.user[i].q.val();
        }
        comment!("Beats move on with each that comes, and behind the last one of a frame by themselves.");
        self.s_axis_tready.next = self.m_axis_tready.val();
        self.takes.next = self.s_axis_tvalid.val() & self.m_axis_tready.val();
        self.moves.next = self.takes.val() | !self.in_frame.q.val();
        if self.takes.val() {
            self.in_frame.d.next = !self.s_axis_tlast.val();
        }
        if self.moves.val() {
            self.valid[0].d.next = self.takes.val();
            self.data[0].d.next = self.s_axis_tdata.val();
            self.keep[0].d.next = self.s_axis_tkeep.val();
            self.last[0].d.next = self.s_axis_tlast.val();
            self.user[0].d.next = self.s_axis_tuser.val();
            for i in 1..4 {
                self.valid[i].d.next = self.valid[i - 1].q.val();
                self.data[i].d.next = self.data[i - 1].q.val();
                self.keep[i].d.next = self.keep[i - 1].q.val();
                self.last[i].d.next = self.last[i - 1].q.val();
                self.user[i].d.next = self.user[i - 1].q.val();
            }
        }
        comment!("What becomes of a frame, when its first beat leaves.");
        self.feedback.next = self.random.q.val().get_bit(0)
            ^ self.random.q.val().get_bit(2)
            ^ self.random.q.val().get_bit(3)
            ^ self.random.q.val().get_bit(5);
        self.random.d.next =
            (self.random.q.val() >> 1) | (bit_cast::<16, 1>(self.feedback.val().into()) << 15);
        self.leaves.next = self.moves.val() & self.valid[3].q.val();
        self.is_dropped.next = self.drops.q.val();
        if self.beat.q.val() == 0 {
            self.is_dropped.next = !self.random.q.val().get_bits::<6>(0).any();
        }
        self.counts_frame.d.next = false;
        self.counts_dropped.d.next = false;
        self.counts_spoiled.d.next = false;
        self.counts_marked.d.next = false;
        if self.leaves.val() {
            if !self.beat.q.val().all() {
                self.beat.d.next = self.beat.q.val() + 1;
            }
            if self.beat.q.val() == 0 {
                self.drops.d.next = self.is_dropped.val();
                self.spoils.d.next = !self.random.q.val().get_bits::<6>(8).any() & !self.is_dropped.val();
                self.counts_frame.d.next = true;
                self.counts_dropped.d.next = self.is_dropped.val();
            }
            if self.last[3].q.val() {
                self.beat.d.next = 0.into();
                self.counts_spoiled.d.next = self.spoils.q.val();
            }
        }
        comment!("The mark: ECT(0) becomes CE, by which the sum of the IPv4 header is one less.");
        self.is_marked.next = (self.beat.q.val() == 1)
            & (self.data[3].q.val().get_bits::<2>(56) == 2)
            & self.data[0].q.val().get_bits::<2>(24).all()
            & !self.drops.q.val();
        if self.leaves.val() & (self.beat.q.val() == 1) {
            self.marks.d.next = self.is_marked.val();
        }
        self.sum.next =
            (self.data[3].q.val().get_bits::<16>(0) << 8) | (self.data[3].q.val().get_bits::<16>(0) >> 8);
        self.next_sum.next = self.sum.val() - 1;
        if !self.sum.val().any() {
            self.next_sum.next = self.below_zero.val();
        }
        self.word.next = self.data[3].q.val();
        if self.is_marked.val() {
            self.word.next = self.data[3].q.val() | self.mark_bit.val();
        }
        if self.marks.q.val() & (self.beat.q.val() == 3) {
            self.word.next = (self.data[3].q.val() & self.without_sum.val())
                | bit_cast::<64, 16>((self.next_sum.val() << 8) | (self.next_sum.val() >> 8));
        }
        if self.leaves.val() & (self.beat.q.val() == 5) {
            self.counts_marked.d.next = self.marks.q.val()
                & !self.spoils.q.val()
                & (self.data[3].q.val().get_bits::<8>(16) == self.data_code.val());
        }
        comment!("Out.");
        self.out_valid.d.next = self.leaves.val() & !self.is_dropped.val();
        self.out_data.d.next = self.word.val();
        self.out_keep.d.next = self.keep[3].q.val();
        self.out_last.d.next = self.last[3].q.val();
        self.out_user.d.next = self.user[3].q.val() | (self.last[3].q.val() & self.spoils.q.val());
        self.m_axis_tvalid.next = self.out_valid.q.val();
        self.m_axis_tdata.next = self.out_data.q.val();
        self.m_axis_tkeep.next = self.out_keep.q.val();
        self.m_axis_tlast.next = self.out_last.q.val();
        self.m_axis_tuser.next = self.out_user.q.val();
        self.frame_count.d.next = self.frame_count.q.val() + self.counts_frame.q.val();
        self.drop_count.d.next = self.drop_count.q.val() + self.counts_dropped.q.val();
        self.spoil_count.d.next = self.spoil_count.q.val() + self.counts_spoiled.q.val();
        self.mark_count.d.next = self.mark_count.q.val() + self.counts_marked.q.val();
        self.frames.next = self.frame_count.q.val();
        self.dropped.next = self.drop_count.q.val();
        self.spoiled.next = self.spoil_count.q.val();
        self.marked.next = self.mark_count.q.val();
        if self.rst.val() {
            self.in_frame.d.next = false;
            for i in 0..4 {
                self.valid[i].d.next = false;
            }
            self.beat.d.next = 0.into();
            self.random.d.next = self.seed.val();
            self.out_valid.d.next = false;
            self.frame_count.d.next = 0.into();
            self.drop_count.d.next = 0.into();
            self.spoil_count.d.next = 0.into();
            self.mark_count.d.next = 0.into();
        }
    }
}
