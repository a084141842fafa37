//! ACKs of all three types.

use super::table::*;
use super::*;

/// Header of an ACK, of an ACK_CC, or of an ACK_CCX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// 4 bits.
    pub next_header: u8,
    pub ecn_echo: bool,
    pub retransmit: bool,
    /// It answers a probe: `ack_psn_offset` is the opaque of the probe, and no PSN is named by it.
    pub probe: bool,
    /// What the receiver asks for, 2 bits: 1 clear, 2 close.
    pub request: u8,
    /// PSN of the packet that triggered the ACK, minus `cack_psn`.
    pub ack_psn_offset: i16,
    /// Highest PSN up to which everything was received.
    pub cack_psn: u32,
    pub source_pdc: u16,
    pub destination_pdc: u16,
    /// What an ACK_CC or ACK_CCX adds.
    pub cc: Option<AckCc>,
}

/// What an ACK_CC adds to an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckCc {
    /// Of an ACK_CCX, whose last five fields are not read.
    pub is_ccx: bool,
    /// 4 bits; the last five fields are those of [`CC_NSCC`].
    pub cc_type: u8,
    /// 4 bits.
    pub cc_flags: u8,
    /// Maximum PSN range, in 128 PSNs.
    pub mpr: u8,
    /// PSN of the bitmap's bit 0, minus `cack_psn`.
    pub sack_psn_offset: i16,
    /// Bit `i` (weight 2^i): PSN `sack_psn + i` was received.
    pub sack_bitmap: u64,
    /// In 128 ns; 0: not valid.
    pub service_time: u16,
    pub restore_cwnd: bool,
    /// 7 bits.
    pub rcv_cwnd_pend: u8,
    /// 24 bits.
    pub rcvd_bytes: u32,
    pub ooo_count: u16,
}

impl AckCc {
    /// The last five fields say something.
    pub const fn has_state(&self) -> bool {
        !self.is_ccx && self.cc_type == CC_NSCC
    }
}

impl Ack {
    /// The table's header.
    pub const fn header(&self) -> Header {
        match self.cc {
            None => ACK,
            Some(cc) if cc.is_ccx => ACK_CCX,
            Some(_) => ACK_CC,
        }
    }

    /// PSN of the packet that triggered the ACK.
    pub const fn ack_psn(&self) -> u32 {
        self.cack_psn.wrapping_add(self.ack_psn_offset as u32)
    }

    /// PSN of bit 0 of the SACK bitmap, if there is one.
    pub fn sack_psn(&self) -> Option<u32> {
        self.cc.map(|cc| self.cack_psn.wrapping_add(cc.sack_psn_offset as u32))
    }

    /// The header's 12 or 32 bytes; those of an ACK_CCX as far as it is read, 24.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.header().bytes()];
        let kind = match self.cc {
            None => TYPE_ACK,
            Some(cc) if cc.is_ccx => TYPE_ACK_CCX,
            Some(_) => TYPE_ACK_CC,
        };
        let flags = flag(self.ecn_echo, FLAG_ECN_ECHO)
            | flag(self.retransmit, FLAG_RETRANSMIT)
            | flag(self.probe, FLAG_PROBE)
            | (self.request & 3) << REQUEST_AT;
        put_common(&mut bytes, kind, self.next_header, flags, [self.source_pdc, self.destination_pdc]);
        ACK_PSN_OFFSET.put(&mut bytes, self.ack_psn_offset as u64);
        CACK_PSN.put(&mut bytes, self.cack_psn.into());
        let Some(cc) = &self.cc else { return bytes };
        CC_TYPE.put(&mut bytes, cc.cc_type.into());
        CC_FLAGS.put(&mut bytes, cc.cc_flags.into());
        MPR.put(&mut bytes, cc.mpr.into());
        SACK_PSN_OFFSET.put(&mut bytes, cc.sack_psn_offset as u64);
        SACK_BITMAP.put(&mut bytes, cc.sack_bitmap);
        if !cc.is_ccx {
            SERVICE_TIME.put(&mut bytes, cc.service_time.into());
            RESTORE_CWND.put(&mut bytes, cc.restore_cwnd.into());
            RCV_CWND_PEND.put(&mut bytes, cc.rcv_cwnd_pend.into());
            RCVD_BYTES.put(&mut bytes, cc.rcvd_bytes.into());
            OOO_COUNT.put(&mut bytes, cc.ooo_count.into());
        }
        bytes
    }

    pub(super) fn read(common: &Common, payload: &[u8]) -> Ack {
        let get = |field: Field| field.get(payload);
        let sack = |is_ccx| AckCc {
            is_ccx,
            cc_type: get(CC_TYPE) as u8,
            cc_flags: get(CC_FLAGS) as u8,
            mpr: get(MPR) as u8,
            sack_psn_offset: get(SACK_PSN_OFFSET) as i16,
            sack_bitmap: get(SACK_BITMAP),
            ..AckCc::default()
        };
        Ack {
            next_header: common.next_header,
            ecn_echo: common.has(FLAG_ECN_ECHO),
            retransmit: common.has(FLAG_RETRANSMIT),
            probe: common.has(FLAG_PROBE),
            request: common.flags >> REQUEST_AT & 3,
            ack_psn_offset: get(ACK_PSN_OFFSET) as i16,
            cack_psn: get(CACK_PSN) as u32,
            source_pdc: common.source_pdc,
            destination_pdc: common.destination_pdc,
            cc: match common.kind {
                TYPE_ACK_CC => Some(AckCc {
                    service_time: get(SERVICE_TIME) as u16,
                    restore_cwnd: get(RESTORE_CWND) == 1,
                    rcv_cwnd_pend: get(RCV_CWND_PEND) as u8,
                    rcvd_bytes: get(RCVD_BYTES) as u32,
                    ooo_count: get(OOO_COUNT) as u16,
                    ..sack(false)
                }),
                TYPE_ACK_CCX => Some(sack(true)),
                _ => None,
            },
        }
    }
}
