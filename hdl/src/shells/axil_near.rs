//! `shell_axil_near`: the registers' end of the host, on the clock of the shell's AXI4-Lite.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// One access at a time: it is held still, `request` changes, and when `done` is equal to it again the answer stands.
///
/// The other end, [`AxilFar`](super::AxilFar), may have another clock. Nothing but `request` and `done` is looked at while it
/// changes, and both go through two registers of the clock that looks.
#[derive(LogicBlock, Default)]
pub struct AxilNear {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub s_axil_awaddr: Signal<In, Bits<13>>,
    pub s_axil_awvalid: Signal<In, bool>,
    pub s_axil_awready: Signal<Out, bool>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    pub s_axil_wvalid: Signal<In, bool>,
    pub s_axil_wready: Signal<Out, bool>,
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, bool>,
    pub s_axil_bready: Signal<In, bool>,
    pub s_axil_araddr: Signal<In, Bits<13>>,
    pub s_axil_arvalid: Signal<In, bool>,
    pub s_axil_arready: Signal<Out, bool>,
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, bool>,
    pub s_axil_rready: Signal<In, bool>,
    pub request: Signal<Out, bool>,
    pub is_write: Signal<Out, bool>,
    pub address: Signal<Out, Bits<13>>,
    pub data: Signal<Out, Bits<32>>,
    pub strobes: Signal<Out, Bits<4>>,
    pub done: Signal<In, bool>,
    pub done_refused: Signal<In, bool>,
    pub done_data: Signal<In, Bits<32>>,

    asks: DFF<bool>,
    write: DFF<bool>,
    /// The same, for the other end alone, as all that is held.
    held_write: DFF<bool>,
    held_address: DFF<Bits<13>>,
    held_data: DFF<Bits<32>>,
    held_strobes: DFF<Bits<4>>,
    is_busy: DFF<bool>,
    done_1: DFF<bool>,
    done_2: DFF<bool>,
    b_valid: DFF<bool>,
    r_valid: DFF<bool>,
    refused: DFF<bool>,
    read: DFF<Bits<32>>,
    is_free: Signal<Local, bool>,
    writes: Signal<Local, bool>,
    reads: Signal<Local, bool>,
}

impl AxilNear {
    /// Without an access.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }
}

impl Logic for AxilNear {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Register accesses of the host, one at a time, on the clock of the shell.");
        dff_setup!(self, clk, asks, write, held_write, held_address, held_data, held_strobes, is_busy);
        dff_setup!(self, clk, done_1, done_2, b_valid, r_valid, refused, read);
        self.done_1.d.next = self.done.val();
        self.done_2.d.next = self.done_1.q.val();
        self.is_free.next = !self.is_busy.q.val() && !self.b_valid.q.val() && !self.r_valid.q.val();
        self.writes.next = self.is_free.val() && self.s_axil_awvalid.val() && self.s_axil_wvalid.val();
        self.reads.next = self.is_free.val() && self.s_axil_arvalid.val() && !self.writes.val();
        self.s_axil_awready.next = self.writes.val();
        self.s_axil_wready.next = self.writes.val();
        self.s_axil_arready.next = self.reads.val();
        if self.writes.val() || self.reads.val() {
            self.is_busy.d.next = true;
            self.asks.d.next = !self.asks.q.val();
            self.write.d.next = self.writes.val();
            self.held_write.d.next = self.writes.val();
            self.held_data.d.next = self.s_axil_wdata.val();
            self.held_strobes.d.next = self.s_axil_wstrb.val();
            self.held_address.d.next = self.s_axil_araddr.val();
            if self.writes.val() {
                self.held_address.d.next = self.s_axil_awaddr.val();
            }
        }
        if self.is_busy.q.val() && (self.done_2.q.val() == self.asks.q.val()) {
            self.is_busy.d.next = false;
            self.b_valid.d.next = self.write.q.val();
            self.r_valid.d.next = !self.write.q.val();
            self.refused.d.next = self.done_refused.val();
            self.read.d.next = self.done_data.val();
        }
        if self.b_valid.q.val() && self.s_axil_bready.val() {
            self.b_valid.d.next = false;
        }
        if self.r_valid.q.val() && self.s_axil_rready.val() {
            self.r_valid.d.next = false;
        }
        self.s_axil_bvalid.next = self.b_valid.q.val();
        self.s_axil_rvalid.next = self.r_valid.q.val();
        self.s_axil_rdata.next = self.read.q.val();
        comment!("SLVERR is 2.");
        self.s_axil_bresp.next = bits::<2>(0);
        self.s_axil_rresp.next = bits::<2>(0);
        if self.refused.q.val() {
            self.s_axil_bresp.next = bits::<2>(2);
            self.s_axil_rresp.next = bits::<2>(2);
        }
        self.request.next = self.asks.q.val();
        self.is_write.next = self.held_write.q.val();
        self.address.next = self.held_address.q.val();
        self.data.next = self.held_data.q.val();
        self.strobes.next = self.held_strobes.q.val();
        if self.rst.val() {
            self.asks.d.next = false;
            self.is_busy.d.next = false;
            self.done_1.d.next = false;
            self.done_2.d.next = false;
            self.b_valid.d.next = false;
            self.r_valid.d.next = false;
        }
    }
}
