//! The IPv4 header checksum of every frame, beat by beat.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::Place;
use crate::comment;
use crate::prims::Param;

/// Sums the halfwords of the IP header as they pass: RFC 1071, the carries counted on top.
///
/// The odd half of a step and the even half of the next make a pair, which lies within the header or outside. Registers: pairs,
/// blanked by their synchronous reset outside of the header; sums of two and of four pairs; the packet's sum, in two
/// parts. At 512 bits the header ends in the second beat at step 20, so what only the second beat can add is ORed to
/// what only the first can.
#[derive(LogicBlock, Default, Part)]
pub struct HeaderSum<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A beat is taken: the one before leaves register 1.
    pub push: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// The sum is all ones, as that of a header whose checksum is right: four registers behind register 1.
    pub is_checksum_right: Signal<Out, Bit>,

    odd_before: DFF<Bits<16>>,
    outside: Signal<Local, Bits<16>>,
    is_before: [Signal<Local, Bit>; 16],
    is_header: [Signal<Local, Bit>; 16],
    reach: Signal<Local, Bits<5>>,
    pair: [DFF<Bits<17>>; 16],
    first_term: [Signal<Local, Bits<18>>; 6],
    second_term: [Signal<Local, Bits<18>>; 6],
    two: [DFF<Bits<18>>; 6],
    four: [DFF<Bits<19>>; 3],
    valid_2: DFF<Bit>,
    first_2: DFF<Bit>,
    valid_3: DFF<Bit>,
    first_3: DFF<Bit>,
    valid_4: DFF<Bit>,
    first_4: DFF<Bit>,
    low: DFF<Bits<13>>,
    high: DFF<Bits<12>>,
    low_kept: Signal<Local, Bits<13>>,
    low_sum: Signal<Local, Bits<13>>,
    high_kept: Signal<Local, Bits<12>>,
    folded: Signal<Local, Bits<16>>,
    carries: Signal<Local, Bits<16>>,

    /// Of each lane the least reach with which its step is of the header.
    least: [Param<Bits<5>>; 16],
    steps_of: [Param<Bits<16>>; 16],
    is_512: Param<Bit>,
    /// Up to 9 beats hold a header: the low part takes a bit more.
    is_64: Param<Bit>,
}

/// Steps at which UDP begins behind a header of IPv4: up to two tags and ten words of options.
const UDP_STEPS: std::ops::RangeInclusive<u64> = 8..=20;

/// The least number of steps from the beginning of a beat of `steps` to UDP that is `lane` or more: at 512 bits UDP begins at steps
/// 8 to 15 of the first beat or 0 to 4 of the second, so that lanes 5 to 8 need not be told apart.
fn least_reach(lane: u64, steps: u64) -> u64 {
    let reaches = UDP_STEPS.flat_map(|udp| (0..=udp / steps).map(move |beat| udp - beat * steps));
    reaches.filter(|reach| *reach >= lane).min().expect("UDP begins behind every lane of some beat")
}

impl<const N: usize> HeaderSum<N> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        let steps_of =
            |lane: usize| (0..16).filter(|step| step % N == lane).map(|step| 1u64 << step).sum::<u64>();
        Self {
            least: std::array::from_fn(|lane| Param::new(least_reach(lane as u64, N as u64).into())),
            steps_of: std::array::from_fn(|lane| Param::new(steps_of(lane).into())),
            is_512: Param::new(N == 16),
            is_64: Param::new(N == 2),
            ..Default::default()
        }
    }
}

