//! What a request says of a frame.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::Place;
use crate::prims::{Param, Reg};
use crate::wire::{self, Source, UDP_BYTES, sender_connection, source_of};

/// What is asked for a frame.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Request {
    /// A probe, else data. Of Ultra Ethernet, a control packet that takes a PSN.
    pub is_probe: Bit,
    /// The number by which the sender knows the connection.
    pub conn: Bits<24>,
    pub psn: Bits<32>,
    /// What follows the profile's header inside UDP.
    pub bytes: Bits<16>,
    /// Of `uet`: the number by which the receiver knows the connection, and whether the request is of type ROD.
    pub destination_pdc: Bits<16>,
    pub is_ordered: Bit,
}

/// Steps from UDP's first to the one whose odd half begins the profile's header.
const HEADER_STEPS: usize = UDP_BYTES / 4;
/// Of the header's 32-bit words the one whose lower half has the probe's flag, in profiles that have one.
const PROBE_WORD: usize = 3;

/// Connection and PSN stand in the second and the third 32-bit word of the profile's header, in an order that the profile sets. This
/// is the lowest bit of a field within both words together, and as many ones as the field has bits.
///
/// # Panics
/// If the field stands elsewhere.
fn spot(wire: Wire, source: Source) -> (Param<Bits<6>>, u64) {
    let end = source.offset(wire) + source.width;
    assert!(
        source.offset(wire) >= 32 && end <= 96,
        "{} of {wire:?} is in the second or third word",
        source.part
    );
    (Param::new((96 - end as u64).into()), u64::MAX >> (64 - source.width))
}

/// Captures the fields of the profile's header that a request names, each in the beat that holds it.
///
/// It does this as `rewrite_tx` captures the fields of UDP: register 2 holds the beat's steps, those blanked (by the synchronous
/// reset) in which no field stands. The halves that are captured of the two words are a step apart, so the steps of one parity can be
/// ORed. Register 3 takes them when they have come. What a frame has not reached is of no meaning.
#[block(no_reset)]
pub struct HeaderReader<const N: usize> {
    /// Beside register 1.
    pub valid: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// UDP, of the frame beside register 2, begins in an odd step.
    pub is_odd_2: Signal<In, Bit>,
    /// UDP's length and the first half of the profile's header, beside register 3.
    pub length: Signal<In, Bits<16>>,
    pub lead: Signal<In, Bits<16>>,
    /// Beside register 3.
    pub request: Signal<Out, Request>,

    /// UDP's first step stands in such a lane.
    is_udp: [Signal<Local, Bit>; 16],
    shows_even: [Signal<Local, Bit>; 16],
    shows_odd: [Signal<Local, Bit>; 16],
    shows_flags: [Signal<Local, Bit>; 16],
    even_held: [Reg<Bits<16>>; 16],
    odd_held: [Reg<Bits<16>>; 16],
    flag_held: [Reg<Bit>; 16],
    reaches: [Signal<Local, Bits<6>>; 4],
    is_here: [Reg<Bit>; 4],
    even_any: [Signal<Local, Bits<16>>; 2],
    odd_any: [Signal<Local, Bits<16>>; 2],
    /// The second and the third word: upper halves, lower halves.
    upper: [Signal<Local, Bits<16>>; 2],
    lower: [Signal<Local, Bits<16>>; 2],
    upper_held: [Reg<Bits<16>>; 2],
    lower_held: [Reg<Bits<16>>; 2],
    probe_held: Reg<Bit>,
    found: Signal<Local, Request>,

