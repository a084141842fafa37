//! The places of parked frames, and the way of the others past them.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::words::{Beat, Release, Way};
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, SimpleDualPort};

/// Takes the frames that are to be parked out of the stream of the sender, and puts them into it again when they may leave.
///
/// ```text
///  s_axis ─┬───────────────────────────────────────────────────► m_axis
///          └► place ─► w_axis ─► rewrite_tx ─► r_axis ─► between frames, first ─┘
/// ```
///
/// Of the bus `W` bits and `K` bytes; `B` is the width of a beat's number in its place, `A` that of the address, which has the
/// place above it. A frame that is longer than its place is cut. A frame that comes to its place is never made to wait, and one that leaves does as soon as
/// it is whole: a beat an edge, either way.
#[derive(LogicBlock, Default)]
pub struct Store<const W: usize, const K: usize, const B: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Frames of the sender; of those with data there is a way for each.
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tuser: Signal<In, bool>,
    pub s_axis_tready: Signal<Out, bool>,
    pub s_is_data: Signal<In, bool>,
    /// Ways of frames that are to come. Always taken.
    pub way_valid: Signal<In, bool>,
    pub way_parks: Signal<In, bool>,
    pub way_place: Signal<In, Bits<5>>,
    /// A parked frame may leave. Always taken.
    pub release_valid: Signal<In, bool>,
    pub release_place: Signal<In, Bits<5>>,
    pub release_ev: Signal<In, Bits<16>>,
    pub release_timestamp: Signal<In, Bits<16>>,
    /// To be written, and with what.
    pub w_axis_tdata: Signal<Out, Bits<W>>,
    pub w_axis_tkeep: Signal<Out, Bits<K>>,
    pub w_axis_tvalid: Signal<Out, bool>,
    pub w_axis_tlast: Signal<Out, bool>,
    pub w_axis_tuser: Signal<Out, bool>,
    pub w_axis_tready: Signal<In, bool>,
    pub w_ev: Signal<Out, Bits<16>>,
    pub w_timestamp: Signal<Out, Bits<16>>,
    /// Written.
    pub r_axis_tdata: Signal<In, Bits<W>>,
    pub r_axis_tkeep: Signal<In, Bits<K>>,
    pub r_axis_tvalid: Signal<In, bool>,
    pub r_axis_tlast: Signal<In, bool>,
    pub r_axis_tuser: Signal<In, bool>,
    pub r_axis_tready: Signal<Out, bool>,
    /// All that leaves, and whether it was parked.
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tlast: Signal<Out, bool>,
    pub m_axis_tuser: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    pub m_was_parked: Signal<Out, bool>,
    /// The frame of a place has left.
    pub left_valid: Signal<Out, bool>,
    pub left_ready: Signal<In, bool>,
    pub left_place: Signal<Out, Bits<5>>,

    ways: Fifo<Way, 5, 6>,
    releases: Fifo<Release, 5, 6>,
    /// Places whose frames are on their way out.
    leaving: Fifo<Bits<5>, 5, 6>,
    beats: SimpleDualPort<Bits<A>, Beat<W, K>>,

    is_known: Signal<Local, bool>,
    diverts: Signal<Local, bool>,
    passes: Signal<Local, bool>,
    takes: Signal<Local, bool>,

    at: DFF<Bits<B>>,
    is_over: DFF<bool>,
    stored: DFF<Bits<32>>,
    users: DFF<Bits<32>>,
    written_place: Signal<Local, Bits<32>>,
    read_place: Signal<Local, Bits<32>>,
    stores: Signal<Local, bool>,

    read_at: DFF<Bits<B>>,
    read_next: Signal<Local, Bits<B>>,
    has_beat: DFF<bool>,
    can_read: Signal<Local, bool>,
    beat: Signal<Local, Beat<W, K>>,
    is_last: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    ends: Signal<Local, bool>,

    in_frame: DFF<bool>,
    of_parked: DFF<bool>,
    selects_parked: Signal<Local, bool>,
    moves: Signal<Local, bool>,
    /// Frames that have left and whose places were not told of.
    gone: DFF<Bits<6>>,
    goes: Signal<Local, bool>,
    tells: Signal<Local, bool>,
    shift: Param<Bits<4>>,
    one: Param<Bits<32>>,
}