impl<const N: usize> Logic for HeaderSum<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Sums the IPv4 header of every packet.");
        dff_setup!(self, clk, odd_before, valid_2, first_2, valid_3, first_3, valid_4, first_4, low, high);
        comment!(
            "The pair of step s, its even half and the odd one before, is of the header from s = 4 + tags to UDP's."
        );
        self.outside.next = bits::<16>(0x000F);
        if self.place.val().tags == bits::<2>(1) {
            self.outside.next = bits::<16>(0x001F);
        }
        if self.place.val().tags == bits::<2>(2) {
            self.outside.next = bits::<16>(0x003F);
        }
        self.reach.next = self.place.val().ahead.get_bits::<5>(0);
        for i in 0..16 {
            self.is_before[i].next =
                (self.outside.val() & self.place.val().front & self.steps_of[i].val()) != bits::<16>(0);
            self.is_header[i].next = !self.is_before[i].val()
                && !self.place.val().ahead.get_bit(5)
                && (self.reach.val() >= self.least[i].val());
        }
        comment!("Pairs; a beat's last odd half waits for the next beat.");
        if self.push.val() {
            self.odd_before.d.next = self.odd[15].val();
        }
        for i in 0..16 {
            self.pair[i].clock.next = self.clk.val();
            self.pair[i].d.next = bits::<17>(0);
        }
        if self.is_header[0].val() {
            self.pair[0].d.next =
                self.odd_before.q.val().get_bits::<17>(0) + self.even[0].val().get_bits::<17>(0);
        }
        for i in 1..N {
            if self.is_header[i].val() {
                self.pair[i].d.next =
                    self.odd[i - 1].val().get_bits::<17>(0) + self.even[i].val().get_bits::<17>(0);
            }
        }
        comment!("Two pairs, four pairs.");
        for i in 0..6 {
            self.first_term[i].next = bits::<18>(0);
            self.second_term[i].next = bits::<18>(0);
        }
        if self.is_512.val() {
            for i in 0..6 {
                self.first_term[i].next = self.pair[i + i + 4].q.val().get_bits::<18>(0);
                self.second_term[i].next = self.pair[i + i + 5].q.val().get_bits::<18>(0);
            }
            for i in 0..4 {
                self.second_term[i].next =
                    self.pair[i + i + 5].q.val().get_bits::<18>(0) | self.pair[i].q.val().get_bits::<18>(0);
            }
        } else {
            for i in 0..4 {
                self.first_term[i].next = self.pair[i + i].q.val().get_bits::<18>(0);
                self.second_term[i].next = self.pair[i + i + 1].q.val().get_bits::<18>(0);
            }
        }
        for i in 0..6 {
            self.two[i].clock.next = self.clk.val();
            self.two[i].d.next = self.first_term[i].val() + self.second_term[i].val();
        }
        for i in 0..3 {
            self.four[i].clock.next = self.clk.val();
            self.four[i].d.next =
                self.two[i + i].q.val().get_bits::<19>(0) + self.two[i + i + 1].q.val().get_bits::<19>(0);
        }
        self.valid_2.d.next = self.valid.val();
        self.first_2.d.next = self.first.val();
        self.valid_3.d.next = self.valid_2.q.val();
        self.first_3.d.next = self.first_2.q.val();
        self.valid_4.d.next = self.valid_3.q.val();
        self.first_4.d.next = self.first_3.q.val();
        comment!(
            "The packet's sum, its low 9 bits and the others apart. The third four are of first beats only: they make room for the sum so far."
        );
        self.low_kept.next = bit_cast::<13, 9>(self.four[2].q.val().get_bits::<9>(0));
        self.high_kept.next = bit_cast::<12, 10>(self.four[2].q.val().get_bits::<10>(9));
        if !self.first_4.q.val() {
            self.low_kept.next = self.low.q.val();
            self.high_kept.next = self.high.q.val();
        }
        self.low_sum.next = bit_cast::<13, 9>(self.four[0].q.val().get_bits::<9>(0))
            + bit_cast::<13, 9>(self.four[1].q.val().get_bits::<9>(0))
            + self.low_kept.val();
        if self.valid_4.q.val() {
            self.low.d.next = self.low_sum.val();
            if !self.is_64.val() {
                self.low.d.next = self.low_sum.val() & bits::<13>(0x0FFF);
            }
            self.high.d.next = bit_cast::<12, 10>(self.four[0].q.val().get_bits::<10>(9))
                + bit_cast::<12, 10>(self.four[1].q.val().get_bits::<10>(9))
                + self.high_kept.val();
        }
        comment!(
            "All ones: the 16 bits are the complement of the carries out of both parts, each brought around to the other."
        );
        self.folded.next = (bit_cast::<16, 7>(self.high.q.val().get_bits::<7>(0)) << 9)
            | bit_cast::<16, 9>(self.low.q.val().get_bits::<9>(0));
        self.carries.next = (bit_cast::<16, 4>(self.low.q.val().get_bits::<4>(9)) << 9)
            | bit_cast::<16, 5>(self.high.q.val().get_bits::<5>(7));
        self.is_checksum_right.next = (self.folded.val() ^ self.carries.val()) == bits::<16>(0xFFFF);
        if self.rst.val() {
            self.valid_2.d.next = false;
            self.valid_3.d.next = false;
            self.valid_4.d.next = false;
        }
    }
}
