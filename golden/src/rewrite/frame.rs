//! A frame read from its first byte on: Ethernet, up to two VLAN tags, IPv4 with options or IPv6, UDP or the entropy
//! header, the profile.
//!
//! The first rule that fires ends it. Rules and their numbers are those of `docs/headers.md`, "What a frame of a
//! profile is".

use etherparse::{Ipv4HeaderSlice, Ipv6HeaderSlice, UdpHeaderSlice};

use super::checksum;
use super::crc32c::{TRAILER_BYTES, covered_from, trailer};
use crate::wire::{Profile, strack, uet};

const ETHERNET_BYTES: usize = 14;
const TAG_BYTES: usize = 4;
const IPV6_BYTES: usize = 40;
const UDP_BYTES: usize = 8;
/// Entropy header: EV, and a halfword that is reserved.
const ENTROPY_BYTES: usize = 4;
const PROTOCOL_UDP: u8 = 17;
/// IEEE 802.1Q and 802.1ad.
const TAGS: [u16; 2] = [0x8100, 0x88a8];
const MAX_TAGS: usize = 2;
const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86dd;
/// Of the profile's header a switch leaves so many bytes or more when it trims a packet.
const TRIMMED_BYTES: usize = 16;
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
    /// `uet`: a control packet that opens no connection asks for one.
    Contradiction,
    /// `uet`: the trailer is not the CRC32C of what it covers.
    BadCrc,
}

impl FrameError {
    /// As `meta_error` has it.
    pub const fn code(self) -> u8 {
        match self {
            FrameError::Truncated => 1,
            FrameError::BadChecksum => 2,
            FrameError::LengthMismatch => 3,
            FrameError::Unsupported => 4,
            FrameError::Contradiction => 5,
            FrameError::BadCrc => 6,
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
    /// `uet`: a packet is refused.
    Nack,
    /// `uet`: a control packet.
    Control,
    /// `uet`: a packet of any type that a switch has trimmed.
    Trimmed,
}

impl Kind {
    /// Data, or a probe.
    pub const fn is_data(self) -> bool {
        matches!(self, Kind::Data | Kind::Probe)
    }

    /// Data, a probe or an ACK: all of a connection that the block `nic` acts on. The others are the host's.
    pub const fn is_of_flow(self) -> bool {
        self.is_data() || matches!(self, Kind::Ack)
    }
}

/// Whose traffic it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProfileTraffic {
    pub profile: Profile,
    /// UDP destination port of the profile's traffic.
    pub udp_port: u16,
    /// How its headers are carried.
    pub carried: Carried,
    /// How trimmed packets are told.
    pub trimmed: Trimmed,
    /// A CRC32C in 4 bytes ends each packet, which the lengths of IP and UDP count. Only packets of `uet` have one.
    pub has_crc: bool,
}

/// What the profile's header stands behind. Only `uet` may do without UDP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Carried {
    #[default]
    Udp,
    /// An entropy header directly behind IP, of this protocol or next header.
    Entropy { ip_proto: u8 },
}

impl Carried {
    /// As the input `ip_proto` has it: 0 is UDP.
    pub const fn of(ip_proto: u8) -> Self {
        match ip_proto {
            0 => Carried::Udp,
            ip_proto => Carried::Entropy { ip_proto },
        }
    }

    /// The same the other way.
    pub const fn ip_proto(self) -> u8 {
        match self {
            Carried::Udp => 0,
            Carried::Entropy { ip_proto } => ip_proto,
        }
    }

    /// Bytes between IP and the profile's header.
    pub const fn bytes(self) -> usize {
        match self {
            Carried::Udp => UDP_BYTES,
            Carried::Entropy { .. } => ENTROPY_BYTES,
        }
    }

    /// What IP calls it.
    const fn protocol(self) -> u8 {
        match self {
            Carried::Udp => PROTOCOL_UDP,
            Carried::Entropy { ip_proto } => ip_proto,
        }
    }
}

/// DSCPs, 6 bits, that a switch gives to the packets that it trims; 0 where it has none. Only `uet` has trimmed packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Trimmed {
    pub dscp: u8,
    /// At the last hop.
    pub dscp_last: u8,
}

impl ProfileTraffic {
    /// To the UDP port of the profile, without trimmed packets.
    pub const fn of(profile: Profile) -> Self {
        let (udp_port, trimmed) = (profile.udp_port(), Trimmed { dscp: 0, dscp_last: 0 });
        ProfileTraffic { profile, udp_port, carried: Carried::Udp, trimmed, has_crc: false }
    }

    /// Bytes between the end of the payload and that of the packet.
    pub fn trailer_bytes(&self) -> usize {
        if self.has_crc && self.profile == Profile::Uet { TRAILER_BYTES } else { 0 }
    }

