//! Profile `uet`: Ultra Ethernet 1.0, packet delivery sublayer, the headers of RUD and ROD.
//!
//! All big-endian. Offsets to a PSN are signed 16-bit numbers. A PDC is the profile's connection: each side numbers
//! it for itself, so a request and its ACK carry the same pair, swapped.

use super::{Field, Header, Packet, Profile, WireError};

/// `type` of an unordered request.
pub const TYPE_RUD_REQUEST: u8 = 2;
/// `type` of an ordered request.
pub const TYPE_ROD_REQUEST: u8 = 3;
/// `type` of an ACK without congestion control.
pub const TYPE_ACK: u8 = 7;
/// `type` of an ACK with SACK bitmap and congestion control state.
pub const TYPE_ACK_CC: u8 = 8;
/// `type` of a NACK.
pub const TYPE_NACK: u8 = 10;
/// `flags` of an ACK or NACK: ECN echo.
pub const FLAG_ECN_ECHO: u8 = 0x20;
/// `flags`: of a request, it is a retransmission; of an ACK, it answers one.
pub const FLAG_RETRANSMIT: u8 = 0x10;
/// `flags` of an ACK: it answers a probe.
pub const FLAG_PROBE: u8 = 0x08;
/// `flags` of a request: the receiver's PDC is not known yet, and `destination_pdc` is something else.
pub const FLAG_SYN: u8 = 0x04;
/// `flags` of a request: an ACK is asked for.
pub const FLAG_ACK_REQUEST: u8 = 0x08;
/// Bits of `rcvd_bytes`.
pub const COUNT_BITS: u32 = 24;
/// `cc_type` whose state is the NSCC layout below.
pub const CC_NSCC: u8 = 0;

// Prologue
const TYPE: Field = Field::new("type", 0, 5);
const NEXT_HEADER: Field = Field::new("next_header", 5, 4);
const FLAGS: Field = Field::new("flags", 9, 7);
// Request
const CLEAR_PSN_OFFSET: Field = Field::new("clear_psn_offset", 16, 16);
const PSN: Field = Field::new("psn", 32, 32);
// ACK
const ACK_PSN_OFFSET: Field = Field::new("ack_psn_offset", 16, 16);
const CACK_PSN: Field = Field::new("cack_psn", 32, 32);
// NACK
const NACK_CODE: Field = Field::new("nack_code", 16, 8);
const VENDOR_CODE: Field = Field::new("vendor_code", 24, 8);
const NACK_PSN: Field = Field::new("nack_psn", 32, 32);
const NACK_PAYLOAD: Field = Field::new("nack_payload", 96, 32);
// All of them
const SOURCE_PDC: Field = Field::new("source_pdc", 64, 16);
const DESTINATION_PDC: Field = Field::new("destination_pdc", 80, 16);
// ACK_CC, with NSCC state
const CC_TYPE: Field = Field::new("cc_type", 96, 4);
const CC_FLAGS: Field = Field::new("cc_flags", 100, 4);
const MPR: Field = Field::new("mpr", 104, 8);
const SACK_PSN_OFFSET: Field = Field::new("sack_psn_offset", 112, 16);
const SACK_BITMAP: Field = Field::new("sack_bitmap", 128, 64);
const SERVICE_TIME: Field = Field::new("service_time", 192, 16);
const RESTORE_CWND: Field = Field::new("restore_cwnd", 208, 1);
const RCV_CWND_PEND: Field = Field::new("rcv_cwnd_pend", 209, 7);
const RCVD_BYTES: Field = Field::new("rcvd_bytes", 216, COUNT_BITS as usize);
const OOO_COUNT: Field = Field::new("ooo_count", 240, 16);

/// RUD or ROD request, 12 bytes.
pub const REQUEST: Header = Header {
    name: "request",
    fields: &[TYPE, NEXT_HEADER, FLAGS, CLEAR_PSN_OFFSET, PSN, SOURCE_PDC, DESTINATION_PDC],
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

/// NACK, 16 bytes.
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

/// A request's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// ROD if set, RUD otherwise.
    pub ordered: bool,
    /// 4 bits.
    pub next_header: u8,
    pub retransmit: bool,
    pub ack_request: bool,
    /// Clear PSN minus PSN.
    pub clear_psn_offset: i16,
    pub psn: u32,
    pub source_pdc: u16,
    pub destination_pdc: u16,
}

