//! What is wrong with a frame, if anything, and whether it is one to rewrite.

use rust_hdl::prelude::*;

use super::fields::Captured;
use super::inlet::Place;
use super::ip::Ip;
use crate::comment;
use crate::prims::Param;

/// What is known but for the IPv4 header checksum.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Finding {
    /// The frame is the profile's and sound.
    pub is_target: Bit,
    pub is_malformed: Bit,
    /// Is malformed, too, if the checksum is wrong.
    pub is_checked: Bit,
}

/// Tests a frame: where it ends against the layout in register 3, the fields in register 4, all in `finding`.
#[derive(LogicBlock, Default)]
pub struct Verdict {
    pub clk: Signal<In, Clock>,
    pub udp_port: Signal<In, Bits<16>>,
    /// Beside register 1: the frame ends with the beat, and the number of its last byte.
    pub last: Signal<In, Bit>,
    pub last_index: Signal<In, Bits<8>>,
    /// Beside register 2.
    pub place_2: Signal<In, Place>,
    /// Beside register 3.
    pub is_ip4_3: Signal<In, Bit>,
    /// UDP begins in an odd step.
    pub is_odd_3: Signal<In, Bit>,
    pub captured: Signal<In, Captured>,
    pub ip: Signal<In, Ip>,
    /// Behind register 4.
    pub finding: Signal<Out, Finding>,

    last_2: DFF<Bit>,
    end_2: DFF<Bits<8>>,
    /// Number of the ethertype's last byte.
    front_end: Signal<Local, Bits<5>>,
    is_in_front: Signal<Local, Bit>,
    udp_start: Signal<Local, Bits<9>>,
    last_3: DFF<Bit>,
    /// Bytes from UDP's first to the end of the frame, two's complement, where it ends with the beat.
    present: DFF<Bits<9>>,
    is_above_64: DFF<Bit>,
    cut_in_tags: DFF<Bit>,
    cut_at_ip: DFF<Bit>,
    is_ip: DFF<Bit>,
    is_contrary: DFF<Bit>,

    /// UDP length by IP.
    agreed: Signal<Local, Bits<17>>,
    is_other_length: Signal<Local, Bit>,
    is_cut_in_ip: Signal<Local, Bit>,
    is_cut_at_8: Signal<Local, Bit>,
    is_cut_at_20: Signal<Local, Bit>,
    is_cut_at_24: Signal<Local, Bit>,
    is_cut_at_40: Signal<Local, Bit>,
    is_cut_at_44: Signal<Local, Bit>,
    is_beyond: Signal<Local, Bit>,
    is_far: Signal<Local, Bit>,
    is_other: Signal<Local, Bit>,
    is_wrong_length: Signal<Local, Bit>,
    kind: Signal<Local, Bits<5>>,
    is_long: Signal<Local, Bit>,
    is_ours: DFF<Bit>,
    is_early: DFF<Bit>,
    is_unsupported: DFF<Bit>,
    is_cut_in_udp: DFF<Bit>,
    is_bad_udp: DFF<Bit>,
    is_kind: DFF<Bit>,
    is_bad_kind: DFF<Bit>,
    is_ip4: DFF<Bit>,
    bad: Signal<Local, Bit>,
    is_uet: Param<Bit>,
}

impl Verdict {
    /// For the profile `uet`, or for `strack`.
    pub fn new(is_uet: bool) -> Self {
        Self { is_uet: Param::new(is_uet), ..Default::default() }
    }
}