    /// The same to who does not look at DSCPs.
    pub const fn untrimmed(self) -> Self {
        ProfileTraffic { trimmed: Trimmed { dscp: 0, dscp_last: 0 }, ..self }
    }

    /// Whether a packet of this DSCP was trimmed, and then whether at the last hop.
    pub fn trimmed(&self, dscp: u8) -> Option<bool> {
        let is = |by: u8| self.profile == Profile::Uet && by != 0 && by == dscp;
        match (is(self.trimmed.dscp), is(self.trimmed.dscp_last)) {
            (_, true) => Some(true),
            (true, false) => Some(false),
            (false, false) => None,
        }
    }
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
    /// UDP or the entropy header.
    pub udp_at: usize,
    /// The profile's header.
    pub at: usize,
    /// Its length.
    pub bytes: usize,
    /// UDP's length field: header, payload and trailer. What IP says of the entropy header and all behind it.
    pub udp_length: usize,
    /// Bytes of the trailer.
    pub trailer: usize,
}

impl Headers {
    /// Byte behind the last one of the packet, by its lengths.
    pub fn end(&self) -> usize {
        self.udp_at + self.udp_length
    }

    /// Byte from which on a trailer covers all in front of it.
    pub fn covered_from(&self) -> usize {
        self.ip_at + covered_from(self.is_ipv4)
    }
}

/// What a capture tells of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Captured {
    /// One of the profile.
    Frame(Headers),
    /// Nothing is wrong with it and it is not the profile's.
    Other,
    /// What is wrong with it.
    Error(FrameError),
    /// What the capture left of it does not show what it is: that takes so many bytes of it. `is_to_port`: they are
    /// missing behind the UDP port or the protocol, which is the profile's.
    Cut { need: usize, is_to_port: bool },
}

/// What is below UDP, of any frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// VLAN tags, 0 to 2.
    pub tags: usize,
    /// Where IP begins, and whether it is IPv4; `None` of a frame that rules 1 to 4 end.
    pub ip: Option<(usize, bool)>,
}

/// Reads a frame. `Ok(None)`: nothing is wrong with it and it is not the profile's.
pub fn read(frame: &[u8], wire: ProfileTraffic, extent: Extent) -> Result<Option<Headers>, FrameError> {
    match judge(&mut Bytes::whole(frame), wire, extent) {
        Ok(Judged::Frame(headers)) => Ok(Some(headers)),
        Ok(Judged::Other) => Ok(None),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Missing { .. }) => unreachable!("all of the frame is there"),
    }
}

/// Reads a frame of `length` bytes, of which a capture has the first ones.
pub fn read_captured(captured: &[u8], length: usize, wire: ProfileTraffic) -> Captured {
    let mut bytes = Bytes { bytes: captured, length, is_to_port: false };
    match judge(&mut bytes, wire, Extent::Whole) {
        Ok(Judged::Frame(headers)) => Captured::Frame(headers),
        Ok(Judged::Other) => Captured::Other,
        Err(Stop::Error(error)) => Captured::Error(error),
        Err(Stop::Missing { need }) => Captured::Cut { need, is_to_port: bytes.is_to_port },
    }
}

/// What is below UDP, by rules 1 to 4.
pub fn network(frame: &[u8]) -> Network {
    let bytes = Bytes::whole(frame);
    let Ok((tags, ethertype)) = ethernet(&bytes) else { return Network::default() };
    let ip_at = ETHERNET_BYTES + tags * TAG_BYTES;
    let ip = match ethertype {
        ETHERTYPE_IPV4 => ipv4_bytes(&bytes, ip_at).is_ok().then_some((ip_at, true)),
        ETHERTYPE_IPV6 => ipv6_header(&bytes, ip_at).is_ok().then_some((ip_at, false)),
        _ => None,
    };
    Network { tags, ip }
}

/// Bytes of a frame.
struct Bytes<'a> {
    /// Those that are there, from its first.
    bytes: &'a [u8],
    /// All that it had.
    length: usize,
    /// It is UDP to the profile's port, or has its protocol.
    is_to_port: bool,
}

/// Why reading ends before its end.
enum Stop {
    Error(FrameError),
    /// The frame goes on, but is not there: so many bytes are asked for.
    Missing {
        need: usize,
    },
}

impl From<FrameError> for Stop {
    fn from(error: FrameError) -> Stop {
        Stop::Error(error)
    }
}

/// What a frame is with which nothing is wrong.
enum Judged {
    Frame(Headers),
    Other,
}

impl<'a> Bytes<'a> {
    fn whole(frame: &'a [u8]) -> Bytes<'a> {
        Bytes { bytes: frame, length: frame.len(), is_to_port: false }
    }

    /// The frame has so many bytes, and they are there.
    fn until(&self, end: usize) -> Result<(), Stop> {
        if self.length < end {
            return Err(FrameError::Truncated.into());
        }
        if self.bytes.len() < end { Err(Stop::Missing { need: end }) } else { Ok(()) }
    }

    fn word(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.bytes[at], self.bytes[at + 1]])
    }
}

