//! What the result of a packet brings.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Counts results, and says which of them bring a status for a frame, an answer, or an event. The pulses are registers.
#[derive(LogicBlock, Default)]
pub struct Outcome {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// A packet is done. With `res_valid` `sack_rx` says what it is; otherwise there is no such connection.
    pub done: Signal<In, bool>,
    pub res_valid: Signal<In, bool>,
    pub res_status: Signal<In, Bits<3>>,
    pub sack_valid: Signal<In, bool>,
    pub is_marked: Signal<In, bool>,
    pub is_probe: Signal<In, bool>,
    pub has_answer_room: Signal<In, bool>,

    /// As `res_status`, 7 where there is no such connection.
    pub status: Signal<Out, Bits<3>>,
    /// A frame waits for the status.
    pub push_status: Signal<Out, bool>,
    /// A SACK is due, and there is room for it.
    pub push_answer: Signal<Out, bool>,
    /// The host is to hear of the packet: that it is a duplicate, or that it was not taken in.
    pub tell_duplicate: Signal<Out, bool>,
    pub tell_stray: Signal<Out, bool>,

    pub rx_new: Signal<Out, bool>,
    pub rx_duplicate: Signal<Out, bool>,
    pub rx_outside: Signal<Out, bool>,
    pub rx_not_open: Signal<Out, bool>,
    pub rx_marked: Signal<Out, bool>,
    pub rx_probes: Signal<Out, bool>,
    pub sacks_dropped: Signal<Out, bool>,

    new: DFF<bool>,
    duplicate: DFF<bool>,
    outside: DFF<bool>,
    not_open: DFF<bool>,
    marked: DFF<bool>,
    probe: DFF<bool>,
    dropped: DFF<bool>,
    code: Signal<Local, Bits<3>>,
}

impl Logic for Outcome {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module outcome: what the result of a packet brings");
        dff_setup!(self, clk, new, duplicate, outside, not_open, marked, probe, dropped);
        self.code.next = bits::<3>(7);
        if self.res_valid.val() {
            self.code.next = self.res_status.val();
        }
        self.status.next = self.code.val();
        self.push_status.next = self.done.val() & !self.is_probe.val();
        self.push_answer.next = self.sack_valid.val() & self.has_answer_room.val();
        self.tell_duplicate.next = self.done.val() & (self.code.val() == bits::<3>(1));
        self.tell_stray.next =
            self.done.val() & ((self.code.val() == bits::<3>(2)) | (self.code.val() == bits::<3>(7)));
        self.new.d.next = self.done.val() & (self.code.val() == bits::<3>(0));
        self.duplicate.d.next = self.done.val() & (self.code.val() == bits::<3>(1));
        self.outside.d.next = self.done.val() & (self.code.val() == bits::<3>(2));
        self.probe.d.next = self.done.val() & (self.code.val() == bits::<3>(3));
        self.not_open.d.next = self.done.val() & (self.code.val() == bits::<3>(7));
        self.marked.d.next = self.done.val() & self.is_marked.val();
        self.dropped.d.next = self.sack_valid.val() & !self.has_answer_room.val();
        self.rx_new.next = self.new.q.val();
        self.rx_duplicate.next = self.duplicate.q.val();
        self.rx_outside.next = self.outside.q.val();
        self.rx_not_open.next = self.not_open.q.val();
        self.rx_marked.next = self.marked.q.val();
        self.rx_probes.next = self.probe.q.val();
        self.sacks_dropped.next = self.dropped.q.val();
        if self.rst.val() {
            self.new.d.next = false;
            self.duplicate.d.next = false;
            self.outside.d.next = false;
            self.not_open.d.next = false;
            self.marked.d.next = false;
            self.probe.d.next = false;
            self.dropped.d.next = false;
        }
    }
}
