//! The places of parked frames, and the way of the others past them.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::words::{Beat, Release, Way};
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param, Reg, SimpleDualPort};

/// Takes the frames that are to be parked out of the stream of the sender, and puts them into it again when they may leave.
///
/// ```text
///  s_axis ─┬───────────────────────────────────────────────────► m_axis
///          └► place ─► w_axis ─► rewrite_tx ─► r_axis ─► between frames, first ─┘
/// ```
///
/// A beat has `DATA` bits and `BYTES` bytes; `BEAT` is the width of a beat's number in its place, `ADDRESS` the width of the
/// address, which has the place above it. A frame that is longer than its place is cut. A frame that comes to its place is
/// never made to wait, and one that leaves does as soon as it is whole: a beat an edge, either way.
#[block]
pub struct Store<const DATA: usize, const BYTES: usize, const BEAT: usize, const ADDRESS: usize> {
    /// Frames of the sender; of those with data there is a way for each.
    pub s_axis_tdata: Signal<In, Bits<DATA>>,
    pub s_axis_tkeep: Signal<In, Bits<BYTES>>,
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
    pub w_axis_tdata: Signal<Out, Bits<DATA>>,
    pub w_axis_tkeep: Signal<Out, Bits<BYTES>>,
    pub w_axis_tvalid: Signal<Out, bool>,
    pub w_axis_tlast: Signal<Out, bool>,
    pub w_axis_tuser: Signal<Out, bool>,
    pub w_axis_tready: Signal<In, bool>,
    pub w_ev: Signal<Out, Bits<16>>,
    pub w_timestamp: Signal<Out, Bits<16>>,
    /// Written.
    pub r_axis_tdata: Signal<In, Bits<DATA>>,
    pub r_axis_tkeep: Signal<In, Bits<BYTES>>,
    pub r_axis_tvalid: Signal<In, bool>,
    pub r_axis_tlast: Signal<In, bool>,
    pub r_axis_tuser: Signal<In, bool>,
    pub r_axis_tready: Signal<Out, bool>,
    /// All that leaves, and whether it was parked.
    pub m_axis_tdata: Signal<Out, Bits<DATA>>,
    pub m_axis_tkeep: Signal<Out, Bits<BYTES>>,
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
    beats: SimpleDualPort<Bits<ADDRESS>, Beat<DATA, BYTES>>,

    #[reset = 0]
    at: Reg<Bits<BEAT>>,
    #[reset = false]
    is_over: Reg<bool>,
    #[reset = 0]
    stored: Reg<Bits<32>>,
    users: Reg<Bits<32>>,

    #[reset = 0]
    read_at: Reg<Bits<BEAT>>,
    #[reset = false]
    has_beat: Reg<bool>,
    beat: Signal<Local, Beat<DATA, BYTES>>,

    #[reset = false]
    in_frame: Reg<bool>,
    #[reset = false]
    of_parked: Reg<bool>,
    selects_parked: Signal<Local, bool>,
    /// Frames that have left and whose places were not told of.
    #[reset = 0]
    gone: Reg<Bits<6>>,
    shift: Param<Bits<4>>,
    one: Param<Bits<32>>,
}

