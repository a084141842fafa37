//! Frames of the hosts.
//!
//! By themselves connections differ in what is below the profile: IPv4 or IPv6, a VLAN tag or none, with a
//! UDP checksum or without.

use etherparse::{PacketBuilder, UdpHeader};

use crate::paths::End;
use crate::rewrite::ProfileTraffic;
use crate::wire::{Packet, Profile, strack, uet};

/// What a data packet of a host is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Data {
    pub from: End,
    pub conn: u16,
    pub psn: u32,
    /// Payload in bytes.
    pub bytes: u32,
    pub ack_request: bool,
    pub again: bool,
}

/// Where the frames of a host come from and go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// MAC address of the host.
    pub mac: [u8; 6],
    /// MAC address that its frames go to first.
    pub next_hop: [u8; 6],
    /// IPv4 address of the host.
    pub ipv4: [u8; 4],
}

/// What is below the profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Below {
    /// Every kind, by the number of the connection, between addresses of the hosts' own.
    #[default]
    Varied,
    /// IPv4 with a UDP checksum and without a VLAN tag, between these addresses of A and of B.
    Ipv4([Addresses; 2]),
}

const HOPS: u8 = 64;

/// MAC address of an end.
pub const fn mac(end: End) -> [u8; 6] {
    [2, 0, 0, 0, 0, end as u8 + 1]
}

fn ipv4(end: End) -> [u8; 4] {
    [10, 0, 0, end as u8 + 1]
}

fn ipv6(end: End) -> [u8; 16] {
    let mut address = [0xfd; 16];
    address[15] = end as u8 + 1;
    address
}

/// Byte `at` of the payload of a packet: every packet has its own.
pub fn payload(from: End, conn: u16, psn: u32, bytes: u32) -> Vec<u8> {
    let first = psn.wrapping_mul(0x9e37_79b1) ^ u32::from(conn) << 8 ^ from as u32;
    let mut word = first;
    let mut payload = Vec::with_capacity(bytes as usize + 4);
    while payload.len() < bytes as usize {
        payload.extend(word.to_be_bytes());
        word = word.wrapping_add(0x0101_0101);
    }
    payload.truncate(bytes as usize);
    payload
}

/// Whether the addresses of a frame are those of its way.
pub fn is_addressed(frame: &[u8], from: End) -> bool {
    let to = from.other();
    let macs = frame[..6] == mac(to) && frame[6..12] == mac(from);
    let ip = if frame[12..14] == [0x81, 0x00] { 18 } else { 14 };
    macs && match frame[ip] >> 4 {
        4 => frame[ip + 12..ip + 20] == [ipv4(from), ipv4(to)].concat(),
        _ => frame[ip + 8..ip + 40] == [ipv6(from), ipv6(to)].concat(),
    }
}

/// The frame as a host hands it to its `nic`: source port 0, not ECN-capable, no timestamp.
pub fn data(profile: Profile, data: &Data) -> Vec<u8> {
    data_over(Below::Varied, ProfileTraffic::of(profile), data)
}

/// The same over what is below the profile, to the UDP port of its traffic.
pub fn data_over(below: Below, traffic: ProfileTraffic, data: &Data) -> Vec<u8> {
    let ProfileTraffic { profile, udp_port: port, .. } = traffic;
    let payload =
        [header(profile, data).to_bytes(), payload(data.from, data.conn, data.psn, data.bytes)].concat();
    let (from, to) = (data.from, data.from.other());
    if let Below::Ipv4(addresses) = below {
        let (own, other) = (addresses[from.index()], addresses[to.index()]);
        let mut frame = Vec::with_capacity(payload.len() + 50);
        let link = PacketBuilder::ethernet2(own.mac, own.next_hop).ipv4(own.ipv4, other.ipv4, HOPS);
        link.udp(0, port).write(&mut frame, &payload).expect("a vector takes everything");
        return frame;
    }
    let mut frame = Vec::with_capacity(payload.len() + 70);
    let link = PacketBuilder::ethernet2(mac(from), mac(to));
    let written = match data.conn % 4 {
        0 => link.ipv4(ipv4(from), ipv4(to), HOPS).udp(0, port).write(&mut frame, &payload),
        1 => link.ipv6(ipv6(from), ipv6(to), HOPS).udp(0, port).write(&mut frame, &payload),
        _ => link
            .single_vlan(etherparse::VlanId::ZERO)
            .ipv4(ipv4(from), ipv4(to), HOPS)
            .udp(0, port)
            .write(&mut frame, &payload),
    };
    written.expect("a vector takes everything");
    if data.conn % 4 == 3 {
        let checksum = frame.len() - payload.len() - UdpHeader::LEN + 6;
        frame[checksum..checksum + 2].fill(0); // none: RFC 768
    }
    frame
}

fn header(profile: Profile, data: &Data) -> Packet {
    let Data { conn, psn, ack_request, again, .. } = *data;
    match profile {
        Profile::Strack => Packet::StrackData(strack::Data {
            connection: conn.into(),
            ack_request,
            psn,
            ..Default::default()
        }),
        Profile::Uet => Packet::UetRequest(uet::Request {
            next_header: 1,
            retransmit: again,
            ack_request,
            psn,
            source_pdc: conn,
            destination_pdc: conn,
            ..Default::default()
        }),
    }
}
