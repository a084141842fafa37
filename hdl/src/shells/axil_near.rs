//! `shell_axil_near`: the registers' end of the host, on the clock of the shell's AXI4-Lite.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// One access at a time: it is held still, `request` changes, and when `done` is equal to it again the answer stands.
///
/// The other end, [`AxilFar`](super::AxilFar), may have another clock. Nothing but `request` and `done` is looked at while it
/// changes, and both go through two registers of the clock that looks.
///
/// An access that is not answered within so many edges is answered with SLVERR, so that a clock which stands still hangs no bus. The other
/// end may still do it later. Until it has, nothing new goes there, so no answer is taken for that of a newer access: the next access
/// waits, and is refused as well, and not done, when as many edges have passed.
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
    /// The other end has come out of a reset once.
    pub has_begun: Signal<In, bool>,
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
    /// Edges that the access may still take, and that they are over.
    left: DFF<Bits<17>>,
    is_late: DFF<bool>,
    is_free: Signal<Local, bool>,
    /// The other end has answered all.
    is_idle: Signal<Local, bool>,
    wants_write: Signal<Local, bool>,
    wants_read: Signal<Local, bool>,
    may_begin: Signal<Local, bool>,
    writes: Signal<Local, bool>,
    reads: Signal<Local, bool>,
    waits: Signal<Local, bool>,
    limit: Param<Bits<17>>,
}

impl AxilNear {
    /// Without an access. Each is answered after so many edges at the latest, less than 2^17.
    pub fn new(limit: u32) -> Self {
        let mut block = Self { limit: Param::new(u64::from(limit).into()), ..Default::default() };
        block.connect_all();
        block
    }
}

impl Logic for AxilNear {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Register accesses of the host, one at a time, on the clock of the shell.");
        dff_setup!(self, clk, asks, write, held_write, held_address, held_data, held_strobes, is_busy);
        dff_setup!(self, clk, done_1, done_2, b_valid, r_valid, refused, read, left, is_late);
        self.done_1.d.next = self.done.val();
        self.done_2.d.next = self.done_1.q.val();
        self.is_free.next = !self.is_busy.q.val() && !self.b_valid.q.val() && !self.r_valid.q.val();
        self.is_idle.next = self.has_begun.val() && (self.done_2.q.val() == self.asks.q.val());
        self.wants_write.next = self.is_free.val() && self.s_axil_awvalid.val() && self.s_axil_wvalid.val();
        self.wants_read.next = self.is_free.val() && self.s_axil_arvalid.val() && !self.wants_write.val();
        self.may_begin.next = self.is_idle.val() || self.is_late.q.val();
        self.writes.next = self.wants_write.val() && self.may_begin.val();
        self.reads.next = self.wants_read.val() && self.may_begin.val();
        self.s_axil_awready.next = self.writes.val();
        self.s_axil_wready.next = self.writes.val();
        self.s_axil_arready.next = self.reads.val();
        if (self.writes.val() || self.reads.val()) && self.is_idle.val() {
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
        if self.is_busy.q.val() && (self.is_idle.val() || self.is_late.q.val()) {
            self.is_busy.d.next = false;
            self.b_valid.d.next = self.write.q.val();
            self.r_valid.d.next = !self.write.q.val();
        }
        comment!("What is late is refused: the one that was given on, and one that could not be.");
        if self.is_free.val() && !self.is_idle.val() {
            self.b_valid.d.next = self.writes.val();
            self.r_valid.d.next = self.reads.val();
        }
        if self.is_busy.q.val() && self.is_idle.val() {
            self.refused.d.next = self.done_refused.val();
            self.read.d.next = self.done_data.val();
        } else if self.is_late.q.val() {
            self.refused.d.next = true;
            self.read.d.next = bits::<32>(0);
        }
        self.waits.next = self.is_busy.q.val()
            || ((self.wants_write.val() || self.wants_read.val()) && !self.is_idle.val());
        self.left.d.next = self.limit.val();
        self.is_late.d.next = false;
        if self.waits.val() && !self.is_late.q.val() {
            self.left.d.next = self.left.q.val() - 1;
            self.is_late.d.next = self.left.q.val() == bits::<17>(0);
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
            self.is_late.d.next = false;
        }
    }
}
