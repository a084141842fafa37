//! Whether a packet arrived before, and whether it completes its segment.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Looks at the word of the packet's own PSN.
///
/// Stage 1 keeps of it only the octet of the PSN, and which octets are full; so no word is carried on.
#[derive(LogicBlock, Default)]
pub struct Arrival {
    pub clk: Signal<In, Clock>,
    /// Stage 1: word of the bitmap RAM; a set bit of `lap` means that a set bit was not received.
    pub stored: Signal<In, Bits<64>>,
    pub lap: Signal<In, bool>,
    /// Stage 1: place of the packet's PSN in its segment.
    pub place: Signal<In, Bits<6>>,
    /// Stage 2: the packet's PSN is `epsn`.
    pub is_expected: Signal<In, bool>,

    /// Stage 2: the packet arrived before.
    pub arrived: Signal<Out, bool>,
    /// Stage 3: if it was new its segment is full by it, where one in order takes all below as received.
    pub completes: Signal<Out, bool>,

    coarse: Signal<Local, Bits<3>>,
    fine: Signal<Local, Bits<3>>,
    offset: Signal<Local, Bits<6>>,
    eight: Signal<Local, Bits<8>>,
    whole: Signal<Local, bool>,
    wholes: Signal<Local, Bits<8>>,
    received: Signal<Local, Bits<8>>,
    above: Signal<Local, bool>,
    below: Signal<Local, bool>,

    octet: DFF<Bits<8>>,
    octet_lap: DFF<bool>,
    octet_place: DFF<Bits<3>>,
    /// Octets whose packets all arrived.
    full: DFF<Bits<8>>,
    /// From the one of the packet on, and after it.
    octets_from: DFF<Bits<8>>,
    octets_beyond: DFF<Bits<8>>,
    bits_from: DFF<Bits<8>>,
    bits_beyond: DFF<Bits<8>>,
    completes_after: DFF<bool>,
}

impl Logic for Arrival {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module arrival: whether a packet arrived before, and whether it completes its segment");
        dff_setup!(self, clk, octet, octet_lap, octet_place, full);
        dff_setup!(self, clk, octets_from, octets_beyond, bits_from, bits_beyond, completes_after);

        comment!("Compare.");
        self.coarse.next = self.place.val().get_bits::<3>(3);
        self.fine.next = bit_cast::<3, 6>(self.place.val());
        self.offset.next = bit_cast::<6, 3>(self.coarse.val()) << 3;
        self.octet.d.next = self.stored.val().get_bits::<8>(self.offset.val().index());
        self.octet_lap.d.next = self.lap.val();
        self.octet_place.d.next = self.fine.val();
        self.wholes.next = 0.into();
        for i in 0..8 {
            self.eight.next = self.stored.val().get_bits::<8>(8 * i);
            self.whole.next = self.eight.val().all();
            if self.lap.val() {
                self.whole.next = !self.eight.val().any();
            }
            self.wholes.next = self.wholes.val().replace_bit(i, self.whole.val());
        }
        self.full.d.next = self.wholes.val();
        self.octets_from.d.next = bits::<8>(255) << self.coarse.val();
        self.octets_beyond.d.next = bits::<8>(254) << self.coarse.val();
        self.bits_from.d.next = bits::<8>(255) << self.fine.val();
        self.bits_beyond.d.next = bits::<8>(254) << self.fine.val();

        comment!("Decide. What is not asked for counts as full.");
        self.received.next = self.octet.q.val();
        if self.octet_lap.q.val() {
            self.received.next = !self.octet.q.val();
        }
        self.arrived.next = self.received.val().get_bit(self.octet_place.q.val().index());
        self.above.next = (self.full.q.val() | !self.octets_beyond.q.val()).all()
            & (self.received.val() | !self.bits_beyond.q.val()).all();
        self.below.next = (self.full.q.val() | self.octets_from.q.val()).all()
            & (self.received.val() | self.bits_from.q.val()).all();
        self.completes_after.d.next = self.above.val() & (self.below.val() | self.is_expected.val());
        self.completes.next = self.completes_after.q.val();
    }
}