impl Logic for Verdict {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Tests a frame.");
        dff_setup!(
            self,
            clk,
            last_2,
            end_2,
            last_3,
            present,
            is_above_64,
            cut_in_tags,
            cut_at_ip,
            is_ip,
            is_contrary
        );
        dff_setup!(
            self,
            clk,
            is_ours,
            is_early,
            is_unsupported,
            is_cut_in_udp,
            is_bad_udp,
            is_kind,
            is_bad_kind,
            is_ip4
        );
        comment!("Register 3: where the frame ends; the rules up to the IP header.");
        self.last_2.d.next = self.last.val();
        self.end_2.d.next = self.last_index.val();
        self.front_end.next = bits::<5>(13);
        if self.place_2.val().tags == bits::<2>(1) {
            self.front_end.next = bits::<5>(17);
        }
        if self.place_2.val().tags == bits::<2>(2) {
            self.front_end.next = bits::<5>(21);
        }
        self.is_in_front.next = self.last_2.q.val() && (self.end_2.q.val().get_bits::<3>(5) == bits::<3>(0));
        self.cut_in_tags.d.next =
            self.is_in_front.val() && (self.end_2.q.val().get_bits::<5>(0) < self.front_end.val());
        self.cut_at_ip.d.next =
            self.is_in_front.val() && (self.end_2.q.val().get_bits::<5>(0) == self.front_end.val());
        self.udp_start.next = (bit_cast::<9, 5>(self.place_2.val().udp) << 2) | bits::<9>(1);
        self.present.d.next = bit_cast::<9, 8>(self.end_2.q.val()) - self.udp_start.val();
        self.is_above_64.d.next = self.end_2.q.val().get_bits::<2>(6) != bits::<2>(0);
        self.last_3.d.next = self.last_2.q.val();
        self.is_ip.d.next = self.place_2.val().is_ip4 || self.place_2.val().is_ip6;
        self.is_contrary.d.next = self.place_2.val().is_malformed;
        comment!("Register 4. A frame is cut if it ends before what is asked.");
        self.is_cut_in_ip.next = self.last_3.q.val() && self.present.q.val().get_bit(8);
        self.is_cut_at_8.next = self.is_cut_in_ip.val()
            || (self.last_3.q.val() && (self.present.q.val().get_bits::<5>(3) == bits::<5>(0)));
        self.is_early.d.next = self.cut_in_tags.q.val()
            || (self.is_ip.q.val()
                && (self.cut_at_ip.q.val() || (!self.is_contrary.q.val() && self.is_cut_in_ip.val())));
        self.is_unsupported.d.next = !self.cut_in_tags.q.val()
            && (!self.is_ip.q.val()
                || (!self.cut_at_ip.q.val()
                    && (self.is_contrary.q.val() || (!self.is_cut_in_ip.val() && self.ip.val().is_foreign))));
        self.is_ip4.d.next = self.is_ip4_3.val();
        self.is_cut_in_udp.d.next = self.is_cut_at_8.val();
        self.agreed.next = !self.ip.val().unlength;
        self.is_ours.d.next = self.captured.val().even_of_odd == self.udp_port.val();
        self.is_other_length.next = bit_cast::<17, 16>(self.captured.val().odd_of_odd) != self.agreed.val();
        if self.is_odd_3.val() {
            self.is_ours.d.next = self.captured.val().even_of_even == self.udp_port.val();
            self.is_other_length.next =
                bit_cast::<17, 16>(self.captured.val().odd_of_even) != self.agreed.val();
        }
        comment!(
            "The length by IP is used throughout: where UDP's is another the frame is malformed anyway."
        );
        self.is_far.next = self.agreed.val().get_bits::<9>(8) != bits::<9>(0);
        self.is_beyond.next = self.agreed.val().get_bits::<8>(0) > self.present.q.val().get_bits::<8>(0);
        self.is_other.next = self.agreed.val().get_bits::<8>(0) != self.present.q.val().get_bits::<8>(0);
        self.is_wrong_length.next = self.last_3.q.val()
            && (self.is_far.val()
                || self.is_beyond.val()
                || (self.is_other.val() && self.is_above_64.q.val()));
        self.is_cut_at_20.next = self.is_cut_in_ip.val()
            || (self.last_3.q.val() && (self.present.q.val().get_bits::<8>(0) < bits::<8>(20)));
        self.is_cut_at_24.next = self.is_cut_in_ip.val()
            || (self.last_3.q.val() && (self.present.q.val().get_bits::<8>(0) < bits::<8>(24)));
        self.is_cut_at_40.next = self.is_cut_in_ip.val()
            || (self.last_3.q.val() && (self.present.q.val().get_bits::<8>(0) < bits::<8>(40)));
        self.is_cut_at_44.next = self.is_cut_in_ip.val()
            || (self.last_3.q.val() && (self.present.q.val().get_bits::<8>(0) < bits::<8>(44)));
        if self.is_uet.val() {
            self.kind.next = self.captured.val().lead.get_bits::<5>(11);
            self.is_long.next = self.kind.val() == bits::<5>(8);
            self.is_bad_udp.d.next = self.is_other_length.val() || self.is_cut_at_20.val();
            self.is_kind.d.next = (self.kind.val() == bits::<5>(2))
                || (self.kind.val() == bits::<5>(3))
                || (self.kind.val() == bits::<5>(7))
                || (self.kind.val() == bits::<5>(8));
            self.is_bad_kind.d.next = self.is_wrong_length.val()
                || (self.agreed.val() < bits::<17>(20))
                || (self.is_long.val() && ((self.agreed.val() < bits::<17>(40)) || self.is_cut_at_40.val()));
        } else {
            self.kind.next = self.captured.val().lead.get_bits::<5>(8);
            self.is_long.next = self.kind.val() == bits::<5>(1);
            self.is_bad_udp.d.next = self.is_other_length.val() || self.is_cut_at_24.val();
            self.is_kind.d.next = (self.captured.val().lead.get_bits::<3>(13) == bits::<3>(6))
                && (self.kind.val().get_bits::<4>(1) == bits::<4>(0));
            self.is_bad_kind.d.next = self.is_wrong_length.val()
                || (self.agreed.val() < bits::<17>(24))
                || (self.is_long.val() && ((self.agreed.val() < bits::<17>(44)) || self.is_cut_at_44.val()));
        }
        comment!("The first rule that fires decides.");
        self.bad.next = self.is_early.q.val()
            || (!self.is_unsupported.q.val()
                && (self.is_cut_in_udp.q.val()
                    || (self.is_ours.q.val()
                        && (self.is_bad_udp.q.val() || (self.is_kind.q.val() && self.is_bad_kind.q.val())))));
        self.finding.next.is_malformed = self.bad.val();
        self.finding.next.is_target =
            !self.bad.val() && !self.is_unsupported.q.val() && self.is_ours.q.val() && self.is_kind.q.val();
        self.finding.next.is_checked =
            self.is_ip4.q.val() && !self.is_early.q.val() && !self.is_unsupported.q.val();
    }
}
