//! `strack` frames as the reader of captures reads them.

use respray_cosim::traffic::capture::{Found, Headers, Profile, RawFrame};
use respray_golden::wire::Profile as Wire;

/// Whether a frame that a host heard is of the profile.
pub fn is_of_profile(data: &[u8]) -> bool {
    let raw = RawFrame { number: 0, time_ns: None, link_type: 1, wire_len: data.len(), data };
    let headers = Headers::parse(&raw).unwrap_or_default();
    matches!(Profile::from(Wire::Strack).find(&raw, &headers), Found::Frame(_))
}
