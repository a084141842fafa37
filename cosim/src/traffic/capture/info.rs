//! What is in a capture: `respray traffic info`.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::account::{Account, Became};
use super::error::CaptureError;
use super::file::{CaptureFile, Cut};
use super::frame::Kind;
use super::headers::Headers;
use super::profile::{Found, Profile};

/// Figures of a capture.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Info {
    /// The file.
    pub path: PathBuf,
    /// `pcap` or `pcapng`.
    pub format: String,
    /// Whether the file is gzipped.
    pub gzipped: bool,
    /// Link types by name.
    pub link_types: Vec<String>,
    /// All frames.
    pub frames: u64,
    /// Frames cut short by the snap length.
    pub truncated: u64,
    /// Bytes that all frames had on the wire.
    pub wire_bytes: u64,
    /// Frames with one VLAN tag or two.
    pub vlan_tagged: u64,
    /// IPv4 frames, whose header is whole.
    pub ipv4: u64,
    /// IPv6 frames, whose header is whole.
    pub ipv6: u64,
    /// ECN codepoints of all IP frames.
    pub ecn: EcnCounts,
    /// From the first frame to the last, of those that have a time, ns.
    pub span_ns: u64,
    /// Frames in a second over the span.
    pub frames_per_second: f64,
    /// Bits on the wire in a second over the span.
    pub bits_per_second: f64,
    /// The profile that was looked for and its frames.
    pub profile: ProfileInfo,
    /// What was passed over, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Figures of the profile's frames.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ProfileInfo {
    /// `strack` or `uet`.
    pub name: String,
    /// UDP destination port.
    pub udp_port: u16,
    /// IP protocol of the entropy header that carries it in place of UDP; 0: UDP.
    pub ip_proto: u8,
    /// Frames of the profile, as `docs/headers.md` defines them.
    pub frames: u64,
    /// Frames of anything else, malformed ones included.
    pub other: u64,
    /// Those of them that are malformed: truncated, with a bad IPv4 header checksum, or with lengths or a header that
    /// contradict each other.
    pub malformed: u64,
    /// Frames that are not judged, since the snap length cut them before they show what they are.
    pub header_cut: u64,
    /// What the others are, with the numbers of the first few.
    pub others: Vec<Became>,
    /// Data frames, probes included.
    pub data: u64,
    /// Probes.
    pub probes: u64,
    /// Data frames with a PSN that their connection had sent before.
    pub retransmissions: u64,
    /// ACK frames.
    pub acks: u64,
    /// ACK frames that echo a CE mark.
    pub acks_ce: u64,
    /// NACK frames.
    pub nacks: u64,
    /// NACK frames by code (`uet`).
    pub nack_codes: BTreeMap<u8, u64>,
    /// Control packets (`uet`).
    pub control: u64,
    /// Control packets by `ctl` (`uet`).
    pub control_kinds: BTreeMap<u8, u64>,
    /// Data frames and control packets that ask for a connection (`uet`).
    pub syns: u64,
    /// Addresses that send data.
    pub senders: Vec<IpAddr>,
    /// Distinct connections: sender of data, its receiver, number on the wire.
    pub connections: u64,
    /// Distinct EVs on data frames.
    pub evs: u64,
    /// ECN codepoints of data frames.
    pub data_ecn: EcnCounts,
    /// Frames by opcode or packet type.
    pub opcodes: BTreeMap<u8, u64>,
}

/// Frames by ECN codepoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EcnCounts {
    /// Codepoint 0.
    pub not_ect: u64,
    /// Codepoint 1.
    pub ect1: u64,
    /// Codepoint 2.
    pub ect0: u64,
    /// Codepoint 3.
    pub ce: u64,
}

impl EcnCounts {
    fn count(&mut self, codepoint: u8) {
        match codepoint {
            0 => self.not_ect += 1,
            1 => self.ect1 += 1,
            2 => self.ect0 += 1,
            _ => self.ce += 1,
        }
    }
}

impl fmt::Display for EcnCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EcnCounts { not_ect, ect1, ect0, ce } = self;
        write!(f, "Not-ECT {not_ect}, ECT(1) {ect1}, ECT(0) {ect0}, CE {ce}")
    }
}

/// Reads a whole capture and counts.
///
/// # Errors
///
/// Only what makes the file unreadable; frames of no profile, cut or malformed, are counted.
pub fn info(path: &Path, profile: Profile, cut: Cut) -> Result<Info, CaptureError> {
    let mut file = CaptureFile::open(path)?.on_cut(cut);
    let mut info = Info {
        path: path.to_owned(),
        gzipped: file.is_gzipped(),
        format: file.format_name().into(),
        ..Info::default()
    };
    let (mut sets, mut passed) = (Sets::default(), Account::default());
    info.profile.name = profile.name().into();
    info.profile.udp_port = profile.udp_port;
    info.profile.ip_proto = profile.carried.ip_proto();
    let (mut first_ns, mut last_ns) = (u64::MAX, 0);
    while let Some(frame) = file.next_frame()? {
        info.frames += 1;
        info.wire_bytes += frame.wire_len as u64;
        info.truncated += u64::from(frame.wire_len > frame.data.len());
        if let Some(time_ns) = frame.time_ns {
            (first_ns, last_ns) = (first_ns.min(time_ns), last_ns.max(time_ns));
        }
        let link = link_name(frame.link_type);
        if !info.link_types.contains(&link) {
            info.link_types.push(link);
        }
        // an unknown link layer is told by its name above
        let headers = Headers::parse(&frame).unwrap_or_default();
        info.vlan_tagged += u64::from(headers.vlan_tags > 0);
        if let Some(ip) = headers.ip {
            *if ip.source.is_ipv4() { &mut info.ipv4 } else { &mut info.ipv6 } += 1;
            info.ecn.count(ip.ecn);
        }
        match profile.find(&frame, &headers) {
            Found::Frame(frame) => sets.count(&mut info.profile, &frame),
            other => {
                let is_malformed = matches!(other, Found::Error(error) if error.is_malformed());
                info.profile.malformed += u64::from(is_malformed);
                match other {
                    Found::HeaderCut { .. } => info.profile.header_cut += 1,
                    _ => info.profile.other += 1,
                }
                passed.left(frame.number, other.why_not().expect("it is none"));
            }
        }
    }
    info.profile.others = passed.became;
    info.warnings.extend(file.warning().map(CaptureError::as_warning));
    info.profile.connections = sets.connections.len() as u64;
    info.profile.evs = sets.evs.len() as u64;
    info.span_ns = last_ns.saturating_sub(first_ns);
    if info.span_ns > 0 {
        let seconds = info.span_ns as f64 / 1e9;
        info.frames_per_second = info.frames as f64 / seconds;
        info.bits_per_second = info.wire_bytes as f64 * 8.0 / seconds;
    }
    Ok(info)
}

