//! The queue of records.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::record::{Body, Mark, Spot, spot};
use crate::comment;
use crate::config::Wire;
use crate::prims::{DirectMemory, Optional, Param};
use crate::wire::{self, MESSAGE_BYTES, NEXT_STANDARD_REQUEST};

/// 32 records on their way out. Of a packet its body comes first, and its mark some cycles later, when the checksum is known.
///
/// What a kind of packet does not have is blanked by the reset of the output registers.
#[derive(LogicBlock, Default, Part)]
pub struct Records {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Takes a body.
    pub push_body: Signal<In, Bit>,
    pub body: Signal<In, Body>,
    /// Takes the mark of the next body that has none. There has to be room.
    pub push: Signal<In, Bit>,
    pub mark: Signal<In, Mark>,
    /// A register: falls when 16 are in, which leaves room for what the parser still sends.
    pub ready: Signal<Out, Bit>,
    pub valid: Signal<Out, Bit>,
    /// The record is taken.
    pub pop: Signal<In, Bit>,
    pub mark_out: Signal<Out, Mark>,
    pub body_out: Signal<Out, Body>,
    pub data_out: Signal<Out, Bits<256>>,
    pub ack_out: Signal<Out, Bits<256>>,
    pub long_out: Signal<Out, Bits<256>>,
    pub ack_port_out: Signal<Out, Bits<16>>,
    /// With types: the header, 0 unless the packet is an ACK with a bitmap; `long_out` is 0 then unless the state is read that follows.
    pub sack_out: Optional<Signal<Out, Bits<256>>>,
    /// The message ID of a standard request, the payload of a NACK or control packet; 0 of others.
    pub message_out: Optional<Signal<Out, Bits<16>>>,
    pub payload_out: Optional<Signal<Out, Bits<32>>>,

    bodies: DirectMemory<Body>,
    marks: DirectMemory<Mark>,
    body_at: DFF<Bits<5>>,
    write_at: DFF<Bits<6>>,
    read_at: DFF<Bits<6>>,
    filled: Signal<Local, Bits<6>>,
    is_ready: DFF<Bit>,
    is_loaded: DFF<Bit>,
    load: Signal<Local, Bit>,
    next_mark: Signal<Local, Mark>,
    next_body: Signal<Local, Body>,
    is_ack: Signal<Local, Bit>,
    mark_held: DFF<Mark>,
    body_held: DFF<Body>,
    data_held: DFF<Bits<256>>,
    ack_held: DFF<Bits<256>>,
    long_held: DFF<Bits<256>>,
    ack_port_held: DFF<Bits<16>>,
    types: Optional<Signal<Local, Bits<32>>>,
    standard: Optional<Signal<Local, Bits<4>>>,
    has_more: Optional<Signal<Local, Bit>>,
    sack_held: Optional<DFF<Bits<256>>>,
    message_held: Optional<DFF<Bits<16>>>,
    payload_held: Optional<DFF<Bits<32>>>,
    nothing: Param<Body>,
    limit: Param<Bits<6>>,
    /// The kinds are told by types.
    has_types: Param<bool>,
    packet_type: Param<Spot>,
    next_header: Param<Spot>,
    cc_type: Param<Spot>,
    payload: Param<Spot>,
    sack_types: Param<Bits<32>>,
    /// Requests whose header is a word longer.
    credit_types: Param<Bits<32>>,
    standard_request: Param<Bits<4>>,
    /// Lowest bit of the message ID by the two lengths.
    message_at: [Param<Bits<8>>; 2],
}

impl Records {
    /// An empty queue for the headers of a profile.
    pub fn new(wire: Wire) -> Self {
        let kinds = wire::kinds(wire);
        let has_types = kinds.has_types();
        let of = |headers: &[&str]| match has_types {
            true => kinds.types(|kind| headers.contains(&kind.header)),
            false => 0,
        };
        // the first bit of the header is the top one of 256
        let message_at = |header: u64| Param::new((256 - 8 * (header + MESSAGE_BYTES)).into());
        let (request_bytes, credit) = (kinds.data().bytes() as u64, kinds.credit());
        Self {
            sack_out: Optional::new(has_types, Default::default),
            message_out: Optional::new(has_types, Default::default),
            payload_out: Optional::new(has_types, Default::default),
            types: Optional::new(has_types, Default::default),
            standard: Optional::new(has_types, Default::default),
            has_more: Optional::new(has_types, Default::default),
            sack_held: Optional::new(has_types, Default::default),
            message_held: Optional::new(has_types, Default::default),
            payload_held: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            packet_type: spot(wire, "meta_type", 5),
            next_header: spot(wire, "meta_next_header", 4),
            cc_type: spot(wire, "ack_cc", 4),
            payload: spot(wire, "meta_payload", 32),
            sack_types: Param::new(of(&["ack_cc", "ack_ccx"]).into()),
            credit_types: Param::new(of(&["request_cc"]).into()),
            standard_request: Param::new(NEXT_STANDARD_REQUEST.into()),
            message_at: [0, credit.map_or(0, |(_, more)| more)].map(|more| message_at(request_bytes + more)),
            bodies: DirectMemory::new("record_memory", "what records that wait to be taken are made of"),
            marks: DirectMemory::new("mark_memory", "kind and error of the same records"),
            nothing: Param::new(Body::default()),
            limit: Param::new(16u64.into()),
            ..Default::default()
        }
    }
}

