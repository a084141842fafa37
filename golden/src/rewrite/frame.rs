//! A frame read from its first byte on: Ethernet, up to two VLAN tags, IPv4 with options or IPv6, UDP, the profile.
//!
//! The first rule that fires ends it. Rules and their numbers are those of `docs/rewrite_tx.md`, "What is checked".

use etherparse::{Ipv4HeaderSlice, Ipv6HeaderSlice, UdpHeaderSlice};

use super::checksum;
use crate::wire::{Profile, strack, uet};

const ETHERNET_BYTES: usize = 14;
const TAG_BYTES: usize = 4;
const IPV6_BYTES: usize = 40;
const UDP_BYTES: usize = 8;
const PROTOCOL_UDP: u8 = 17;
/// IEEE 802.1Q and 802.1ad.
const TAGS: [u16; 2] = [0x8100, 0x88a8];
const MAX_TAGS: usize = 2;
const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86dd;
/// A frame up to this length may be padded.
const PADDED_BYTES: usize = 64;
/// Lengths are counted so far.
const MAX_BYTES: usize = 16383;

/// What is wrong with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameError {
    /// It ends within a header.
    Truncated,
    /// The IPv4 header's checksum does not verify.
    BadChecksum,
    /// The lengths of frame, IP and UDP contradict each other or the profile's header.
    LengthMismatch,
    /// Not UDP in IPv4 or IPv6 behind at most two tags, or a fragment.
    Unsupported,
}

impl FrameError {
    /// As `meta_error` has it.
    pub const fn code(self) -> u8 {
        match self {
            FrameError::Truncated => 1,
            FrameError::BadChecksum => 2,
            FrameError::LengthMismatch => 3,
            FrameError::Unsupported => 4,
        }
    }

    /// Something is wrong with the frame itself; traffic that is merely not supported is not malformed.
    pub const fn is_malformed(self) -> bool {
        !matches!(self, FrameError::Unsupported)
    }
}

/// What a frame of the profile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Data,
    Ack,
    Probe,
}

/// Whose traffic it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProfileTraffic {
    pub profile: Profile,
    /// UDP destination port of the profile's traffic.
    pub udp_port: u16,
}

/// How much of a frame is known when it is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// The beats of so many bytes up to the one that holds the first 16 (`strack`) or 12 (`uet`) bytes of the profile's
    /// header: its length is known if it ends there.
    Beats(usize),
}

/// Where things are in a frame of the profile. Offsets in bytes from the frame's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    pub kind: Kind,
    pub ip_at: usize,
    pub is_ipv4: bool,
    pub udp_at: usize,
    /// The profile's header.
    pub at: usize,
    /// Its length.
    pub bytes: usize,
    /// UDP's length field: header and payload.
    pub udp_length: usize,
}

/// Reads a frame. `Ok(None)`: nothing is wrong with it and it is not the profile's.
pub fn read(frame: &[u8], wire: ProfileTraffic, extent: Extent) -> Result<Option<Headers>, FrameError> {
    // 1: Ethernet and tags
    let mut ip_at = ETHERNET_BYTES;
    until(frame, ip_at)?;
    let mut ethertype = word(frame, ip_at - 2);
    for _ in 0..MAX_TAGS {
        if TAGS.contains(&ethertype) {
            ip_at += TAG_BYTES;
            until(frame, ip_at)?;
            ethertype = word(frame, ip_at - 2);
        }
    }
    // 2 to 6: IP
    let ip = match ethertype {
        ETHERTYPE_IPV4 => ipv4(&frame[ip_at..])?,
        ETHERTYPE_IPV6 => ipv6(&frame[ip_at..])?,
        _ => return Err(FrameError::Unsupported),
    };
    // 7 to 9: UDP
    let udp_at = ip_at + ip.header_bytes;
    let udp = UdpHeaderSlice::from_slice(&frame[udp_at..]).map_err(|_| FrameError::Truncated)?;
    if udp.destination_port() != wire.udp_port {
        return Ok(None);
    }
    let udp_length = usize::from(udp.length());
    if ip.payload_bytes != Some(udp_length) {
        return Err(FrameError::LengthMismatch);
    }
    // 10 to 12: the profile's header
    let at = udp_at + UDP_BYTES;
    let least = wire.profile.data().bytes();
    until(frame, at + least)?;
    let Some((kind, bytes)) = kind(wire.profile, &frame[at..]) else { return Ok(None) };
    if udp_length < UDP_BYTES + bytes {
        return Err(FrameError::LengthMismatch);
    }
    // 13 and 14: the frame's length, where it is known
    let is_length_known = match extent {
        Extent::Whole => true,
        Extent::Beats(beat) => (frame.len() - 1) / beat == (at + least - 1) / beat,
    };
    if is_length_known {
        until(frame, at + bytes)?;
        let end = udp_at + udp_length;
        let is_longer = frame.len() > end && frame.len() > PADDED_BYTES;
        if frame.len() < end || is_longer || frame.len() > MAX_BYTES {
            return Err(FrameError::LengthMismatch);
        }
    }
    Ok(Some(Headers { kind, ip_at, is_ipv4: ethertype == ETHERTYPE_IPV4, udp_at, at, bytes, udp_length }))
}

