//! What is wrong with a frame, if anything, and whether it is one of the profile.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::{Ip, Place};
use crate::comment;
use crate::config::Wire;
use crate::prims::{Optional, Param};
use crate::wire::{self, CTL_WITHOUT_SYN, FLAG_RUDI, FLAG_SYN, Role, TRAILER_BYTES, UDP_BYTES};

/// What is known but for the IPv4 header checksum, in the order of the rules: the first that fires decides.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Findings {
    /// Truncated before the IP header was complete, or unsupported: nothing below counts.
    pub is_early: Bit,
    pub is_unsupported: Bit,
    /// Its header has a checksum.
    pub is_ip4: Bit,
    /// Truncated within the UDP header.
    pub is_cut_in_udp: Bit,
    /// For the profile's UDP port.
    pub is_ours: Bit,
    /// IP and UDP length contradict each other.
    pub is_contradiction: Bit,
    /// Truncated within the bytes that every header of the profile has.
    pub is_cut_in_lead: Bit,
    /// Of a kind of the profile: data, which [`Classifier::other`] tells from other kinds, or an ACK.
    pub is_data: Bit,
    pub is_ack: Bit,
    /// Its header is the profile's longest.
    pub is_long: Bit,
    /// UDP is too short for the kind's header.
    pub is_short: Bit,
    /// The frame is too short for the kind's header.
    pub is_cut: Bit,
    /// The frame's length is not what the headers say.
    pub is_wrong_length: Bit,
}

/// Tests a frame: where it ends against the layout in register 3, the fields in register 4.
///
/// `E` is the width of the number of a frame's last byte, `P` is `E + 1`.
#[derive(LogicBlock, Default, Part)]
pub struct Classifier<const E: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// Beside register 1: the frame ends with the beat, and the number of its last byte.
    pub last: Signal<In, Bit>,
    pub last_index: Signal<In, Bits<E>>,
    /// Beside register 2.
    pub place_2: Signal<In, Place>,
    /// Beside register 3: the fields.
    pub is_ip4: Signal<In, Bit>,
    pub ip: Signal<In, Ip>,
    /// The UDP destination port is the profile's.
    pub is_ours: Signal<In, Bit>,
    /// The UDP length is not `agreed`.
    pub is_contradiction: Signal<In, Bit>,
    /// First halfword of the profile's header.
    pub lead: Signal<In, Bits<16>>,
    /// The length of UDP by IP, two's complement.
    pub agreed: Signal<Out, Bits<17>>,
    /// `is_long` as it goes into register 4.
    pub is_long_3: Signal<Out, Bit>,
    /// Register 4.
    pub findings: Signal<Out, Findings>,
    /// Of profiles that tell kinds by types, where a packet may be trimmed: a switch has trimmed it. IP says what is left of it.
    pub is_trimmed: Optional<Signal<In, Bit>>,
    /// The profile's header stands behind an entropy header: all is as if UDP began 4 bytes earlier, within IP's header.
    pub is_entropy: Optional<Signal<In, Bit>>,
    /// Beside `findings`: what a packet of the profile is that is neither data nor an ACK, 1 a NACK, 2 a control packet, 3 trimmed; and
    /// whether its header contradicts itself, so that it is of no kind.
    pub other: Optional<Signal<Out, Bits<2>>>,
    pub contradicts: Optional<Signal<Out, Bit>>,
    /// The header is of the two lengths between the shortest and the longest, as it goes into register 4.
    pub is_between_3: [Optional<Signal<Out, Bit>>; 2],

    last_2: DFF<Bit>,
    end_2: DFF<Bits<E>>,
    is_in_front: Signal<Local, Bit>,
    /// Number of the ethertype's last byte.
    front_end: Signal<Local, Bits<5>>,
    udp_start: Signal<Local, Bits<P>>,
    end_complement: Signal<Local, Bits<P>>,
    last_3: DFF<Bit>,
    /// Bytes from UDP's first to the end of the frame, two's complement, where it ends with the beat; all bits inverted.
    present_complement: DFF<Bits<P>>,
    present: Signal<Local, Bits<P>>,
    is_above_64: DFF<Bit>,
    cut_in_tags: DFF<Bit>,
    cut_at_ip: DFF<Bit>,
    is_ip: DFF<Bit>,
    is_contrary: DFF<Bit>,

    /// The length of UDP by IP.
    length: Signal<Local, Bits<17>>,
    /// Of what is present, all bits of a count that is not negative.
    there: Signal<Local, Bits<E>>,
    there_17: Signal<Local, Bits<17>>,
    there_complement_17: Signal<Local, Bits<17>>,
    is_cut_in_ip: Signal<Local, Bit>,
    is_beyond: Signal<Local, Bit>,
    is_other: Signal<Local, Bit>,
    kind: Signal<Local, Bits<16>>,
    is_long: Signal<Local, Bit>,
    found: Signal<Local, Findings>,
    held: DFF<Findings>,
    /// Bit `n` is 1 where the type is `n`.
    types: Optional<Signal<Local, Bits<32>>>,
    ctl: Optional<Signal<Local, Bits<4>>>,
    is_nack: Optional<Signal<Local, Bit>>,
    is_control: Optional<Signal<Local, Bit>>,
    is_between: [Optional<Signal<Local, Bit>>; 2],
    other_found: Optional<Signal<Local, Bits<2>>>,
    is_contradiction_found: Optional<Signal<Local, Bit>>,
    other_held: Optional<DFF<Bits<2>>>,
    contradicts_held: Optional<DFF<Bit>>,

    tag_end: [Param<Bits<5>>; 3],
    sign: Param<Bits<10>>,
    udp_bytes: Param<Bits<E>>,
    /// The kinds: what of the first halfword tells them, their codes there.
    kind_mask: Param<Bits<16>>,
    data_code: [Param<Bits<16>>; 2],
    ack_code: [Param<Bits<16>>; 2],
    long_code: Param<Bits<16>>,
    /// UDP's header and the shortest of the profile, UDP's and the longest.
    lead_bytes: [Param<Bits<E>>; 2],
    /// The same lengths, all bits inverted as IP's is.
    lead_length_complement: [Param<Bits<17>>; 2],
    /// The kinds are told by types: those of each role, and of the two lengths in between.
    has_types: Param<bool>,
    may_be_trimmed: Param<bool>,
    has_entropy: Param<bool>,
    data_types: Param<Bits<32>>,
    ack_types: Param<Bits<32>>,
    nack_types: Param<Bits<32>>,
    control_types: Param<Bits<32>>,
    between_types: [Param<Bits<32>>; 2],
    between_bytes: [Param<Bits<E>>; 2],
    between_length_complement: [Param<Bits<17>>; 2],
    /// With trailers, that of a trimmed packet, which has none.
    trimmed_length_complement: Param<Bits<17>>,
    has_crc: Param<bool>,
    rudi_flag: Param<Bits<16>>,
    syn_flag: Param<Bits<16>>,
    /// The first and the last `ctl` with which a SYN is a contradiction.
    without_syn: [Param<Bits<4>>; 2],
}

