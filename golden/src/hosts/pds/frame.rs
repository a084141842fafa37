//! What stands around a header of the packet delivery sublayer (section 2.1): Ethernet, IP, UDP or an entropy header
//! alone, and the trailer.

use std::net::IpAddr;

use etherparse::{
    IpDscp, IpEcn, IpNumber, Ipv4Header, Ipv4HeaderSlice, Ipv6FlowLabel, Ipv6Header, UdpHeader,
};

use super::counts::Refusal;
use super::crc::crc32c;

const ETHERNET: usize = 14;
const VLAN_TAG: usize = 4;
const UDP: usize = UdpHeader::LEN;
/// EV, and 16 reserved bits.
const ENTROPY: usize = 4;
const TRAILER: usize = 4;
/// Bytes of a trimmed packet's PDS header that are left at least (Table 4-1).
const TRIMMED_LEFT: usize = 16;
/// Frames are padded up to this.
const PADDED: usize = 64;
const HOPS: u8 = 64;

/// What carries the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// The EV is the source port. `checksum`: one is written, else 0.
    Udp { port: u16, checksum: bool },
    /// An entropy header behind IP of this protocol.
    Native { protocol: u8 },
}

/// How packets are carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encapsulation {
    pub carrier: Carrier,
    /// A trailer is checked and written. Then no checksum of UDP is written, for each would cover the other.
    pub crc: bool,
    /// DSCP of packets that a switch has trimmed.
    pub dscp_trimmed: Option<u8>,
    /// The same of the last switch.
    pub dscp_trimmed_last: Option<u8>,
}

impl Default for Encapsulation {
    /// UDP to port 4793 without a checksum, no trailer, nothing is trimmed.
    fn default() -> Self {
        let carrier = Carrier::Udp { port: 4793, checksum: false };
        Encapsulation { carrier, crc: false, dscp_trimmed: None, dscp_trimmed_last: None }
    }
}

/// Where frames come from or go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub mac: [u8; 6],
    pub ip: IpAddr,
}

/// What stands around a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outer {
    pub from: Address,
    pub to: Address,
    pub ev: u16,
    /// 6 bits.
    pub dscp: u8,
    /// 2 bits: 0 not ECT, 2 ECT(0), 3 CE.
    pub ecn: u8,
}

/// ECN of a packet that a switch has marked.
pub const CE: u8 = 3;
/// ECN of a packet that may be marked.
pub const ECT_0: u8 = 2;

/// Where a packet was trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trimmed {
    OnItsWay,
    LastHop,
}

/// A packet that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    pub outer: Outer,
    pub trimmed: Option<Trimmed>,
    /// From the first byte of the header on, without the trailer; what is left of a trimmed packet.
    pub bytes: &'a [u8],
    /// From the UDP or entropy header to the trailer, both with it, in bytes. Of a trimmed packet what UDP says it was.
    pub length: u16,
}