#[derive(Default)]
struct Sets {
    connections: HashSet<(IpAddr, IpAddr, u32)>,
    evs: HashSet<u16>,
    psns: HashSet<(IpAddr, IpAddr, u32, u32)>,
}

impl Sets {
    fn count(&mut self, info: &mut ProfileInfo, frame: &super::frame::ProfileFrame) {
        info.frames += 1;
        *info.opcodes.entry(frame.opcode).or_default() += 1;
        let (source, destination) = (frame.source, frame.destination);
        match frame.kind {
            Kind::Data(data) => {
                info.data += 1;
                info.probes += u64::from(data.probe);
                info.syns += u64::from(data.syn);
                info.data_ecn.count(frame.ecn);
                self.evs.insert(frame.ev);
                self.connections.insert((source, destination, frame.id));
                if !data.probe && !self.psns.insert((source, destination, frame.id, data.psn)) {
                    info.retransmissions += 1;
                }
                if !info.senders.contains(&source) {
                    info.senders.push(source);
                }
            }
            Kind::Ack(ack) => {
                info.acks += 1;
                info.acks_ce += u64::from(ack.ce);
                self.connections.insert((destination, source, frame.id));
            }
            Kind::Nack { code, .. } => {
                info.nacks += 1;
                *info.nack_codes.entry(code).or_default() += 1;
                self.connections.insert((destination, source, frame.id));
            }
            Kind::Control { ctl, syn, .. } => {
                info.control += 1;
                *info.control_kinds.entry(ctl).or_default() += 1;
                info.syns += u64::from(syn);
            }
        }
    }
}

fn link_name(link_type: i32) -> String {
    match link_type {
        1 => "Ethernet".into(),
        12 | 14 | 101 | 228 | 229 => "raw IP".into(),
        113 => "Linux cooked".into(),
        276 => "Linux cooked v2".into(),
        other => format!("link type {other} (not read)"),
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gzipped = if self.gzipped { ", gzipped" } else { "" };
        let links = if self.link_types.is_empty() { "no frames".into() } else { self.link_types.join(", ") };
        writeln!(f, "{}: {}{gzipped}, {links}", self.path.display(), self.format)?;
        let mut row = |name: &str, value: String| writeln!(f, "  {name:<16} {value}");
        row("frames", format!("{} ({} cut short by the snap length)", self.frames, self.truncated))?;
        row("span", format!("{:.6} s", self.span_ns as f64 / 1e9))?;
        let (rate, megabits) = (self.frames_per_second, self.bits_per_second / 1e6);
        row("rate", format!("{rate:.0} frames/s, {megabits:.3} Mbit/s on the wire"))?;
        row("IP", format!("{} IPv4, {} IPv6, {} VLAN tagged", self.ipv4, self.ipv6, self.vlan_tagged))?;
        row("ECN", self.ecn.to_string())?;
        let profile = &self.profile;
        let title = match profile.ip_proto {
            0 => format!("{}, UDP {}", profile.name, profile.udp_port),
            ip_proto => format!("{}, IP protocol {ip_proto}", profile.name),
        };
        let cut = match profile.header_cut {
            0 => String::new(),
            cut => format!(", {cut} with the header cut off"),
        };
        row("profile", format!("{title}: {} frames, {} other{cut}", profile.frames, profile.other))?;
        profile.others.iter().try_for_each(|became| row("", became.words()))?;
        if profile.opcodes.is_empty() {
            return Ok(());
        }
        let senders = profile.senders.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ");
        row("connections", profile.connections.to_string())?;
        let probes = match profile.probes {
            0 => String::new(),
            probes => format!(", {probes} probes"),
        };
        row(
            "data",
            format!("{} from {senders}, {} retransmitted{probes}", profile.data, profile.retransmissions),
        )?;
        row("data ECN", profile.data_ecn.to_string())?;
        row("EVs", format!("{} distinct", profile.evs))?;
        let by = |counts: &BTreeMap<u8, u64>| {
            let each = counts.iter().map(|(code, count)| format!("0x{code:02x}: {count}"));
            each.collect::<Vec<_>>().join(", ")
        };
        row("ACKs", format!("{}, {} echo CE; {} NACKs", profile.acks, profile.acks_ce, profile.nacks))?;
        if profile.nacks > 0 {
            row("NACK codes", by(&profile.nack_codes))?;
        }
        if profile.control > 0 {
            row("control packets", format!("{}, by ctl {}", profile.control, by(&profile.control_kinds)))?;
        }
        if profile.syns > 0 {
            row("SYNs", profile.syns.to_string())?;
        }
        row("opcodes", by(&profile.opcodes))
    }
}
