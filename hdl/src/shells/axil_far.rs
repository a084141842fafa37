//! `shell_axil_far`: the registers' end of the block, on the clock of its streams, with the events among the registers.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// What the register `shell_identity` reads: the letters RSPS.
pub const IDENTITY: u64 = 0x5253_5053;

/// Executes the accesses of [`AxilNear`](super::AxilNear): below 0x1000 in the block, from there on in the window of events.
///
/// | address | register | access |
/// | --- | --- | --- |
/// | 0x1000 | `shell_identity` | read |
/// | 0x1004 | `event_waits`: 1 where the words below are a record | read |
/// | 0x1008 | `event_take`: any value makes way for the next record; refused where none waits | write |
/// | 0x100c | `frames_lost`: frames of the host that left the block and went no further; 16 bits, which wrap | read |
/// | 0x1010 to 0x101c | the four words of the record that waits, the lowest first; 0 where none waits | read |
///
/// An access of any other address in the window is refused, and so is a write of fewer than four bytes. One that comes in a reset, or
/// is not yet answered then, is refused as well.
#[derive(LogicBlock, Default)]
pub struct AxilFar {
    pub clk: Signal<In, Clock>,
    /// Accesses are refused, and those under way forgotten by the block.
    pub rst: Signal<In, bool>,
    /// The host's end begins anew, too.
    pub start: Signal<In, bool>,
    pub request: Signal<In, bool>,
    pub is_write: Signal<In, bool>,
    pub address: Signal<In, Bits<13>>,
    pub data: Signal<In, Bits<32>>,
    pub strobes: Signal<In, Bits<4>>,
    pub done: Signal<Out, bool>,
    pub done_refused: Signal<Out, bool>,
    pub done_data: Signal<Out, Bits<32>>,
    pub m_axil_awaddr: Signal<Out, Bits<12>>,
    pub m_axil_awvalid: Signal<Out, bool>,
    pub m_axil_awready: Signal<In, bool>,
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    pub m_axil_wstrb: Signal<Out, Bits<4>>,
    pub m_axil_wvalid: Signal<Out, bool>,
    pub m_axil_wready: Signal<In, bool>,
    pub m_axil_bresp: Signal<In, Bits<2>>,
    pub m_axil_bvalid: Signal<In, bool>,
    pub m_axil_bready: Signal<Out, bool>,
    pub m_axil_araddr: Signal<Out, Bits<12>>,
    pub m_axil_arvalid: Signal<Out, bool>,
    pub m_axil_arready: Signal<In, bool>,
    pub m_axil_rdata: Signal<In, Bits<32>>,
    pub m_axil_rresp: Signal<In, Bits<2>>,
    pub m_axil_rvalid: Signal<In, bool>,
    pub m_axil_rready: Signal<Out, bool>,
    pub event_tdata: Signal<In, Bits<128>>,
    pub event_tvalid: Signal<In, bool>,
    pub event_tready: Signal<Out, bool>,
    /// A frame of the host goes no further.
    pub frame_lost: Signal<In, bool>,

    request_1: DFF<bool>,
    request_2: DFF<bool>,
    answered: DFF<bool>,
    refused: DFF<bool>,
    read: DFF<Bits<32>>,
    is_busy: DFF<bool>,
    lost: DFF<Bits<16>>,
    aw_valid: DFF<bool>,
    w_valid: DFF<bool>,
    ar_valid: DFF<bool>,
    begins: Signal<Local, bool>,
    is_window: Signal<Local, bool>,
    place: Signal<Local, Bits<10>>,
    word: Signal<Local, Bits<32>>,
    is_read: Signal<Local, bool>,
    takes: Signal<Local, bool>,
    identity: Param<Bits<32>>,
}

/// The window as a C header.
pub fn header() -> String {
    format!(
        "/* What the wrappers of the block nic for shells add to its registers. Made by respray. */
#ifndef NIC_SHELL_H
#define NIC_SHELL_H

/* Reads the letters RSPS. */
#define NIC_SHELL_IDENTITY 0x1000u
#define NIC_SHELL_IDENTITY_RESET 0x{IDENTITY:x}u
/* Reads 1 where a record of an event waits. */
#define NIC_SHELL_EVENT_WAITS 0x1004u
/* A write of any value takes the record that waits. */
#define NIC_SHELL_EVENT_TAKE 0x1008u
/* Frames of the host that left the block and went no further: 16 bits, which wrap. */
#define NIC_SHELL_FRAMES_LOST 0x100cu
/* The four words of the record that waits, the lowest first. */
#define NIC_SHELL_EVENT_WORD 0x1010u
/* Bytes of all registers, those of the block included. */
#define NIC_SHELL_BYTES 0x2000u

#endif
"
    )
}

impl AxilFar {
    /// Without an access.
    pub fn new() -> Self {
        let mut block = Self { identity: Param::new(IDENTITY.into()), ..Default::default() };
        block.connect_all();
        block
    }
}

