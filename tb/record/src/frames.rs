//! `strack` frames of the two hosts: built here, and read back by the reader of captures.

use etherparse::{EtherType, Ethernet2Header, IpEcn, IpNumber, Ipv4Header, UdpHeader};
use respray_cosim::traffic::capture::{Found, Headers, Profile, ProfileFrame, RawFrame};
use respray_golden::wire::{Profile as Wire, strack};

use crate::error::RecordError;
use crate::network::{Host, RECEIVER, SENDER};

/// A data frame from the sender, ECT(0), with its EV as source port.
pub fn data(header: &strack::Data, ev: u16, payload_bytes: usize) -> Result<Vec<u8>, RecordError> {
    let mut payload = header.to_bytes().to_vec();
    payload.resize(payload.len() + payload_bytes, 0);
    frame(&SENDER, &RECEIVER, IpEcn::TWO, ev, &payload)
}

/// An ACK from the receiver; its source port is the EV that it echoes.
pub fn ack(header: &strack::Ack) -> Result<Vec<u8>, RecordError> {
    frame(&RECEIVER, &SENDER, IpEcn::ZERO, header.echo_entropy, &header.to_bytes())
}

/// A frame that a host heard, if it is of the profile.
pub fn parse(time_ns: u64, data: &[u8]) -> Option<ProfileFrame> {
    let raw = RawFrame { number: 0, time_ns: Some(time_ns), link_type: 1, wire_len: data.len(), data };
    let headers = Headers::parse(&raw).ok()?;
    match Profile::from(Wire::Strack).find(&raw, &headers) {
        Found::Frame(frame) => Some(frame),
        _ => None,
    }
}

fn frame(from: &Host, to: &Host, ecn: IpEcn, ev: u16, payload: &[u8]) -> Result<Vec<u8>, RecordError> {
    let large = || RecordError::Payload { bytes: payload.len() };
    let ethernet =
        Ethernet2Header { source: from.mac, destination: from.gateway, ether_type: EtherType::IPV4 };
    let length = u16::try_from(UdpHeader::LEN + payload.len()).map_err(|_| large())?;
    let mut ip = Ipv4Header::new(length, 64, IpNumber::UDP, from.address, to.address).map_err(|_| large())?;
    ip.ecn = ecn;
    ip.dont_fragment = true;
    ip.header_checksum = ip.calc_header_checksum();
    let udp =
        UdpHeader::with_ipv4_checksum(ev, Wire::Strack.udp_port(), &ip, payload).map_err(|_| large())?;
    let mut frame =
        Vec::with_capacity(Ethernet2Header::LEN + ip.header_len() + UdpHeader::LEN + payload.len());
    frame.extend(ethernet.to_bytes());
    frame.extend(ip.to_bytes());
    frame.extend(udp.to_bytes());
    frame.extend(payload);
    Ok(frame)
}
