//! `ecpix5_fabric`: the network. What leaves the block comes back to it, less what is lost, and some of it marked.
//!
//! A connection has one number at both ends, so data that comes back is data for a receiver, and the SACK that it brings about is
//! one for the sender: nothing has to be turned around.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// Of 64 frames one is lost whole, and one ends with `tuser`, as a MAC ends a frame that it found bad. An ECN-capable frame with an
/// EV whose lower two bits are set is marked: a quarter of all paths is congested.
///
/// A frame has five beats at least, and waits for as many: the EV stands behind the ECN bits. Then it has a beat an edge, as it came.
#[block]
pub struct Fabric {
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

    #[reset = false]
    in_frame: Reg<bool>,
    /// The last beats that came, the newest first.
    #[reset = false]
    valid: [Reg<bool>; 4],
    data: [Reg<Bits<64>>; 4],
    keep: [Reg<Bits<8>>; 4],
    last: [Reg<bool>; 4],
    user: [Reg<bool>; 4],
    /// Number of the oldest of them within its frame, at most 31.
    #[reset = 0]
    beat: Reg<Bits<5>>,
    #[reset = seed]
    random: Reg<Bits<16>>,
    drops: Reg<bool>,
    spoils: Reg<bool>,
    marks: Reg<bool>,
    #[reset = false]
    out_valid: Reg<bool>,
    out_data: Reg<Bits<64>>,
    out_keep: Reg<Bits<8>>,
    out_last: Reg<bool>,
    out_user: Reg<bool>,
    counts_frame: Reg<bool>,
    counts_dropped: Reg<bool>,
    counts_spoiled: Reg<bool>,
    counts_marked: Reg<bool>,
    #[reset = 0]
    frame_count: Reg<Bits<32>>,
    #[reset = 0]
    drop_count: Reg<Bits<32>>,
    #[reset = 0]
    spoil_count: Reg<Bits<32>>,
    #[reset = 0]
    mark_count: Reg<Bits<32>>,
    mark_bit: Param<Bits<64>>,
    below_zero: Param<Bits<16>>,
    without_sum: Param<Bits<64>>,
    seed: Param<Bits<16>>,
    data_code: Param<Bits<8>>,
}

#[block]
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

    fn update(&mut self) {
        comment!(
            "The network: what leaves the block comes back to it, less what is lost, and some of it marked."
        );
        comment!("Beats move on with each that comes, and behind the last one of a frame by themselves.");
        self.s_axis_tready = self.m_axis_tready;
        let takes = self.s_axis_tvalid & self.m_axis_tready;
        let moves = takes | !self.in_frame;
        if takes {
            self.in_frame = !self.s_axis_tlast;
        }
        if moves {
            self.valid[0] = takes;
            self.data[0] = self.s_axis_tdata;
            self.keep[0] = self.s_axis_tkeep;
            self.last[0] = self.s_axis_tlast;
            self.user[0] = self.s_axis_tuser;
            for i in 1..4 {
                self.valid[i] = self.valid[i - 1];
                self.data[i] = self.data[i - 1];
                self.keep[i] = self.keep[i - 1];
                self.last[i] = self.last[i - 1];
                self.user[i] = self.user[i - 1];
            }
        }
        comment!("What becomes of a frame, when its first beat leaves.");
        let feedback =
            self.random.get_bit(0) ^ self.random.get_bit(2) ^ self.random.get_bit(3) ^ self.random.get_bit(5);
        self.random = (self.random >> 1) | (bit_cast::<16, 1>(feedback.into()) << 15);
        let leaves = moves & self.valid[3];
        let mut is_dropped = self.drops;
        if self.beat == 0 {
            is_dropped = !self.random.get_bits::<6>(0).any();
        }
        self.counts_frame = false;
        self.counts_dropped = false;
        self.counts_spoiled = false;
        self.counts_marked = false;
        if leaves {
            if !self.beat.all() {
                self.beat = self.beat + 1;
            }
            if self.beat == 0 {
                self.drops = is_dropped;
                self.spoils = !self.random.get_bits::<6>(8).any() & !is_dropped;
                self.counts_frame = true;
                self.counts_dropped = is_dropped;
            }
            if self.last[3] {
                self.beat = 0;
                self.counts_spoiled = self.spoils;
            }
        }
        comment!("The mark: ECT(0) becomes CE, by which the sum of the IPv4 header is one less.");
        let is_marked = (self.beat == 1)
            & (self.data[3].get_bits::<2>(56) == 2)
            & self.data[0].get_bits::<2>(24).all()
            & !self.drops;
        if leaves & (self.beat == 1) {
            self.marks = is_marked;
        }
        let sum = (self.data[3].get_bits::<16>(0) << 8) | (self.data[3].get_bits::<16>(0) >> 8);
        let mut next_sum = sum - 1;
        if !sum.any() {
            next_sum = self.below_zero;
        }
        let mut word = self.data[3];
        if is_marked {
            word = self.data[3] | self.mark_bit;
        }
        if self.marks & (self.beat == 3) {
            word = (self.data[3] & self.without_sum) | bit_cast::<64, 16>((next_sum << 8) | (next_sum >> 8));
        }
        if leaves & (self.beat == 5) {
            self.counts_marked =
                self.marks & !self.spoils & (self.data[3].get_bits::<8>(16) == self.data_code);
        }
        comment!("Out.");
        self.out_valid = leaves & !is_dropped;
        self.out_data = word;
        self.out_keep = self.keep[3];
        self.out_last = self.last[3];
        self.out_user = self.user[3] | (self.last[3] & self.spoils);
        self.m_axis_tvalid = self.out_valid;
        self.m_axis_tdata = self.out_data;
        self.m_axis_tkeep = self.out_keep;
        self.m_axis_tlast = self.out_last;
        self.m_axis_tuser = self.out_user;
        self.frame_count = self.frame_count + self.counts_frame;
        self.drop_count = self.drop_count + self.counts_dropped;
        self.spoil_count = self.spoil_count + self.counts_spoiled;
        self.mark_count = self.mark_count + self.counts_marked;
        self.frames = self.frame_count;
        self.dropped = self.drop_count;
        self.spoiled = self.spoil_count;
        self.marked = self.mark_count;
    }
}