impl<const W: usize, const K: usize, const B: usize, const A: usize> Store<W, K, B, A> {
    /// Empty places: `2^A` beats in all.
    ///
    /// # Panics
    /// If the widths do not belong together.
    pub fn new() -> Self {
        assert!(W == 8 * K && A > B && A <= B + 5, "{W} bits, {K} bytes, {A} and {B} bits of address");
        let kind = MemoryKind::Distributed;
        Self {
            ways: Fifo::new("ways", kind),
            releases: Fifo::new("releases", kind),
            leaving: Fifo::new("leaving", kind),
            shift: Param::new((B as u64).into()),
            one: Param::new(1u64.into()),
            beats: SimpleDualPort::new("beat_memory", "beats of parked frames", MemoryKind::Block),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const B: usize, const A: usize> Logic for Store<W, K, B, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The places of parked frames, and the way of the others past them.");
        dff_setup!(self, clk, at, is_over, stored, users, read_at, has_beat, in_frame, of_parked, gone);
        self.ways.clk.next = self.clk.val();
        self.releases.clk.next = self.clk.val();
        self.leaving.clk.next = self.clk.val();
        self.beats.clk.next = self.clk.val();
        self.ways.rst.next = self.rst.val();
        self.releases.rst.next = self.rst.val();
        self.leaving.rst.next = self.rst.val();
        self.ways.in_valid.next = self.way_valid.val();
        self.ways.in_data.next.parks = self.way_parks.val();
        self.ways.in_data.next.place = self.way_place.val();
        self.releases.in_valid.next = self.release_valid.val();
        self.releases.in_data.next.place = self.release_place.val();
        self.releases.in_data.next.ev = self.release_ev.val();
        self.releases.in_data.next.timestamp = self.release_timestamp.val();

        comment!("A frame of the sender goes into its place, or past it.");
        self.is_known.next = !self.s_is_data.val() | self.ways.out_valid.val();
        self.diverts.next = self.s_is_data.val() & self.ways.out_valid.val() & self.ways.out_data.val().parks;
        self.passes.next = self.s_axis_tvalid.val() & self.is_known.val() & !self.diverts.val();
        self.s_axis_tready.next = self.diverts.val()
            | (self.is_known.val() & self.m_axis_tready.val() & !self.selects_parked.val());
        self.takes.next = self.s_axis_tvalid.val() & self.s_axis_tready.val();
        self.ways.out_ready.next = self.takes.val() & self.s_axis_tlast.val() & self.s_is_data.val();

        comment!("Into a place. Bit 0 of keep says of a beat whether it is the last one.");
        self.stores.next = self.s_axis_tvalid.val() & self.diverts.val();
        self.written_place.next = self.one.val() << self.ways.out_data.val().place;
        self.beats.write_enable.next = self.stores.val() & !self.is_over.q.val();
        self.beats.write_address.next = (bit_cast::<A, 5>(self.ways.out_data.val().place)
            << self.shift.val())
            | bit_cast::<A, B>(self.at.q.val());
        self.beats.write_data.next.data = self.s_axis_tdata.val();
        self.beats.write_data.next.keep =
            self.s_axis_tkeep.val().replace_bit(0, self.s_axis_tlast.val() | self.at.q.val().all());
        if self.stores.val() {
            self.at.d.next = self.at.q.val() + 1;
            self.is_over.d.next = self.is_over.q.val() | self.at.q.val().all();
            if self.s_axis_tlast.val() {
                self.at.d.next = bits::<B>(0);
                self.is_over.d.next = false;
            }
        }

        comment!("Out of a place, when the whole frame is there.");
        self.read_place.next = self.one.val() << self.releases.out_data.val().place;
        self.can_read.next =
            self.releases.out_valid.val() & (self.stored.q.val() & self.read_place.val()).any();
        self.beat.next = self.beats.read_data.val();
        self.is_last.next = self.beat.val().keep.get_bit(0);
        self.pop.next = self.has_beat.q.val() & self.w_axis_tready.val();
        self.ends.next = self.pop.val() & self.is_last.val();
        self.read_next.next = self.read_at.q.val();
        if self.pop.val() {
            self.read_next.next = self.read_at.q.val() + 1;
        }
        self.read_at.d.next = self.read_next.val();
        if self.ends.val() {
            self.read_at.d.next = bits::<B>(0);
        }
        self.has_beat.d.next = self.can_read.val() & !self.ends.val();
        self.beats.read_address.next = (bit_cast::<A, 5>(self.releases.out_data.val().place)
            << self.shift.val())
            | bit_cast::<A, B>(self.read_next.val());
        self.releases.out_ready.next = self.ends.val();
        self.leaving.in_valid.next = self.ends.val();
        self.leaving.in_data.next = self.releases.out_data.val().place;
        self.w_axis_tvalid.next = self.has_beat.q.val();
        self.w_axis_tdata.next = self.beat.val().data;
        self.w_axis_tkeep.next = self.beat.val().keep.replace_bit(0, true);
        self.w_axis_tlast.next = self.is_last.val();
        self.w_axis_tuser.next = self.is_last.val() & (self.users.q.val() & self.read_place.val()).any();
        self.w_ev.next = self.releases.out_data.val().ev;
        self.w_timestamp.next = self.releases.out_data.val().timestamp;
        if self.ends.val() {
            self.stored.d.next = self.stored.q.val() & !self.read_place.val();
        }
        if self.stores.val() & self.s_axis_tlast.val() {
            self.stored.d.next = self.stored.q.val() | self.written_place.val();
            if self.ends.val() {
                self.stored.d.next =
                    (self.stored.q.val() & !self.read_place.val()) | self.written_place.val();
            }
            self.users.d.next = self.users.q.val() & !self.written_place.val();
            if self.s_axis_tuser.val() {
                self.users.d.next = self.users.q.val() | self.written_place.val();
            }
        }

        comment!("Between frames one that was parked goes first.");
        self.selects_parked.next = self.r_axis_tvalid.val();
        if self.in_frame.q.val() {
            self.selects_parked.next = self.of_parked.q.val();
        }
        self.m_axis_tvalid.next = self.passes.val();
        self.m_axis_tdata.next = self.s_axis_tdata.val();
        self.m_axis_tkeep.next = self.s_axis_tkeep.val();
        self.m_axis_tlast.next = self.s_axis_tlast.val();
        self.m_axis_tuser.next = self.s_axis_tuser.val();
        if self.selects_parked.val() {
            self.m_axis_tvalid.next = self.r_axis_tvalid.val();
            self.m_axis_tdata.next = self.r_axis_tdata.val();
            self.m_axis_tkeep.next = self.r_axis_tkeep.val();
            self.m_axis_tlast.next = self.r_axis_tlast.val();
            self.m_axis_tuser.next = self.r_axis_tuser.val();
        }
        self.r_axis_tready.next = self.m_axis_tready.val() & self.selects_parked.val();
        self.moves.next = self.m_axis_tvalid.val() & self.m_axis_tready.val();
        if self.moves.val() {
            self.in_frame.d.next = !self.m_axis_tlast.val();
            self.of_parked.d.next = self.selects_parked.val();
        }
        self.m_was_parked.next = self.selects_parked.val();

        comment!("Frames that have left, in the order in which they were read.");
        self.goes.next = self.moves.val() & self.selects_parked.val() & self.m_axis_tlast.val();
        self.left_valid.next = self.gone.q.val().any() & self.leaving.out_valid.val();
        self.left_place.next = self.leaving.out_data.val();
        self.leaving.out_ready.next = self.left_ready.val() & self.left_valid.val();
        self.tells.next = self.left_ready.val() & self.left_valid.val();
        if self.goes.val() & !self.tells.val() {
            self.gone.d.next = self.gone.q.val() + 1;
        }
        if self.tells.val() & !self.goes.val() {
            self.gone.d.next = self.gone.q.val() - 1;
        }
        if self.rst.val() {
            self.at.d.next = bits::<B>(0);
            self.is_over.d.next = false;
            self.stored.d.next = bits::<32>(0);
            self.read_at.d.next = bits::<B>(0);
            self.has_beat.d.next = false;
            self.in_frame.d.next = false;
            self.of_parked.d.next = false;
            self.gone.d.next = bits::<6>(0);
        }
    }
}
