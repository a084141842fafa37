//! The headers below the profile's, of the frames that a `nic` makes itself: SACKs and probes.

use crate::rewrite::{Headers, checksum};
use crate::wire::Packet;

/// Shortest Ethernet frame without its check sequence: shorter ones are padded with zeros.
const LEAST_FRAME: usize = 60;
const IPV4_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
const PROTOCOL_UDP: u8 = 17;
/// TTL and hop limit.
const HOPS: u8 = 64;
/// IPv4: do not fragment, at its place in the word of flags and offset.
const DONT_FRAGMENT: u16 = 0x4000;

/// ECN codepoint of a frame that a `nic` makes, RFC 3168.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecn {
    /// Of SACKs: nobody would hear of a mark on one.
    NotEct = 0b00,
    /// Of probes: a mark says of their path what one on data says.
    Ect0 = 0b10,
}

/// Ethernet, tags and addresses, as a packet of the connection had them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressing {
    /// Ethernet with up to two tags, 14, 18 or 22 bytes.
    link: Vec<u8>,
    ip: Ip,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Ip {
    V4 { class: u8, source: [u8; 4], destination: [u8; 4] },
    V6 { class: u8, flow_label: u32, source: [u8; 16], destination: [u8; 16] },
}

/// What a connection's last data packet said, for its probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    pub addressing: Addressing,
    pub header: Packet,
}

impl Addressing {
    /// Those of a frame. IPv4 options are left out.
    pub fn of(frame: &[u8], headers: &Headers) -> Self {
        let ip = &frame[headers.ip_at..headers.udp_at];
        let first = u32::from_be_bytes(bytes(ip, 0));
        let class = (first >> 20) as u8;
        let ip = if headers.is_ipv4 {
            Ip::V4 { class: ip[1], source: bytes(ip, 12), destination: bytes(ip, 16) }
        } else {
            Ip::V6 { class, flow_label: first & 0xf_ffff, source: bytes(ip, 8), destination: bytes(ip, 24) }
        };
        Addressing { link: frame[..headers.ip_at].to_vec(), ip }
    }

    /// For the way back: MAC and IP addresses change places.
    pub fn swapped(&self) -> Self {
        let mut link = self.link.clone();
        link[..12].rotate_left(6);
        let ip = match self.ip {
            Ip::V4 { class, source, destination } => {
                Ip::V4 { class, source: destination, destination: source }
            }
            Ip::V6 { class, flow_label, source, destination } => {
                Ip::V6 { class, flow_label, source: destination, destination: source }
            }
        };
        Addressing { link, ip }
    }

    /// With another DSCP.
    pub fn with_dscp(&self, dscp: u8) -> Self {
        let mut addressing = self.clone();
        let (Ip::V4 { class, .. } | Ip::V6 { class, .. }) = &mut addressing.ip;
        *class = *class & 0b11 | dscp << 2;
        addressing
    }

    /// With an EV in the low 16 bits of an IPv6 flow label.
    pub fn labelled(&self, ev: u16) -> Self {
        let mut labelled = self.clone();
        if let Ip::V6 { flow_label, .. } = &mut labelled.ip {
            *flow_label = *flow_label & !0xffff | u32::from(ev);
        }
        labelled
    }

    /// A frame with these addresses: the class of service is that of the packet, IPv4's identification is 0 with DF
    /// set (RFC 6864), TTL or hop limit is 64, the flow label is the packet's, and the UDP checksum is computed.
    pub fn frame(&self, ecn: Ecn, ev: u16, udp_port: u16, payload: &[u8]) -> Vec<u8> {
        let length = (UDP_BYTES + payload.len()) as u16;
        let mut frame = self.link.clone();
        let (ip, addresses) = self.ip_header(ecn, length);
        frame.extend(ip);
        let udp_at = frame.len();
        frame.extend([ev, udp_port, length, 0].into_iter().flat_map(u16::to_be_bytes));
        frame.extend(payload);
        let pseudo = [&addresses[..], &[0, PROTOCOL_UDP], &length.to_be_bytes()].concat();
        let sum = checksum::add(checksum::sum(&pseudo), checksum::sum(&frame[udp_at..]));
        let sum = if sum == 0xffff { 0xffff } else { !sum }; // RFC 768: 0 would mean none
        frame[udp_at + 6..udp_at + 8].copy_from_slice(&sum.to_be_bytes());
        frame.resize(frame.len().max(LEAST_FRAME), 0);
        frame
    }

    /// The IP header, and both addresses.
    fn ip_header(&self, ecn: Ecn, length: u16) -> (Vec<u8>, Vec<u8>) {
        let mut header = Vec::new();
        let addresses;
        match &self.ip {
            Ip::V4 { class, source, destination } => {
                addresses = [&source[..], destination].concat();
                header.extend([0x45, class & !0b11 | ecn as u8]);
                header.extend(
                    [IPV4_BYTES as u16 + length, 0, DONT_FRAGMENT].into_iter().flat_map(u16::to_be_bytes),
                );
                header.extend([HOPS, PROTOCOL_UDP, 0, 0]);
                header.extend(&addresses);
                let sum = !checksum::sum(&header);
                header[10..12].copy_from_slice(&sum.to_be_bytes());
            }
            Ip::V6 { class, flow_label, source, destination } => {
                addresses = [&source[..], destination].concat();
                let class = class & !0b11 | ecn as u8;
                header.extend((6 << 28 | u32::from(class) << 20 | flow_label).to_be_bytes());
                header.extend(length.to_be_bytes());
                header.extend([PROTOCOL_UDP, HOPS]);
                header.extend(&addresses);
            }
        }
        (header, addresses)
    }
}

fn bytes<const N: usize>(from: &[u8], at: usize) -> [u8; N] {
    from[at..at + N].try_into().expect("a slice of that length")
}