impl<const E: usize, const P: usize> Classifier<E, P> {
    /// For the headers of a profile. Of what a NIC sends nothing was trimmed, so only what it receives `may_be_trimmed`. Behind
    /// IP may come an entropy header where it `has_entropy`. A packet that is not trimmed ends with a trailer where it `has_crc`.
    ///
    /// # Panics
    /// If `P` is not `E + 1`.
    pub fn new(wire: Wire, may_be_trimmed: bool, has_entropy: bool, has_crc: bool) -> Self {
        assert_eq!(P, E + 1, "one bit more for the sign");
        let kinds = wire::kinds(wire);
        let sizes = [kinds.shortest(), kinds.longest()].map(|bytes| (UDP_BYTES + bytes) as u64);
        let between = kinds.between().map(|(bytes, types)| ((UDP_BYTES + bytes) as u64, types));
        let has_types = kinds.has_types();
        let of = |role| if has_types { kinds.types(|kind| kind.role == role) } else { 0 };
        let optional = || Optional::new(has_types, Default::default);
        // what every length counts, and in two's complement the inverse of what is needed
        let trailer = if has_crc { TRAILER_BYTES as u64 } else { 0 };
        let complement = |size: u64| Param::new((0x1FFFF - size - trailer).into());
        Self {
            tag_end: [13u64, 17, 21].map(|end| Param::new(end.into())),
            sign: Param::new((E as u64).into()),
            udp_bytes: Param::new((UDP_BYTES as u64).into()),
            kind_mask: Param::new(kinds.mask().into()),
            data_code: kinds.data_codes().map(|code| Param::new(code.into())),
            ack_code: kinds.ack_codes().map(|code| Param::new(code.into())),
            long_code: Param::new(kinds.long_code().into()),
            lead_bytes: sizes.map(|size| Param::new(size.into())),
            lead_length_complement: sizes.map(complement),
            is_trimmed: Optional::new(has_types && may_be_trimmed, Default::default),
            may_be_trimmed: Param::new(has_types && may_be_trimmed),
            is_entropy: Optional::new(has_entropy, Default::default),
            has_entropy: Param::new(has_entropy),
            other: Optional::new(has_types, Default::default),
            contradicts: optional(),
            is_between_3: [(); 2].map(|()| optional()),
            types: Optional::new(has_types, Default::default),
            ctl: Optional::new(has_types, Default::default),
            is_nack: Optional::new(has_types, Default::default),
            is_control: Optional::new(has_types, Default::default),
            is_between: [(); 2].map(|()| Optional::new(has_types, Default::default)),
            other_found: Optional::new(has_types, Default::default),
            is_contradiction_found: Optional::new(has_types, Default::default),
            other_held: Optional::new(has_types, Default::default),
            contradicts_held: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            data_types: Param::new(of(Role::Data).into()),
            ack_types: Param::new(of(Role::Ack).into()),
            nack_types: Param::new(of(Role::Nack).into()),
            control_types: Param::new(of(Role::Control).into()),
            between_types: between.map(|(_, types)| Param::new(types.into())),
            between_bytes: between.map(|(size, _)| Param::new(size.into())),
            between_length_complement: between.map(|(size, _)| complement(size)),
            trimmed_length_complement: Param::new((0x1FFFF - between[0].0).into()),
            has_crc: Param::new(has_crc),
            rudi_flag: Param::new(FLAG_RUDI.into()),
            syn_flag: Param::new(FLAG_SYN.into()),
            without_syn: CTL_WITHOUT_SYN.map(|ctl| Param::new(ctl.into())),
            ..Default::default()
        }
    }
}

