//! `nic_last_requests`: what the header of each connection's last request of `uet` said, for the probes that are like it.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Reg, SimpleDualPort};
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
#[block]
pub struct LastRequests<const C: usize> {
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
    /// What was read was not written at the same edge.
    is_apart: Reg<bool>,
    #[reset = false]
    was_drawn: Reg<bool>,
    #[reset = false]
    reads: Reg<bool>,
    last: Reg<LastRequest>,
}

#[block]
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

    fn update(&mut self) {
        comment!("What the header of each connection's last request said.");
        self.told.in_valid = self.req_valid & self.req_ready;
        self.told.in_data.destination_pdc = self.req_destination_pdc;
        self.told.in_data.is_ordered = self.req_is_ordered;
        self.told.out_ready = self.decide_valid;
        let write = self.sent | self.again;
        self.memory.write_enable = write;
        self.memory.write_address = self.conn;
        self.memory.write_data.psn = self.psn;
        self.memory.write_data.destination_pdc = self.told.out_data.destination_pdc;
        self.memory.write_data.is_ordered = self.told.out_data.is_ordered;

        comment!("Read when a probe begins to ask for its EV, and again if the word was just being written.");
        self.memory.read_address = self.draw_conn;
        self.is_apart = !(write & (self.conn == self.draw_conn));
        self.was_drawn = self.draw_valid;
        self.reads = (self.draw_valid & !self.was_drawn) | (self.reads & !self.is_apart);
        if self.reads & self.is_apart {
            self.last = self.memory.read_data;
        }

        comment!("A probe is a request like the last one; a SACK goes back to where the packet came from.");
        self.destination_pdc = self.answer_conn;
        self.source_pdc = self.answer_source_pdc;
        self.wire_psn = self.answer_wire_psn;
        self.ordered = false;
        if self.is_probe {
            self.destination_pdc = self.last.destination_pdc;
            self.source_pdc = self.probe_conn;
            self.wire_psn = self.last.psn;
            self.ordered = self.last.is_ordered;
        }
    }
}
