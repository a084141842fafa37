//! What is wrong with a frame, if anything, and what it is.

use rust_hdl::prelude::*;

use super::{Ip, Layout, Udp};
use crate::comment;
use crate::config::Wire;
use crate::prims::Param;
use crate::wire::source_of;

/// The answer, one register behind the captured fields; with `is_sound` of the same cycle it is complete.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Findings {
    /// Truncated before the IP header was complete, or unsupported: nothing below counts.
    pub is_cut_early: Bit,
    pub is_unsupported: Bit,
    pub is_ip4: Bit,
    /// Truncated within the UDP header.
    pub is_cut_in_udp: Bit,
    /// For the profile's UDP port.
    pub is_ours: Bit,
    /// IP and UDP length contradict each other.
    pub is_contradiction: Bit,
    /// Truncated within the words that every packet of the profile has.
    pub is_cut_in_lead: Bit,
    pub is_data: Bit,
    pub is_ack: Bit,
    /// UDP is too short for the kind's header.
    pub is_short: Bit,
    /// The frame is too short for the kind's header.
    pub is_cut: Bit,
}

/// Tests the captured fields of a frame that can be judged.
#[derive(LogicBlock, Default)]
pub struct Verdict {
    pub clk: Signal<In, Clock>,
    pub udp_port: Signal<In, Bits<16>>,
    /// The frame ends with the beat with which it is judged; else its length is not known.
    pub last: Signal<In, Bit>,
    pub bytes: Signal<In, Bits<14>>,
    pub layout: Signal<In, Layout>,
    pub ip: Signal<In, Ip>,
    pub udp: Signal<In, Udp>,
    /// First halfword of the profile's header.
    pub lead: Signal<In, Bits<16>>,
    pub findings: Signal<Out, Findings>,
    /// The frame's length is not what the headers say.
    pub is_wrong_length: Signal<Out, Bit>,

    bytes_low: Signal<Local, Bits<9>>,
    reach: Signal<Local, Bits<8>>,
    gap: Signal<Local, Bits<8>>,
    tags: Signal<Local, Bits<5>>,
    is_cut_in_tags: Signal<Local, Bit>,
    is_cut_at_ip: Signal<Local, Bit>,
    is_ip: Signal<Local, Bit>,
    is_cut_in_ip: Signal<Local, Bit>,
    is_foreign: Signal<Local, Bit>,
    ip_steps: Signal<Local, Bits<5>>,
    in_ip: Signal<Local, Bits<17>>,
    udp_offset: Signal<Local, Bits<17>>,
    frame_bytes: Signal<Local, Bits<17>>,
    kind: Signal<Local, Bits<5>>,
    is_long: Signal<Local, Bit>,
    found: Signal<Local, Findings>,
    held: DFF<Findings>,
    frame_end: DFF<Bits<17>>,
    length: DFF<Bits<14>>,
    is_known: DFF<Bit>,
    is_uet: Param<Bit>,
    /// Of the first halfword: uet's type, or the low bits of strack's opcode and the high ones.
    type_at: Param<Bits<4>>,
    opcode_at: Param<Bits<4>>,
    family_at: Param<Bits<4>>,
}

/// Lowest bit of the source of `part` in the header's first halfword, by the profile's table; 0 where the profile has none.
///
/// # Panics
/// If the table has it in another width than `width`, or elsewhere.
pub fn in_lead(wire: Wire, part: &str, width: usize) -> Param<Bits<4>> {
    let Some(source) = source_of(wire, part) else { return Param::new(0u64.into()) };
    let end = source.offset(wire) + width;
    assert!(source.width == width && end <= 16, "{part} in {wire:?}");
    Param::new((16 - end as u64).into())
}

impl Verdict {
    /// For the headers of a profile.
    pub fn new(wire: Wire) -> Self {
        Self {
            is_uet: Param::new(wire == Wire::Uet),
            type_at: in_lead(wire, "meta_kind/type", 5),
            opcode_at: in_lead(wire, "meta_kind/opcode", 5),
            family_at: in_lead(wire, "meta_kind/family", 3),
            ..Default::default()
        }
    }
}