// What not every configuration has stands under an `if` of its own, which falls away as a whole.
#[allow(clippy::collapsible_if)]
impl<const E: usize, const P: usize> Logic for Classifier<E, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Tests a frame.");
        dff_setup!(self, clk, last_2, end_2, last_3, present_complement, is_above_64);
        dff_setup!(self, clk, cut_in_tags, cut_at_ip, is_ip, is_contrary, held);
        comment!("Register 3: where the frame ends; the rules up to the IP header.");
        self.last_2.d.next = self.last.val();
        self.end_2.d.next = self.last_index.val();
        self.front_end.next = self.tag_end[0].val();
        if self.place_2.val().tags == bits::<2>(1) {
            self.front_end.next = self.tag_end[1].val();
        }
        if self.place_2.val().tags == bits::<2>(2) {
            self.front_end.next = self.tag_end[2].val();
        }
        self.is_in_front.next = self.last_2.q.val() && ((self.end_2.q.val() >> 5) == bits::<E>(0));
        self.cut_in_tags.d.next =
            self.is_in_front.val() && (self.end_2.q.val().get_bits::<5>(0) < self.front_end.val());
        self.cut_at_ip.d.next =
            self.is_in_front.val() && (self.end_2.q.val().get_bits::<5>(0) == self.front_end.val());
        self.udp_start.next = (bit_cast::<P, 5>(self.place_2.val().udp) << 2) | bits::<P>(1);
        self.end_complement.next = (bits::<P>(1) << self.sign.val()) | bit_cast::<P, E>(!self.end_2.q.val());
        self.present_complement.d.next = self.end_complement.val() + self.udp_start.val();
        self.is_above_64.d.next = (self.end_2.q.val() >> 6) != bits::<E>(0);
        self.last_3.d.next = self.last_2.q.val();
        self.is_ip.d.next = self.place_2.val().is_ip4 || self.place_2.val().is_ip6;
        self.is_contrary.d.next = self.place_2.val().is_malformed;
        comment!("Register 4. A frame is cut if it ends before what is asked.");
        self.present.next = !self.present_complement.q.val();
        self.there.next = bit_cast::<E, P>(self.present.val());
        self.there_complement_17.next = !self.there_17.val();
        self.there_17.next = bit_cast::<17, E>(self.there.val());
        self.is_cut_in_ip.next = self.last_3.q.val() && self.present.val().get_bit(self.sign.val().index());
        if self.has_entropy.val() {
            if self.is_entropy.val() && self.last_3.q.val() && ((self.there.val() >> 2) == bits::<E>(0)) {
                self.is_cut_in_ip.next = true;
            }
        }
        self.found.next.is_early = self.cut_in_tags.q.val()
            || (self.is_ip.q.val()
                && (self.cut_at_ip.q.val() || (!self.is_contrary.q.val() && self.is_cut_in_ip.val())));
        self.found.next.is_unsupported = !self.cut_in_tags.q.val()
            && (!self.is_ip.q.val()
                || (!self.cut_at_ip.q.val()
                    && (self.is_contrary.q.val() || (!self.is_cut_in_ip.val() && self.ip.val().is_foreign))));
        self.found.next.is_ip4 = self.is_ip4.val();
        self.found.next.is_cut_in_udp =
            self.is_cut_in_ip.val() || (self.last_3.q.val() && (self.there.val() < self.udp_bytes.val()));
        self.found.next.is_ours = self.is_ours.val();
        self.found.next.is_contradiction = self.is_contradiction.val();
        comment!(
            "The length by IP is used throughout: where UDP's is another the frame is malformed anyway."
        );
        self.length.next = !self.ip.val().length_complement;
        self.agreed.next = self.length.val();
        self.is_beyond.next = self.ip.val().length_complement < self.there_complement_17.val();
        self.is_other.next = self.length.val() != self.there_17.val();
        self.found.next.is_wrong_length = self.last_3.q.val()
            && (self.is_beyond.val() || (self.is_other.val() && self.is_above_64.q.val()));
        comment!("The profile's header.");
        self.kind.next = self.lead.val() & self.kind_mask.val();
        self.is_long.next = self.kind.val() == self.long_code.val();
        self.is_long_3.next = self.is_long.val();
        self.found.next.is_long = self.is_long.val();
        self.found.next.is_data =
            (self.kind.val() == self.data_code[0].val()) || (self.kind.val() == self.data_code[1].val());
        self.found.next.is_ack =
            (self.kind.val() == self.ack_code[0].val()) || (self.kind.val() == self.ack_code[1].val());
        self.found.next.is_cut_in_lead =
            self.is_cut_in_ip.val() || (self.last_3.q.val() && (self.there.val() < self.lead_bytes[0].val()));
        self.found.next.is_short = (self.ip.val().length_complement > self.lead_length_complement[0].val())
            || (self.is_long.val()
                && (self.ip.val().length_complement > self.lead_length_complement[1].val()));
        self.found.next.is_cut =
            self.is_long.val() && self.last_3.q.val() && (self.there.val() < self.lead_bytes[1].val());
        if self.has_entropy.val() {
            comment!(
                "No UDP length has contradicted an IPv4 length that is shorter than its own header. The longest of IPv6 have 17 bits."
            );
            if self.is_entropy.val() && self.length.val().get_bit(16) && self.length.val().get_bit(15) {
                self.found.next.is_short = true;
            }
        }
        if self.has_types.val() {
            comment!(
                "The kinds by their types. What is neither data nor an ACK goes by the rules of data. Of a trimmed packet as much"
            );
            comment!("has to be left as the shorter of the lengths in between.");
            self.types.next = bits::<32>(1) << self.lead.val().get_bits::<5>(11);
            self.ctl.next = self.lead.val().get_bits::<4>(7);
            self.is_nack.next = (self.types.val() & self.nack_types.val()).any()
                && !(self.lead.val() & self.rudi_flag.val()).any();
            self.is_control.next = (self.types.val() & self.control_types.val()).any();
            self.is_contradiction_found.next = self.is_control.val()
                && (self.lead.val() & self.syn_flag.val()).any()
                && (self.ctl.val() >= self.without_syn[0].val())
                && (self.ctl.val() <= self.without_syn[1].val());
            self.other_found.next =
                bits::<2>(0).replace_bit(0, self.is_nack.val()).replace_bit(1, self.is_control.val());
            self.found.next.is_data = (self.types.val() & self.data_types.val()).any()
                || self.is_nack.val()
                || (self.is_control.val() && !self.is_contradiction_found.val());
            self.found.next.is_ack = (self.types.val() & self.ack_types.val()).any();
            for k in 0..2 {
                self.is_between[k].next = (self.types.val() & self.between_types[k].val()).any();
                self.is_between_3[k].next = self.is_between[k].val();
                self.found.next.is_short = self.found.val().is_short
                    || (self.is_between[k].val()
                        && (self.ip.val().length_complement > self.between_length_complement[k].val()));
                self.found.next.is_cut = self.found.val().is_cut
                    || (self.is_between[k].val()
                        && self.last_3.q.val()
                        && (self.there.val() < self.between_bytes[k].val()));
            }
        }
        if self.may_be_trimmed.val() {
            comment!("Of a packet that was trimmed its header is left: nothing behind that is looked for.");
            if self.is_trimmed.val() {
                self.found.next.is_data = self.found.val().is_data || self.found.val().is_ack;
                self.found.next.is_ack = false;
                self.found.next.is_short =
                    self.ip.val().length_complement > self.between_length_complement[0].val();
                if self.has_crc.val() {
                    self.found.next.is_short =
                        self.ip.val().length_complement > self.trimmed_length_complement.val();
                }
                self.found.next.is_cut = false;
                self.other_found.next = bits::<2>(3);
            }
        }
        if self.has_types.val() {
            self.other_held.clock.next = self.clk.val();
            self.other_held.d.next = self.other_found.val();
            self.other.next = self.other_held.q.val();
            self.contradicts_held.clock.next = self.clk.val();
            self.contradicts_held.d.next = self.is_contradiction_found.val();
            self.contradicts.next = self.contradicts_held.q.val();
        }
        self.held.d.next = self.found.val();
        self.findings.next = self.held.q.val();
    }
}
