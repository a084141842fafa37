//! Profile `strack`: RoCEv2's base transport header, then 004's fields.
//!
//! Opcodes are ours, from the range that InfiniBand leaves to manufacturers (0xC0..=0xFF), so that no RoCE decoder
//! takes these packets for its own. The destination QP is the connection in both directions. The fields of the ACK
//! are those of 004 Figure 7, with two readings settled here:
//! - The out-of-order count is split as the figure draws it: bits 7:0 first, then bits 11:8.
//! - The SACK bitmap is one 64-bit big-endian number, bit `i` (weight 2^i) standing for PSN `sack_base + i`.
//!
//! The echoed ECN mark is the top one of the figure's four reserved bits, and the next one below says that the SACK
//! answers a probe (004 section 3.3.2: "a dedicated bit", which the figure does not show).

use super::{Field, Header, Packet, Profile, WireError};

/// Data packets and probes.
pub const OPCODE_DATA: u8 = 0xc0;
/// SACKs.
pub const OPCODE_ACK: u8 = 0xc1;
/// Bit of `flags` in a data packet: a probe, 004 section 3.3.2.
pub const FLAG_PROBE: u8 = 0x80;
/// Default partition, as RoCEv2 senders set it.
pub const PKEY: u16 = 0xffff;
/// PSNs are modulo 2^24.
pub const PSN_BITS: u32 = 24;

// Base transport header, 12 bytes
const OPCODE: Field = Field::new("opcode", 0, 8);
const SOLICITED: Field = Field::new("solicited", 8, 1);
const MIGRATION: Field = Field::new("migration", 9, 1);
const PAD_COUNT: Field = Field::new("pad_count", 10, 2);
const VERSION: Field = Field::new("version", 12, 4);
const PARTITION: Field = Field::new("partition", 16, 16);
const RESERVED_BTH: Field = Field::new("reserved_bth", 32, 8);
const DEST_QP: Field = Field::new("dest_qp", 40, 24);
const ACK_REQUEST: Field = Field::new("ack_request", 64, 1);
const RESERVED_ACK_REQUEST: Field = Field::new("reserved_ack_request", 65, 7);
const PSN: Field = Field::new("psn", 72, 24);
// Data
const TIMESTAMP: Field = Field::new("timestamp", 96, 16);
const FLAGS: Field = Field::new("flags", 112, 8);
const HOPS: Field = Field::new("hops", 120, 8);
// ACK, 004 Figure 7
const ECHO_ENTROPY: Field = Field::new("echo_entropy", 96, 16);
const ECHO_TIMESTAMP: Field = Field::new("echo_timestamp", 112, 16);
const RECV_BYTES: Field = Field::new("recv_bytes", 128, 32);
const EXPECTED_PSN: Field = Field::new("expected_psn", 160, 24);
const OOO_LOW: Field = Field::new("ooo_low", 184, 8);
const OOO_HIGH: Field = Field::new("ooo_high", 192, 4);
const ECN_ECHO: Field = Field::new("ecn_echo", 196, 1);
const PROBE_ECHO: Field = Field::new("probe_echo", 197, 1);
const RESERVED_ACK: Field = Field::new("reserved_ack", 198, 2);
const SACK_BASE: Field = Field::new("sack_base", 200, 24);
const SACK_BITMAP: Field = Field::new("sack_bitmap", 224, 64);

/// Data and probes: base transport header, then 4 bytes.
pub const DATA: Header = Header {
    name: "data",
    fields: &[
        OPCODE,
        SOLICITED,
        MIGRATION,
        PAD_COUNT,
        VERSION,
        PARTITION,
        RESERVED_BTH,
        DEST_QP,
        ACK_REQUEST,
        RESERVED_ACK_REQUEST,
        PSN,
        TIMESTAMP,
        FLAGS,
        HOPS,
    ],
};

/// SACK: base transport header, then the 24 bytes of 004 Figure 7.
pub const ACK: Header = Header {
    name: "ack",
    fields: &[
        OPCODE,
        SOLICITED,
        MIGRATION,
        PAD_COUNT,
        VERSION,
        PARTITION,
        RESERVED_BTH,
        DEST_QP,
        ACK_REQUEST,
        RESERVED_ACK_REQUEST,
        PSN,
        ECHO_ENTROPY,
        ECHO_TIMESTAMP,
        RECV_BYTES,
        EXPECTED_PSN,
        OOO_LOW,
        OOO_HIGH,
        ECN_ECHO,
        PROBE_ECHO,
        RESERVED_ACK,
        SACK_BASE,
        SACK_BITMAP,
    ],
};

/// A data packet's header, or a probe's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// 24 bits.
    pub connection: u32,
    /// The receiver shall answer with a SACK.
    pub ack_request: bool,
    /// 24 bits.
    pub psn: u32,
    /// Send time in the sender's ticks; the ACK echoes it.
    pub timestamp: u16,
    pub probe: bool,
    pub hops: u8,
}