impl Logic for AxilFar {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Register accesses as the block takes them, and its events as registers.");
        dff_setup!(self, clk, request_1, request_2, answered, refused, read, is_busy, lost);
        dff_setup!(self, clk, aw_valid, w_valid, ar_valid);
        self.request_1.d.next = self.request.val();
        self.request_2.d.next = self.request_1.q.val();
        self.begins.next = (self.request_2.q.val() != self.answered.q.val()) && !self.is_busy.q.val();
        self.is_window.next = self.address.val().get_bit(12);
        comment!("The window: a word by its place.");
        self.place.next = self.address.val().get_bits::<10>(2);
        self.word.next = bits::<32>(0);
        self.is_read.next = !self.is_write.val();
        if self.place.val() == bits::<10>(0) {
            self.word.next = self.identity.val();
        } else if self.place.val() == bits::<10>(1) {
            if self.event_tvalid.val() {
                self.word.next = bits::<32>(1);
            }
        } else if self.place.val() == bits::<10>(3) {
            self.word.next = bit_cast::<32, 16>(self.lost.q.val());
        } else if self.place.val() == bits::<10>(4) {
            self.word.next = self.event_tdata.val().get_bits::<32>(0);
        } else if self.place.val() == bits::<10>(5) {
            self.word.next = self.event_tdata.val().get_bits::<32>(32);
        } else if self.place.val() == bits::<10>(6) {
            self.word.next = self.event_tdata.val().get_bits::<32>(64);
        } else if self.place.val() == bits::<10>(7) {
            self.word.next = self.event_tdata.val().get_bits::<32>(96);
        } else {
            self.is_read.next = false;
        }
        if self.place.val().get_bit(2) && !self.event_tvalid.val() {
            self.word.next = bits::<32>(0);
        }
        self.takes.next = self.begins.val()
            && self.is_window.val()
            && self.is_write.val()
            && (self.place.val() == bits::<10>(2))
            && (self.strobes.val() == bits::<4>(15))
            && self.event_tvalid.val();
        self.event_tready.next = self.takes.val();
        if self.begins.val() {
            if self.is_window.val() {
                self.answered.d.next = self.request_2.q.val();
                self.read.d.next = self.word.val();
                self.refused.d.next = !self.is_read.val() && !self.takes.val();
            } else {
                self.is_busy.d.next = true;
                self.aw_valid.d.next = self.is_write.val();
                self.w_valid.d.next = self.is_write.val();
                self.ar_valid.d.next = !self.is_write.val();
            }
        }
        comment!("The block answers in its own time.");
        if self.aw_valid.q.val() && self.m_axil_awready.val() {
            self.aw_valid.d.next = false;
        }
        if self.w_valid.q.val() && self.m_axil_wready.val() {
            self.w_valid.d.next = false;
        }
        if self.ar_valid.q.val() && self.m_axil_arready.val() {
            self.ar_valid.d.next = false;
        }
        if self.is_busy.q.val() && (self.m_axil_bvalid.val() || self.m_axil_rvalid.val()) {
            self.is_busy.d.next = false;
            self.answered.d.next = self.request_2.q.val();
            self.read.d.next = self.m_axil_rdata.val();
            self.refused.d.next = (self.is_write.val() && (self.m_axil_bresp.val() != bits::<2>(0)))
                || (!self.is_write.val() && (self.m_axil_rresp.val() != bits::<2>(0)));
        }
        self.m_axil_bready.next = self.is_busy.q.val();
        self.m_axil_rready.next = self.is_busy.q.val();
        self.m_axil_awaddr.next = self.address.val().get_bits::<12>(0);
        self.m_axil_araddr.next = self.address.val().get_bits::<12>(0);
        self.m_axil_wdata.next = self.data.val();
        self.m_axil_wstrb.next = self.strobes.val();
        self.m_axil_awvalid.next = self.aw_valid.q.val();
        self.m_axil_wvalid.next = self.w_valid.q.val();
        self.m_axil_arvalid.next = self.ar_valid.q.val();
        self.done.next = self.answered.q.val();
        self.done_refused.next = self.refused.q.val();
        self.done_data.next = self.read.q.val();
        if self.frame_lost.val() {
            self.lost.d.next = self.lost.q.val() + 1;
        }
        if self.rst.val() {
            self.lost.d.next = bits::<16>(0);
            self.answered.d.next = self.request_2.q.val();
            self.refused.d.next = true;
            self.read.d.next = bits::<32>(0);
            self.is_busy.d.next = false;
            self.aw_valid.d.next = false;
            self.w_valid.d.next = false;
            self.ar_valid.d.next = false;
        }
        if self.start.val() {
            self.request_1.d.next = false;
            self.request_2.d.next = false;
            self.answered.d.next = false;
        }
    }
}
