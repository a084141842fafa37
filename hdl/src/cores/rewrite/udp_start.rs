//! Where UDP begins.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;

/// Adds words of the IP header to the step of its ethertype bit by bit: five functions of four bits are a LUT each, where a carry
/// chain is a chain.
#[derive(LogicBlock, Default, Part)]
pub struct UdpStart {
    /// Step in which the ethertype stands.
    pub front: Signal<In, Bits<5>>,
    /// 32-bit words of the IP header.
    pub words: Signal<In, Bits<4>>,
    /// `front` + `words`: the step whose odd half is the UDP source port.
    pub step: Signal<Out, Bits<5>>,

    header: Signal<Local, Bits<5>>,
    both: Signal<Local, Bits<5>>,
    either: Signal<Local, Bits<5>>,
    carry: [Signal<Local, Bits<5>>; 4],
}

impl Logic for UdpStart {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The step at which UDP begins.");
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
