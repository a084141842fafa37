//! `shell_axil_far`: the registers' end of the block, on the clock of its streams, with the events among the registers.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Bit of the first word of a record that says that a record waits. In the record itself it is reserved, and 0.
pub const VALID: usize = 7;

/// What the register `shell_identity` reads: the letters RSPS.
pub const IDENTITY: u64 = 0x5253_5053;

/// Executes the accesses of [`AxilNear`](super::AxilNear): below 0x1000 in the block, from there on in the window of events.
///
/// | address | register | access |
/// | --- | --- | --- |
/// | 0x1000 | `shell_identity` | read |
/// | 0x100c | `frames_lost`: frames of the host that left the block and went no further; 16 bits, which wrap | read |
/// | 0x1010 to 0x101c | the four words of the record that waits, the lowest first; 0 where none waits | read |
///
/// Bit [`VALID`] of the first word is set where a record waits. The read of the last word takes the record.
///
/// A write in the window is refused, and so is a read of any other address in it. An access that comes in a reset, or is not yet
/// answered then, is refused as well.
#[block]
pub struct AxilFar {
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

    request_1: Reg<bool>,
    request_2: Reg<bool>,
    answered: Reg<bool>,
    refused: Reg<bool>,
    read: Reg<Bits<32>>,
    is_busy: Reg<bool>,
    lost: Reg<Bits<16>>,
    aw_valid: Reg<bool>,
    w_valid: Reg<bool>,
    ar_valid: Reg<bool>,
    identity: Param<Bits<32>>,
}

/// The window as a C header.
pub fn header() -> String {
    let valid = 1 << VALID;
    format!(
        "/* What the wrappers of the block nic for shells add to its registers. Made by respray. */
#ifndef NIC_SHELL_H
#define NIC_SHELL_H

/* Reads the letters RSPS. */
#define NIC_SHELL_IDENTITY 0x1000u
#define NIC_SHELL_IDENTITY_RESET 0x{IDENTITY:x}u
/* Frames of the host that left the block and went no further: 16 bits, which wrap. */
#define NIC_SHELL_FRAMES_LOST 0x100cu
/* The four words of the record of an event that waits, the lowest first. All read 0 where none waits. */
#define NIC_SHELL_EVENT_WORD 0x1010u
/* Set in the first word where a record waits. */
#define NIC_SHELL_EVENT_VALID 0x{valid:x}u
/* The read of this word takes the record. */
#define NIC_SHELL_EVENT_WORD_LAST 0x101cu
/* Bytes of all registers, those of the block included. */
#define NIC_SHELL_BYTES 0x2000u

#endif
"
    )
}

#[block]
impl AxilFar {
    /// Without an access.
    pub fn new() -> Self {
        let mut block = Self { identity: Param::new(IDENTITY.into()), ..Default::default() };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Register accesses as the block takes them, and its events as registers.");
        self.request_1 = self.request;
        self.request_2 = self.request_1;
        let begins = (self.request_2 != self.answered) && !self.is_busy;
        let is_window = self.address.get_bit(12);
        comment!("The window: a word by its place.");
        let place = self.address.get_bits::<10>(2);
        let mut word: Bits<32> = 0;
        let mut is_read = !self.is_write;
        if place == 0 {
            word = self.identity;
        } else if place == 3 {
            word = resize(self.lost);
        } else if place == 4 {
            comment!("A record waits: the bit says so, which is reserved in the record.");
            word = self.event_tdata.get_bits::<32>(0).replace_bit(7, true);
        } else if place == 5 {
            word = self.event_tdata.get_bits::<32>(32);
        } else if place == 6 {
            word = self.event_tdata.get_bits::<32>(64);
        } else if place == 7 {
            word = self.event_tdata.get_bits::<32>(96);
        } else {
            is_read = false;
        }
        if place.get_bit(2) && !self.event_tvalid {
            word = 0;
        }
        comment!("The read of the last word takes the record.");
        self.event_tready = begins && is_window && !self.is_write && (place == 7);
        if begins {
            if is_window {
                self.answered = self.request_2;
                self.read = word;
                self.refused = !is_read;
            } else {
                self.is_busy = true;
                self.aw_valid = self.is_write;
                self.w_valid = self.is_write;
                self.ar_valid = !self.is_write;
            }
        }
        comment!("The block answers in its own time.");
        if self.aw_valid && self.m_axil_awready {
            self.aw_valid = false;
        }
        if self.w_valid && self.m_axil_wready {
            self.w_valid = false;
        }
        if self.ar_valid && self.m_axil_arready {
            self.ar_valid = false;
        }
        if self.is_busy && (self.m_axil_bvalid || self.m_axil_rvalid) {
            self.is_busy = false;
            self.answered = self.request_2;
            self.read = self.m_axil_rdata;
            self.refused =
                (self.is_write && (self.m_axil_bresp != 0)) || (!self.is_write && (self.m_axil_rresp != 0));
        }
        self.m_axil_bready = self.is_busy;
        self.m_axil_rready = self.is_busy;
        self.m_axil_awaddr = self.address.get_bits::<12>(0);
        self.m_axil_araddr = self.address.get_bits::<12>(0);
        self.m_axil_wdata = self.data;
        self.m_axil_wstrb = self.strobes;
        self.m_axil_awvalid = self.aw_valid;
        self.m_axil_wvalid = self.w_valid;
        self.m_axil_arvalid = self.ar_valid;
        self.done = self.answered;
        self.done_refused = self.refused;
        self.done_data = self.read;
        if self.frame_lost {
            self.lost = self.lost + 1;
        }
        if self.rst {
            self.lost = 0;
            self.answered = self.request_2;
            self.refused = true;
            self.read = 0;
            self.is_busy = false;
            self.aw_valid = false;
            self.w_valid = false;
            self.ar_valid = false;
        }
        if self.start {
            self.request_1 = false;
            self.request_2 = false;
            self.answered = false;
        }
    }
}
