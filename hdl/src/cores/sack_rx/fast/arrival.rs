//! Whether a packet arrived before, and whether it completes its segment.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Looks at the word of the packet's own PSN.
///
/// Stage 1 keeps of it only the octet of the PSN, and which octets are full; so no word is carried on.
#[block(no_reset)]
pub struct Arrival {
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

    eight: Signal<Local, Bits<8>>,
    whole: Signal<Local, bool>,

    octet: Reg<Bits<8>>,
    octet_lap: Reg<bool>,
    octet_place: Reg<Bits<3>>,
    /// Octets whose packets all arrived.
    full: Reg<Bits<8>>,
    /// From the one of the packet on, and after it.
    octets_from: Reg<Bits<8>>,
    octets_beyond: Reg<Bits<8>>,
    bits_from: Reg<Bits<8>>,
    bits_beyond: Reg<Bits<8>>,
    completes_after: Reg<bool>,
}

#[block]
impl Arrival {
    fn update(&mut self) {
        comment!("module arrival: whether a packet arrived before, and whether it completes its segment");

        comment!("Compare.");
        let coarse = self.place.get_bits::<3>(3);
        let fine: Bits<3> = resize(self.place);
        let offset: Bits<6> = bit_cast::<6, 3>(coarse) << 3;
        self.octet = self.stored.get_bits::<8>(offset.index());
        self.octet_lap = self.lap;
        self.octet_place = fine;
        let mut wholes: Bits<8> = 0;
        for i in 0..8 {
            self.eight = self.stored.get_bits::<8>(8 * i);
            self.whole = self.eight.all();
            if self.lap {
                self.whole = !self.eight.any();
            }
            wholes = wholes.replace_bit(i, self.whole);
        }
        self.full = wholes;
        self.octets_from = bits::<8>(255) << coarse;
        self.octets_beyond = bits::<8>(254) << coarse;
        self.bits_from = bits::<8>(255) << fine;
        self.bits_beyond = bits::<8>(254) << fine;

        comment!("Decide. What is not asked for counts as full.");
        let mut received = self.octet;
        if self.octet_lap {
            received = !self.octet;
        }
        self.arrived = received.get_bit(self.octet_place.index());
        let above = (self.full | !self.octets_beyond).all() & (received | !self.bits_beyond).all();
        let below = (self.full | self.octets_from).all() & (received | self.bits_from).all();
        self.completes_after = above & (below | self.is_expected);
        self.completes = self.completes_after;
    }
}
