//! What is below UDP in one frame, whatever its link layer, as far as the capture has it.
//!
//! All is read as the engines read it, by the rules of `docs/headers.md`. A packet that was captured without Ethernet
//! is read as if its Ethernet header, without tags, stood before it.

use std::borrow::Cow;
use std::net::IpAddr;

use respray_golden::rewrite::network;

use super::error::Fault;
use super::file::RawFrame;

/// Bytes of two MAC addresses, behind which the ethertype stands.
const ADDRESSES: usize = 12;
/// Bytes of an Ethernet header.
const ETHERNET: usize = ADDRESSES + 2;
/// Bytes of the Linux cooked header, version 1: the protocol stands in its last two.
const SLL: usize = 16;
/// Bytes of the Linux cooked header, version 2: the protocol stands in its first two.
const SLL2: usize = 20;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;

/// A frame as Ethernet, and what is below UDP in it.
#[derive(Clone, Debug, Default)]
pub struct Headers<'a> {
    /// VLAN tags, 0 to 2.
    pub vlan_tags: usize,
    /// The IP header, if it is whole and the ethertype announces it.
    pub ip: Option<Ip>,
    /// What was captured of the frame, as Ethernet.
    pub(super) bytes: Cow<'a, [u8]>,
    /// Bytes that the frame has, as Ethernet.
    pub(super) length: usize,
}

/// An IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// ECN codepoint: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
}

impl<'a> Headers<'a> {
    /// Takes a frame apart.
    ///
    /// # Errors
    ///
    /// [`Fault::LinkType`] when the link layer is none of those read; whatever is wrong further in only leaves
    /// the headers from there on out.
    pub fn parse(frame: &RawFrame<'a>) -> Result<Self, Fault> {
        let (bytes, length) = as_ethernet(frame)?;
        let network = network(&bytes);
        let ip = network.ip.map(|(at, is_ipv4)| ip(&bytes[at..], is_ipv4));
        Ok(Headers { vlan_tags: network.tags, ip, bytes, length })
    }
}

/// What was captured of a frame as if it were Ethernet, and the bytes that it would have.
fn as_ethernet<'a>(frame: &RawFrame<'a>) -> Result<(Cow<'a, [u8]>, usize), Fault> {
    let data = frame.data;
    let version = data.first().map(|first| first >> 4);
    let (header, ethertype) = match frame.link_type {
        1 => return Ok((Cow::Borrowed(data), frame.wire_len)),
        12 | 14 | 101 => (0, version.map(|version| if version == 6 { IPV6 } else { IPV4 })),
        228 => (0, Some(IPV4)),
        229 => (0, Some(IPV6)),
        113 => (SLL, word(data, SLL - 2)),
        276 => (SLL2, word(data, 0)),
        other => return Err(Fault::LinkType(other)),
    };
    let mut bytes = vec![0; ADDRESSES];
    if let (Some(ethertype), Some(packet)) = (ethertype, data.get(header..)) {
        bytes.extend(ethertype.to_be_bytes());
        bytes.extend(packet);
    }
    // without all of its own header a frame ends within that of Ethernet
    let length = frame.wire_len.checked_sub(header).map_or(bytes.len(), |packet| ETHERNET + packet);
    Ok((Cow::Owned(bytes), length))
}

fn word(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*data.get(at)?, *data.get(at + 1)?]))
}

fn ip(packet: &[u8], is_ipv4: bool) -> Ip {
    let address = |at: usize| -> IpAddr {
        match is_ipv4 {
            true => <[u8; 4]>::try_from(&packet[at..at + 4]).expect("four bytes").into(),
            false => <[u8; 16]>::try_from(&packet[at..at + 16]).expect("sixteen bytes").into(),
        }
    };
    match is_ipv4 {
        true => Ip { source: address(12), destination: address(16), ecn: packet[1] & 3 },
        // the low two bits of the traffic class
        false => Ip { source: address(8), destination: address(24), ecn: packet[1] >> 4 & 3 },
    }
}
