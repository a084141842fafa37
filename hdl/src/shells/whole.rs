//! `shell_whole`: frames go on when they are whole, each with its size beside it.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, SimpleDualPort};
use crate::{comment, signal_struct};

/// Beats that it holds: 16 KiB.
const BEATS: u64 = 256;
/// Beats inside at which the input pauses. What still comes then has room. No frame with more of them can be whole here.
pub const FULL_BEATS: u64 = BEATS - 4;

signal_struct! {
    /// A beat of 64 bytes. Of a beat the first byte is always there, so bit 0 of `keep` says instead whether it is its frame's last.
    pub struct WholeBeat {
        pub data: Bits<512>,
        pub keep: Bits<64>,
    }
}

signal_struct! {
    /// What is known of a whole frame: its size in bytes, and what its last beat brought along.
    pub struct WholeFrame<const U: usize> {
        pub size: Bits<16>,
        pub side: Bits<U>,
    }
}

/// Holds the beats of a frame back until its last one has come.
///
/// ```text
///  s_axis_* ──► beats ─────────────► m_axis_*
///       └─► size, side of a frame ─► m_size, m_side
/// ```
///
/// What goes out has no gap within a frame, and its size stands beside it from the first beat on. A frame that ends with `s_drop`, and
/// one that `cut` finds unfinished, leaves nothing behind. So does one of more than 252 beats (16,128 bytes): it could never be whole here.
///
/// It is reset with what takes the frames alone. A reset of what gives them is a `cut`: the frames that are whole go on, since the
/// receiver may have the beginning of one and could not tell its rest from a frame.
#[derive(LogicBlock, Default)]
pub struct Whole<const U: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// What gives the frames begins anew: the rest of the frame that is coming in does not follow.
    pub cut: Signal<In, bool>,
    pub s_axis_tdata: Signal<In, Bits<512>>,
    pub s_axis_tkeep: Signal<In, Bits<64>>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tready: Signal<Out, bool>,
    /// With the last beat of a frame: it is not to go on.
    pub s_drop: Signal<In, bool>,
    /// With the last beat: what is to stand beside the frame.
    pub s_side: Signal<In, Bits<U>>,
    pub m_axis_tdata: Signal<Out, Bits<512>>,
    pub m_axis_tkeep: Signal<Out, Bits<64>>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tlast: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    /// A frame came to its end and does not go on.
    pub lost: Signal<Out, bool>,
    /// Bytes of the frame, and what came beside it: constant during it.
    pub m_size: Signal<Out, Bits<16>>,
    pub m_side: Signal<Out, Bits<U>>,

    beats: SimpleDualPort<Bits<8>, WholeBeat>,
    /// Never full: each frame has a beat in the other memory.
    frames: Fifo<WholeFrame<U>, 8, 9>,
    write_at: DFF<Bits<9>>,
    /// Where the frame that is coming in begins.
    start: DFF<Bits<9>>,
    read_at: DFF<Bits<9>>,
    /// One more than `read_at`.
    after: DFF<Bits<9>>,
    is_full: DFF<bool>,
    /// The rest of the frame that is coming in is dropped.
    skips: DFF<bool>,
    /// Bytes of the frame that is coming in, without its last beat.
    bytes: DFF<Bits<16>>,
    /// A frame ended with the beat before: its bytes up to there, the bytes of its last beat, and what came beside it.
    ended: DFF<bool>,
    ended_bytes: DFF<Bits<16>>,
    ended_last: DFF<Bits<7>>,
    ended_side: DFF<Bits<U>>,
    last_bytes: Signal<Local, Bits<7>>,
    keep_32: Signal<Local, Bits<32>>,
    keep_16: Signal<Local, Bits<16>>,
    keep_8: Signal<Local, Bits<8>>,
    keep_4: Signal<Local, Bits<4>>,
    keep_2: Signal<Local, Bits<2>>,
    is_ready: Signal<Local, bool>,
    push: Signal<Local, bool>,
    is_first: Signal<Local, bool>,
    commits: Signal<Local, bool>,
    fill: Signal<Local, Bits<9>>,
    pop: Signal<Local, bool>,
    beat: Signal<Local, WholeBeat>,
    head: Signal<Local, WholeBeat>,
    head_frame: Signal<Local, WholeFrame<U>>,
    address: Signal<Local, Bits<8>>,
    limit: Param<Bits<9>>,
}

impl<const U: usize> Whole<U> {
    /// An empty one.
    pub fn new() -> Self {
        let mut block = Self {
            beats: SimpleDualPort::new(
                "beat_ram",
                "beats of frames that are not whole or wait",
                MemoryKind::Block,
            ),
            frames: Fifo::new("frame_memory", MemoryKind::Block),
            limit: Param::new(FULL_BEATS.into()),
            ..Default::default()
        };
        block.connect_all();
        block
    }
}

