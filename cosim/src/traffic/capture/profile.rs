//! Frames of a header profile, found among all others by their UDP destination port and header.

use respray_golden::rewrite::{Captured, Carried, FrameError, ProfileTraffic, read_captured};
use respray_golden::wire::{Header, Packet, Profile as Wire, strack, uet};
use respray_hdl::config::Config;

use super::account::Account;
use super::error::{CaptureError, Fault};
use super::file::{CaptureFile, RawFrame};
use super::frame::{Ack, Data, Kind, ProfileFrame, Sack};
use super::headers::{Headers, Ip};
use super::source::CaptureSource;
use crate::traffic::frames::profile;

/// A header profile on a UDP port, or behind an entropy header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its headers.
    pub wire: Wire,
    /// UDP destination port of its frames, data and ACKs alike.
    pub udp_port: u16,
    /// What carries its headers.
    pub carried: Carried,
    /// Its packets end with a CRC32C.
    pub has_crc: bool,
}

/// What a frame is to a profile, as `docs/headers.md` defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A frame of the profile.
    Frame(ProfileFrame),
    /// Nothing is wrong with it: it is to another port, or of another opcode or type.
    Other,
    /// None of the profile, for this reason.
    Error(FrameError),
    /// The snap length left too little of it to show what it is.
    HeaderCut {
        /// Bytes that show it.
        need: usize,
        /// Those that were captured.
        got: usize,
        /// It is to the profile's port.
        is_to_port: bool,
    },
}

impl Found {
    /// Why the frame is none of the profile, `None` if it is one.
    pub fn why_not(&self) -> Option<&'static str> {
        match self {
            Found::Frame(_) => None,
            Found::Other => Some(why_other(None)),
            Found::Error(error) => Some(why_other(Some(*error))),
            Found::HeaderCut { .. } => Some("cut by the snap length before it shows what it is"),
        }
    }
}

/// Why a frame with this error, or with none, is none of the profile.
pub fn why_other(error: Option<FrameError>) -> &'static str {
    match error {
        None => "to another UDP port, or of another opcode or type",
        Some(FrameError::Unsupported) => {
            "not UDP in IPv4 or IPv6 behind at most two VLAN tags, or a fragment"
        }
        Some(FrameError::Truncated) => "truncated: the frame ends within a header",
        Some(FrameError::BadChecksum) => "with a bad IPv4 header checksum",
        Some(FrameError::LengthMismatch) => "with lengths of frame, IP and UDP that contradict each other",
        Some(FrameError::Contradiction) => {
            "with a header that contradicts itself: SYN in a control packet that opens no connection"
        }
        Some(FrameError::BadCrc) => "with a wrong CRC32C",
    }
}

impl From<Wire> for Profile {
    fn from(wire: Wire) -> Self {
        ProfileTraffic::of(wire).into()
    }
}

impl From<ProfileTraffic> for Profile {
    fn from(traffic: ProfileTraffic) -> Self {
        let ProfileTraffic { profile: wire, udp_port, carried, has_crc, .. } = traffic;
        Profile { wire, udp_port, carried, has_crc }
    }
}

impl Profile {
    /// The one of a configuration, on its own UDP port.
    pub fn of(config: &Config) -> Self {
        Profile { has_crc: config.has_crc(), ..profile(config).into() }
    }

    /// As in the configuration.
    pub fn name(&self) -> &'static str {
        self.wire.name()
    }

    /// Where its frames are found, in words.
    pub fn place(&self) -> String {
        match self.carried {
            Carried::Udp => format!("UDP port {}", self.udp_port),
            Carried::Entropy { ip_proto } => format!("IP protocol {ip_proto}"),
        }
    }

    /// Width of a PSN in bits.
    pub fn psn_bits(&self) -> u32 {
        self.wire.psn_bits()
    }

    /// Looks at one frame.
    pub fn find(&self, frame: &RawFrame<'_>, headers: &Headers<'_>) -> Found {
        let Profile { wire, udp_port, carried, has_crc } = *self;
        let wire = ProfileTraffic { udp_port, carried, has_crc, ..ProfileTraffic::of(wire) };
        let (udp_at, at, end) = match read_captured(&headers.bytes, headers.length, wire) {
            Captured::Frame(found) => (found.udp_at, found.at, found.end() - found.trailer),
            Captured::Other => return Found::Other,
            Captured::Error(error) => return Found::Error(error),
            Captured::Cut { need, is_to_port } => {
                // bytes as the link layer of the capture counts them
                let got = frame.data.len();
                let need = (need + got).saturating_sub(headers.bytes.len());
                return Found::HeaderCut { need, got, is_to_port };
            }
        };
        // of the payload as much as was captured, but neither a trailer nor what pads the frame
        let payload = &headers.bytes[at..headers.bytes.len().min(end)];
        let packet = self.wire.parse(payload).expect("the frame holds a whole header of the profile");
        let udp = Udp {
            ev: u16::from_be_bytes([headers.bytes[udp_at], headers.bytes[udp_at + 1]]),
            payload_len: end - at,
            first: payload[0],
        };
        let ip = headers.ip.expect("a frame of the profile has IP");
        Found::Frame(frame_of(frame, &ip, &udp, &packet))
    }
}

/// What of UDP or the entropy header goes into a frame of the profile.
struct Udp {
    /// Source port, or entropy.
    ev: u16,
    /// Payload bytes by the header's length, cut off or not.
    payload_len: usize,
    /// The first of them.
    first: u8,
}