impl Encapsulation {
    /// Reads a frame, without its check sequence.
    ///
    /// # Errors
    /// If it is of other traffic, or broken below the packet delivery sublayer.
    pub fn read<'a>(&self, frame: &'a [u8]) -> Result<Packet<'a>, Refusal> {
        let ip = Ip::read(frame)?;
        let trimmed = match Some(ip.dscp) {
            dscp if dscp == self.dscp_trimmed => Some(Trimmed::OnItsWay),
            dscp if dscp == self.dscp_trimmed_last => Some(Trimmed::LastHop),
            _ => None,
        };
        let length = ip.payload.len();
        let (ev, header, said) = match self.carrier {
            Carrier::Udp { port, .. } => {
                if ip.protocol != IpNumber::UDP {
                    return Err(Refusal::OtherTraffic);
                }
                let (udp, _) = UdpHeader::from_slice(ip.payload).map_err(|_| Refusal::Truncated)?;
                if udp.destination_port != port {
                    return Err(Refusal::OtherTraffic);
                }
                if trimmed.is_none() {
                    if usize::from(udp.length) != length {
                        return Err(Refusal::LengthMismatch);
                    }
                    if udp.checksum != 0
                        && udp.checksum != udp_checksum(&udp, ip.from, ip.to, &ip.payload[UDP..])
                    {
                        return Err(Refusal::BadUdpChecksum);
                    }
                }
                (udp.source_port, UDP, udp.length)
            }
            Carrier::Native { protocol } => {
                if ip.protocol != IpNumber(protocol) {
                    return Err(Refusal::OtherTraffic);
                }
                let Some(&[high, low, ..]) = ip.payload.first_chunk::<ENTROPY>() else {
                    return Err(Refusal::Truncated);
                };
                (u16::from_be_bytes([high, low]), ENTROPY, length as u16)
            }
        };
        let mut bytes = &ip.payload[header..];
        if trimmed.is_some() {
            if bytes.len() < TRIMMED_LEFT {
                return Err(Refusal::LengthMismatch);
            }
        } else if self.crc {
            let (checked, trailer) =
                ip.checked.split_last_chunk::<TRAILER>().expect("a packet has its addresses");
            if bytes.len() < TRAILER || crc32c(checked) != u32::from_be_bytes(*trailer) {
                return Err(Refusal::BadCrc);
            }
            bytes = &bytes[..bytes.len() - TRAILER];
        }
        let from = Address { mac: mac_at(frame, 6), ip: ip.from };
        let to = Address { mac: mac_at(frame, 0), ip: ip.to };
        let outer = Outer { from, to, ev, dscp: ip.dscp, ecn: ip.ecn };
        Ok(Packet { outer, trimmed, bytes, length: said })
    }

    /// The frame that carries these bytes, which begin with a header.
    ///
    /// # Panics
    /// If the addresses are of different versions of IP, or the bytes too many for it.
    pub fn write(&self, outer: &Outer, bytes: &[u8]) -> Vec<u8> {
        let trailer = if self.crc { TRAILER } else { 0 };
        let (protocol, header) = match self.carrier {
            Carrier::Udp { .. } => (IpNumber::UDP, UDP),
            Carrier::Native { protocol } => (IpNumber(protocol), ENTROPY),
        };
        let length = u16::try_from(header + bytes.len() + trailer).expect("a packet has at most 65535 bytes");
        let dscp = IpDscp::try_new(outer.dscp).expect("a DSCP has 6 bits");
        let ecn = IpEcn::try_new(outer.ecn).expect("ECN has 2 bits");
        let mut frame = [outer.to.mac, outer.from.mac].concat();
        match (outer.from.ip, outer.to.ip) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                let mut ip = Ipv4Header::new(length, HOPS, protocol, from.octets(), to.octets())
                    .expect("a packet has at most 65535 bytes");
                (ip.dscp, ip.ecn) = (dscp, ecn);
                ip.header_checksum = ip.calc_header_checksum();
                frame.extend([0x08, 0x00]);
                frame.extend(ip.to_bytes());
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let mut ip = Ipv6Header {
                    traffic_class: 0,
                    flow_label: Ipv6FlowLabel::ZERO,
                    payload_length: length,
                    next_header: protocol,
                    hop_limit: HOPS,
                    source: from.octets(),
                    destination: to.octets(),
                };
                ip.set_dscp(dscp);
                ip.set_ecn(ecn);
                frame.extend([0x86, 0xdd]);
                frame.extend(ip.to_bytes());
            }
            (from, to) => panic!("a packet cannot go from {from} to {to}"),
        }
        match self.carrier {
            Carrier::Udp { port, checksum } => {
                let mut udp =
                    UdpHeader { source_port: outer.ev, destination_port: port, length, checksum: 0 };
                if checksum && !self.crc {
                    udp.checksum = udp_checksum(&udp, outer.from.ip, outer.to.ip, bytes);
                }
                frame.extend(udp.to_bytes());
            }
            Carrier::Native { .. } => {
                frame.extend(outer.ev.to_be_bytes());
                frame.extend([0; 2]);
            }
        }
        frame.extend(bytes);
        if self.crc {
            let from = if outer.from.ip.is_ipv4() { 12 } else { 8 };
            let crc = crc32c(&frame[ETHERNET + from..]);
            frame.extend(crc.to_be_bytes());
        }
        frame
    }
}

/// A frame as a switch trims it: so many bytes of IP's payload are left, and IP says so and has this DSCP. UDP is as it
/// was.
///
/// # Panics
/// If the frame is no packet of IP, or the payload is not longer.
pub fn trim(frame: &[u8], left: usize, dscp: u8) -> Vec<u8> {
    let at = ip_at(frame).expect("only packets of IP are trimmed");
    let is_v4 = frame[at] >> 4 == 4;
    let header = if is_v4 { usize::from(frame[at] & 15) * 4 } else { Ipv6Header::LEN };
    assert!(at + header + left <= frame.len(), "a packet is trimmed to less than it has");
    let mut frame = frame[..at + header + left].to_vec();
    let ip = &mut frame[at..];
    if is_v4 {
        let (mut read, _) =
            Ipv4Header::from_slice(ip).map(|(ip, rest)| (ip, rest.len())).expect("it is IPv4");
        read.total_len = (header + left) as u16;
        read.dscp = IpDscp::try_new(dscp).expect("a DSCP has 6 bits");
        read.header_checksum = read.calc_header_checksum();
        ip[..header].copy_from_slice(&read.to_bytes());
    } else {
        ip[4..6].copy_from_slice(&(left as u16).to_be_bytes());
        let class = u16::from_be_bytes([ip[0], ip[1]]);
        ip[..2].copy_from_slice(&(class & !0x0fc0 | u16::from(dscp) << 6).to_be_bytes());
    }
    frame
}

