//! What stands beside a frame on `rx_out`.

use respray_golden::nic::Delivery;

use super::device::BESIDE;
use crate::stream::meta_fields;

/// What is promised beside a frame of events, which has no packet of its own.
const BESIDE_EVENTS: [&str; 2] = ["rx_kind", "rx_status"];

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
    let is_promised = |port: &str| !delivery.is_events || BESIDE_EVENTS.contains(&port);
    let mut ports = BESIDE.into_iter().zip(seen).zip(expected);
    match ports.find(|((port, seen), expected)| **seen != *expected && is_promised(port)) {
        Some(((port, seen), expected)) => Err((port, seen.to_string(), expected.to_string())),
        None => Ok(()),
    }
}
