//! The front of the parser: the beat register, where the headers lie, and a second register with the answer.

use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::{Geometry, Head, HeadDecoder, UdpStart};
use crate::prims::Param;

/// Where the headers of a frame lie, as far as the beat beside it tells.
///
/// Positions count steps of 32 bits: step i is the halfword at byte 4i (even half) and the one at byte 4i + 2 (odd half).
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Layout {
    /// The ethertype at byte 12 is a VLAN tag's.
    pub tagged: Bit,
    /// The one at byte 16, too. Without `tagged` of no meaning.
    pub tagged_twice: Bit,
    pub is_ip4: Bit,
    pub is_ip6: Bit,
    /// IP's version or IHL contradicts the ethertype.
    pub is_malformed: Bit,
    /// Step whose odd half is the UDP source port: 8 to 20.
    pub udp: Bits<5>,
}

/// Takes the beats of a stream, one a cycle at most, and never stalls.
///
/// Register 1 holds the beat as it came; its layout is worked out beside it. Register 2 holds the beat with its layout. Both
/// keep their content between beats; `valid` says that it is new.
#[derive(LogicBlock, Default)]
pub struct Ingest<const W: usize, const K: usize, const N: usize, const BB: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A beat is taken.
    pub push: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    pub keep: Signal<In, Bits<K>>,
    pub last: Signal<In, Bit>,
    /// The next beat is the first of a packet.
    pub at_first: Signal<Out, Bit>,
    pub valid_1: Signal<Out, Bit>,
    pub first_1: Signal<Out, Bit>,
    pub data_1: Signal<Out, Bits<W>>,
    /// First step of the beat.
    pub step_1: Signal<Out, Bits<6>>,
    pub layout_1: Signal<Out, Layout>,
    pub valid_2: Signal<Out, Bit>,
    pub last_2: Signal<Out, Bit>,
    pub data_2: Signal<Out, Bits<W>>,
    pub step_2: Signal<Out, Bits<6>>,
    pub layout_2: Signal<Out, Layout>,
    /// Bytes of the frame up to the end of the beat, at most 16383.
    pub bytes_2: Signal<Out, Bits<14>>,

    fresh: DFF<Bit>,
    valid: DFF<Bit>,
    first: DFF<Bit>,
    is_last: DFF<Bit>,
    beat: DFF<Bits<BB>>,
    bytes_before: DFF<Bits<15>>,
    word: DFF<Bits<W>>,
    last_byte: DFF<Bits<6>>,
    decoders: [HeadDecoder; 3],
    valid_b: DFF<Bit>,
    is_last_b: DFF<Bit>,
    word_b: DFF<Bits<W>>,
    beat_b: DFF<Bits<BB>>,
    layout_b: DFF<Layout>,
    bytes_b: DFF<Bits<14>>,

    lane: [Signal<Local, Bits<24>>; 16],
    head_lane: [Signal<Local, Bits<24>>; 3],
    head: [Signal<Local, Head>; 3],
    ip: Signal<Local, Head>,
    start: UdpStart,
    number: Signal<Local, Bits<BB>>,
    layout: Signal<Local, Layout>,
    enables_64: Signal<Local, Bits<64>>,
    probe: [Signal<Local, Bits<6>>; 6],
    top: Signal<Local, Bits<6>>,
    bytes: Signal<Local, Bits<15>>,
    bytes_capped: Signal<Local, Bits<14>>,

    is_64: Param<Bit>,
    is_128: Param<Bit>,
    head_beat: [Param<Bits<BB>>; 3],
    half: [Param<Bits<6>>; 6],
    /// The beat has more bytes than that.
    has_half: [Param<Bit>; 6],
    last_beat: Param<Bits<BB>>,
    beat_bytes: Param<Bits<15>>,
    shift: Param<Bits<3>>,
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize> Ingest<W, K, N, BB> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        let geometry = Geometry::new(W);
        let number = |value: u64| Param::new(value.into());
        Self {
            is_64: Param::new(W == 64),
            is_128: Param::new(W == 128),
            head_beat: [3, 4, 5].map(|step| Param::new((step / geometry.steps).into())),
            half: [32, 16, 8, 4, 2, 1].map(|half| Param::new(half.into())),
            has_half: [32, 16, 8, 4, 2, 1].map(|half| Param::new(geometry.bytes > half)),
            last_beat: Param::new(geometry.last_beat.into()),
            beat_bytes: number(geometry.bytes),
            shift: Param::new(geometry.shift.into()),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize> Logic for Ingest<W, K, N, BB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Takes the beats of a stream and finds where the headers lie.");
        dff_setup!(self, clk, fresh, valid, first, is_last, beat, bytes_before, word, last_byte);
        dff_setup!(self, clk, valid_b, is_last_b, word_b, beat_b, layout_b, bytes_b);
        comment!("Register 1: the beat, its number within the packet and the bytes before it.");
        self.number.next = bits::<BB>(0);
        if !self.fresh.q.val() {
            self.number.next = self.beat.q.val();
            if self.beat.q.val() != self.last_beat.val() {
                self.number.next = self.beat.q.val() + 1;
            }
        }
        self.valid.d.next = self.push.val();
        if self.push.val() {
            self.fresh.d.next = self.last.val();
            self.first.d.next = self.fresh.q.val();
            self.is_last.d.next = self.last.val();
            self.word.d.next = self.data.val();
            self.beat.d.next = self.number.val();
            self.last_byte.d.next = self.top.val();
            if self.fresh.q.val() {
                self.bytes_before.d.next = bits::<15>(0);
            } else if !self.bytes_before.q.val().get_bit(14) {
                self.bytes_before.d.next = self.bytes_before.q.val() + self.beat_bytes.val();
            }
        }
        comment!("What stands at bytes 12, 16 and 20, read on the way into register 1.");
        for i in 0..16 {
            self.lane[i].next = bits::<24>(0);
        }
        for i in 0..N {
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
            self.decoders[i].lane.next = self.head_lane[i].val();
            self.decoders[i].is_here.next = self.push.val() && (self.number.val() == self.head_beat[i].val());
            self.head[i].next = self.decoders[i].head.val();
        }
        comment!("Behind how many tags IP begins, and where UDP.");
        self.layout.next.tagged = self.head[0].val().is_tag;
        self.layout.next.tagged_twice = self.head[1].val().is_tag;
        self.ip.next = self.head[0].val();
        if self.head[0].val().is_tag {
            self.ip.next = self.head[1].val();
            if self.head[1].val().is_tag {
                self.ip.next = self.head[2].val();
            }
        }
        self.layout.next.is_ip4 = self.ip.val().is_ip4;
        self.layout.next.is_ip6 = self.ip.val().is_ip6;
        self.layout.next.is_malformed = self.ip.val().is_malformed;
        self.start.words.next = self.ip.val().words;
        self.start.tags.next = bits::<2>(0);
        if self.head[0].val().is_tag {
            self.start.tags.next = bits::<2>(1);
            if self.head[1].val().is_tag {
                self.start.tags.next = bits::<2>(2);
            }
        }
        self.layout.next.udp = self.start.step.val();
        comment!("Bytes of the beat less one: where the ones of tkeep end, by halving.");
        self.enables_64.next = bit_cast::<64, K>(self.keep.val());
        self.top.next = bits::<6>(0);
        for i in 0..6 {
            self.probe[i].next = self.top.val() | self.half[i].val();
            if self.has_half[i].val() && self.enables_64.val().get_bit(self.probe[i].val().index()) {
                self.top.next = self.probe[i].val();
            }
        }
        self.bytes.next = self.bytes_before.q.val() + bit_cast::<15, 6>(self.last_byte.q.val()) + 1;
        self.bytes_capped.next = self.bytes.val().get_bits::<14>(0);
        if self.bytes.val().get_bit(14) {
            self.bytes_capped.next = bits::<14>(0x3FFF);
        }
        comment!("Register 2: the beat with its layout.");
        self.valid_b.d.next = self.valid.q.val();
        self.is_last_b.d.next = self.is_last.q.val();
        self.word_b.d.next = self.word.q.val();
        self.beat_b.d.next = self.beat.q.val();
        self.layout_b.d.next = self.layout.val();
        self.bytes_b.d.next = self.bytes_capped.val();
        self.at_first.next = self.fresh.q.val();
        self.valid_1.next = self.valid.q.val();
        self.first_1.next = self.first.q.val();
        self.data_1.next = self.word.q.val();
        self.step_1.next = bit_cast::<6, BB>(self.beat.q.val()) << self.shift.val();
        self.layout_1.next = self.layout.val();
        self.valid_2.next = self.valid_b.q.val();
        self.last_2.next = self.is_last_b.q.val();
        self.data_2.next = self.word_b.q.val();
        self.step_2.next = bit_cast::<6, BB>(self.beat_b.q.val()) << self.shift.val();
        self.layout_2.next = self.layout_b.q.val();
        self.bytes_2.next = self.bytes_b.q.val();
        if self.rst.val() {
            self.fresh.d.next = true;
            self.valid.d.next = false;
            self.valid_b.d.next = false;
        }
    }
}