impl Request {
    /// The header's 12 bytes.
    pub fn to_bytes(&self) -> [u8; REQUEST.bytes()] {
        let mut bytes = [0; REQUEST.bytes()];
        let kind = if self.ordered { TYPE_ROD_REQUEST } else { TYPE_RUD_REQUEST };
        let flags = flag(self.retransmit, FLAG_RETRANSMIT) | flag(self.ack_request, FLAG_ACK_REQUEST);
        put_common(&mut bytes, kind, self.next_header, flags, [self.source_pdc, self.destination_pdc]);
        CLEAR_PSN_OFFSET.put(&mut bytes, self.clear_psn_offset as u64);
        PSN.put(&mut bytes, self.psn.into());
        bytes
    }
}

/// Header of an ACK, or of an ACK_CC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// 4 bits.
    pub next_header: u8,
    pub ecn_echo: bool,
    pub retransmit: bool,
    pub probe: bool,
    /// PSN of the packet that triggered the ACK, minus `cack_psn`.
    pub ack_psn_offset: i16,
    /// Highest PSN up to which everything was received.
    pub cack_psn: u32,
    pub source_pdc: u16,
    pub destination_pdc: u16,
    /// What an ACK_CC adds.
    pub cc: Option<AckCc>,
}

/// What an ACK_CC adds to an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckCc {
    /// 4 bits; the last five fields are those of [`CC_NSCC`].
    pub cc_type: u8,
    /// 4 bits.
    pub cc_flags: u8,
    /// Maximum PSN range.
    pub mpr: u8,
    /// PSN of the bitmap's bit 0, minus `cack_psn`.
    pub sack_psn_offset: i16,
    /// Bit `i` (weight 2^i): PSN `sack_psn + i` was received.
    pub sack_bitmap: u64,
    pub service_time: u16,
    pub restore_cwnd: bool,
    /// 7 bits.
    pub rcv_cwnd_pend: u8,
    /// 24 bits.
    pub rcvd_bytes: u32,
    pub ooo_count: u16,
}

impl Ack {
    /// PSN of the packet that triggered the ACK.
    pub const fn ack_psn(&self) -> u32 {
        self.cack_psn.wrapping_add(self.ack_psn_offset as u32)
    }

    /// PSN of bit 0 of the SACK bitmap, if there is one.
    pub fn sack_psn(&self) -> Option<u32> {
        self.cc.map(|cc| self.cack_psn.wrapping_add(cc.sack_psn_offset as u32))
    }

    /// The header's 12 or 32 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = if self.cc.is_some() { ACK_CC } else { ACK };
        let mut bytes = vec![0; header.bytes()];
        let kind = if self.cc.is_some() { TYPE_ACK_CC } else { TYPE_ACK };
        let flags = flag(self.ecn_echo, FLAG_ECN_ECHO)
            | flag(self.retransmit, FLAG_RETRANSMIT)
            | flag(self.probe, FLAG_PROBE);
        put_common(&mut bytes, kind, self.next_header, flags, [self.source_pdc, self.destination_pdc]);
        ACK_PSN_OFFSET.put(&mut bytes, self.ack_psn_offset as u64);
        CACK_PSN.put(&mut bytes, self.cack_psn.into());
        if let Some(cc) = &self.cc {
            CC_TYPE.put(&mut bytes, cc.cc_type.into());
            CC_FLAGS.put(&mut bytes, cc.cc_flags.into());
            MPR.put(&mut bytes, cc.mpr.into());
            SACK_PSN_OFFSET.put(&mut bytes, cc.sack_psn_offset as u64);
            SACK_BITMAP.put(&mut bytes, cc.sack_bitmap);
            SERVICE_TIME.put(&mut bytes, cc.service_time.into());
            RESTORE_CWND.put(&mut bytes, cc.restore_cwnd.into());
            RCV_CWND_PEND.put(&mut bytes, cc.rcv_cwnd_pend.into());
            RCVD_BYTES.put(&mut bytes, cc.rcvd_bytes.into());
            OOO_COUNT.put(&mut bytes, cc.ooo_count.into());
        }
        bytes
    }
}

/// A NACK's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nack {
    /// 4 bits.
    pub next_header: u8,
    pub ecn_echo: bool,
    pub retransmit: bool,
    pub nack_code: u8,
    pub vendor_code: u8,
    /// PSN that is refused.
    pub psn: u32,
    pub source_pdc: u16,
    pub destination_pdc: u16,
    pub payload: u32,
}

