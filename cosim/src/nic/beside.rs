//! What stands beside a frame on `rx_out`.

use respray_golden::nic::Delivery;

use super::device::BESIDE;
use crate::stream::kind_code;

/// Status of what is no data.
const NO_DATA: u64 = 4;

/// Compares what the hardware shows, in the order of [`BESIDE`], with what the golden block delivers.
///
/// # Errors
/// The first port that differs, what it shows and what it should.
pub(super) fn compare(
    seen: &[u64; BESIDE.len()],
    delivery: &Delivery,
) -> Result<(), (&'static str, String, String)> {
    let record = &delivery.record;
    let expected: [u64; BESIDE.len()] = [
        kind_code(record),
        record.error.map_or(0, |error| error.code().into()),
        record.connection.into(),
        record.psn.into(),
        record.bytes.into(),
        record.ecn.into(),
        record.ev.into(),
        record.timestamp.into(),
        record.ack_request.into(),
        delivery.status.map_or(NO_DATA, |status| status as u64),
    ];
    let ports = BESIDE.into_iter().zip(seen).zip(expected);
    match ports.into_iter().find(|((_, seen), expected)| **seen != *expected) {
        Some(((port, seen), expected)) => Err((port, seen.to_string(), expected.to_string())),
        None => Ok(()),
    }
}