/// What IP says.
struct Ip<'a> {
    from: IpAddr,
    to: IpAddr,
    dscp: u8,
    ecn: u8,
    protocol: IpNumber,
    /// As long as IP says.
    payload: &'a [u8],
    /// What a trailer covers, and the trailer: from the source address on.
    checked: &'a [u8],
}

impl<'a> Ip<'a> {
    fn read(frame: &'a [u8]) -> Result<Self, Refusal> {
        let at = ip_at(frame)?;
        let packet = &frame[at..];
        let ethertype = [frame[at - 2], frame[at - 1]];
        let (ip, end) = match (ethertype, packet.first().map(|byte| byte >> 4)) {
            ([0x08, 0x00], Some(4)) => Ip::v4(packet)?,
            ([0x86, 0xdd], Some(6)) => Ip::v6(packet)?,
            (_, None) => return Err(Refusal::Truncated),
            _ => return Err(Refusal::NotIp),
        };
        if packet.len() > end && frame.len() > PADDED {
            return Err(Refusal::LengthMismatch);
        }
        Ok(ip)
    }

    fn v4(packet: &'a [u8]) -> Result<(Self, usize), Refusal> {
        let ip = Ipv4HeaderSlice::from_slice(packet).map_err(|_| Refusal::Truncated)?;
        let (header, end) = (ip.slice().len(), usize::from(ip.total_len()));
        if ip.is_fragmenting_payload() {
            return Err(Refusal::NotIp);
        }
        if ip.to_header().calc_header_checksum() != ip.header_checksum() {
            return Err(Refusal::BadIpChecksum);
        }
        if !(header..=packet.len()).contains(&end) {
            return Err(Refusal::LengthMismatch);
        }
        let ip = Ip {
            from: ip.source_addr().into(),
            to: ip.destination_addr().into(),
            dscp: ip.dcp().value(),
            ecn: ip.ecn().value(),
            protocol: ip.protocol(),
            payload: &packet[header..end],
            checked: &packet[12..end],
        };
        Ok((ip, end))
    }

    fn v6(packet: &'a [u8]) -> Result<(Self, usize), Refusal> {
        let (ip, rest) = Ipv6Header::from_slice(packet).map_err(|_| Refusal::Truncated)?;
        let length = usize::from(ip.payload_length);
        let end = Ipv6Header::LEN + length;
        let ip = Ip {
            from: ip.source_addr().into(),
            to: ip.destination_addr().into(),
            dscp: ip.dscp().value(),
            ecn: ip.ecn().value(),
            protocol: ip.next_header,
            payload: rest.get(..length).ok_or(Refusal::LengthMismatch)?,
            checked: &packet[8..end],
        };
        Ok((ip, end))
    }
}

/// Where IP begins, behind up to two VLAN tags.
fn ip_at(frame: &[u8]) -> Result<usize, Refusal> {
    let mut at = ETHERNET;
    for tags in 0.. {
        match frame.get(at - 2..at) {
            None => return Err(Refusal::Truncated),
            Some([0x81, 0x00] | [0x88, 0xa8]) if tags < 2 => at += VLAN_TAG,
            Some([0x08, 0x00] | [0x86, 0xdd]) => break,
            Some(_) => return Err(Refusal::NotIp),
        }
    }
    Ok(at)
}

fn mac_at(frame: &[u8], at: usize) -> [u8; 6] {
    *frame[at..].first_chunk().expect("the ethertype stands behind the addresses")
}

fn udp_checksum(udp: &UdpHeader, from: IpAddr, to: IpAddr, payload: &[u8]) -> u16 {
    let sum = match (from, to) {
        (IpAddr::V4(from), IpAddr::V4(to)) => udp.calc_checksum_ipv4_raw(from.octets(), to.octets(), payload),
        (IpAddr::V6(from), IpAddr::V6(to)) => udp.calc_checksum_ipv6_raw(from.octets(), to.octets(), payload),
        (from, to) => panic!("a packet cannot go from {from} to {to}"),
    };
    sum.expect("the payload fits into a packet")
}
