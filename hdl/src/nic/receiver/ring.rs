//! The ring of frames on their way to the host.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::backlog::Backlog;
use super::head_bit::HeadBit;
use super::words::{Beat, Record};
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, Reg, SimpleDualPort};

/// 512 beats. Those of a frame count only once its last one was taken with `commit`; otherwise the frame's place is free again.
///
/// ```text
///       read_at                       start        write_at
///  ───────┬─────────────────────────────┬─────────────┬──────
///         │ frames that were committed  │ one comes in│
/// ```
///
/// - A beat that finds the ring full cuts its frame off: `has_room` stays low up to the frame's last beat, so that it cannot be
///   committed. `is_full` is a register that looks at the fill of the edge before, so that the
///   longest frame that is sure to fit has 511 beats.
/// - Records have a queue of their own, as a frame's first place can be taken again before its last beat has left. It is never full,
///   because each frame has a beat in the ring.
/// - Whether the head is data, and whether it is its frame's last beat, is in registers: what the host is offered and
///   what goes from the queues follows from these two.
#[block]
pub struct Ring<const W: usize, const K: usize> {
    /// A beat comes.
    pub push: Signal<In, bool>,
    pub beat: Signal<In, Beat<W, K>>,
    /// It is its frame's last.
    pub is_last: Signal<In, bool>,
    /// With the last one: the frame is for the host. There has to be room.
    pub commit: Signal<In, bool>,
    pub record: Signal<In, Record>,
    /// Of Ultra Ethernet, beside `commit`: the frame waits for no status.
    pub is_no_data: Optional<Signal<In, bool>>,
    has_types: Param<bool>,
    /// For the beat that comes, and there was for those of its frame before it.
    pub has_room: Signal<Out, bool>,

    pub valid: Signal<Out, bool>,
    pub head: Signal<Out, Beat<W, K>>,
    pub head_record: Signal<Out, Record>,
    /// The head is of a data frame, kind 0; what else is here is of kind 3.
    pub has_data: Signal<Out, bool>,
    /// The beat at the head is taken.
    pub pop: Signal<In, bool>,

    beats: SimpleDualPort<Bits<9>, Beat<W, K>>,
    lasts: HeadBit<9, 10>,
    /// The beat before `write_at` is its frame's last.
    is_behind_last: Reg<bool>,
    records: Backlog<Record, 9, 10>,
    #[reset = 0]
    write_at: Reg<Bits<10>>,
    #[reset = 0]
    start: Reg<Bits<10>>,
    #[reset = 0]
    read_at: Reg<Bits<10>>,
    /// One more than `read_at`.
    #[reset = 1]
    after: Reg<Bits<10>>,
    #[reset = false]
    is_full: Reg<bool>,
    #[reset = false]
    is_cut: Reg<bool>,
    #[reset = false]
    has_beat: Reg<bool>,
    limit: Param<Bits<10>>,
}

#[block]
impl<const W: usize, const K: usize> Ring<W, K> {
    /// An empty ring; with types, where they are those of Ultra Ethernet.
    pub fn new(has_types: bool) -> Self {
        let records = Backlog::new("record_ram", "records of the frames in the ring");
        Self {
            beats: SimpleDualPort::new(
                "beat_ram",
                "beats of frames on their way to the host",
                MemoryKind::Block,
            ),
            lasts: HeadBit::new("last_ram", "which beats are the last of their frames"),
            records: records.with_head_bit("kind_ram", "bit 0 of the kinds in the records: 0 is data"),
            limit: Param::new(511u64.into()),
            is_no_data: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module ring: frames on their way to the host");
        let fits = !self.is_full & !self.is_cut;
        self.has_room = fits;
        self.beats.write_enable = self.push & fits;
        self.beats.write_address = self.write_at.get_bits::<9>(0);
        self.beats.write_data = self.beat;
        self.records.push = self.commit;
        self.records.item = self.record;
        self.records.item_bit = self.record.kind.get_bit(0);
        if self.has_types {
            self.records.item_bit = self.is_no_data;
        }
        let write_after = self.write_at + 1;
        if self.push {
            if fits {
                self.write_at = write_after;
                self.is_behind_last = false;
            } else {
                self.is_cut = true;
            }
        }
        if self.is_last {
            comment!("A frame that is not committed gives its place back.");
            self.is_cut = false;
            self.is_behind_last = true;
            if self.commit {
                self.start = write_after;
            } else {
                self.write_at = self.start;
            }
        }
        let fill = self.write_at - self.read_at;
        self.is_full = fill >= self.limit;
        comment!("The memory reads what will be at the head.");
        let mut beat_address = self.read_at.get_bits::<9>(0);
        self.has_beat = self.read_at != self.start;
        if self.pop {
            self.read_at = self.after;
            self.after = self.after + 1;
            beat_address = self.after.get_bits::<9>(0);
            self.has_beat = self.after != self.start;
        }
        self.lasts.push = self.push & fits;
        self.lasts.item = self.is_last;
        self.lasts.newest = self.is_behind_last;
        self.lasts.write_at = self.write_at;
        self.lasts.after = self.after;
        self.lasts.is_there = self.has_beat;
        self.lasts.pop = self.pop;
        self.records.pop = self.pop & self.lasts.head;
        self.beats.read_address = beat_address;
        self.valid = self.has_beat;
        self.head.data = self.beats.read_data.data;
        self.head.keep = self.beats.read_data.keep.replace_bit(0, self.lasts.head);
        self.has_data = !self.records.head_bit;
        self.head_record = self.records.head;
    }
}