impl Logic for Verdict {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Tests the fields of a frame.");
        dff_setup!(self, clk, held, frame_end, length, is_known);
        comment!(
            "Whole steps of the frame, and how many of them lie behind the one before UDP; 64 if the end is not known or far."
        );
        self.bytes_low.next = bit_cast::<9, 8>(self.bytes.val().get_bits::<8>(0)) + 2;
        self.reach.next = bit_cast::<8, 7>(self.bytes_low.val().get_bits::<7>(2));
        if !self.last.val() || (self.bytes.val().get_bits::<6>(8) != bits::<6>(0)) {
            self.reach.next = bits::<8>(64);
        }
        self.gap.next = self.reach.val() - bit_cast::<8, 5>(self.layout.val().udp);
        comment!("Up to the IP header.");
        self.tags.next = bits::<5>(3);
        self.is_cut_in_tags.next = self.reach.val() < bits::<8>(4);
        self.is_cut_at_ip.next = self.reach.val() == bits::<8>(4);
        if self.layout.val().tagged {
            if self.layout.val().tagged_twice {
                self.tags.next = bits::<5>(5);
                self.is_cut_in_tags.next = self.reach.val() < bits::<8>(6);
                self.is_cut_at_ip.next = self.reach.val() == bits::<8>(6);
            } else {
                self.tags.next = bits::<5>(4);
                self.is_cut_in_tags.next = self.reach.val() < bits::<8>(5);
                self.is_cut_at_ip.next = self.reach.val() == bits::<8>(5);
            }
        }
        if self.bytes.val().get_bits::<2>(0) != bits::<2>(2) {
            self.is_cut_at_ip.next = false;
        }
        self.is_ip.next = self.layout.val().is_ip4 || self.layout.val().is_ip6;
        self.is_cut_in_ip.next = self.gap.val().get_bit(7) || (self.gap.val() == bits::<8>(0));
        self.is_foreign.next =
            (self.ip.val().fragment != bits::<14>(0)) || (self.ip.val().protocol != bits::<8>(17));
        self.found.next.is_cut_early = self.is_cut_in_tags.val()
            || (self.is_ip.val()
                && (self.is_cut_at_ip.val() || (!self.layout.val().is_malformed && self.is_cut_in_ip.val())));
        self.found.next.is_unsupported = !self.is_cut_in_tags.val()
            && (!self.is_ip.val()
                || (!self.is_cut_at_ip.val()
                    && (self.layout.val().is_malformed
                        || (!self.is_cut_in_ip.val() && self.is_foreign.val()))));
        self.found.next.is_ip4 = self.layout.val().is_ip4;
        comment!("UDP.");
        self.found.next.is_cut_in_udp = self.gap.val() < bits::<8>(3);
        self.found.next.is_ours = self.udp.val().destination_port == self.udp_port.val();
        self.ip_steps.next = self.layout.val().udp - self.tags.val();
        self.in_ip.next = bit_cast::<17, 16>(self.udp.val().length);
        if self.layout.val().is_ip4 {
            self.in_ip.next =
                bit_cast::<17, 16>(self.udp.val().length) + (bit_cast::<17, 5>(self.ip_steps.val()) << 2);
        }
        self.found.next.is_contradiction = self.in_ip.val() != bit_cast::<17, 16>(self.ip.val().length);
        comment!("The profile's header.");
        if self.is_uet.val() {
            self.kind.next = self.lead.val().get_bits::<5>(self.type_at.val().index());
            self.found.next.is_cut_in_lead = self.gap.val() < bits::<8>(6);
            self.found.next.is_data = (self.kind.val() == bits::<5>(2)) || (self.kind.val() == bits::<5>(3));
            self.found.next.is_ack = (self.kind.val() == bits::<5>(7)) || (self.kind.val() == bits::<5>(8));
            self.is_long.next = self.kind.val() == bits::<5>(8);
            self.found.next.is_short = (self.udp.val().length < bits::<16>(20))
                || (self.is_long.val() && (self.udp.val().length < bits::<16>(40)));
            self.found.next.is_cut = self.is_long.val() && (self.gap.val() < bits::<8>(11));
        } else {
            self.kind.next = self.lead.val().get_bits::<5>(self.opcode_at.val().index());
            self.found.next.is_cut_in_lead = self.gap.val() < bits::<8>(7);
            self.is_long.next = self.kind.val() == bits::<5>(1);
            self.found.next.is_data = (self.kind.val() == bits::<5>(0))
                && (self.lead.val().get_bits::<3>(self.family_at.val().index()) == bits::<3>(6));
            self.found.next.is_ack = self.is_long.val()
                && (self.lead.val().get_bits::<3>(self.family_at.val().index()) == bits::<3>(6));
            self.found.next.is_short = (self.udp.val().length < bits::<16>(24))
                || (self.is_long.val() && (self.udp.val().length < bits::<16>(44)));
            self.found.next.is_cut = self.is_long.val() && (self.gap.val() < bits::<8>(12));
        }
        comment!("Where the frame ends by its headers; compared a register later.");
        self.udp_offset.next = (bit_cast::<17, 5>(self.layout.val().udp) << 2) + 2;
        self.frame_end.d.next = bit_cast::<17, 16>(self.udp.val().length) + self.udp_offset.val();
        self.length.d.next = self.bytes.val();
        self.is_known.d.next = self.last.val();
        self.held.d.next = self.found.val();
        self.frame_bytes.next = bit_cast::<17, 14>(self.length.q.val());
        self.is_wrong_length.next = self.is_known.q.val()
            && ((self.frame_end.q.val() > self.frame_bytes.val())
                || ((self.frame_end.q.val() != self.frame_bytes.val())
                    && (self.frame_bytes.val() > bits::<17>(64))));
        self.findings.next = self.held.q.val();
    }
}
