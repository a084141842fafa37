//! The rewriter of sent packets: EV, ECN and timestamp into a frame, checksums by incremental update, and the trailer of `uet`
//! anew.
//!
//! UDP is RFC 768, ECN codepoints RFC 3168, UDP checksums of 0 RFC 768 and RFC 6935, updates RFC 1624.

use crate::rewrite::crc32c::trailer;
use crate::rewrite::{Carried, Extent, FrameError, Headers, Kind, ProfileTraffic, checksum, read};

/// RFC 3168: ECT(0).
const ECT0: u8 = 0b10;
/// Where IP says that a packet ends within so many bytes, the frame may be longer, as it may be padded.
const PADDED_BYTES: usize = 64;

/// Params of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    pub wire: ProfileTraffic,
    /// The EV goes into the low 16 bits of an IPv6 flow label as well.
    pub flow_label_enable: bool,
    /// Bytes of a beat: rules 13 and 14 hold for frames that end in their deciding beat.
    pub beat_bytes: usize,
}

/// What is written into one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    pub ev: u16,
    /// Ticks; `uet` has no place for it.
    pub timestamp: u16,
    /// Whether anything is written at all.
    pub enable: bool,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Disposition {
    Rewritten,
    /// Unchanged, nothing wrong with it.
    Passed,
    /// Unchanged: truncated, bad IPv4 checksum or length mismatch.
    Malformed,
}

/// Rewrites `frame` in its place, if it is to be rewritten.
pub fn rewrite(frame: &mut [u8], stamp: Stamp, settings: Params) -> Disposition {
    // what is sent was not trimmed, whatever its DSCP
    match read(frame, settings.wire.untrimmed(), Extent::Beats(settings.beat_bytes)) {
        Ok(Some(headers)) if stamp.enable => {
            write(frame, &headers, stamp, settings);
            if headers.trailer > 0 {
                end(frame, &headers, settings.wire.carried);
            }
            Disposition::Rewritten
        }
        Ok(_) | Err(FrameError::Unsupported) => Disposition::Passed,
        Err(_) => Disposition::Malformed,
    }
}

fn write(frame: &mut [u8], headers: &Headers, stamp: Stamp, settings: Params) {
    let ip = &mut frame[headers.ip_at..headers.udp_at];
    if headers.is_ipv4 {
        let before = word(ip, 0);
        ip[1] = ip[1] & !0b11 | ECT0;
        let updated = checksum::update(word(ip, 10), &[(before, word(ip, 0))]);
        put(ip, 10, updated);
    } else {
        ip[1] = ip[1] & !0b11_0000 | ECT0 << 4;
        if settings.flow_label_enable {
            put(ip, 2, stamp.ev);
        }
    }

    let udp = &mut frame[headers.udp_at..];
    let port = (word(udp, 0), stamp.ev);
    put(udp, 0, stamp.ev);
    let mut changes = &[port][..];
    let both;
    let place = settings.wire.profile.data().fields.iter().find(|field| field.name == "timestamp");
    if let Some(place) = place.filter(|_| headers.kind != Kind::Ack) {
        let at = headers.at - headers.udp_at + place.offset / 8;
        both = [port, (word(udp, at), stamp.timestamp)];
        changes = &both;
        put(udp, at, stamp.timestamp);
    }
    if settings.wire.carried != Carried::Udp {
        return; // the entropy header has no checksum
    }
    match word(udp, 6) {
        0 => {} // none was computed, RFC 768
        old => put(
            udp,
            6,
            match checksum::update(old, changes) {
                0 => 0xffff,
                updated => updated,
            },
        ),
    }
}

/// Writes the trailer over all else that was written. The checksum of UDP is 0 then: each would cover the other.
///
/// It stands at the end of the frame, but in front of what pads it. The length of a long frame is not looked at.
fn end(frame: &mut [u8], headers: &Headers, carried: Carried) {
    if carried == Carried::Udp {
        put(&mut frame[headers.udp_at..], 6, 0);
    }
    let end = match headers.end() {
        end if end <= PADDED_BYTES => end.min(frame.len()),
        _ => frame.len(),
    };
    let at = end - headers.trailer;
    let trailer = trailer(&frame[headers.covered_from()..at]);
    frame[at..end].copy_from_slice(&trailer);
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}
