//! Where UDP begins.

use rust_hdl::prelude::*;

use crate::comment;

/// Adds VLAN tags and words of the IP header bit by bit: five functions of six bits are a LUT each, where a carry chain is a
/// chain.
#[derive(LogicBlock, Default)]
pub struct UdpStart {
    /// 0, 1 or 2.
    pub tags: Signal<In, Bits<2>>,
    /// 32-bit words of the IP header.
    pub words: Signal<In, Bits<4>>,
    /// 3 + `tags` + `words`: the step whose odd half is the UDP source port.
    pub step: Signal<Out, Bits<5>>,

    front: Signal<Local, Bits<5>>,
    header: Signal<Local, Bits<5>>,
    both: Signal<Local, Bits<5>>,
    either: Signal<Local, Bits<5>>,
    carry: [Signal<Local, Bits<5>>; 4],
}

impl Logic for UdpStart {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The step at which UDP begins.");
        self.front.next = bits::<5>(3);
        if self.tags.val() == bits::<2>(1) {
            self.front.next = bits::<5>(4);
        }
        if self.tags.val() == bits::<2>(2) {
            self.front.next = bits::<5>(5);
        }
        self.header.next = bit_cast::<5, 4>(self.words.val());
        self.both.next = self.header.val() & self.front.val();
        self.either.next = self.header.val() ^ self.front.val();
        comment!("Each round takes the carries a bit further.");
        self.carry[0].next = self.both.val();
        for k in 1..4 {
            self.carry[k].next = self.both.val() | (self.either.val() & (self.carry[k - 1].val() << 1));
        }
        self.step.next = self.either.val() ^ (self.carry[3].val() << 1);
    }
}