fn judge(frame: &mut Bytes<'_>, wire: ProfileTraffic, extent: Extent) -> Result<Judged, Stop> {
    // 1: Ethernet and tags
    let (tags, ethertype) = ethernet(frame)?;
    let ip_at = ETHERNET_BYTES + tags * TAG_BYTES;
    // 2 to 6: IP
    let ip = match ethertype {
        ETHERTYPE_IPV4 => ipv4(frame, ip_at, wire.carried.protocol())?,
        ETHERTYPE_IPV6 => ipv6(frame, ip_at, wire.carried.protocol())?,
        _ => return Err(FrameError::Unsupported.into()),
    };
    let is_ipv4 = ethertype == ETHERTYPE_IPV4;
    let is_trimmed = wire.trimmed(traffic_class(&frame.bytes[ip_at..], is_ipv4) >> 2).is_some();
    // 7 to 9: UDP, or the entropy header, which says nothing that could contradict IP
    let udp_at = ip_at + ip.header_bytes;
    let at = udp_at + wire.carried.bytes();
    frame.until(at)?;
    let left = ip.payload_bytes.unwrap_or_default();
    let udp_length = match wire.carried {
        Carried::Udp => {
            let udp = UdpHeaderSlice::from_slice(&frame.bytes[udp_at..]).expect("it is there");
            if udp.destination_port() != wire.udp_port {
                return Ok(Judged::Other);
            }
            frame.is_to_port = true;
            let udp_length = usize::from(udp.length());
            if !is_trimmed && ip.payload_bytes != Some(udp_length) {
                return Err(FrameError::LengthMismatch.into());
            }
            udp_length
        }
        Carried::Entropy { .. } => {
            frame.is_to_port = true;
            left
        }
    };
    // 10 and 11: the profile's header
    let least = wire.profile.data().bytes();
    frame.until(at + least)?;
    let Some((kind, bytes)) = kind(wire.profile, &frame.bytes[at..])? else { return Ok(Judged::Other) };
    let kind = if is_trimmed { Kind::Trimmed } else { kind };
    let headers =
        Headers { kind, ip_at, is_ipv4, udp_at, at, bytes, udp_length, trailer: wire.trailer_bytes() };
    // 12 to 14: its length, and the frame's, where that is known
    let is_length_known = match extent {
        Extent::Whole => true,
        Extent::Beats(beat) => (frame.length - 1) / beat == (at + least - 1) / beat,
    };
    if is_trimmed {
        fit_trimmed(frame, &headers, left)?;
    } else {
        fit(frame, &headers, is_length_known)?;
        // 15: the trailer, of what was received
        if headers.trailer > 0 && extent == Extent::Whole {
            checks(frame, &headers)?;
        }
    }
    Ok(Judged::Frame(headers))
}

/// VLAN tags, and the ethertype behind them.
fn ethernet(frame: &Bytes<'_>) -> Result<(usize, u16), Stop> {
    let mut tags = 0;
    loop {
        let ip_at = ETHERNET_BYTES + tags * TAG_BYTES;
        frame.until(ip_at)?;
        let ethertype = frame.word(ip_at - 2);
        if tags == MAX_TAGS || !TAGS.contains(&ethertype) {
            return Ok((tags, ethertype));
        }
        tags += 1;
    }
}

/// What UDP is in.
struct Ip {
    header_bytes: usize,
    /// What the header says that follows it; `None` if its length is shorter than itself.
    payload_bytes: Option<usize>,
}

/// Length of the IPv4 header, which is all there.
fn ipv4_bytes(frame: &Bytes<'_>, at: usize) -> Result<usize, Stop> {
    frame.until(at + 1)?;
    let first = frame.bytes[at];
    if first >> 4 != 4 || first & 15 < 5 {
        return Err(FrameError::Unsupported.into());
    }
    let bytes = usize::from(first & 15) * 4;
    frame.until(at + bytes)?;
    Ok(bytes)
}

fn ipv4(frame: &Bytes<'_>, at: usize, protocol: u8) -> Result<Ip, Stop> {
    let header_bytes = ipv4_bytes(frame, at)?;
    let header = Ipv4HeaderSlice::from_slice(&frame.bytes[at..]).expect("it is there");
    if header.is_fragmenting_payload() || header.protocol().0 != protocol {
        return Err(FrameError::Unsupported.into());
    }
    if checksum::sum(header.slice()) != 0xffff {
        return Err(FrameError::BadChecksum.into());
    }
    Ok(Ip { header_bytes, payload_bytes: usize::from(header.total_len()).checked_sub(header_bytes) })
}