    in_beat: Param<Bits<5>>,
    /// Of a lane, within a beat.
    number: [Param<Bits<5>>; 16],
    /// A half that is captured can stand there.
    has_even: [Param<Bit>; 16],
    has_odd: [Param<Bit>; 16],
    has_flags: [Param<Bit>; 16],
    /// Steps behind UDP's first at which something is captured: upper half of the second word; its lower half and upper half of the
    /// third; its lower half; the probe's flag.
    distance: [Param<Bits<6>>; 4],
    beyond: Param<Bits<6>>,
    conn_low: Param<Bits<6>>,
    conn_mask: Param<Bits<24>>,
    psn_low: Param<Bits<6>>,
    psn_mask: Param<Bits<32>>,
    destination_low: Param<Bits<6>>,
    destination_mask: Param<Bits<16>>,
    /// What tells a request of type ROD in the first half of the header.
    ordered_mask: Param<Bits<16>>,
    /// Some requests have a longer header, which is told by a bit of the first half. The bit that tells ROD is inverted in them.
    has_credit: Param<bool>,
    credit_mask: Param<Bits<16>>,
    credit_bytes: Param<Bits<16>>,
    /// The profile has probes among its data.
    has_probe: Param<Bit>,
    /// Bit of the half that is the probe's flag.
    probe_bit: Param<Bits<4>>,
    /// Bytes of UDP's header and that of data, negative.
    unsize: Param<Bits<16>>,
}

