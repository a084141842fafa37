//! From what an op did to the outputs.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Brings the result of a send to the outputs, at the one latency of the pipeline.
#[block]
pub struct Results<const C: usize> {
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

    #[reset = false]
    write_sent: Reg<bool>,
    #[reset = 0]
    write_kind: Reg<Bits<2>>,
    #[reset = false]
    fetch_sent: Reg<bool>,
    #[reset = 0]
    fetch_kind: Reg<Bits<2>>,
    #[reset = 0]
    fetch_conn: Reg<Bits<C>>,
    #[reset = false]
    result_valid: Reg<bool>,
    #[reset = 0]
    result_kind: Reg<Bits<2>>,
    #[reset = 0]
    result_conn: Reg<Bits<C>>,
    #[reset = 0]
    result_ev: Reg<Bits<16>>,
}

#[block]
impl<const C: usize> Results<C> {
    fn update(&mut self) {
        comment!("module results: from what an op did to the outputs");

        comment!("Write, fetch.");
        self.write_sent = self.sent;
        self.write_kind = self.kind;
        self.fetch_sent = self.write_sent;
        self.fetch_kind = self.write_kind;
        self.fetch_conn = self.conn;

        comment!("Result.");
        self.result_valid = self.fetch_sent;
        self.result_kind = self.fetch_kind;
        self.result_conn = self.fetch_conn;
        self.result_ev = self.ev;
        self.res_valid = self.result_valid;
        self.res_kind = self.result_kind;
        self.res_conn = self.result_conn;
        self.res_ev = self.result_ev;
    }
}

/// Carries an EV that is known in the update stage on to the fetch stage, where [`Results`] wants it.
#[block]
pub struct EvOnItsWay {
    pub update_ev: Signal<In, Bits<16>>,
    pub fetch_ev: Signal<Out, Bits<16>>,
    #[reset = 0]
    in_write: Reg<Bits<16>>,
    #[reset = 0]
    in_fetch: Reg<Bits<16>>,
}

#[block]
impl EvOnItsWay {
    fn update(&mut self) {
        comment!("module ev_on_its_way: an EV from the update stage on to the fetch stage");
        self.in_write = self.update_ev;
        self.in_fetch = self.in_write;
        self.fetch_ev = self.in_fetch;
    }
}

/// Carries an event that is known in the update stage to the outputs, where it comes with the result of its op.
#[block]
pub struct EventOnItsWay {
    pub update: Signal<In, bool>,
    pub shown: Signal<Out, bool>,
    #[reset = false]
    in_write: Reg<bool>,
    #[reset = false]
    in_fetch: Reg<bool>,
    #[reset = false]
    in_result: Reg<bool>,
}

#[block]
impl EventOnItsWay {
    fn update(&mut self) {
        comment!("module event_on_its_way: an event from the update stage on to the outputs");
        self.in_write = self.update;
        self.in_fetch = self.in_write;
        self.in_result = self.in_fetch;
        self.shown = self.in_result;
    }
}
