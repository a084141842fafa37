//! `shell_axil_near`: the registers' end of the host, on the clock of the shell's AXI4-Lite.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// One access at a time: it is held still, `request` changes, and when `done` is equal to it again the answer stands.
///
/// The other end, [`AxilFar`](super::AxilFar), may have another clock. Nothing but `request` and `done` is looked at while it
/// changes, and both go through two registers of the clock that looks.
///
/// An access that is not answered within so many edges is answered with SLVERR, so that a clock which stands still hangs no bus. The other
/// end may still do it later. Until it has, nothing new goes there, so no answer is taken for that of a newer access: the next access
/// waits, and is refused as well, and not done, when as many edges have passed.
#[block]
pub struct AxilNear {
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

    #[reset = false]
    asks: Reg<bool>,
    write: Reg<bool>,
    /// The same, for the other end alone, as all that is held.
    held_write: Reg<bool>,
    held_address: Reg<Bits<13>>,
    held_data: Reg<Bits<32>>,
    held_strobes: Reg<Bits<4>>,
    #[reset = false]
    is_busy: Reg<bool>,
    #[reset = false]
    done_1: Reg<bool>,
    #[reset = false]
    done_2: Reg<bool>,
    #[reset = false]
    b_valid: Reg<bool>,
    #[reset = false]
    r_valid: Reg<bool>,
    refused: Reg<bool>,
    read: Reg<Bits<32>>,
    /// Edges that the access may still take, and that they are over.
    left: Reg<Bits<17>>,
    #[reset = false]
    is_late: Reg<bool>,
    limit: Param<Bits<17>>,
}

#[block]
impl AxilNear {
    /// Without an access. Each is answered after so many edges at the latest, less than 2^17.
    pub fn new(limit: u32) -> Self {
        let mut block = Self { limit: Param::new(u64::from(limit).into()), ..Default::default() };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Register accesses of the host, one at a time, on the clock of the shell.");
        self.done_1 = self.done;
        self.done_2 = self.done_1;
        let is_free = !self.is_busy && !self.b_valid && !self.r_valid;
        // The other end has answered all.
        let is_idle = self.has_begun && (self.done_2 == self.asks);
        let wants_write = is_free && self.s_axil_awvalid && self.s_axil_wvalid;
        let wants_read = is_free && self.s_axil_arvalid && !wants_write;
        let may_begin = is_idle || self.is_late;
        let writes = wants_write && may_begin;
        let reads = wants_read && may_begin;
        self.s_axil_awready = writes;
        self.s_axil_wready = writes;
        self.s_axil_arready = reads;
        if (writes || reads) && is_idle {
            self.is_busy = true;
            self.asks = !self.asks;
            self.write = writes;
            self.held_write = writes;
            self.held_data = self.s_axil_wdata;
            self.held_strobes = self.s_axil_wstrb;
            self.held_address = self.s_axil_araddr;
            if writes {
                self.held_address = self.s_axil_awaddr;
            }
        }
        if self.is_busy && (is_idle || self.is_late) {
            self.is_busy = false;
            self.b_valid = self.write;
            self.r_valid = !self.write;
        }
        comment!("What is late is refused: the one that was given on, and one that could not be.");
        if is_free && !is_idle {
            self.b_valid = writes;
            self.r_valid = reads;
        }
        if self.is_busy && is_idle {
            self.refused = self.done_refused;
            self.read = self.done_data;
        } else if self.is_late {
            self.refused = true;
            self.read = 0;
        }
        let waits = self.is_busy || ((wants_write || wants_read) && !is_idle);
        self.left = self.limit;
        self.is_late = false;
        if waits && !self.is_late {
            self.left = self.left - 1;
            self.is_late = self.left == 0;
        }
        if self.b_valid && self.s_axil_bready {
            self.b_valid = false;
        }
        if self.r_valid && self.s_axil_rready {
            self.r_valid = false;
        }
        self.s_axil_bvalid = self.b_valid;
        self.s_axil_rvalid = self.r_valid;
        self.s_axil_rdata = self.read;
        comment!("SLVERR is 2.");
        self.s_axil_bresp = 0;
        self.s_axil_rresp = 0;
        if self.refused {
            self.s_axil_bresp = 2;
            self.s_axil_rresp = 2;
        }
        self.request = self.asks;
        self.is_write = self.held_write;
        self.address = self.held_address;
        self.data = self.held_data;
        self.strobes = self.held_strobes;
    }
}