#[block]
impl<const N: usize> HeaderReader<N> {
    /// For the headers of a profile.
    ///
    /// # Panics
    /// If a field stands where it is not read.
    /// Bytes behind the 12 of every header are counted, or those behind the whole one.
    pub fn new(wire: Wire, counts_credit: bool) -> Self {
        let can = |lane: usize, at: usize| (8..=20).any(|udp| (udp + at) % N == lane);
        let has = |steps: &'static [usize]| {
            std::array::from_fn(|lane| Param::new(steps.iter().any(|&at| can(lane, at))))
        };
        let psn = source_of(wire, "meta_psn").expect("data has a PSN");
        let sender = sender_connection(wire);
        let receiver = source_of(wire, "meta_conn").expect("data names the receiver's connection");
        let ((conn_low, conn_mask), (psn_low, psn_mask)) = (spot(wire, sender), spot(wire, psn));
        // where both ends have the same number, it is not said twice
        let (destination_low, destination_mask) = match receiver.offset(wire) == sender.offset(wire) {
            true => (Param::new(0u64.into()), 0),
            false => spot(wire, receiver),
        };
        let [unordered, ordered] = wire::kinds(wire).data_codes();
        let probe = source_of(wire, "meta_kind/probe");
        let probe_bit = probe.map_or(0, |source| {
            let behind = source.offset(wire).checked_sub(32 * PROBE_WORD + 16);
            behind.filter(|behind| *behind < 16).map(|behind| 15 - behind as u64).expect("it is in that half")
        });
        let header_bytes = wire::header(wire, psn.header).bytes();
        let credit = wire::kinds(wire).credit();
        Self {
            in_beat: Param::new((N as u64 - 1).into()),
            number: std::array::from_fn(|lane| Param::new(((lane % N) as u64).into())),
            has_even: has(&[HEADER_STEPS + 2, HEADER_STEPS + 3]),
            has_odd: has(&[HEADER_STEPS + 1, HEADER_STEPS + 2]),
            has_flags: match probe {
                Some(_) => has(&[HEADER_STEPS + 4]),
                None => [false; 16].map(Param::new),
            },
            distance: [1, 2, 3, 4].map(|behind| Param::new(((HEADER_STEPS + behind) as u64).into())),
            beyond: Param::new((64 - N as u64).into()),
            conn_low,
            conn_mask: Param::new(conn_mask.into()),
            psn_low,
            psn_mask: Param::new(psn_mask.into()),
            destination_low,
            destination_mask: Param::new(destination_mask.into()),
            ordered_mask: Param::new((unordered ^ ordered).into()),
            has_probe: Param::new(probe.is_some()),
            probe_bit: Param::new(probe_bit.into()),
            has_credit: Param::new(credit.is_some()),
            credit_mask: Param::new(credit.map_or(0, |(mask, _)| mask).into()),
            credit_bytes: Param::new(
                credit.map_or(0, |(_, bytes)| if counts_credit { 0 } else { bytes }).into(),
            ),
            unsize: Param::new((0x1_0000 - (UDP_BYTES + header_bytes) as u64).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Captures of the profile's header what a request says.");
        comment!(
            "Register 2: the steps that hold a half of the header's second or third word, or the flags."
        );
        // That of UDP's first step, be it in this beat or in another.
        let lane = self.place.udp & self.in_beat;
        for i in 0..16 {
            self.is_udp[i] = lane == self.number[i];
        }
        for i in 0..16 {
            self.shows_odd[i] = self.has_odd[i] && (self.is_udp[(i + 13) % 16] || self.is_udp[(i + 12) % 16]);
            self.shows_even[i] =
                self.has_even[i] && (self.is_udp[(i + 12) % 16] || self.is_udp[(i + 11) % 16]);
            self.shows_flags[i] = self.has_flags[i] && self.is_udp[(i + 10) % 16];
            self.odd_held[i] = 0;
            self.even_held[i] = 0;
            self.flag_held[i] = false;
            if self.has_odd[i] && self.shows_odd[i] {
                self.odd_held[i] = self.odd[i];
            }
            if self.has_even[i] && self.shows_even[i] {
                self.even_held[i] = self.even[i];
            }
            if self.has_flags[i] && self.shows_flags[i] {
                self.flag_held[i] = self.even[i].get_bit(self.probe_bit.index());
            }
        }
        for k in 0..4 {
            self.reaches[k] = (self.place.ahead + self.distance[k]) & self.beyond;
            self.is_here[k] = self.valid && (self.reaches[k] == 0);
        }
        comment!("Steps of one parity together.");
        for c in 0..2 {
            self.odd_any[c] = 0;
            self.even_any[c] = 0;
        }
        let mut flag_any = false;
        for i in 0..N {
            self.odd_any[i % 2] = self.odd_any[i % 2] | self.odd_held[i];
            self.even_any[i % 2] = self.even_any[i % 2] | self.even_held[i];
            flag_any = flag_any | self.flag_held[i];
        }
        self.upper[0] = self.odd_any[1];
        self.upper[1] = self.odd_any[0];
        self.lower[0] = self.even_any[0];
        self.lower[1] = self.even_any[1];
        if self.is_odd_2 {
            self.upper[0] = self.odd_any[0];
            self.upper[1] = self.odd_any[1];
            self.lower[0] = self.even_any[1];
            self.lower[1] = self.even_any[0];
        }
        comment!("Register 3.");
        for w in 0..2 {
            self.upper_held[w] = self.upper_held[w];
            self.lower_held[w] = self.lower_held[w];
            if self.is_here[w] {
                self.upper_held[w] = self.upper[w];
            }
            if self.is_here[w + 1] {
                self.lower_held[w] = self.lower[w];
            }
        }
        if self.is_here[3] {
            self.probe_held = flag_any;
        }
        let words = (self.upper_held[0].get_bits::<64>(0) << 48)
            | (self.lower_held[0].get_bits::<64>(0) << 32)
            | (self.upper_held[1].get_bits::<64>(0) << 16)
            | self.lower_held[1].get_bits::<64>(0);
        self.found.is_probe = self.has_probe && self.probe_held;
        self.found.conn = words.get_bits::<24>(self.conn_low.index()) & self.conn_mask;
        self.found.psn = words.get_bits::<32>(self.psn_low.index()) & self.psn_mask;
        self.found.bytes = self.length + self.unsize;
        self.found.destination_pdc =
            words.get_bits::<16>(self.destination_low.index()) & self.destination_mask;
        self.found.is_ordered = (self.lead & self.ordered_mask).any();
        if self.has_credit && (self.lead & self.credit_mask).any() {
            self.found.is_ordered = !(self.lead & self.ordered_mask).any();
            self.found.bytes = self.length + self.unsize - self.credit_bytes;
        }
        self.request = self.found;
    }
}
