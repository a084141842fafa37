//! What of a beat the trailer covers, and the trailer itself.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::Place;
use crate::prims::{Array, Optional, Param, Reg};

/// The beat on its way from register 1 to register 4, all else of it blanked by the synchronous reset of its registers.
///
/// What is written on the way out is written here, too: the EV, and 0 for UDP's checksum.
#[block(no_reset)]
pub struct Covered<const DATA: usize, const BYTES: usize, const STEPS: usize> {
    /// Register 1.
    pub word: Signal<In, Bits<DATA>>,
    pub keep: Signal<In, Bits<BYTES>>,
    pub place: Signal<In, Place>,
    /// Beside register 1, of what is sent: the EV, how far the step with it is ahead of the beat, and whether UDP has a checksum.
    pub ev: Optional<Signal<In, Bits<16>>>,
    pub ahead: Optional<Signal<In, Bits<6>>>,
    pub has_sum: Optional<Signal<In, Bit>>,
    /// Beside register 3: the bytes 48 to 63 of the frame that lie behind the packet.
    pub behind: Signal<In, Bits<16>>,
    /// Register 4.
    pub beat: Signal<Out, Bits<DATA>>,

    /// By steps: those in front of the one in whose odd half IP's source address begins.
    in_front: Signal<Local, Bits<16>>,
    hidden_odd: Signal<Local, Bits<16>>,
    hidden_even: Signal<Local, Bits<16>>,
    lane: Array<Signal<Local, Bits<32>>, STEPS>,
    enables: Array<Signal<Local, Bits<4>>, STEPS>,
    shows_even: Array<Signal<Local, Bit>, STEPS>,
    shows_odd: Array<Signal<Local, Bit>, STEPS>,
    /// Register 2, by bytes of a step.
    byte_0_2: Array<Reg<Bits<8>>, STEPS>,
    byte_1_2: Array<Reg<Bits<8>>, STEPS>,
    byte_2_2: Array<Reg<Bits<8>>, STEPS>,
    byte_3_2: Array<Reg<Bits<8>>, STEPS>,
    ev_2: Optional<Reg<Bits<16>>>,
    is_ev_2: Array<Optional<Reg<Bit>>, STEPS>,
    /// Register 3.
    even_3: Array<Reg<Bits<16>>, STEPS>,
    odd_3: Array<Reg<Bits<16>>, STEPS>,
    /// Bytes of the beat that are behind the packet.
    hidden: Signal<Local, Bits<BYTES>>,
    hides: Array<Signal<Local, Bits<4>>, STEPS>,
    /// Register 4.
    byte_0_4: Array<Reg<Bits<8>>, STEPS>,
    byte_1_4: Array<Reg<Bits<8>>, STEPS>,
    byte_2_4: Array<Reg<Bits<8>>, STEPS>,
    byte_3_4: Array<Reg<Bits<8>>, STEPS>,
    step: Array<Signal<Local, Bits<32>>, STEPS>,
    /// Of a lane, the steps that it stands for, among the first 16.
    steps_of: Array<Param<Bits<16>>, STEPS>,
    /// How far the step with the EV is ahead of the beat where the lane holds it, and where it holds UDP's checksum.
    ev_ahead: Array<Param<Bits<6>>, STEPS>,
    sum_ahead: Array<Param<Bits<6>>, STEPS>,
    top: Param<Bits<10>>,
    /// Byte 48 of a frame, in its beat; and the beat has but eight bytes.
    pad_low: Param<Bits<6>>,
    is_narrow: Param<bool>,
    is_sent: Param<bool>,
}

#[block]
impl<const DATA: usize, const BYTES: usize, const STEPS: usize> Covered<DATA, BYTES, STEPS> {
    /// The block with its parameters, of frames that are sent or of frames that came.
    pub fn new(is_sent: bool) -> Self {
        let mut block = Self {
            ev: Optional::new(is_sent, Default::default),
            ahead: Optional::new(is_sent, Default::default),
            has_sum: Optional::new(is_sent, Default::default),
            ev_2: Optional::new(is_sent, Default::default),
            top: Param::new((DATA as u64 - 32).into()),
            pad_low: Param::new((48 % BYTES as u64).into()),
            is_narrow: Param::new(BYTES == 8),
            is_sent: Param::new(is_sent),
            ..Default::default()
        };
        for lane in 0..STEPS {
            let steps = (0..16).filter(|step| step % STEPS == lane).map(|step| 1u64 << step).sum::<u64>();
            block.steps_of[lane] = Param::new(steps.into());
            block.ev_ahead[lane] = Param::new((lane as u64).into());
            block.sum_ahead[lane] = Param::new(((lane as u64 + 62) % 64).into());
            block.is_ev_2[lane] = Optional::new(is_sent, Default::default);
        }
        block
    }

