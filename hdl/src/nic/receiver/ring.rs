//! The ring of frames on their way to the host.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::backlog::Backlog;
use super::head_bit::HeadBit;
use super::words::{Beat, Record};
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, SimpleDualPort};

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
#[derive(LogicBlock, Default)]
pub struct Ring<const W: usize, const K: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// A beat comes.
    pub push: Signal<In, bool>,
    pub beat: Signal<In, Beat<W, K>>,
    /// It is its frame's last.
    pub is_last: Signal<In, bool>,
    /// With the last one: the frame is for the host. There has to be room.
    pub commit: Signal<In, bool>,
    pub record: Signal<In, Record>,
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
    is_behind_last: DFF<bool>,
    records: Backlog<Record, 9, 10>,
    write_at: DFF<Bits<10>>,
    start: DFF<Bits<10>>,
    read_at: DFF<Bits<10>>,
    /// One more than `read_at`.
    after: DFF<Bits<10>>,
    is_full: DFF<bool>,
    is_cut: DFF<bool>,
    has_beat: DFF<bool>,
    fits: Signal<Local, bool>,
    write_after: Signal<Local, Bits<10>>,
    beat_address: Signal<Local, Bits<9>>,
    fill: Signal<Local, Bits<10>>,
    limit: Param<Bits<10>>,
}

impl<const W: usize, const K: usize> Ring<W, K> {
    /// An empty ring.
    pub fn new() -> Self {
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
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for Ring<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module ring: frames on their way to the host");
        dff_setup!(self, clk, write_at, start, read_at, after, is_full, is_cut, has_beat, is_behind_last);
        self.beats.clk.next = self.clk.val();
        self.records.clk.next = self.clk.val();
        self.fits.next = !self.is_full.q.val() & !self.is_cut.q.val();
        self.has_room.next = self.fits.val();
        self.beats.write_enable.next = self.push.val() & self.fits.val();
        self.beats.write_address.next = self.write_at.q.val().get_bits::<9>(0);
        self.beats.write_data.next = self.beat.val();
        self.records.rst.next = self.rst.val();
        self.records.push.next = self.commit.val();
        self.records.item.next = self.record.val();
        self.records.item_bit.next = self.record.val().kind.get_bit(0);
        self.write_after.next = self.write_at.q.val() + 1;
        if self.push.val() {
            if self.fits.val() {
                self.write_at.d.next = self.write_after.val();
                self.is_behind_last.d.next = false;
            } else {
                self.is_cut.d.next = true;
            }
        }
        if self.is_last.val() {
            comment!("A frame that is not committed gives its place back.");
            self.is_cut.d.next = false;
            self.is_behind_last.d.next = true;
            if self.commit.val() {
                self.start.d.next = self.write_after.val();
            } else {
                self.write_at.d.next = self.start.q.val();
            }
        }
        self.fill.next = self.write_at.q.val() - self.read_at.q.val();
        self.is_full.d.next = self.fill.val() >= self.limit.val();
        comment!("The memory reads what will be at the head.");
        self.beat_address.next = self.read_at.q.val().get_bits::<9>(0);
        self.has_beat.d.next = self.read_at.q.val() != self.start.q.val();
        if self.pop.val() {
            self.read_at.d.next = self.after.q.val();
            self.after.d.next = self.after.q.val() + 1;
            self.beat_address.next = self.after.q.val().get_bits::<9>(0);
            self.has_beat.d.next = self.after.q.val() != self.start.q.val();
        }
        self.lasts.clk.next = self.clk.val();
        self.lasts.push.next = self.push.val() & self.fits.val();
        self.lasts.item.next = self.is_last.val();
        self.lasts.newest.next = self.is_behind_last.q.val();
        self.lasts.write_at.next = self.write_at.q.val();
        self.lasts.after.next = self.after.q.val();
        self.lasts.is_there.next = self.has_beat.q.val();
        self.lasts.pop.next = self.pop.val();
        self.records.pop.next = self.pop.val() & self.lasts.head.val();
        self.beats.read_address.next = self.beat_address.val();
        self.valid.next = self.has_beat.q.val();
        self.head.next.data = self.beats.read_data.val().data;
        self.head.next.keep = self.beats.read_data.val().keep.replace_bit(0, self.lasts.head.val());
        self.has_data.next = !self.records.head_bit.val();
        self.head_record.next = self.records.head.val();
        if self.rst.val() {
            self.write_at.d.next = bits::<10>(0);
            self.start.d.next = bits::<10>(0);
            self.read_at.d.next = bits::<10>(0);
            self.after.d.next = bits::<10>(1);
            self.is_full.d.next = false;
            self.is_cut.d.next = false;
            self.has_beat.d.next = false;
        }
    }
}
