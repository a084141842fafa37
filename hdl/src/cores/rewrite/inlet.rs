//! The front of the parser: the beat register, and where the headers lie relative to the beat.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::{Geometry, Head, HeadDecoder};
use crate::comment;
use crate::prims::{Optional, Param};

/// Where the headers of a frame lie, as far as the beat beside it tells.
///
/// Positions count steps of 32 bits: step i is the halfword at byte 4i (even half) and the one at byte 4i + 2 (odd half).
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Place {
    /// VLAN tags: 0, 1 or 2. IP's first halfword is the odd one of step 3 + `tags`.
    pub tags: Bits<2>,
    pub is_ip4: Bit,
    pub is_ip6: Bit,
    /// IP's version or IHL contradicts the ethertype.
    pub is_malformed: Bit,
    /// Step whose odd half is the UDP source port: 8 to 20. With an entropy header the step before, as if UDP began 4 bytes earlier.
    pub udp: Bits<5>,
    /// That step is an even one.
    pub is_even: Bit,
    /// `udp` less the first step of the beat, two's complement.
    pub ahead: Bits<6>,
    /// Bit s: step s, of the first 16, is in the beat.
    pub front: Bits<16>,
}

/// Register 1: takes the beats of a stream, one a cycle at most, and never stalls.
///
/// It keeps its content between beats; `valid` says that it is new. Beats are counted to step 32, which is beyond every
/// field that decides about a frame.
#[derive(LogicBlock, Default, Part)]
pub struct Inlet<const DATA: usize, const BYTES: usize, const STEPS: usize, const BEAT_NUMBER: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A beat is taken.
    pub push: Signal<In, Bit>,
    pub data: Signal<In, Bits<DATA>>,
    pub keep: Signal<In, Bits<BYTES>>,
    pub last: Signal<In, Bit>,
    /// The profile's header stands behind an entropy header.
    pub is_entropy: Optional<Signal<In, Bit>>,
    /// The next beat is the first of a packet.
    pub at_first: Signal<Out, Bit>,
    pub valid: Signal<Out, Bit>,
    pub first: Signal<Out, Bit>,
    pub is_last: Signal<Out, Bit>,
    pub word: Signal<Out, Bits<DATA>>,
    /// Bytes of the frame up to the end of the beat, less one.
    pub last_index: Signal<Out, Bits<8>>,
    /// Number of the beat's last byte.
    pub last_byte: Signal<Out, Bits<6>>,
    pub place: Signal<Out, Place>,

    fresh: DFF<Bit>,
    valid_held: DFF<Bit>,
    first_held: DFF<Bit>,
    last_held: DFF<Bit>,
    beat: DFF<Bits<BEAT_NUMBER>>,
    word_held: DFF<Bits<DATA>>,
    last_byte_held: DFF<Bits<6>>,
    decoders: [HeadDecoder; 3],

    lane: [Signal<Local, Bits<24>>; 16],
    head_lane: [Signal<Local, Bits<24>>; 3],
    head: [Signal<Local, Head>; 3],
    ip: Signal<Local, Head>,
    number: Signal<Local, Bits<BEAT_NUMBER>>,
    first_step: Signal<Local, Bits<6>>,
    found: Signal<Local, Place>,
    enables: Signal<Local, Bits<65>>,
    index_bit: [Signal<Local, Bit>; 6],
    top: Signal<Local, Bits<6>>,

    is_64: Param<Bit>,
    is_128: Param<Bit>,
    has_entropy: Param<bool>,
    head_beat: [Param<Bits<BEAT_NUMBER>>; 3],
    step_beat: [Param<Bits<BEAT_NUMBER>>; 16],
    last_beat: Param<Bits<BEAT_NUMBER>>,
    shift: Param<Bits<3>>,
    byte_shift: Param<Bits<3>>,
}

impl<const DATA: usize, const BYTES: usize, const STEPS: usize, const BEAT_NUMBER: usize>
    Inlet<DATA, BYTES, STEPS, BEAT_NUMBER>
{
    /// The block with its parameters, which follow from its sizes, for what may be carried by an entropy header.
    pub fn new(has_entropy: bool) -> Self {
        let geometry = Geometry::new(DATA);
        Self {
            decoders: [0, 1, 2].map(|tags| HeadDecoder::new(tags, has_entropy)),
            is_entropy: Optional::new(has_entropy, Default::default),
            has_entropy: Param::new(has_entropy),
            is_64: Param::new(DATA == 64),
            is_128: Param::new(DATA == 128),
            head_beat: [3, 4, 5].map(|step| Param::new((step / geometry.steps).into())),
            step_beat: std::array::from_fn(|step| Param::new((step as u64 / geometry.steps).into())),
            last_beat: Param::new((32 / geometry.steps).into()),
            shift: Param::new(geometry.shift.into()),
            byte_shift: Param::new((geometry.shift + 2).into()),
            ..Default::default()
        }
    }
}

