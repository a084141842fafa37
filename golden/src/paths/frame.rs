//! What the network's switches see of a frame, and the mark that they write.

use etherparse::{NetSlice, SlicedPacket, TransportSlice};

use super::hash::{fold, mix};
use crate::rewrite::checksum;

/// Of a UDP datagram what is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// Addresses and destination port, as one number.
    pub flow: u64,
    /// UDP source port.
    pub ev: u16,
    /// ECT(0), ECT(1) or CE.
    pub ecn_capable: bool,
    /// CE.
    pub marked: bool,
}

/// What is hashed of a frame; `None` if it is no UDP datagram in IPv4 or IPv6.
pub fn hashed(frame: &[u8]) -> Option<Hashed> {
    let packet = SlicedPacket::from_ethernet(frame).ok()?;
    let Some(TransportSlice::Udp(udp)) = &packet.transport else { return None };
    let (addresses, class) = match packet.net.as_ref()? {
        NetSlice::Ipv4(ip) => (&ip.header().slice()[12..20], ip.header().slice()[1] & 3),
        NetSlice::Ipv6(ip) => (&ip.header().slice()[8..40], ip.header().slice()[1] >> 4 & 3),
        _ => return None,
    };
    let flow = mix(fold(addresses) ^ u64::from(udp.destination_port()));
    Some(Hashed { flow, ev: udp.source_port(), ecn_capable: class != 0, marked: class == 3 })
}

/// Sets CE, and corrects the checksum of an IPv4 header. A frame without IP stays as it is.
pub fn mark(frame: &mut [u8]) {
    let Some((header, is_ipv4)) = ip_header(frame) else { return };
    let ip = &mut frame[header..];
    if !is_ipv4 {
        ip[1] |= 3 << 4;
        return;
    }
    let word = |ip: &[u8], at: usize| u16::from_be_bytes([ip[at], ip[at + 1]]);
    let before = word(ip, 0);
    ip[1] |= 3;
    let updated = checksum::update(word(ip, 10), &[(before, word(ip, 0))]);
    ip[10..12].copy_from_slice(&updated.to_be_bytes());
}

/// Sets the DSCP, and corrects the checksum of an IPv4 header. A frame without IP stays as it is.
pub fn set_dscp(frame: &mut [u8], dscp: u8) {
    let Some((header, is_ipv4)) = ip_header(frame) else { return };
    let ip = &mut frame[header..];
    let word = |ip: &[u8], at: usize| u16::from_be_bytes([ip[at], ip[at + 1]]);
    let before = word(ip, 0);
    if !is_ipv4 {
        let class = u16::from(dscp) << 6;
        ip[..2].copy_from_slice(&(before & !0x0fc0 | class).to_be_bytes());
        return;
    }
    ip[1] = ip[1] & 3 | dscp << 2;
    let updated = checksum::update(word(ip, 10), &[(before, word(ip, 0))]);
    ip[10..12].copy_from_slice(&updated.to_be_bytes());
}

/// Where IP begins, and whether it is IPv4.
fn ip_header(frame: &[u8]) -> Option<(usize, bool)> {
    let packet = SlicedPacket::from_ethernet(frame).ok()?;
    let (header, is_ipv4) = match packet.net.as_ref()? {
        NetSlice::Ipv4(ip) => (ip.header().slice(), true),
        NetSlice::Ipv6(ip) => (ip.header().slice(), false),
        _ => return None,
    };
    Some((header.as_ptr() as usize - frame.as_ptr() as usize, is_ipv4))
}