fn ipv6_header<'a>(frame: &Bytes<'a>, at: usize) -> Result<Ipv6HeaderSlice<'a>, Stop> {
    frame.until(at + 1)?;
    if frame.bytes[at] >> 4 != 6 {
        return Err(FrameError::Unsupported.into());
    }
    frame.until(at + IPV6_BYTES)?;
    Ok(Ipv6HeaderSlice::from_slice(&frame.bytes[at..]).expect("it is there"))
}

fn ipv6(frame: &Bytes<'_>, at: usize, protocol: u8) -> Result<Ip, Stop> {
    let header = ipv6_header(frame, at)?;
    if header.next_header().0 != protocol {
        return Err(FrameError::Unsupported.into());
    }
    Ok(Ip { header_bytes: IPV6_BYTES, payload_bytes: Some(header.payload_length().into()) })
}

/// Rules 12 to 14: the header fits in UDP or IP, and that in the frame.
fn fit(frame: &Bytes<'_>, headers: &Headers, is_length_known: bool) -> Result<(), Stop> {
    let Headers { udp_at, at, udp_length, bytes, trailer, .. } = *headers;
    if udp_length < at - udp_at + bytes + trailer {
        return Err(FrameError::LengthMismatch.into());
    }
    if is_length_known {
        frame.until(at + bytes)?;
        ends_at(frame, udp_at + udp_length)?;
    }
    Ok(())
}

/// Rules 12 and 14 of a trimmed packet, of which IP says what is left.
fn fit_trimmed(frame: &Bytes<'_>, headers: &Headers, left: usize) -> Result<(), Stop> {
    if left < headers.at - headers.udp_at + TRIMMED_BYTES {
        return Err(FrameError::LengthMismatch.into());
    }
    ends_at(frame, headers.udp_at + left)
}

/// Rule 15: the trailer is that of what it covers.
fn checks(frame: &Bytes<'_>, headers: &Headers) -> Result<(), Stop> {
    frame.until(headers.end())?;
    let at = headers.end() - headers.trailer;
    match frame.bytes[at..headers.end()] == trailer(&frame.bytes[headers.covered_from()..at]) {
        true => Ok(()),
        false => Err(FrameError::BadCrc.into()),
    }
}

/// Rule 14: the frame ends there, but for what pads a short one.
fn ends_at(frame: &Bytes<'_>, end: usize) -> Result<(), Stop> {
    let length = frame.length;
    let is_longer = length > end && length > PADDED_BYTES;
    match length < end || is_longer || length > MAX_BYTES {
        true => Err(FrameError::LengthMismatch.into()),
        false => Ok(()),
    }
}

/// The eight bits of DSCP and ECN.
pub fn traffic_class(ip: &[u8], is_ipv4: bool) -> u8 {
    if is_ipv4 { ip[1] } else { ip[0] << 4 | ip[1] >> 4 }
}

/// Kind and bytes of the header that are needed, by opcode or type; `None` for those that are not handled.
fn kind(profile: Profile, header: &[u8]) -> Result<Option<(Kind, usize)>, FrameError> {
    match profile {
        Profile::Strack => Ok(strack_kind(header)),
        Profile::Uet => uet_kind(&uet::Common::of(header)),
    }
}

fn strack_kind(header: &[u8]) -> Option<(Kind, usize)> {
    match header[0] {
        strack::OPCODE_DATA if header[14] & strack::FLAG_PROBE != 0 => {
            Some((Kind::Probe, strack::DATA.bytes()))
        }
        strack::OPCODE_DATA => Some((Kind::Data, strack::DATA.bytes())),
        strack::OPCODE_ACK => Some((Kind::Ack, strack::ACK.bytes())),
        _ => None,
    }
}

fn uet_kind(common: &uet::Common) -> Result<Option<(Kind, usize)>, FrameError> {
    let Some(header) = uet::header(common.kind) else { return Ok(None) };
    let kind = match common.kind {
        uet::TYPE_ACK | uet::TYPE_ACK_CC | uet::TYPE_ACK_CCX => Kind::Ack,
        // that of RUDI names no PSN
        uet::TYPE_NACK | uet::TYPE_NACK_CCX if common.flags & uet::FLAG_RUDI != 0 => return Ok(None),
        uet::TYPE_NACK | uet::TYPE_NACK_CCX => Kind::Nack,
        uet::TYPE_CONTROL => {
            let has_syn = common.flags & uet::FLAG_SYN != 0;
            if has_syn && uet::CTL_WITHOUT_SYN.contains(&common.next_header) {
                return Err(FrameError::Contradiction);
            }
            Kind::Control
        }
        _ => Kind::Data,
    };
    Ok(Some((kind, header.bytes())))
}
