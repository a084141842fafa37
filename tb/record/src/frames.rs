//! `strack` frames as the reader of captures reads them.

use respray_cosim::traffic::capture::{Found, Headers, Profile, ProfileFrame, RawFrame};
use respray_golden::wire::Profile as Wire;

/// Whether a frame that a host heard is of the profile.
pub fn is_of_profile(data: &[u8]) -> bool {
    parse(None, data).is_some()
}

/// A frame that a host heard, if it is of the profile.
pub fn parse(time_ns: Option<u64>, data: &[u8]) -> Option<ProfileFrame> {
    let raw = RawFrame { number: 0, time_ns, link_type: 1, wire_len: data.len(), data };
    let headers = Headers::parse(&raw).ok()?;
    match Profile::from(Wire::Strack).find(&raw, &headers) {
        Found::Frame(frame) => Some(frame),
        _ => None,
    }
}
