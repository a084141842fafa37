//! Two frames of events.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::nic::receiver::words::Beat;
use crate::prims::{Param, Reg, SimpleDualPort};

/// Keeps a frame while the one before leaves: two halves of `2^(A-1)` beats. What is read is there from the edge on behind which a frame is
/// whole.
#[block]
pub struct Store<const W: usize, const K: usize, const A: usize> {
    /// A beat comes, and it is its frame's last.
    pub push: Signal<In, bool>,
    pub beat: Signal<In, Beat<W, K>>,
    pub is_last: Signal<In, bool>,
    /// One frame is whole at most, so that another one may begin, when none is being made.
    pub has_room: Signal<Out, bool>,

    /// A whole frame, and its beat that is next. Bit 0 of its `keep` is whether it is the last one.
    pub valid: Signal<Out, bool>,
    pub head: Signal<Out, Beat<W, K>>,
    /// It is taken.
    pub pop: Signal<In, bool>,

    beats: SimpleDualPort<Bits<A>, Beat<W, K>>,
    /// Frames that are whole and that have left, modulo 4. The lowest bit is the half of the memory.
    #[reset = 0]
    made: Reg<Bits<2>>,
    #[reset = 0]
    left: Reg<Bits<2>>,
    #[reset = 0]
    write_at: Reg<Bits<A>>,
    #[reset = 0]
    read_at: Reg<Bits<A>>,
    #[reset = false]
    has_frame: Reg<bool>,
    half: Param<Bits<A>>,
}

#[block]
impl<const W: usize, const K: usize, const A: usize> Store<W, K, A> {
    /// With nothing inside.
    pub fn new() -> Self {
        Self {
            beats: SimpleDualPort::new("beat_ram", "beats of frames of events", MemoryKind::Block),
            half: Param::new((1u64 << (A - 1)).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module store: two frames of events");
        let mut write_half: Bits<A> = 0;
        if self.made.get_bit(0) {
            write_half = self.half;
        }
        self.beats.write_enable = self.push;
        self.beats.write_address = self.write_at | write_half;
        self.beats.write_data = self.beat;
        if self.push {
            self.write_at = self.write_at + 1;
            if self.is_last {
                self.write_at = 0;
                self.made = self.made + 1;
            }
        }
        comment!("The memory reads what will be next.");
        let ends = self.beats.read_data.keep.get_bit(0);
        let mut next_at = self.read_at;
        let mut next_left = self.left;
        if self.pop {
            next_at = self.read_at + 1;
            if ends {
                next_at = 0;
                next_left = self.left + 1;
            }
        }
        self.read_at = next_at;
        self.left = next_left;
        self.has_frame = self.made != next_left;
        let mut read_half: Bits<A> = 0;
        if next_left.get_bit(0) {
            read_half = self.half;
        }
        self.beats.read_address = next_at | read_half;
        let whole = self.made - self.left;
        self.has_room = whole < 2;
        self.valid = self.has_frame;
        self.head = self.beats.read_data;
    }
}
