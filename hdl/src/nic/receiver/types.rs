//! Frames of Ultra Ethernet by their types: who each is for, and which op of `sack_rx` it is.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::words::{TypedMeta, TypedOp, TypedTrigger};
use crate::comment;

/// Who a frame is for. Combinational.
///
/// | frame | for |
/// |---|---|
/// | ACK, NACK | the scoreboard, and perhaps the host |
/// | control packets 0, 1 and 6, trimmed requests | `sack_rx` alone |
/// | requests, control packets 4, 5 and 9 | `sack_rx` and the host |
/// | these with SYN, and control packet 0 with it | the host, who is to open a connection |
/// | other trimmed packets | nobody |
/// | all else | the host |
#[block]
pub struct Types {
    /// The ports `meta_kind` and others of `rewrite_rx`.
    pub kind: Signal<In, Bits<2>>,
    pub typed: Signal<In, TypedMeta>,
    /// Behind its header.
    pub bytes: Signal<In, Bits<16>>,
    pub is_ack: Signal<Out, bool>,
    pub is_op_alone: Signal<Out, bool>,
    pub is_data: Signal<Out, bool>,
    pub is_unbound: Signal<Out, bool>,
    /// The host gets it without a status; unbound ones are among these.
    pub is_other: Signal<Out, bool>,
    pub is_trimmed_other: Signal<Out, bool>,
    /// An ACK asks the host for something, or has a response that is not the default one by its type; it has one whose opcode says that.
    pub is_ack_with_more: Signal<Out, bool>,
    pub is_ack_by_opcode: Signal<Out, bool>,
}

#[block]
impl Types {
    fn update(&mut self) {
        comment!("module types: who a frame is for");
        let number = self.typed.kind;
        let ctl = self.typed.next_header;
        let has_syn = self.typed.flags.get_bit(2);
        let is_request_number = (number == 2) | (number == 3) | (number == 13) | (number == 14);
        let is_request = self.kind == 0;
        let is_nack = (self.kind == 3) & (self.typed.other == 1);
        let is_control = (self.kind == 3) & (self.typed.other == 2);
        let is_trimmed = (self.kind == 3) & (self.typed.other == 3);
        let is_alone = (ctl == 0) | (ctl == 1) | (ctl == 6);
        let is_close = (ctl == 4) | (ctl == 5) | (ctl == 9);
        let for_scoreboard = (self.kind == 1) | is_nack;
        let for_receiver = (is_control & !has_syn & is_alone) | (is_trimmed & is_request_number);
        let for_both = !has_syn & (is_request | (is_control & is_close));
        self.is_ack = for_scoreboard;
        self.is_op_alone = for_receiver;
        self.is_data = for_both;
        self.is_unbound = has_syn & (is_request | (is_control & ((ctl == 0) | (ctl == 9))));
        self.is_other = !for_scoreboard & !for_receiver & !for_both & !is_trimmed;
        self.is_trimmed_other = is_trimmed & !is_request_number;
        comment!(
            "Bits of an ACK's flags: a PSN is expected; clear or close. Responses: 4 without data, 5 with, 6 small."
        );
        let asks = self.typed.flags.get_bit(6) | self.typed.flags.get_bits::<2>(1).any();
        self.is_ack_with_more = (self.kind == 1) & (asks | (ctl == 5) | (ctl == 6));
        comment!("An ACK_CCX has 16 bytes of state before it.");
        let mut has_opcode = self.bytes.any();
        if number == 9 {
            has_opcode = self.bytes > 16;
        }
        self.is_ack_by_opcode = (self.kind == 1) & (ctl == 4) & has_opcode;
    }
}

/// Which op a packet is, and what its answer needs of it. Combinational.
#[block]
pub struct Entry {
    pub kind: Signal<In, Bits<2>>,
    pub typed: Signal<In, TypedMeta>,
    pub psn: Signal<In, Bits<32>>,
    pub bytes: Signal<In, Bits<16>>,
    pub retransmit: Signal<In, bool>,
    /// There is no such connection.
    pub is_beyond: Signal<In, bool>,

    pub op_psn: Signal<Out, Bits<32>>,
    pub op_bytes: Signal<Out, Bits<16>>,
    pub op: Signal<Out, TypedOp>,
    pub trigger: Signal<Out, TypedTrigger>,
    /// `sack_rx` is not asked. Of what was trimmed it is, whoever it is for.
    pub is_foreign: Signal<Out, bool>,
    /// Nothing is known of its peer; it has a kind of delivery, and which.
    pub is_exempt: Signal<Out, bool>,
    pub has_order: Signal<Out, bool>,
    pub is_ordered: Signal<Out, bool>,
}

#[block]
impl Entry {
    fn update(&mut self) {
        comment!("module entry: which op a packet is");
        let number = self.typed.kind;
        let ctl = self.typed.next_header;
        let is_request = self.kind == 0;
        let is_control = (self.kind == 3) & (self.typed.other == 2);
        let is_trimmed = (self.kind == 3) & (self.typed.other == 3);
        let has_syn = self.typed.flags.get_bit(2);
        let is_probe = is_control & (ctl == 6);
        let is_ask = is_control & (ctl == 1);
        let has_credit = (number == 13) | (number == 14);
        self.op_psn = self.psn;
        if is_probe {
            self.op_psn = self.typed.payload;
        }
        comment!("What follows the first 12 bytes of its header.");
        self.op_bytes = self.bytes;
        if has_credit {
            self.op_bytes = self.bytes + 4;
        }
        self.op.kind = 0;
        self.op.echo = self.typed.message;
        if is_probe {
            self.op.kind = 3;
            self.op.echo = self.typed.detail;
        }
        if is_ask {
            self.op.kind = 4;
            self.op.echo = bit_cast::<16, 32>(self.typed.payload);
        }
        if is_trimmed {
            self.op.kind = 6;
        }
        self.op.control = is_control;
        self.op.retransmit = self.retransmit;
        self.op.host = is_control & (ctl != 0);
        self.op.last_hop = self.typed.last_hop;
        self.trigger.is_control = is_control;
        self.trigger.is_trimmed = is_trimmed;
        self.trigger.is_beyond = self.is_beyond;
        self.trigger.is_mute = is_trimmed & (has_syn | self.is_beyond);
        self.trigger.says = 0;
        if is_control & !is_ask {
            self.trigger.says = 1;
        }
        if is_probe {
            self.trigger.says = 3;
        }
        self.is_foreign = self.is_beyond & !is_trimmed;
        self.is_exempt = self.is_beyond | (is_trimmed & has_syn);
        self.has_order = is_request | (is_control & ((ctl == 0) | (ctl == 9)));
        self.is_ordered =
            (is_request & ((number == 3) | (number == 14))) | (is_control & self.typed.flags.get_bit(5));
    }
}
