//! The queue of records.

use respray_hdl_macros::{Part, hdl_gen};
use rust_hdl::prelude::*;

use super::record::{Body, Mark};
use crate::comment;
use crate::prims::{DirectMemory, Param};

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
    nothing: Param<Body>,
    limit: Param<Bits<6>>,
}

impl Records {
    /// An empty queue.
    pub fn new() -> Self {
        Self {
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
