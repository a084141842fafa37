//! `nic_last_requests`: what the header of each connection's last request of `uet` said, for the probes that are like it.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, SimpleDualPort};
use crate::signal_struct;

signal_struct! {
    /// What only a request tells before its packet is decided about.
    pub struct Told {
        pub destination_pdc: Bits<16>,
        pub is_ordered: bool,
    }
}

signal_struct! {
    /// What is kept of a connection: 49 bits.
    pub struct LastRequest {
        pub psn: Bits<32>,
        pub destination_pdc: Bits<16>,
        pub is_ordered: bool,
    }
}

/// Keeps PSN, destination PDC and type of the last request of `2^C` connections, and gives the block that makes frames what the one
/// that is answered or copied said.
///
/// A request and the decision about it are brought together in their order. What a probe is like is read when its EV is asked for, and
/// stays until the next probe: the scoreboard's decisions are so far apart that the read is repeated once at most.
#[derive(LogicBlock, Default)]
pub struct LastRequests<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Requests of the host's packets, as they are taken.
    pub req_valid: Signal<In, bool>,
    pub req_ready: Signal<In, bool>,
    pub req_destination_pdc: Signal<In, Bits<16>>,
    pub req_is_ordered: Signal<In, bool>,
    /// The packet that waits longest is decided about; beside that, one of these two if it is data that leaves.
    pub decide_valid: Signal<In, bool>,
    pub sent: Signal<In, bool>,
    pub again: Signal<In, bool>,
    pub conn: Signal<In, Bits<C>>,
    /// All its bits.
    pub psn: Signal<In, Bits<32>>,
    /// An EV is asked for a probe.
    pub draw_valid: Signal<In, bool>,
    pub draw_conn: Signal<In, Bits<C>>,
    /// The frame that is made next.
    pub is_probe: Signal<In, bool>,
    pub probe_conn: Signal<In, Bits<16>>,
    /// What the packet said that a SACK answers.
    pub answer_conn: Signal<In, Bits<16>>,
    pub answer_source_pdc: Signal<In, Bits<16>>,
    pub answer_wire_psn: Signal<In, Bits<32>>,

    /// What the packet says that is answered or copied.
    pub destination_pdc: Signal<Out, Bits<16>>,
    pub source_pdc: Signal<Out, Bits<16>>,
    pub wire_psn: Signal<Out, Bits<32>>,
    pub ordered: Signal<Out, bool>,

    told: Fifo<Told, 4, 5>,
    memory: SimpleDualPort<Bits<C>, LastRequest>,
    write: Signal<Local, bool>,
    /// What was read was not written at the same edge.
    is_apart: DFF<bool>,
    was_drawn: DFF<bool>,
    reads: DFF<bool>,
    last: DFF<LastRequest>,
}

impl<const C: usize> LastRequests<C> {
    /// The block.
    pub fn new() -> Self {
        let about = "what the header of every connection's last request said";
        Self {
            told: Fifo::new("told", MemoryKind::Distributed),
            memory: SimpleDualPort::new("request_memory", about, MemoryKind::Block),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for LastRequests<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("What the header of each connection's last request said.");
        dff_setup!(self, clk, is_apart, was_drawn, reads, last);
        self.told.clk.next = self.clk.val();
        self.told.rst.next = self.rst.val();
        self.memory.clk.next = self.clk.val();
        self.told.in_valid.next = self.req_valid.val() & self.req_ready.val();
        self.told.in_data.next.destination_pdc = self.req_destination_pdc.val();
        self.told.in_data.next.is_ordered = self.req_is_ordered.val();
        self.told.out_ready.next = self.decide_valid.val();
        self.write.next = self.sent.val() | self.again.val();
        self.memory.write_enable.next = self.write.val();
        self.memory.write_address.next = self.conn.val();
        self.memory.write_data.next.psn = self.psn.val();
        self.memory.write_data.next.destination_pdc = self.told.out_data.val().destination_pdc;
        self.memory.write_data.next.is_ordered = self.told.out_data.val().is_ordered;

        comment!("Read when a probe begins to ask for its EV, and again if the word was just being written.");
        self.memory.read_address.next = self.draw_conn.val();
        self.is_apart.d.next = !(self.write.val() & (self.conn.val() == self.draw_conn.val()));
        self.was_drawn.d.next = self.draw_valid.val();
        self.reads.d.next =
            (self.draw_valid.val() & !self.was_drawn.q.val()) | (self.reads.q.val() & !self.is_apart.q.val());
        if self.reads.q.val() & self.is_apart.q.val() {
            self.last.d.next = self.memory.read_data.val();
        }

        comment!("A probe is a request like the last one; a SACK goes back to where the packet came from.");
        self.destination_pdc.next = self.answer_conn.val();
        self.source_pdc.next = self.answer_source_pdc.val();
        self.wire_psn.next = self.answer_wire_psn.val();
        self.ordered.next = false;
        if self.is_probe.val() {
            self.destination_pdc.next = self.last.q.val().destination_pdc;
            self.source_pdc.next = self.probe_conn.val();
            self.wire_psn.next = self.last.q.val().psn;
            self.ordered.next = self.last.q.val().is_ordered;
        }
        if self.rst.val() {
            self.was_drawn.d.next = false;
            self.reads.d.next = false;
        }
    }
}