#[block]
impl<const DATA: usize, const BYTES: usize, const BEAT: usize, const ADDRESS: usize>
    Store<DATA, BYTES, BEAT, ADDRESS>
{
    /// Empty places: `2^ADDRESS` beats in all.
    ///
    /// # Panics
    /// If the widths do not belong together.
    pub fn new() -> Self {
        assert!(
            DATA == 8 * BYTES && ADDRESS > BEAT && ADDRESS <= BEAT + 5,
            "{DATA} bits, {BYTES} bytes, {ADDRESS} and {BEAT} bits of address"
        );
        let kind = MemoryKind::Distributed;
        Self {
            ways: Fifo::new("ways", kind),
            releases: Fifo::new("releases", kind),
            leaving: Fifo::new("leaving", kind),
            shift: Param::new((BEAT as u64).into()),
            one: Param::new(1u64.into()),
            beats: SimpleDualPort::new("beat_memory", "beats of parked frames", MemoryKind::Block),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("The places of parked frames, and the way of the others past them.");
        self.ways.in_valid = self.way_valid;
        self.ways.in_data.parks = self.way_parks;
        self.ways.in_data.place = self.way_place;
        self.releases.in_valid = self.release_valid;
        self.releases.in_data.place = self.release_place;
        self.releases.in_data.ev = self.release_ev;
        self.releases.in_data.timestamp = self.release_timestamp;

        comment!("A frame of the sender goes into its place, or past it.");
        let is_known = !self.s_is_data | self.ways.out_valid;
        let diverts = self.s_is_data & self.ways.out_valid & self.ways.out_data.parks;
        let passes = self.s_axis_tvalid & is_known & !diverts;
        self.s_axis_tready = diverts | (is_known & self.m_axis_tready & !self.selects_parked);
        let takes = self.s_axis_tvalid & self.s_axis_tready;
        self.ways.out_ready = takes & self.s_axis_tlast & self.s_is_data;

        comment!("Into a place. Bit 0 of keep says of a beat whether it is the last one.");
        let stores = self.s_axis_tvalid & diverts;
        let written_place = self.one << self.ways.out_data.place;
        self.beats.write_enable = stores & !self.is_over;
        self.beats.write_address = (bit_cast::<ADDRESS, 5>(self.ways.out_data.place) << self.shift)
            | bit_cast::<ADDRESS, BEAT>(self.at);
        self.beats.write_data.data = self.s_axis_tdata;
        self.beats.write_data.keep = self.s_axis_tkeep.replace_bit(0, self.s_axis_tlast | self.at.all());
        if stores {
            self.at = self.at + 1;
            self.is_over = self.is_over | self.at.all();
            if self.s_axis_tlast {
                self.at = 0;
                self.is_over = false;
            }
        }

        comment!("Out of a place, when the whole frame is there.");
        let read_place = self.one << self.releases.out_data.place;
        let can_read = self.releases.out_valid & (self.stored & read_place).any();
        self.beat = self.beats.read_data;
        let is_last = self.beat.keep.get_bit(0);
        let pop = self.has_beat & self.w_axis_tready;
        let ends = pop & is_last;
        let mut read_next = self.read_at;
        if pop {
            read_next = self.read_at + 1;
        }
        self.read_at = read_next;
        if ends {
            self.read_at = 0;
        }
        self.has_beat = can_read & !ends;
        self.beats.read_address = (bit_cast::<ADDRESS, 5>(self.releases.out_data.place) << self.shift)
            | bit_cast::<ADDRESS, BEAT>(read_next);
        self.releases.out_ready = ends;
        self.leaving.in_valid = ends;
        self.leaving.in_data = self.releases.out_data.place;
        self.w_axis_tvalid = self.has_beat;
        self.w_axis_tdata = self.beat.data;
        self.w_axis_tkeep = self.beat.keep.replace_bit(0, true);
        self.w_axis_tlast = is_last;
        self.w_axis_tuser = is_last & (self.users & read_place).any();
        self.w_ev = self.releases.out_data.ev;
        self.w_timestamp = self.releases.out_data.timestamp;
        if ends {
            self.stored = self.stored & !read_place;
        }
        if stores & self.s_axis_tlast {
            self.stored = self.stored | written_place;
            if ends {
                self.stored = (self.stored & !read_place) | written_place;
            }
            self.users = self.users & !written_place;
            if self.s_axis_tuser {
                self.users = self.users | written_place;
            }
        }

        comment!("Between frames one that was parked goes first.");
        self.selects_parked = self.r_axis_tvalid;
        if self.in_frame {
            self.selects_parked = self.of_parked;
        }
        self.m_axis_tvalid = passes;
        self.m_axis_tdata = self.s_axis_tdata;
        self.m_axis_tkeep = self.s_axis_tkeep;
        self.m_axis_tlast = self.s_axis_tlast;
        self.m_axis_tuser = self.s_axis_tuser;
        if self.selects_parked {
            self.m_axis_tvalid = self.r_axis_tvalid;
            self.m_axis_tdata = self.r_axis_tdata;
            self.m_axis_tkeep = self.r_axis_tkeep;
            self.m_axis_tlast = self.r_axis_tlast;
            self.m_axis_tuser = self.r_axis_tuser;
        }
        self.r_axis_tready = self.m_axis_tready & self.selects_parked;
        let moves = self.m_axis_tvalid & self.m_axis_tready;
        if moves {
            self.in_frame = !self.m_axis_tlast;
            self.of_parked = self.selects_parked;
        }
        self.m_was_parked = self.selects_parked;

        comment!("Frames that have left, in the order in which they were read.");
        let goes = moves & self.selects_parked & self.m_axis_tlast;
        self.left_valid = self.gone.any() & self.leaving.out_valid;
        self.left_place = self.leaving.out_data;
        self.leaving.out_ready = self.left_ready & self.left_valid;
        let tells = self.left_ready & self.left_valid;
        if goes & !tells {
            self.gone = self.gone + 1;
        }
        if tells & !goes {
            self.gone = self.gone - 1;
        }
    }
}