impl<const U: usize> Logic for Whole<U> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Frames go on when they are whole, each with its size beside it.");
        dff_setup!(self, clk, write_at, start, read_at, after, is_full, skips, bytes);
        dff_setup!(self, clk, ended, ended_bytes, ended_last, ended_side);
        self.beats.clk.next = self.clk.val();
        self.frames.clk.next = self.clk.val();
        self.frames.rst.next = self.rst.val();
        comment!("A frame that fills all places by itself is given up: its end would wait for ever.");
        self.is_ready.next = !self.is_full.q.val() || self.skips.q.val();
        self.s_axis_tready.next = self.is_ready.val();
        self.push.next = self.s_axis_tvalid.val() && self.is_ready.val() && !self.cut.val();
        self.is_first.next = self.write_at.q.val() == self.start.q.val();
        self.commits.next =
            self.push.val() && self.s_axis_tlast.val() && !self.skips.q.val() && !self.s_drop.val();
        self.lost.next =
            self.push.val() && self.s_axis_tlast.val() && (self.skips.q.val() || self.s_drop.val());
        self.fill.next = self.write_at.q.val() - self.read_at.q.val();
        self.is_full.d.next = self.fill.val() >= self.limit.val();

        comment!(
            "Bytes of the last beat: kept bytes stand together, from the first one on, so half of them decide at a time."
        );
        self.keep_32.next = self.s_axis_tkeep.val().get_bits::<32>(0);
        self.last_bytes.next = bits::<7>(0);
        if self.s_axis_tkeep.val().get_bit(31) {
            self.keep_32.next = self.s_axis_tkeep.val().get_bits::<32>(32);
            self.last_bytes.next = bits::<7>(32);
        }
        self.keep_16.next = self.keep_32.val().get_bits::<16>(0);
        if self.keep_32.val().get_bit(15) {
            self.keep_16.next = self.keep_32.val().get_bits::<16>(16);
            self.last_bytes.next = self.last_bytes.val() | bits::<7>(16);
        }
        self.keep_8.next = self.keep_16.val().get_bits::<8>(0);
        if self.keep_16.val().get_bit(7) {
            self.keep_8.next = self.keep_16.val().get_bits::<8>(8);
            self.last_bytes.next = self.last_bytes.val() | bits::<7>(8);
        }
        self.keep_4.next = self.keep_8.val().get_bits::<4>(0);
        if self.keep_8.val().get_bit(3) {
            self.keep_4.next = self.keep_8.val().get_bits::<4>(4);
            self.last_bytes.next = self.last_bytes.val() | bits::<7>(4);
        }
        self.keep_2.next = self.keep_4.val().get_bits::<2>(0);
        if self.keep_4.val().get_bit(1) {
            self.keep_2.next = self.keep_4.val().get_bits::<2>(2);
            self.last_bytes.next = self.last_bytes.val() | bits::<7>(2);
        }
        if self.keep_2.val().get_bit(0) {
            self.last_bytes.next = self.last_bytes.val() | bits::<7>(1);
        }
        if self.keep_2.val().get_bit(1) {
            self.last_bytes.next = bits::<7>(64);
        }
        self.beat.next.data = self.s_axis_tdata.val();
        self.beat.next.keep = self.s_axis_tkeep.val().replace_bit(0, self.s_axis_tlast.val());
        self.beats.write_enable.next = self.push.val() && !self.skips.q.val();
        self.beats.write_address.next = self.write_at.q.val().get_bits::<8>(0);
        self.beats.write_data.next = self.beat.val();
        self.ended.d.next = self.commits.val();
        self.ended_bytes.d.next = self.bytes.q.val();
        self.ended_last.d.next = self.last_bytes.val();
        self.ended_side.d.next = self.s_side.val();
        if self.is_full.q.val() && self.start.q.val() == self.read_at.q.val() && !self.is_first.val() {
            self.skips.d.next = true;
            self.write_at.d.next = self.start.q.val();
        }
        if self.push.val() {
            self.bytes.d.next = self.bytes.q.val() + 64;
            if !self.skips.q.val() {
                self.write_at.d.next = self.write_at.q.val() + 1;
            }
            if self.s_axis_tlast.val() {
                self.bytes.d.next = bits::<16>(0);
                self.skips.d.next = false;
                if self.commits.val() {
                    self.start.d.next = self.write_at.q.val() + 1;
                } else {
                    self.write_at.d.next = self.start.q.val();
                }
            }
        }
        if self.cut.val() {
            self.write_at.d.next = self.start.q.val();
            self.bytes.d.next = bits::<16>(0);
            self.skips.d.next = false;
        }

        self.frames.in_valid.next = self.ended.q.val();
        self.frames.in_data.next.size = self.ended_bytes.q.val() + bit_cast::<16, 7>(self.ended_last.q.val());
        self.frames.in_data.next.side = self.ended_side.q.val();
        comment!(
            "The memory reads what will be at the head. It is there when its frame is known to be whole."
        );
        self.head.next = self.beats.read_data.val();
        self.head_frame.next = self.frames.out_data.val();
        self.pop.next = self.frames.out_valid.val() && self.m_axis_tready.val();
        self.frames.out_ready.next = self.m_axis_tready.val() && self.head.val().keep.get_bit(0);
        self.address.next = self.read_at.q.val().get_bits::<8>(0);
        if self.pop.val() {
            self.read_at.d.next = self.after.q.val();
            self.after.d.next = self.after.q.val() + 1;
            self.address.next = self.after.q.val().get_bits::<8>(0);
        }
        self.beats.read_address.next = self.address.val();
        self.m_axis_tvalid.next = self.frames.out_valid.val();
        self.m_axis_tdata.next = self.head.val().data;
        self.m_axis_tkeep.next = self.head.val().keep.replace_bit(0, true);
        self.m_axis_tlast.next = self.head.val().keep.get_bit(0);
        self.m_size.next = self.head_frame.val().size;
        self.m_side.next = self.head_frame.val().side;
        if self.rst.val() {
            self.write_at.d.next = bits::<9>(0);
            self.start.d.next = bits::<9>(0);
            self.read_at.d.next = bits::<9>(0);
            self.after.d.next = bits::<9>(1);
            self.is_full.d.next = false;
            self.skips.d.next = false;
            self.bytes.d.next = bits::<16>(0);
            self.ended.d.next = false;
        }
    }
}
