//! From what an op did to the outputs.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Brings the result of a send to the outputs, at the one latency of the pipeline.
#[derive(LogicBlock, Default)]
pub struct Results<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Update stage: the op is a send; its kind, 0 explore, 1 recycle, 2 replay.
    pub sent: Signal<In, bool>,
    pub kind: Signal<In, Bits<2>>,
    /// Write stage: the connection of the op.
    pub conn: Signal<In, Bits<C>>,
    /// Fetch stage: the EV of the send.
    pub ev: Signal<In, Bits<16>>,

    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<C>>,
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,

    write_sent: DFF<bool>,
    write_kind: DFF<Bits<2>>,
    fetch_sent: DFF<bool>,
    fetch_kind: DFF<Bits<2>>,
    fetch_conn: DFF<Bits<C>>,
    result_valid: DFF<bool>,
    result_kind: DFF<Bits<2>>,
    result_conn: DFF<Bits<C>>,
    result_ev: DFF<Bits<16>>,
}

impl<const C: usize> Logic for Results<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module results: from what an op did to the outputs");
        dff_setup!(self, clk, write_sent, write_kind, fetch_sent, fetch_kind, fetch_conn);
        dff_setup!(self, clk, result_valid, result_kind, result_conn, result_ev);

        comment!("Write, fetch.");
        self.write_sent.d.next = self.sent.val();
        self.write_kind.d.next = self.kind.val();
        self.fetch_sent.d.next = self.write_sent.q.val();
        self.fetch_kind.d.next = self.write_kind.q.val();
        self.fetch_conn.d.next = self.conn.val();

        comment!("Result.");
        self.result_valid.d.next = self.fetch_sent.q.val();
        self.result_kind.d.next = self.fetch_kind.q.val();
        self.result_conn.d.next = self.fetch_conn.q.val();
        self.result_ev.d.next = self.ev.val();
        self.res_valid.next = self.result_valid.q.val();
        self.res_kind.next = self.result_kind.q.val();
        self.res_conn.next = self.result_conn.q.val();
        self.res_ev.next = self.result_ev.q.val();

        if self.rst.val() {
            self.write_sent.d.next = false;
            self.write_kind.d.next = 0.into();
            self.fetch_sent.d.next = false;
            self.fetch_kind.d.next = 0.into();
            self.fetch_conn.d.next = 0.into();
            self.result_valid.d.next = false;
            self.result_kind.d.next = 0.into();
            self.result_conn.d.next = 0.into();
            self.result_ev.d.next = 0.into();
        }
    }
}

/// Carries an EV that is known in the update stage on to the fetch stage, where [`Results`] wants it.
#[derive(LogicBlock, Default)]
pub struct EvOnItsWay {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub update_ev: Signal<In, Bits<16>>,
    pub fetch_ev: Signal<Out, Bits<16>>,
    in_write: DFF<Bits<16>>,
    in_fetch: DFF<Bits<16>>,
}

impl Logic for EvOnItsWay {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module ev_on_its_way: an EV from the update stage on to the fetch stage");
        dff_setup!(self, clk, in_write, in_fetch);
        self.in_write.d.next = self.update_ev.val();
        self.in_fetch.d.next = self.in_write.q.val();
        self.fetch_ev.next = self.in_fetch.q.val();
        if self.rst.val() {
            self.in_write.d.next = 0.into();
            self.in_fetch.d.next = 0.into();
        }
    }
}

/// Carries an event that is known in the update stage to the outputs, where it comes with the result of its op.
#[derive(LogicBlock, Default)]
pub struct EventOnItsWay {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub update: Signal<In, bool>,
    pub shown: Signal<Out, bool>,
    in_write: DFF<bool>,
    in_fetch: DFF<bool>,
    in_result: DFF<bool>,
}

impl Logic for EventOnItsWay {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module event_on_its_way: an event from the update stage on to the outputs");
        dff_setup!(self, clk, in_write, in_fetch, in_result);
        self.in_write.d.next = self.update.val();
        self.in_fetch.d.next = self.in_write.q.val();
        self.in_result.d.next = self.in_fetch.q.val();
        self.shown.next = self.in_result.q.val();
        if self.rst.val() {
            self.in_write.d.next = false;
            self.in_fetch.d.next = false;
            self.in_result.d.next = false;
        }
    }
}
