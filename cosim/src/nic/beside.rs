//! What stands beside a frame on `rx_out`.

use respray_golden::nic::Delivery;

use super::device::BESIDE;
use crate::stream::meta_fields;

/// Compares what the hardware shows, in the order of [`BESIDE`], with what the golden block delivers.
///
/// # Errors
/// The first port that differs, what it shows and what it should.
pub(super) fn compare(
    seen: &[u64; BESIDE.len()],
    delivery: &Delivery,
) -> Result<(), (&'static str, String, String)> {
    let status = u64::from(delivery.status_code());
    let expected = meta_fields(&delivery.record).into_iter().chain([status]);
    let mut ports = BESIDE.into_iter().zip(seen).zip(expected);
    match ports.find(|((_, seen), expected)| **seen != *expected) {
        Some(((port, seen), expected)) => Err((port, seen.to_string(), expected.to_string())),
        None => Ok(()),
    }
}
