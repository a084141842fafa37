//! Link, network and transport headers of one frame, as far as the snap length left them.

use std::net::IpAddr;

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TransportSlice, UdpHeader};

use super::error::Fault;
use super::file::RawFrame;

/// Bytes of the Linux cooked header, version 1: the protocol stands in its last two.
const SLL: usize = 16;
/// Bytes of the Linux cooked header, version 2: the protocol stands in its first two.
const SLL2: usize = 20;

/// The headers of a frame. What is missing was not there, was cut off or is not understood.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headers<'a> {
    /// VLAN tags, 0 to 3.
    pub vlan_tags: usize,
    /// The (outermost) IP header.
    pub ip: Option<Ip>,
    /// The UDP datagram, if it is whole in one IP packet; of a fragment there is none.
    pub udp: Option<Udp<'a>>,
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

/// A UDP header and what was captured behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Udp<'a> {
    /// Source port: the EV, in every profile.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Payload bytes by the header's length; more than `payload` holds when the snap length cut the frame.
    pub payload_len: usize,
    /// Captured payload.
    pub payload: &'a [u8],
}

impl<'a> Headers<'a> {
    /// Takes a frame apart.
    ///
    /// # Errors
    ///
    /// [`Fault::LinkType`] when the link layer is none of those read; whatever is wrong further in only leaves
    /// the headers from there on out.
    pub fn parse(frame: &RawFrame<'a>) -> Result<Self, Fault> {
        let data = frame.data;
        let packet = match frame.link_type {
            1 => LaxSlicedPacket::from_ethernet(data).ok(),
            12 | 14 | 101 | 228 | 229 => LaxSlicedPacket::from_ip(data).ok(),
            113 => cooked(data, SLL - 2, SLL),
            276 => cooked(data, 0, SLL2),
            other => return Err(Fault::LinkType(other)),
        };
        Ok(packet.map_or_else(Headers::default, |packet| Headers::collect(&packet)))
    }

    fn collect(packet: &LaxSlicedPacket<'a>) -> Self {
        let vlan_tags = packet.vlan_ids().len();
        if !is_announced(packet) {
            return Headers { vlan_tags, ..Headers::default() };
        }
        let (ip, fragmented, room) = match &packet.net {
            Some(LaxNetSlice::Ipv4(net)) => {
                let header = net.header();
                let ip = Ip {
                    source: header.source_addr().into(),
                    destination: header.destination_addr().into(),
                    ecn: header.ecn().value(),
                };
                let authentication = net.extensions().auth.map_or(0, |auth| auth.slice().len());
                let headers = header.slice().len() + authentication;
                (ip, net.is_payload_fragmented(), usize::from(header.total_len()).checked_sub(headers))
            }
            Some(LaxNetSlice::Ipv6(net)) => {
                let header = net.header();
                let ip = Ip {
                    source: header.source_addr().into(),
                    destination: header.destination_addr().into(),
                    // the low two bits of the traffic class
                    ecn: header.traffic_class() & 3,
                };
                let extensions = net.extensions().slice().len();
                (
                    ip,
                    net.is_payload_fragmented(),
                    usize::from(header.payload_length()).checked_sub(extensions),
                )
            }
            _ => return Headers { vlan_tags, ..Headers::default() },
        };
        let udp = match &packet.transport {
            Some(TransportSlice::Udp(udp)) if !fragmented => {
                let length = usize::from(udp.length());
                // a length that does not fit its own packet is no datagram
                (length >= UdpHeader::LEN && room.is_some_and(|room| length <= room)).then(|| Udp {
                    source_port: udp.source_port(),
                    destination_port: udp.destination_port(),
                    payload_len: length - UdpHeader::LEN,
                    payload: udp.payload(),
                })
            }
            _ => None,
        };
        Headers { vlan_tags, ip: Some(ip), udp }
    }
}

/// Whether the IP version is that of the ethertype before it, where there is one. The engines do not read IP otherwise.
fn is_announced(packet: &LaxSlicedPacket<'_>) -> bool {
    let announced = match &packet.net {
        Some(LaxNetSlice::Ipv4(_)) => EtherType::IPV4,
        Some(LaxNetSlice::Ipv6(_)) => EtherType::IPV6,
        _ => return true,
    };
    packet.ether_payload().is_none_or(|payload| payload.ether_type == announced)
}

fn cooked(data: &[u8], protocol_at: usize, header: usize) -> Option<LaxSlicedPacket<'_>> {
    let protocol = u16::from_be_bytes([*data.get(protocol_at)?, *data.get(protocol_at + 1)?]);
    Some(LaxSlicedPacket::from_ether_type(EtherType(protocol), data.get(header..)?))
}