impl Logic for Records {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Records that wait to be taken.");
        dff_setup!(self, clk, body_at, write_at, read_at, is_ready, is_loaded, mark_held, body_held);
        dff_setup!(self, clk, data_held, ack_held, long_held, ack_port_held);
        self.bodies.clk.next = self.clk.val();
        self.marks.clk.next = self.clk.val();
        self.bodies.write_enable.next = self.push_body.val();
        self.bodies.write_address.next = self.body_at.q.val();
        self.bodies.write_data.next = self.body.val();
        self.body_at.d.next = self.body_at.q.val() + self.push_body.val();
        self.marks.write_enable.next = self.push.val();
        self.marks.write_address.next = self.write_at.q.val().get_bits::<5>(0);
        self.marks.write_data.next = self.mark.val();
        self.write_at.d.next = self.write_at.q.val() + self.push.val();
        comment!("The output registers are loaded when they are empty or are emptied.");
        self.load.next =
            (!self.is_loaded.q.val() || self.pop.val()) && (self.read_at.q.val() != self.write_at.q.val());
        self.read_at.d.next = self.read_at.q.val() + self.load.val();
        self.is_loaded.d.next = self.load.val() || (self.is_loaded.q.val() && !self.pop.val());
        self.bodies.read_address.next = self.read_at.q.val().get_bits::<5>(0);
        self.marks.read_address.next = self.read_at.q.val().get_bits::<5>(0);
        self.next_body.next = self.bodies.read_data.val();
        self.next_mark.next = self.marks.read_data.val();
        self.is_ack.next = self.next_mark.val().kind == bits::<2>(1);
        if self.load.val() {
            self.mark_held.d.next = self.next_mark.val();
            self.body_held.d.next = self.next_body.val();
            self.data_held.d.next = self.next_body.val().header;
            self.ack_held.d.next = self.next_body.val().header;
            self.long_held.d.next = self.next_body.val().header;
            self.ack_port_held.d.next = self.next_body.val().ev;
            comment!("Of other packets the record says no more, of an ACK nothing that data has.");
            if self.next_mark.val().kind == bits::<2>(3) {
                self.body_held.d.next = self.nothing.val();
            }
            if self.next_mark.val().kind.get_bit(0) {
                self.data_held.d.next = bits::<256>(0);
            }
            if !self.is_ack.val() {
                self.ack_held.d.next = bits::<256>(0);
                self.ack_port_held.d.next = bits::<16>(0);
            }
            if !self.is_ack.val() || !self.next_mark.val().is_long {
                self.long_held.d.next = bits::<256>(0);
            }
        }
        if self.has_types.val() {
            comment!(
                "What else there is with types. The state is that of NSCC, of which the bits of cc_type are 0. A NACK has"
            );
            comment!("its payload in the bytes that it needs, a control packet behind them.");
            self.types.next = bits::<32>(1)
                << self.next_body.val().header.get_bits::<5>(self.packet_type.val().low.index());
            self.standard.next =
                self.next_body.val().header.get_bits::<4>(self.next_header.val().low.index());
            self.has_more.next = (self.next_body.val().bytes >> 2).any();
            self.sack_held.clock.next = self.clk.val();
            self.message_held.clock.next = self.clk.val();
            self.payload_held.clock.next = self.clk.val();
            self.sack_held.d.next = self.sack_held.q.val();
            self.message_held.d.next = self.message_held.q.val();
            self.payload_held.d.next = self.payload_held.q.val();
            if self.load.val() {
                if self.next_body.val().header.get_bits::<4>(self.cc_type.val().low.index()).any() {
                    self.long_held.d.next = bits::<256>(0);
                }
                self.sack_held.d.next = self.next_body.val().header;
                if !self.is_ack.val() || !(self.types.val() & self.sack_types.val()).any() {
                    self.sack_held.d.next = bits::<256>(0);
                }
                self.message_held.d.next =
                    self.next_body.val().header.get_bits::<16>(self.message_at[0].val().index());
                if (self.types.val() & self.credit_types.val()).any() {
                    self.message_held.d.next =
                        self.next_body.val().header.get_bits::<16>(self.message_at[1].val().index());
                }
                if (self.next_mark.val().kind != bits::<2>(0))
                    || (self.standard.val() != self.standard_request.val())
                    || !self.has_more.val()
                {
                    self.message_held.d.next = bits::<16>(0);
                }
                self.payload_held.d.next =
                    self.next_body.val().header.get_bits::<32>(self.payload.val().low.index());
                if (self.next_mark.val().kind != bits::<2>(2))
                    || (self.next_mark.val().error.get_bit(1)
                        && (self.next_mark.val().error.get_bit(0) || !self.has_more.val()))
                {
                    self.payload_held.d.next = bits::<32>(0);
                }
            }
            self.sack_out.next = self.sack_held.q.val();
            self.message_out.next = self.message_held.q.val();
            self.payload_out.next = self.payload_held.q.val();
        }
        self.valid.next = self.is_loaded.q.val();
        self.mark_out.next = self.mark_held.q.val();
        self.body_out.next = self.body_held.q.val();
        self.data_out.next = self.data_held.q.val();
        self.ack_out.next = self.ack_held.q.val();
        self.long_out.next = self.long_held.q.val();
        self.ack_port_out.next = self.ack_port_held.q.val();
        self.filled.next = self.write_at.q.val() - self.read_at.q.val();
        self.is_ready.d.next = self.filled.val() < self.limit.val();
        self.ready.next = self.is_ready.q.val();
        if self.rst.val() {
            self.body_at.d.next = bits::<5>(0);
            self.write_at.d.next = bits::<6>(0);
            self.read_at.d.next = bits::<6>(0);
            self.is_ready.d.next = false;
            self.is_loaded.d.next = false;
        }
    }
}