impl<const DATA: usize, const BYTES: usize, const STEPS: usize, const BEAT_NUMBER: usize> Logic
    for Inlet<DATA, BYTES, STEPS, BEAT_NUMBER>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Takes the beats of a stream and finds where the headers lie.");
        dff_setup!(self, clk, fresh, valid_held, first_held, last_held, beat, word_held, last_byte_held);
        self.number.next = bits::<BEAT_NUMBER>(0);
        if !self.fresh.q.val() {
            self.number.next = self.beat.q.val();
            if self.beat.q.val() != self.last_beat.val() {
                self.number.next = self.beat.q.val() + 1;
            }
        }
        comment!(
            "The last byte that is kept, n: bit j of n is the parity of n / 2^j, so of the ones of tkeep at multiples of 2^j above 0."
        );
        self.enables.next = bit_cast::<65, BYTES>(self.keep.val());
        for j in 0..6 {
            self.index_bit[j].next = false;
        }
        self.index_bit[5].next = self.enables.val().get_bit(32);
        for i in 0..2 {
            self.index_bit[4].next = self.index_bit[4].val() ^ self.enables.val().get_bit(32 * i + 16);
        }
        self.index_bit[4].next = self.index_bit[4].val() ^ self.index_bit[5].val();
        for i in 0..4 {
            self.index_bit[3].next = self.index_bit[3].val() ^ self.enables.val().get_bit(16 * i + 8);
        }
        self.index_bit[3].next = self.index_bit[3].val() ^ self.index_bit[4].val();
        for i in 0..8 {
            self.index_bit[2].next = self.index_bit[2].val() ^ self.enables.val().get_bit(8 * i + 4);
        }
        self.index_bit[2].next = self.index_bit[2].val() ^ self.index_bit[3].val();
        for i in 0..16 {
            self.index_bit[1].next = self.index_bit[1].val() ^ self.enables.val().get_bit(4 * i + 2);
        }
        self.index_bit[1].next = self.index_bit[1].val() ^ self.index_bit[2].val();
        for i in 0..32 {
            self.index_bit[0].next = self.index_bit[0].val() ^ self.enables.val().get_bit(2 * i + 1);
        }
        self.index_bit[0].next = self.index_bit[0].val() ^ self.index_bit[1].val();
        self.top.next = bits::<6>(0);
        for j in 0..6 {
            self.top.next = self.top.val().replace_bit(j, self.index_bit[j].val());
        }
        comment!("Register 1.");
        self.valid_held.d.next = self.push.val();
        if self.push.val() {
            self.fresh.d.next = self.last.val();
            self.first_held.d.next = self.fresh.q.val();
            self.last_held.d.next = self.last.val();
            self.word_held.d.next = self.data.val();
            self.beat.d.next = self.number.val();
            self.last_byte_held.d.next = self.top.val();
        }
        comment!("What stands at bytes 12, 16 and 20, read on the way into register 1.");
        for i in 0..16 {
            self.lane[i].next = bits::<24>(0);
        }
        for i in 0..STEPS {
            self.lane[i].next = self.data.val().get_bits::<24>(i * 32);
        }
        if self.is_64.val() {
            self.head_lane[0].next = self.lane[1].val();
            self.head_lane[1].next = self.lane[0].val();
            self.head_lane[2].next = self.lane[1].val();
        } else if self.is_128.val() {
            self.head_lane[0].next = self.lane[3].val();
            self.head_lane[1].next = self.lane[0].val();
            self.head_lane[2].next = self.lane[1].val();
        } else {
            self.head_lane[0].next = self.lane[3].val();
            self.head_lane[1].next = self.lane[4].val();
            self.head_lane[2].next = self.lane[5].val();
        }
        for i in 0..3 {
            self.decoders[i].clk.next = self.clk.val();
            self.decoders[i].rst.next = self.rst.val();
            self.decoders[i].lane.next = self.head_lane[i].val();
            self.decoders[i].is_here.next = self.push.val() && (self.number.val() == self.head_beat[i].val());
            self.head[i].next = self.decoders[i].head.val();
        }
        if self.has_entropy.val() {
            for i in 0..3 {
                self.decoders[i].is_entropy.next = self.is_entropy.val();
            }
        }
        comment!("Behind how many tags IP begins, and where UDP.");
        self.found.next.tags = bits::<2>(0);
        self.ip.next = self.head[0].val();
        if self.head[0].val().is_tag {
            self.found.next.tags = bits::<2>(1);
            self.ip.next = self.head[1].val();
            if self.head[1].val().is_tag {
                self.found.next.tags = bits::<2>(2);
                self.ip.next = self.head[2].val();
            }
        }
        self.found.next.is_ip4 = self.ip.val().is_ip4;
        self.found.next.is_ip6 = self.ip.val().is_ip6;
        self.found.next.is_malformed = self.ip.val().is_malformed;
        self.found.next.udp = self.ip.val().udp;
        self.found.next.is_even = !self.found.val().udp.get_bit(0);
        self.first_step.next = bit_cast::<6, BEAT_NUMBER>(self.beat.q.val()) << self.shift.val();
        self.found.next.ahead = bit_cast::<6, 5>(self.found.val().udp) - self.first_step.val();
        self.found.next.front = bits::<16>(0);
        for s in 0..16 {
            self.found.next.front =
                self.found.val().front.replace_bit(s, self.beat.q.val() == self.step_beat[s].val());
        }
        self.place.next = self.found.val();
        self.last_index.next = (bit_cast::<8, BEAT_NUMBER>(self.beat.q.val()) << self.byte_shift.val())
            | bit_cast::<8, 6>(self.last_byte_held.q.val());
        self.last_byte.next = self.last_byte_held.q.val();
        self.at_first.next = self.fresh.q.val();
        self.valid.next = self.valid_held.q.val();
        self.first.next = self.first_held.q.val();
        self.is_last.next = self.last_held.q.val();
        self.word.next = self.word_held.q.val();
        if self.rst.val() {
            self.fresh.d.next = true;
            self.valid_held.d.next = false;
        }
    }
}
