//! The table of `uet`: every field of every header that is read.

use super::super::{Field, Header};
use super::COUNT_BITS;

// Prologue
pub(super) const TYPE: Field = Field::new("type", 0, 5);
pub(super) const NEXT_HEADER: Field = Field::new("next_header", 5, 4);
pub(super) const FLAGS: Field = Field::new("flags", 9, 7);
// Request
pub(super) const CLEAR_PSN_OFFSET: Field = Field::new("clear_psn_offset", 16, 16);
pub(super) const PSN: Field = Field::new("psn", 32, 32);
pub(super) const CCC_ID: Field = Field::new("ccc_id", 96, 8);
pub(super) const CREDIT_TARGET: Field = Field::new("credit_target", 104, 24);
// ACK
pub(super) const ACK_PSN_OFFSET: Field = Field::new("ack_psn_offset", 16, 16);
pub(super) const CACK_PSN: Field = Field::new("cack_psn", 32, 32);
// NACK
pub(super) const NACK_CODE: Field = Field::new("nack_code", 16, 8);
pub(super) const VENDOR_CODE: Field = Field::new("vendor_code", 24, 8);
pub(super) const NACK_PSN: Field = Field::new("nack_psn", 32, 32);
pub(super) const NACK_PAYLOAD: Field = Field::new("nack_payload", 96, 32);
// Control packet
pub(super) const CTL: Field = Field::new("ctl", 5, 4);
pub(super) const PROBE_OPAQUE: Field = Field::new("probe_opaque", 16, 16);
/// Behind the header of a control packet, where it is that long.
pub(super) const CONTROL_PAYLOAD: Field = Field::new("payload", 96, 32);
// All of them
pub(super) const SOURCE_PDC: Field = Field::new("source_pdc", 64, 16);
pub(super) const DESTINATION_PDC: Field = Field::new("destination_pdc", 80, 16);
// ACK_CC and ACK_CCX
pub(super) const CC_TYPE: Field = Field::new("cc_type", 96, 4);
pub(super) const CC_FLAGS: Field = Field::new("cc_flags", 100, 4);
pub(super) const MPR: Field = Field::new("mpr", 104, 8);
pub(super) const SACK_PSN_OFFSET: Field = Field::new("sack_psn_offset", 112, 16);
pub(super) const SACK_BITMAP: Field = Field::new("sack_bitmap", 128, 64);
// ACK_CC, the state of NSCC
pub(super) const SERVICE_TIME: Field = Field::new("service_time", 192, 16);
pub(super) const RESTORE_CWND: Field = Field::new("restore_cwnd", 208, 1);
pub(super) const RCV_CWND_PEND: Field = Field::new("rcv_cwnd_pend", 209, 7);
pub(super) const RCVD_BYTES: Field = Field::new("rcvd_bytes", 216, COUNT_BITS as usize);
pub(super) const OOO_COUNT: Field = Field::new("ooo_count", 240, 16);
// Behind a request: the standard request of the semantic sublayer
pub(super) const MESSAGE_ID: Field = Field::new("message_id", 16, 16);

/// RUD or ROD request, 12 bytes.
pub const REQUEST: Header = Header {
    name: "request",
    fields: &[TYPE, NEXT_HEADER, FLAGS, CLEAR_PSN_OFFSET, PSN, SOURCE_PDC, DESTINATION_PDC],
};

/// RUD or ROD request with the state of credits, 16 bytes.
pub const REQUEST_CC: Header = Header {
    name: "request_cc",
    fields: &[
        TYPE,
        NEXT_HEADER,
        FLAGS,
        CLEAR_PSN_OFFSET,
        PSN,
        SOURCE_PDC,
        DESTINATION_PDC,
        CCC_ID,
        CREDIT_TARGET,
    ],
};

/// ACK, 12 bytes.
pub const ACK: Header = Header {
    name: "ack",
    fields: &[TYPE, NEXT_HEADER, FLAGS, ACK_PSN_OFFSET, CACK_PSN, SOURCE_PDC, DESTINATION_PDC],
};

/// ACK_CC, 32 bytes.
pub const ACK_CC: Header = Header {
    name: "ack_cc",
    fields: &[
        TYPE,
        NEXT_HEADER,
        FLAGS,
        ACK_PSN_OFFSET,
        CACK_PSN,
        SOURCE_PDC,
        DESTINATION_PDC,
        CC_TYPE,
        CC_FLAGS,
        MPR,
        SACK_PSN_OFFSET,
        SACK_BITMAP,
        SERVICE_TIME,
        RESTORE_CWND,
        RCV_CWND_PEND,
        RCVD_BYTES,
        OOO_COUNT,
    ],
};

/// ACK_CCX as far as it is read, 24 bytes: congestion state of an unknown length follows.
pub const ACK_CCX: Header = Header {
    name: "ack_ccx",
    fields: &[
        TYPE,
        NEXT_HEADER,
        FLAGS,
        ACK_PSN_OFFSET,
        CACK_PSN,
        SOURCE_PDC,
        DESTINATION_PDC,
        CC_TYPE,
        CC_FLAGS,
        MPR,
        SACK_PSN_OFFSET,
        SACK_BITMAP,
    ],
};

/// NACK, 16 bytes; also a NACK_CCX as far as it is read.
pub const NACK: Header = Header {
    name: "nack",
    fields: &[
        TYPE,
        NEXT_HEADER,
        FLAGS,
        NACK_CODE,
        VENDOR_CODE,
        NACK_PSN,
        SOURCE_PDC,
        DESTINATION_PDC,
        NACK_PAYLOAD,
    ],
};

/// Control packet without its payload, 12 bytes: some stop here.
pub const CONTROL: Header =
    Header { name: "control", fields: &[TYPE, CTL, FLAGS, PROBE_OPAQUE, PSN, SOURCE_PDC, DESTINATION_PDC] };