    fn update(&mut self) {
        comment!("What of a beat the trailer covers, and the trailer.");
        comment!(
            "It begins with the source address: of IPv4 at step 6 without tags, of IPv6 at step 5, in the odd half."
        );
        self.in_front = 0x001F;
        if self.place.is_ip4 {
            self.in_front = 0x003F;
        }
        if self.place.tags == 1 {
            self.in_front = (self.in_front << 1) | 1;
        }
        if self.place.tags == 2 {
            self.in_front = (self.in_front << 2) | 3;
        }
        self.hidden_odd = self.place.front & self.in_front;
        self.hidden_even = self.place.front & ((self.in_front << 1) | 1);
        comment!("Register 2: neither what is in front, nor what tkeep does not name.");
        for i in 0..STEPS {
            self.lane[i] = self.word.get_bits::<32>(i * 32);
            self.enables[i] = self.keep.get_bits::<4>(i * 4);
            self.shows_even[i] = !(self.hidden_even & self.steps_of[i]).any();
            self.shows_odd[i] = !(self.hidden_odd & self.steps_of[i]).any();
        }
        if self.is_sent {
            self.ev_2 = self.ev;
            for i in 0..STEPS {
                self.is_ev_2[i] = self.ahead == self.ev_ahead[i];
                if self.has_sum && (self.ahead == self.sum_ahead[i]) {
                    self.shows_even[i] = false;
                }
            }
        }
        for i in 0..STEPS {
            self.byte_0_2[i] = 0;
            self.byte_1_2[i] = 0;
            self.byte_2_2[i] = 0;
            self.byte_3_2[i] = 0;
            if self.shows_even[i] && self.enables[i].get_bit(0) {
                self.byte_0_2[i] = self.lane[i].get_bits::<8>(0);
            }
            if self.shows_even[i] && self.enables[i].get_bit(1) {
                self.byte_1_2[i] = self.lane[i].get_bits::<8>(8);
            }
            if self.shows_odd[i] && self.enables[i].get_bit(2) {
                self.byte_2_2[i] = self.lane[i].get_bits::<8>(16);
            }
            if self.shows_odd[i] && self.enables[i].get_bit(3) {
                self.byte_3_2[i] = self.lane[i].get_bits::<8>(24);
            }
        }
        comment!("Register 3.");
        for i in 0..STEPS {
            self.even_3[i] = (bit_cast::<16, 8>(self.byte_1_2[i]) << 8) | bit_cast::<16, 8>(self.byte_0_2[i]);
            self.odd_3[i] = (bit_cast::<16, 8>(self.byte_3_2[i]) << 8) | bit_cast::<16, 8>(self.byte_2_2[i]);
        }
        if self.is_sent {
            for i in 0..STEPS {
                if self.is_ev_2[i] {
                    self.odd_3[i] = (self.ev_2 << 8) | (self.ev_2 >> 8);
                }
            }
        }
        comment!("Register 4: nor what pads a short frame.");
        self.hidden = self.behind.get_bits::<BYTES>(0) << self.pad_low;
        if self.is_narrow {
            self.hidden = self.behind.get_bits::<BYTES>(0) | self.behind.get_bits::<BYTES>(8);
        }
        for i in 0..STEPS {
            self.hides[i] = self.hidden.get_bits::<4>(i * 4);
            self.byte_0_4[i] = self.even_3[i].get_bits::<8>(0);
            self.byte_1_4[i] = self.even_3[i].get_bits::<8>(8);
            self.byte_2_4[i] = self.odd_3[i].get_bits::<8>(0);
            self.byte_3_4[i] = self.odd_3[i].get_bits::<8>(8);
            if self.hides[i].get_bit(0) {
                self.byte_0_4[i] = 0;
            }
            if self.hides[i].get_bit(1) {
                self.byte_1_4[i] = 0;
            }
            if self.hides[i].get_bit(2) {
                self.byte_2_4[i] = 0;
            }
            if self.hides[i].get_bit(3) {
                self.byte_3_4[i] = 0;
            }
        }
        self.beat = 0;
        for i in 0..STEPS {
            self.step[i] = (bit_cast::<32, 8>(self.byte_3_4[i]) << 24)
                | (bit_cast::<32, 8>(self.byte_2_4[i]) << 16)
                | (bit_cast::<32, 8>(self.byte_1_4[i]) << 8)
                | bit_cast::<32, 8>(self.byte_0_4[i]);
            self.beat = (self.beat >> 32) | (self.step[i].get_bits::<DATA>(0) << self.top);
        }
    }
}
