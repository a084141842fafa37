//! The outputs of one cycle, packed as the comparer wants them.

use crate::lockstep::core::Field;

// Where each output lies in the packed word. The layout has the order of the module's header.
pub(super) const OP_READY: u32 = 0;
const RES_VALID: u32 = 1;
const SACK_VALID: u32 = 2;
const RES_STATUS: u32 = 3;
const SACK_ECN: u32 = 6;
const SACK_PROBE: u32 = 7;
const SACK_OOO: u32 = 8;
const SACK_EV: u32 = 20;
const SACK_TIMESTAMP: u32 = 36;
const SACK_BITMAP: u32 = 64;
const SACK_PSN: u32 = 128;
const SACK_EPSN: u32 = 152;
const RES_CONN: u32 = 176;
const SACK_BASE: u32 = 192;
const SACK_BYTES_RECVD: u32 = 216;

/// Outputs that are promised in every cycle: `op_ready`, `res_valid`, `sack_valid`; of limb 0.
pub(super) const ALWAYS: u64 = 0b111;
/// Of a result, in limb 0.
const RESULT: u64 = 0b111 << RES_STATUS;
/// Outputs that are promised with a SACK.
pub(super) const SACK: [u64; 4] = [
    1 << SACK_ECN | 1 << SACK_PROBE | 0xfff << SACK_OOO | 0xffff << SACK_EV | 0xffff << SACK_TIMESTAMP,
    u64::MAX,
    0xffff_ffff_ffff,
    0xff_ffff | 0xffff_ffff << 24,
];

/// The outputs of one cycle as read from the ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackRxOutputs {
    pub op_ready: bool,
    pub res_valid: bool,
    pub res_conn: u16,
    pub res_status: u8,
    pub sack_valid: bool,
    pub sack_psn: u32,
    pub sack_epsn: u32,
    pub sack_base: u32,
    pub sack_bitmap: u64,
    pub sack_ooo: u16,
    pub sack_bytes_recvd: u32,
    pub sack_ecn: bool,
    pub sack_ev: u16,
    pub sack_timestamp: u16,
    pub sack_probe: bool,
}

impl SackRxOutputs {
    /// As the comparer wants it.
    #[inline(always)]
    pub fn pack(&self) -> [u64; 4] {
        [
            u64::from(self.op_ready) << OP_READY
                | u64::from(self.res_valid) << RES_VALID
                | u64::from(self.sack_valid) << SACK_VALID
                | u64::from(self.res_status) << RES_STATUS
                | u64::from(self.sack_ecn) << SACK_ECN
                | u64::from(self.sack_probe) << SACK_PROBE
                | u64::from(self.sack_ooo) << SACK_OOO
                | u64::from(self.sack_ev) << SACK_EV
                | u64::from(self.sack_timestamp) << SACK_TIMESTAMP,
            self.sack_bitmap,
            u64::from(self.sack_psn)
                | u64::from(self.sack_epsn) << (SACK_EPSN % 64)
                | u64::from(self.res_conn) << (RES_CONN % 64),
            u64::from(self.sack_base) | u64::from(self.sack_bytes_recvd) << (SACK_BYTES_RECVD % 64),
        ]
    }

    /// The reverse of [`SackRxOutputs::pack`].
    pub fn unpack(word: &[u64; 4]) -> SackRxOutputs {
        let bits = |at: u32, width: u32| word[(at / 64) as usize] >> (at % 64) & (u64::MAX >> (64 - width));
        SackRxOutputs {
            op_ready: bits(OP_READY, 1) != 0,
            res_valid: bits(RES_VALID, 1) != 0,
            res_conn: bits(RES_CONN, 16) as u16,
            res_status: bits(RES_STATUS, 3) as u8,
            sack_valid: bits(SACK_VALID, 1) != 0,
            sack_psn: bits(SACK_PSN, 24) as u32,
            sack_epsn: bits(SACK_EPSN, 24) as u32,
            sack_base: bits(SACK_BASE, 24) as u32,
            sack_bitmap: bits(SACK_BITMAP, 64),
            sack_ooo: bits(SACK_OOO, 12) as u16,
            sack_bytes_recvd: bits(SACK_BYTES_RECVD, 32) as u32,
            sack_ecn: bits(SACK_ECN, 1) != 0,
            sack_ev: bits(SACK_EV, 16) as u16,
            sack_timestamp: bits(SACK_TIMESTAMP, 16) as u16,
            sack_probe: bits(SACK_PROBE, 1) != 0,
        }
    }
}

/// What a result promises: status and connection.
pub(super) fn result_care(connection_bits: u32) -> [u64; 4] {
    [RESULT, 0, ((1 << connection_bits) - 1) << (RES_CONN % 64), 0]
}

/// All output ports, in the order of the module's header.
pub(super) fn layout(connection_bits: u32) -> Vec<Field> {
    let field = |port, offset, width| Field { port, offset, width };
    vec![
        field("op_ready", OP_READY, 1),
        field("res_valid", RES_VALID, 1),
        field("res_conn", RES_CONN, connection_bits),
        field("res_status", RES_STATUS, 3),
        field("sack_valid", SACK_VALID, 1),
        field("sack_psn", SACK_PSN, 24),
        field("sack_epsn", SACK_EPSN, 24),
        field("sack_base", SACK_BASE, 24),
        field("sack_bitmap", SACK_BITMAP, 64),
        field("sack_ooo", SACK_OOO, 12),
        field("sack_bytes_recvd", SACK_BYTES_RECVD, 32),
        field("sack_ecn", SACK_ECN, 1),
        field("sack_ev", SACK_EV, 16),
        field("sack_timestamp", SACK_TIMESTAMP, 16),
        field("sack_probe", SACK_PROBE, 1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_every_output_has_a_place_of_its_own() {
        let layout = layout(14);
        let places: Vec<u32> =
            layout.iter().flat_map(|field| field.offset..field.offset + field.width).collect();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((sorted.len(), sorted.last() < Some(&256)), (places.len(), true));
        let mut all = [0; 4];
        places.iter().for_each(|&bit| all[bit as usize / 64] |= 1 << (bit % 64));
        let promised = result_care(14);
        for limb in 0..4 {
            let always = if limb == 0 { ALWAYS } else { 0 };
            assert_eq!(
                promised[limb] | SACK[limb] | always,
                all[limb],
                "limb {limb} is promised now and then"
            );
        }
        assert_eq!(SackRxOutputs::unpack(&all).pack(), all);
        for &bit in &places {
            let mut one = [0; 4];
            one[bit as usize / 64] = 1 << (bit % 64);
            assert_eq!(SackRxOutputs::unpack(&one).pack(), one, "bit {bit}");
        }
    }
}
