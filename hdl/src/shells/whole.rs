//! `shell_whole`: frames go on when they are whole, each with its size beside it.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, Reg, SimpleDualPort};
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
#[block]
pub struct Whole<const U: usize> {
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
    #[reset = 0]
    write_at: Reg<Bits<9>>,
    /// Where the frame that is coming in begins.
    #[reset = 0]
    start: Reg<Bits<9>>,
    #[reset = 0]
    read_at: Reg<Bits<9>>,
    /// One more than `read_at`.
    #[reset = 1]
    after: Reg<Bits<9>>,
    #[reset = false]
    is_full: Reg<bool>,
    /// The rest of the frame that is coming in is dropped.
    #[reset = false]
    skips: Reg<bool>,
    /// Bytes of the frame that is coming in, without its last beat.
    #[reset = 0]
    bytes: Reg<Bits<16>>,
    /// A frame ended with the beat before: its bytes up to there, the bytes of its last beat, and what came beside it.
    #[reset = false]
    ended: Reg<bool>,
    ended_bytes: Reg<Bits<16>>,
    ended_last: Reg<Bits<7>>,
    ended_side: Reg<Bits<U>>,
    last_bytes: Signal<Local, Bits<7>>,
    beat: Signal<Local, WholeBeat>,
    head: Signal<Local, WholeBeat>,
    head_frame: Signal<Local, WholeFrame<U>>,
    limit: Param<Bits<9>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("Frames go on when they are whole, each with its size beside it.");
        comment!("A frame that fills all places by itself is given up: its end would wait for ever.");
        let is_ready = !self.is_full || self.skips;
        self.s_axis_tready = is_ready;
        let push = self.s_axis_tvalid && is_ready && !self.cut;
        let is_first = self.write_at == self.start;
        let commits = push && self.s_axis_tlast && !self.skips && !self.s_drop;
        self.lost = push && self.s_axis_tlast && (self.skips || self.s_drop);
        let fill = self.write_at - self.read_at;
        self.is_full = fill >= self.limit;

        comment!(
            "Bytes of the last beat: kept bytes stand together, from the first one on, so half of them decide at a time."
        );
        let mut keep_32 = self.s_axis_tkeep.get_bits::<32>(0);
        self.last_bytes = 0;
        if self.s_axis_tkeep.get_bit(31) {
            keep_32 = self.s_axis_tkeep.get_bits::<32>(32);
            self.last_bytes = 32;
        }
        let mut keep_16 = keep_32.get_bits::<16>(0);
        if keep_32.get_bit(15) {
            keep_16 = keep_32.get_bits::<16>(16);
            self.last_bytes = self.last_bytes | bits::<7>(16);
        }
        let mut keep_8 = keep_16.get_bits::<8>(0);
        if keep_16.get_bit(7) {
            keep_8 = keep_16.get_bits::<8>(8);
            self.last_bytes = self.last_bytes | bits::<7>(8);
        }
        let mut keep_4 = keep_8.get_bits::<4>(0);
        if keep_8.get_bit(3) {
            keep_4 = keep_8.get_bits::<4>(4);
            self.last_bytes = self.last_bytes | bits::<7>(4);
        }
        let mut keep_2 = keep_4.get_bits::<2>(0);
        if keep_4.get_bit(1) {
            keep_2 = keep_4.get_bits::<2>(2);
            self.last_bytes = self.last_bytes | bits::<7>(2);
        }
        if keep_2.get_bit(0) {
            self.last_bytes = self.last_bytes | bits::<7>(1);
        }
        if keep_2.get_bit(1) {
            self.last_bytes = 64;
        }
        self.beat.data = self.s_axis_tdata;
        self.beat.keep = self.s_axis_tkeep.replace_bit(0, self.s_axis_tlast);
        self.beats.write_enable = push && !self.skips;
        self.beats.write_address = self.write_at.get_bits::<8>(0);
        self.beats.write_data = self.beat;
        self.ended = commits;
        self.ended_bytes = self.bytes;
        self.ended_last = self.last_bytes;
        self.ended_side = self.s_side;
        if self.is_full && self.start == self.read_at && !is_first {
            self.skips = true;
            self.write_at = self.start;
        }
        if push {
            self.bytes = self.bytes + 64;
            if !self.skips {
                self.write_at = self.write_at + 1;
            }
            if self.s_axis_tlast {
                self.bytes = 0;
                self.skips = false;
                if commits {
                    self.start = self.write_at + 1;
                } else {
                    self.write_at = self.start;
                }
            }
        }
        if self.cut {
            self.write_at = self.start;
            self.bytes = 0;
            self.skips = false;
        }

        self.frames.in_valid = self.ended;
        self.frames.in_data.size = self.ended_bytes + bit_cast::<16, 7>(self.ended_last);
        self.frames.in_data.side = self.ended_side;
        comment!(
            "The memory reads what will be at the head. It is there when its frame is known to be whole."
        );
        self.head = self.beats.read_data;
        self.head_frame = self.frames.out_data;
        let pop = self.frames.out_valid && self.m_axis_tready;
        self.frames.out_ready = self.m_axis_tready && self.head.keep.get_bit(0);
        let mut address = self.read_at.get_bits::<8>(0);
        if pop {
            self.read_at = self.after;
            self.after = self.after + 1;
            address = self.after.get_bits::<8>(0);
        }
        self.beats.read_address = address;
        self.m_axis_tvalid = self.frames.out_valid;
        self.m_axis_tdata = self.head.data;
        self.m_axis_tkeep = self.head.keep.replace_bit(0, true);
        self.m_axis_tlast = self.head.keep.get_bit(0);
        self.m_size = self.head_frame.size;
        self.m_side = self.head_frame.side;
    }
}
