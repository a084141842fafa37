//! Profile `uet`: Ultra Ethernet 1.0, packet delivery sublayer, the headers of RUD and ROD.
//!
//! All big-endian. Offsets to a PSN are signed 16-bit numbers. A PDC is the profile's connection: each side numbers
//! it for itself, so a request and its ACK carry the same pair, swapped. Reserved bits are sent as 0 and not looked at.

mod ack;
mod control;
mod nack;
mod request;
mod table;

use super::{Field, Header, Packet, Profile, WireError};

pub use ack::{Ack, AckCc};
pub use control::Control;
pub use nack::Nack;
pub use request::{Credit, Request, message_id};
pub use table::{ACK, ACK_CC, ACK_CCX, CONTROL, NACK, REQUEST, REQUEST_CC};

use table::{DESTINATION_PDC, FLAGS, NEXT_HEADER, SOURCE_PDC, TYPE};

/// `type` of an unordered request.
pub const TYPE_RUD_REQUEST: u8 = 2;
/// `type` of an ordered request.
pub const TYPE_ROD_REQUEST: u8 = 3;
/// `type` of an ACK without congestion control.
pub const TYPE_ACK: u8 = 7;
/// `type` of an ACK with SACK bitmap and congestion control state.
pub const TYPE_ACK_CC: u8 = 8;
/// `type` of an ACK with SACK bitmap and other congestion control state, which is not read.
pub const TYPE_ACK_CCX: u8 = 9;
/// `type` of a NACK.
pub const TYPE_NACK: u8 = 10;
/// `type` of a control packet.
pub const TYPE_CONTROL: u8 = 11;
/// `type` of a NACK with congestion control state, which is not read.
pub const TYPE_NACK_CCX: u8 = 12;
/// `type` of an unordered request with the state of credits.
pub const TYPE_RUD_CC_REQUEST: u8 = 13;
/// `type` of an ordered request with the state of credits.
pub const TYPE_ROD_CC_REQUEST: u8 = 14;
/// `flags` of an ACK or NACK: ECN echo.
pub const FLAG_ECN_ECHO: u8 = 0x20;
/// `flags` of a control packet: the connection is one of ROD.
pub const FLAG_ORDERED: u8 = 0x20;
/// `flags`: of a request or control packet, it is a retransmission; of an ACK or NACK, it answers one.
pub const FLAG_RETRANSMIT: u8 = 0x10;
/// `flags` of an ACK: it answers a probe.
pub const FLAG_PROBE: u8 = 0x08;
/// `flags` of a request or control packet: the receiver's PDC is not known yet, and `destination_pdc` is something
/// else.
pub const FLAG_SYN: u8 = 0x04;
/// `flags` of a request or control packet: an ACK is asked for.
pub const FLAG_ACK_REQUEST: u8 = 0x08;
/// `flags` of a NACK: it refuses a packet of RUDI, which has no PSN.
pub const FLAG_RUDI: u8 = 0x08;
/// Lowest bit of what an ACK asks for in `flags`.
const REQUEST_AT: u8 = 1;
/// `nack_code`: the packet was trimmed, but not at the last hop.
pub const NACK_TRIMMED: u8 = 1;
/// `next_header` of a request with the standard header of the semantic sublayer.
pub const NEXT_STANDARD_REQUEST: u8 = 3;
/// `ctl` of a probe.
pub const CTL_PROBE: u8 = 6;
/// `ctl` of the control packets in which SYN contradicts what they are for.
pub const CTL_WITHOUT_SYN: std::ops::RangeInclusive<u8> = 1..=8;
/// Bits of `rcvd_bytes`.
pub const COUNT_BITS: u32 = 24;
/// `ooo_count` of a receiver that does not count.
pub const NO_OOO_COUNT: u16 = 0xffff;
/// `cc_type` whose state is the NSCC layout of the table.
pub const CC_NSCC: u8 = 0;

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

/// First PSN of a connection by one of its packets with SYN, whose last halfword counts the PSNs before it.
const fn start_psn(psn: u32, pdc_info_and_offset: u16) -> u32 {
    psn.wrapping_sub((pdc_info_and_offset & 0xfff) as u32)
}

/// What every header has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// 5 bits.
    pub kind: u8,
    /// 4 bits; `ctl` of a control packet.
    pub next_header: u8,
    /// 7 bits.
    pub flags: u8,
    /// Bytes 2 and 3.
    pub offset: u16,
    pub source_pdc: u16,
    pub destination_pdc: u16,
}

impl Common {
    /// Of a header that has 12 bytes or more.
    pub fn of(payload: &[u8]) -> Common {
        Common {
            kind: TYPE.get(payload) as u8,
            next_header: NEXT_HEADER.get(payload) as u8,
            flags: FLAGS.get(payload) as u8,
            offset: u16::from_be_bytes([payload[2], payload[3]]),
            source_pdc: SOURCE_PDC.get(payload) as u16,
            destination_pdc: DESTINATION_PDC.get(payload) as u16,
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The header of packets of a type; `None` of those that are none of the profile.
pub const fn header(kind: u8) -> Option<Header> {
    Some(match kind {
        TYPE_RUD_REQUEST | TYPE_ROD_REQUEST => REQUEST,
        TYPE_RUD_CC_REQUEST | TYPE_ROD_CC_REQUEST => REQUEST_CC,
        TYPE_ACK => ACK,
        TYPE_ACK_CC => ACK_CC,
        TYPE_ACK_CCX => ACK_CCX,
        TYPE_NACK | TYPE_NACK_CCX => NACK,
        TYPE_CONTROL => CONTROL,
        _ => return None,
    })
}

/// Reads the header at the start of a UDP payload.
///
/// # Errors
/// On a type that the table does not have, and on a payload shorter than its header (an empty one counts as a
/// request).
pub fn parse(payload: &[u8]) -> Result<Packet, WireError> {
    let kind = payload.first().map_or(TYPE_RUD_REQUEST, |_| TYPE.get(payload) as u8);
    let header = header(kind).ok_or(WireError::UnknownKind {
        profile: "uet",
        found: kind,
        allowed: "2, 3, 13 and 14 (request), 7 (ack), 8 (ack_cc), 9 (ack_ccx), 10 and 12 (nack) and 11 (control)",
    })?;
    header.check(Profile::Uet, payload)?;
    let common = Common::of(payload);
    Ok(match kind {
        TYPE_ACK | TYPE_ACK_CC | TYPE_ACK_CCX => Packet::UetAck(Ack::read(&common, payload)),
        TYPE_NACK | TYPE_NACK_CCX => Packet::UetNack(Nack::read(&common, payload)),
        TYPE_CONTROL => Packet::UetControl(Control::read(&common, payload)),
        _ => Packet::UetRequest(Request::read(&common, payload)),
    })
}
