//! Fields put to their places by shifts.

use rust_hdl::prelude::*;

use crate::bench;

/// Values put to their places by shifts: where they meet in no bit they are printed as joined, elsewhere as they are.
#[derive(LogicBlock, Default)]
pub struct Packing {
    pub a: Signal<In, Bits<16>>,
    pub b: Signal<In, Bits<8>>,
    pub turned: Signal<Out, Bits<16>>,
    pub adjacent: Signal<Out, Bits<32>>,
    pub apart: Signal<Out, Bits<40>>,
    pub meeting: Signal<Out, Bits<32>>,
    pub meeting_in_one_bit: Signal<Out, Bits<16>>,
    pub cut: Signal<Out, Bits<16>>,
    pub added: Signal<Out, Bits<32>>,
    pub word: Signal<Local, Bits<32>>,
}

impl Logic for Packing {
    #[hdl_gen]
    fn update(&mut self) {
        self.turned.next = (self.a.val() << 8) | (self.a.val() >> 8);
        self.word.next = bit_cast::<32, 16>(self.a.val());
        self.word.next = (self.word.val() << 8) | bit_cast::<32, 8>(self.b.val());
        self.adjacent.next = self.word.val();
        self.apart.next = (bit_cast::<40, 8>(self.b.val()) << 31) | (bit_cast::<40, 16>(self.a.val()) << 3);
        self.meeting.next = (bit_cast::<32, 16>(self.a.val()) << 8) | bit_cast::<32, 16>(self.a.val());
        self.meeting_in_one_bit.next = (self.a.val() << 7) | bit_cast::<16, 8>(self.b.val());
        self.cut.next = (self.a.val() << 12) | bit_cast::<16, 8>(self.b.val() >> 4);
        self.added.next = (bit_cast::<32, 16>(self.a.val() + 1) << 8) | bit_cast::<32, 8>(self.b.val() + 1);
    }
}

bench!([] Packing, ; a, b -> turned, adjacent, apart, meeting, meeting_in_one_bit, cut, added);
