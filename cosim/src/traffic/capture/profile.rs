//! Frames of a header profile, found among all others by their UDP destination port and header.

use respray_golden::wire::uet::Ack as UetAck;
use respray_golden::wire::{Packet, Profile as Wire, WireError};

use super::error::{CaptureError, Fault};
use super::file::{CaptureFile, RawFrame};
use super::frame::{Ack, Data, Kind, ProfileFrame, Sack};
use super::headers::{Headers, Ip, Udp};
use super::source::CaptureSource;

/// A header profile on a UDP port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its headers.
    pub wire: Wire,
    /// UDP destination port of its frames, data and ACKs alike.
    pub udp_port: u16,
}

/// What a frame is to a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A frame of the profile.
    Frame(ProfileFrame),
    /// To the profile's port, but the snap length left too little of its header.
    HeaderCut {
        /// Payload bytes needed.
        need: usize,
        /// Payload bytes captured.
        got: usize,
    },
    /// Anything else, malformed headers and unknown opcodes included.
    Other,
}

impl From<Wire> for Profile {
    fn from(wire: Wire) -> Self {
        Profile { wire, udp_port: wire.udp_port() }
    }
}

impl Profile {
    /// As in the configuration.
    pub fn name(&self) -> &'static str {
        self.wire.name()
    }

    /// Width of a PSN in bits.
    pub fn psn_bits(&self) -> u32 {
        self.wire.psn_bits()
    }

    /// Looks at one frame.
    pub fn find(&self, frame: &RawFrame<'_>, headers: &Headers<'_>) -> Found {
        let (Some(ip), Some(udp)) = (headers.ip, headers.udp) else { return Found::Other };
        if udp.destination_port != self.udp_port {
            return Found::Other;
        }
        match self.wire.parse(udp.payload) {
            Ok(packet) => Found::Frame(frame_of(frame, &ip, &udp, &packet)),
            Err(WireError::TooShort { need, got, .. }) if udp.payload_len >= need => {
                Found::HeaderCut { need, got }
            }
            Err(_) => Found::Other,
        }
    }
}

fn frame_of(frame: &RawFrame<'_>, ip: &Ip, udp: &Udp<'_>, packet: &Packet) -> ProfileFrame {
    let behind = udp.payload_len.saturating_sub(packet.profile().data().bytes()) as u32;
    let kind = match packet {
        Packet::StrackData(data) => Kind::Data(Data {
            psn: data.psn,
            bytes: behind,
            timestamp: Some(data.timestamp),
            ack_request: data.ack_request,
            probe: data.probe,
        }),
        Packet::UetRequest(request) => Kind::Data(Data {
            psn: request.psn,
            bytes: behind,
            timestamp: None,
            ack_request: request.ack_request,
            probe: false,
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
        }),
        Packet::UetAck(ack) => Kind::Ack(uet_ack(udp, ack)),
        Packet::UetNack(nack) => Kind::Nack { psn: nack.psn },
    };
    ProfileFrame {
        number: frame.number,
        time_ns: frame.time_ns,
        source: ip.source,
        destination: ip.destination,
        ecn: ip.ecn,
        ev: udp.source_port,
        id: packet.sender_connection(),
        opcode: match packet.profile() {
            Wire::Strack => udp.payload[0],
            Wire::Uet => udp.payload[0] >> 3,
        },
        kind,
    }
}

fn uet_ack(udp: &Udp<'_>, ack: &UetAck) -> Ack {
    Ack {
        psn: ack.ack_psn(),
        // the EV of an ACK is that of the data that it answers
        echo_ev: udp.source_port,
        ce: ack.ecn_echo,
        probe: ack.probe,
        echo_timestamp: None,
        expected: ack.cack_psn.wrapping_add(1),
        recv_bytes: ack.cc.map(|cc| cc.rcvd_bytes),
        ooo: ack.cc.map(|cc| cc.ooo_count),
        sack: ack.cc.zip(ack.sack_psn()).map(|(cc, base)| Sack { base, bitmap: cc.sack_bitmap }),
    }
}

/// The frames of a profile in a capture, in order. One that has no time gets that of the frame before it in the file; those
/// before the first frame with a time have none.
pub struct ProfileFrames {
    file: CaptureFile,
    profile: Profile,
    last_ns: Option<u64>,
}

impl ProfileFrames {
    /// Begins to read a capture.
    pub fn open(source: &CaptureSource, profile: Profile) -> Result<Self, CaptureError> {
        Ok(ProfileFrames { file: source.read()?, profile, last_ns: None })
    }

    /// Where within a record the capture ended, as [`CaptureFile::warning`] has it.
    pub fn warning(&self) -> Option<&CaptureError> {
        self.file.warning()
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
                Found::Frame(found) => return Ok(Some(found)),
                Found::HeaderCut { need, got } => {
                    let profile = self.profile.name();
                    return Err(CaptureError::frame(&path, number, Fault::HeaderCut { profile, need, got }));
                }
                Found::Other => {}
            }
        }
    }
}
