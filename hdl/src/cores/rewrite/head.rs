//! An ethertype and the octet behind it.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::UdpStart;
use crate::comment;
use crate::prims::{Optional, Param};

/// What an ethertype and the octet behind it say, if the ethertype stands there.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Head {
    pub is_tag: Bit,
    pub is_ip4: Bit,
    pub is_ip6: Bit,
    /// Version or IHL contradicts the ethertype.
    pub is_malformed: Bit,
    /// Step whose odd half is the UDP source port; with an entropy header the step before, from where the profile's header is as far.
    pub udp: Bits<5>,
}

/// Reads them from the beat that holds them, on its way into register 1, and remembers them. Before the first beat that holds them they are
/// what zeros there would say, so that a comparison with them is known.
#[derive(LogicBlock, Default, Part)]
pub struct HeadDecoder {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Three bytes as they came: the ethertype and the octet.
    pub lane: Signal<In, Bits<24>>,
    pub is_here: Signal<In, Bit>,
    /// The profile's header stands behind an entropy header, of half the length of UDP's.
    pub is_entropy: Optional<Signal<In, Bit>>,
    pub head: Signal<Out, Head>,

    swapped: Signal<Local, Bits<16>>,
    ethertype: Signal<Local, Bits<16>>,
    /// 32-bit words of the IP header: the IHL of an IPv4 header, 10 of IPv6.
    words: Signal<Local, Bits<4>>,
    found: Signal<Local, Head>,
    held: DFF<Head>,
    version: Signal<Local, Bits<4>>,
    start: UdpStart,
    /// Step in which the ethertype stands, and the one before.
    step: Param<Bits<5>>,
    step_before: Param<Bits<5>>,
    has_entropy: Param<bool>,
}

impl HeadDecoder {
    /// For an ethertype behind so many VLAN tags. What follows IP is UDP, or where it `has_entropy` may be an entropy header.
    pub fn new(tags: u64, has_entropy: bool) -> Self {
        Self {
            step: Param::new((3 + tags).into()),
            step_before: Param::new((2 + tags).into()),
            has_entropy: Param::new(has_entropy),
            is_entropy: Optional::new(has_entropy, Default::default),
            ..Default::default()
        }
    }
}

// What not every configuration has stands under an `if` of its own, which falls away as a whole.
#[allow(clippy::collapsible_if)]
impl Logic for HeadDecoder {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("An ethertype and the octet behind it, remembered.");
        dff_setup!(self, clk, held);
        self.swapped.next = self.lane.val().get_bits::<16>(0);
        self.ethertype.next = (self.swapped.val() << 8) | (self.swapped.val() >> 8);
        self.version.next = self.lane.val().get_bits::<4>(20);
        self.found.next.is_tag =
            (self.ethertype.val() == bits::<16>(0x8100)) || (self.ethertype.val() == bits::<16>(0x88A8));
        self.found.next.is_ip4 = self.ethertype.val() == bits::<16>(0x0800);
        self.found.next.is_ip6 = self.ethertype.val() == bits::<16>(0x86DD);
        self.words.next = self.lane.val().get_bits::<4>(16);
        self.found.next.is_malformed =
            (self.version.val() != bits::<4>(4)) || (self.lane.val().get_bits::<4>(16) < bits::<4>(5));
        if self.ethertype.val() == bits::<16>(0x86DD) {
            self.words.next = bits::<4>(10);
            self.found.next.is_malformed = self.version.val() != bits::<4>(6);
        }
        self.start.front.next = self.step.val();
        if self.has_entropy.val() {
            if self.is_entropy.val() {
                self.start.front.next = self.step_before.val();
            }
        }
        self.start.words.next = self.words.val();
        self.found.next.udp = self.start.step.val();
        if self.is_here.val() {
            self.held.d.next = self.found.val();
        }
        self.head.next = self.held.q.val();
        if self.rst.val() {
            self.held.d.next.is_tag = false;
            self.held.d.next.is_ip4 = false;
            self.held.d.next.is_ip6 = false;
            self.held.d.next.is_malformed = true;
            self.held.d.next.udp = self.step.val();
        }
    }
}