/// What UDP is in.
struct Ip {
    header_bytes: usize,
    /// What the header says that follows it; `None` if its length is shorter than itself.
    payload_bytes: Option<usize>,
}

fn ipv4(packet: &[u8]) -> Result<Ip, FrameError> {
    let first = *packet.first().ok_or(FrameError::Truncated)?;
    if first >> 4 != 4 || first & 15 < 5 {
        return Err(FrameError::Unsupported);
    }
    let header = Ipv4HeaderSlice::from_slice(packet).map_err(|_| FrameError::Truncated)?;
    if header.is_fragmenting_payload() || header.protocol().0 != PROTOCOL_UDP {
        return Err(FrameError::Unsupported);
    }
    if checksum::sum(header.slice()) != 0xffff {
        return Err(FrameError::BadChecksum);
    }
    let header_bytes = header.slice().len();
    Ok(Ip { header_bytes, payload_bytes: usize::from(header.total_len()).checked_sub(header_bytes) })
}

fn ipv6(packet: &[u8]) -> Result<Ip, FrameError> {
    let first = *packet.first().ok_or(FrameError::Truncated)?;
    if first >> 4 != 6 {
        return Err(FrameError::Unsupported);
    }
    let header = Ipv6HeaderSlice::from_slice(packet).map_err(|_| FrameError::Truncated)?;
    if header.next_header().0 != PROTOCOL_UDP {
        return Err(FrameError::Unsupported);
    }
    Ok(Ip { header_bytes: IPV6_BYTES, payload_bytes: Some(header.payload_length().into()) })
}

/// Kind and header length by opcode or type, `None` for those that are not handled.
fn kind(profile: Profile, header: &[u8]) -> Option<(Kind, usize)> {
    match profile {
        Profile::Strack => match header[0] {
            strack::OPCODE_DATA if header[14] & strack::FLAG_PROBE != 0 => {
                Some((Kind::Probe, strack::DATA.bytes()))
            }
            strack::OPCODE_DATA => Some((Kind::Data, strack::DATA.bytes())),
            strack::OPCODE_ACK => Some((Kind::Ack, strack::ACK.bytes())),
            _ => None,
        },
        Profile::Uet => match header[0] >> 3 {
            uet::TYPE_RUD_REQUEST | uet::TYPE_ROD_REQUEST => Some((Kind::Data, uet::REQUEST.bytes())),
            uet::TYPE_ACK => Some((Kind::Ack, uet::ACK.bytes())),
            uet::TYPE_ACK_CC => Some((Kind::Ack, uet::ACK_CC.bytes())),
            _ => None,
        },
    }
}

fn until(frame: &[u8], end: usize) -> Result<(), FrameError> {
    if frame.len() < end { Err(FrameError::Truncated) } else { Ok(()) }
}

fn word(frame: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([frame[at], frame[at + 1]])
}