impl Data {
    /// The header's 16 bytes; fields wider than on the wire are cut.
    pub fn to_bytes(&self) -> [u8; DATA.bytes()] {
        let mut bytes = [0; DATA.bytes()];
        put_bth(&mut bytes, OPCODE_DATA, self.connection, self.ack_request, self.psn);
        TIMESTAMP.put(&mut bytes, self.timestamp.into());
        FLAGS.put(&mut bytes, if self.probe { FLAG_PROBE.into() } else { 0 });
        HOPS.put(&mut bytes, self.hops.into());
        bytes
    }
}

/// A SACK, 004 Figure 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// 24 bits.
    pub connection: u32,
    /// Of the packet that triggered the SACK, 24 bits.
    pub psn: u32,
    /// EV of the packet that triggered the SACK.
    pub echo_entropy: u16,
    /// Timestamp of the packet that triggered the SACK.
    pub echo_timestamp: u16,
    /// Bytes received without duplicates, modulo 2^32.
    pub recv_bytes: u32,
    /// EPSN, 24 bits: the lowest PSN not received.
    pub expected_psn: u32,
    /// Packets held beyond EPSN, 12 bits.
    pub ooo: u16,
    /// The packet that triggered the SACK was CE-marked.
    pub ecn_echo: bool,
    /// The packet that triggered the SACK was a probe.
    pub probe_echo: bool,
    /// PSN of the bitmap's bit 0, 24 bits.
    pub sack_base: u32,
    /// Bit `i`: PSN `sack_base + i` was received.
    pub sack_bitmap: u64,
}

impl Ack {
    /// The header's 36 bytes; fields wider than on the wire are cut.
    pub fn to_bytes(&self) -> [u8; ACK.bytes()] {
        let mut bytes = [0; ACK.bytes()];
        put_bth(&mut bytes, OPCODE_ACK, self.connection, false, self.psn);
        ECHO_ENTROPY.put(&mut bytes, self.echo_entropy.into());
        ECHO_TIMESTAMP.put(&mut bytes, self.echo_timestamp.into());
        RECV_BYTES.put(&mut bytes, self.recv_bytes.into());
        EXPECTED_PSN.put(&mut bytes, self.expected_psn.into());
        OOO_LOW.put(&mut bytes, self.ooo.into());
        OOO_HIGH.put(&mut bytes, (self.ooo >> 8).into());
        ECN_ECHO.put(&mut bytes, self.ecn_echo.into());
        PROBE_ECHO.put(&mut bytes, self.probe_echo.into());
        SACK_BASE.put(&mut bytes, self.sack_base.into());
        SACK_BITMAP.put(&mut bytes, self.sack_bitmap);
        bytes
    }
}

fn put_bth(bytes: &mut [u8], opcode: u8, connection: u32, ack_request: bool, psn: u32) {
    OPCODE.put(bytes, opcode.into());
    PARTITION.put(bytes, PKEY.into());
    DEST_QP.put(bytes, connection.into());
    ACK_REQUEST.put(bytes, ack_request.into());
    PSN.put(bytes, psn.into());
}

/// Reads the header at the start of a UDP payload.
///
/// # Errors
/// On an opcode that is not ours and on a payload shorter than its header (an empty one counts as data).
pub fn parse(payload: &[u8]) -> Result<Packet, WireError> {
    match payload.first() {
        None | Some(&OPCODE_DATA) => {
            DATA.check(Profile::Strack, payload)?;
            Ok(Packet::StrackData(Data {
                connection: DEST_QP.get(payload) as u32,
                ack_request: ACK_REQUEST.get(payload) == 1,
                psn: PSN.get(payload) as u32,
                timestamp: TIMESTAMP.get(payload) as u16,
                probe: FLAGS.get(payload) as u8 & FLAG_PROBE != 0,
                hops: HOPS.get(payload) as u8,
            }))
        }
        Some(&OPCODE_ACK) => {
            ACK.check(Profile::Strack, payload)?;
            Ok(Packet::StrackAck(Ack {
                connection: DEST_QP.get(payload) as u32,
                psn: PSN.get(payload) as u32,
                echo_entropy: ECHO_ENTROPY.get(payload) as u16,
                echo_timestamp: ECHO_TIMESTAMP.get(payload) as u16,
                recv_bytes: RECV_BYTES.get(payload) as u32,
                expected_psn: EXPECTED_PSN.get(payload) as u32,
                ooo: (OOO_HIGH.get(payload) << 8 | OOO_LOW.get(payload)) as u16,
                ecn_echo: ECN_ECHO.get(payload) == 1,
                probe_echo: PROBE_ECHO.get(payload) == 1,
                sack_base: SACK_BASE.get(payload) as u32,
                sack_bitmap: SACK_BITMAP.get(payload),
            }))
        }
        Some(&found) => {
            Err(WireError::UnknownKind { profile: "strack", found, allowed: "0xc0 (data) and 0xc1 (ack)" })
        }
    }
}