impl Nack {
    /// The header's 16 bytes.
    pub fn to_bytes(&self) -> [u8; NACK.bytes()] {
        let mut bytes = [0; NACK.bytes()];
        let flags = flag(self.ecn_echo, FLAG_ECN_ECHO) | flag(self.retransmit, FLAG_RETRANSMIT);
        put_common(&mut bytes, TYPE_NACK, self.next_header, flags, [self.source_pdc, self.destination_pdc]);
        NACK_CODE.put(&mut bytes, self.nack_code.into());
        VENDOR_CODE.put(&mut bytes, self.vendor_code.into());
        NACK_PSN.put(&mut bytes, self.psn.into());
        NACK_PAYLOAD.put(&mut bytes, self.payload.into());
        bytes
    }
}

fn flag(set: bool, bit: u8) -> u8 {
    if set { bit } else { 0 }
}

fn put_common(bytes: &mut [u8], kind: u8, next_header: u8, flags: u8, pdcs: [u16; 2]) {
    TYPE.put(bytes, kind.into());
    NEXT_HEADER.put(bytes, next_header.into());
    FLAGS.put(bytes, flags.into());
    SOURCE_PDC.put(bytes, pdcs[0].into());
    DESTINATION_PDC.put(bytes, pdcs[1].into());
}

/// Reads the header at the start of a UDP payload.
///
/// # Errors
/// On a type other than RUD and ROD requests, ACK, ACK_CC and NACK, and on a payload shorter than its header (an
/// empty one counts as a request).
pub fn parse(payload: &[u8]) -> Result<Packet, WireError> {
    let kind = payload.first().map_or(TYPE_RUD_REQUEST, |_| TYPE.get(payload) as u8);
    let header = match kind {
        TYPE_RUD_REQUEST | TYPE_ROD_REQUEST => REQUEST,
        TYPE_ACK => ACK,
        TYPE_ACK_CC => ACK_CC,
        TYPE_NACK => NACK,
        found => {
            let allowed = "2 and 3 (request), 7 (ack), 8 (ack_cc) and 10 (nack)";
            return Err(WireError::UnknownKind { profile: "uet", found, allowed });
        }
    };
    header.check(Profile::Uet, payload)?;
    let get = |field: Field| field.get(payload);
    let flags = get(FLAGS) as u8;
    let next_header = get(NEXT_HEADER) as u8;
    let (source_pdc, destination_pdc) = (get(SOURCE_PDC) as u16, get(DESTINATION_PDC) as u16);
    let ecn_echo = flags & FLAG_ECN_ECHO != 0;
    let retransmit = flags & FLAG_RETRANSMIT != 0;
    Ok(match kind {
        TYPE_RUD_REQUEST | TYPE_ROD_REQUEST => Packet::UetRequest(Request {
            ordered: kind == TYPE_ROD_REQUEST,
            next_header,
            retransmit,
            ack_request: flags & FLAG_ACK_REQUEST != 0,
            clear_psn_offset: get(CLEAR_PSN_OFFSET) as i16,
            psn: get(PSN) as u32,
            source_pdc,
            destination_pdc,
        }),
        TYPE_NACK => Packet::UetNack(Nack {
            next_header,
            ecn_echo,
            retransmit,
            nack_code: get(NACK_CODE) as u8,
            vendor_code: get(VENDOR_CODE) as u8,
            psn: get(NACK_PSN) as u32,
            source_pdc,
            destination_pdc,
            payload: get(NACK_PAYLOAD) as u32,
        }),
        _ => Packet::UetAck(Ack {
            next_header,
            ecn_echo,
            retransmit,
            probe: flags & FLAG_PROBE != 0,
            ack_psn_offset: get(ACK_PSN_OFFSET) as i16,
            cack_psn: get(CACK_PSN) as u32,
            source_pdc,
            destination_pdc,
            cc: (kind == TYPE_ACK_CC).then(|| AckCc {
                cc_type: get(CC_TYPE) as u8,
                cc_flags: get(CC_FLAGS) as u8,
                mpr: get(MPR) as u8,
                sack_psn_offset: get(SACK_PSN_OFFSET) as i16,
                sack_bitmap: get(SACK_BITMAP),
                service_time: get(SERVICE_TIME) as u16,
                restore_cwnd: get(RESTORE_CWND) == 1,
                rcv_cwnd_pend: get(RCV_CWND_PEND) as u8,
                rcvd_bytes: get(RCVD_BYTES) as u32,
                ooo_count: get(OOO_COUNT) as u16,
            }),
        }),
    })
}