fn frame_of(frame: &RawFrame<'_>, ip: &Ip, udp: &Udp, packet: &Packet) -> ProfileFrame {
    let behind = |header: Header| udp.payload_len.saturating_sub(header.bytes()) as u32;
    let kind = match packet {
        Packet::StrackData(data) => Kind::Data(Data {
            psn: data.psn,
            bytes: behind(strack::DATA),
            timestamp: Some(data.timestamp),
            ack_request: data.ack_request,
            probe: data.probe,
            syn: false,
            ordered: false,
            retransmit: false,
        }),
        Packet::UetRequest(request) => Kind::Data(Data {
            psn: request.psn,
            bytes: behind(request.header()),
            timestamp: None,
            ack_request: request.ack_request,
            probe: false,
            syn: request.syn,
            ordered: request.ordered,
            retransmit: request.retransmit,
        }),
        Packet::StrackAck(ack) => Kind::Ack(Ack {
            psn: ack.psn,
            echo_ev: ack.echo_entropy,
            ce: ack.ecn_echo,
            probe: ack.probe_echo,
            echo_timestamp: Some(ack.echo_timestamp),
            expected: ack.expected_psn,
            recv_bytes: Some(ack.recv_bytes),
            ooo: Some(ack.ooo),
            sack: Some(Sack { base: ack.sack_base, bitmap: ack.sack_bitmap }),
            mpr: None,
        }),
        Packet::UetAck(ack) => Kind::Ack(uet_ack(udp, ack)),
        Packet::UetNack(nack) => Kind::Nack { psn: nack.psn, code: nack.nack_code, ce: nack.ecn_echo },
        Packet::UetControl(control) => Kind::Control { ctl: control.ctl, psn: control.psn, syn: control.syn },
    };
    ProfileFrame {
        number: frame.number,
        time_ns: frame.time_ns,
        source: ip.source,
        destination: ip.destination,
        ecn: ip.ecn,
        ev: udp.ev,
        id: packet.sender_connection(),
        receiver_id: packet.receiver_connection(),
        opcode: match packet.profile() {
            Wire::Strack => udp.first,
            Wire::Uet => udp.first >> 3,
        },
        kind,
    }
}

fn uet_ack(udp: &Udp, ack: &uet::Ack) -> Ack {
    let state = ack.cc.filter(uet::AckCc::has_state);
    Ack {
        psn: ack.ack_psn(),
        // the EV of an ACK is that of the data that it answers
        echo_ev: udp.ev,
        ce: ack.ecn_echo,
        probe: ack.probe,
        echo_timestamp: None,
        expected: ack.cack_psn.wrapping_add(1),
        recv_bytes: state.map(|cc| cc.rcvd_bytes),
        ooo: state.map(|cc| cc.ooo_count),
        sack: ack.cc.zip(ack.sack_psn()).map(|(cc, base)| Sack { base, bitmap: cc.sack_bitmap }),
        mpr: ack.cc.map(|cc| cc.mpr),
    }
}

/// The frames of a profile in a capture, in order. One that has no time gets that of the frame before it in the file; those
/// before the first frame with a time have none.
pub struct ProfileFrames {
    file: CaptureFile,
    profile: Profile,
    last_ns: Option<u64>,
    passed: Account,
    /// Some were of the profile.
    has_any: bool,
}

impl ProfileFrames {
    /// Begins to read a capture.
    pub fn open(source: &CaptureSource, profile: Profile) -> Result<Self, CaptureError> {
        Ok(ProfileFrames {
            file: source.read()?,
            profile,
            last_ns: None,
            passed: Account::default(),
            has_any: false,
        })
    }

    /// Where within a record the capture ended, as [`CaptureFile::warning`] has it.
    pub fn warning(&self) -> Option<&CaptureError> {
        self.file.warning()
    }

    /// The frames that are none of the profile, of those read so far.
    pub fn passed(&self) -> &Account {
        &self.passed
    }

    /// What is wrong with a capture that was read whole and has no data frame.
    pub fn no_data(&self) -> Fault {
        Fault::NoProfile {
            profile: self.profile.name(),
            place: self.profile.place(),
            answers: self.has_any,
            passed: self.passed.reasons(),
        }
    }

    /// The next one, `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// Besides a damaged file: a link layer that is not read, and a header of the profile that the snap length cut.
    pub fn next_frame(&mut self) -> Result<Option<ProfileFrame>, CaptureError> {
        loop {
            let path = self.file.path().to_owned();
            let Some(frame) = self.file.next_frame()? else { return Ok(None) };
            self.last_ns = frame.time_ns.or(self.last_ns);
            let frame = RawFrame { time_ns: self.last_ns, ..frame };
            let number = frame.number;
            let headers =
                Headers::parse(&frame).map_err(|fault| CaptureError::frame(&path, number, fault))?;
            match self.profile.find(&frame, &headers) {
                Found::Frame(found) => {
                    self.has_any = true;
                    return Ok(Some(found));
                }
                Found::HeaderCut { need, got, is_to_port: true } => {
                    let profile = self.profile.name();
                    return Err(CaptureError::frame(&path, number, Fault::HeaderCut { profile, need, got }));
                }
                other => self.passed.left(number, other.why_not().expect("it is none")),
            }
        }
    }
}
