//! Frames of every layout that is met on a network, each with what it is to a profile by `docs/headers.md`, and
//! frames made of them that nobody would send.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::rewrite::FrameError;
use respray_golden::rewrite::checksum;
use respray_golden::wire::{Packet, Profile, strack, uet};

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Is {
    /// One of the profile.
    Frame,
    /// Another, with nothing wrong.
    Other,
    /// Another, for this reason.
    Error(FrameError),
}

/// A layout.
#[derive(Clone, Debug)]
pub struct Layout {
    pub name: String,
    pub frame: Vec<u8>,
    pub is: Is,
}

const UNSUPPORTED: Is = Is::Error(FrameError::Unsupported);
const TRUNCATED: Is = Is::Error(FrameError::Truncated);
const MISMATCH: Is = Is::Error(FrameError::LengthMismatch);
const BAD_CHECKSUM: Is = Is::Error(FrameError::BadChecksum);

const UDP: u8 = 17;
/// Payload of data.
const PAYLOAD: usize = 64;
/// A frame with more bytes is none of a profile.
const MOST: usize = 16_383;

/// A data packet's header.
fn header(profile: Profile) -> Vec<u8> {
    match profile {
        Profile::Strack => {
            Packet::StrackData(strack::Data { connection: 3, psn: 100, timestamp: 9, ..Default::default() })
        }
        Profile::Uet => {
            let pdcs = uet::Request { source_pdc: 3, destination_pdc: 4, ..Default::default() };
            Packet::UetRequest(uet::Request { psn: 100, ..pdcs })
        }
    }
    .to_bytes()
}

fn ack(profile: Profile) -> Vec<u8> {
    match profile {
        Profile::Strack => Packet::StrackAck(strack::Ack { connection: 3, psn: 100, ..Default::default() }),
        Profile::Uet => {
            let pdcs = uet::Ack { source_pdc: 4, destination_pdc: 3, ..Default::default() };
            Packet::UetAck(uet::Ack { cack_psn: 100, cc: Some(uet::AckCc::default()), ..pdcs })
        }
    }
    .to_bytes()
}

/// A datagram whose length field is `length`, that of itself where nothing is given.
fn udp(port: u16, payload: &[u8], length: Option<u16>) -> Vec<u8> {
    let length = length.unwrap_or(8 + payload.len() as u16);
    let mut bytes = [5000, port, length, 0].map(u16::to_be_bytes).concat();
    bytes.extend(payload);
    bytes
}

/// An IPv4 packet with options, and something changed in its header before its checksum is written.
fn ipv4(protocol: u8, options: usize, payload: &[u8], change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes =
        vec![0x45 + options as u8, 2, 0, 0, 0, 1, 0, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2];
    bytes.resize(20 + 4 * options, 1);
    let total = (bytes.len() + payload.len()) as u16;
    bytes[2..4].copy_from_slice(&total.to_be_bytes());
    change(&mut bytes);
    let sum = !checksum::sum(&bytes);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes.extend(payload);
    bytes
}

fn plain_ipv4(payload: &[u8]) -> Vec<u8> {
    ipv4(UDP, 0, payload, |_| ())
}

/// An IPv6 packet; `payload` may begin with extension headers.
fn ipv6(next: u8, payload: &[u8], length: Option<u16>) -> Vec<u8> {
    let mut bytes = vec![0x60, 0x20, 0, 0];
    bytes.extend(length.unwrap_or(payload.len() as u16).to_be_bytes());
    bytes.extend([next, 64]);
    for last in [1, 2] {
        bytes.extend([0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    bytes.extend(payload);
    bytes
}

/// Ethernet with these 16-bit words behind its addresses, the ethertype the last of them.
fn ethernet(words: &[u16], packet: &[u8]) -> Vec<u8> {
    let mut bytes = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    bytes.extend(packet);
    bytes
}

/// Every layout, with frames to a port of a profile.
pub fn layouts(profile: Profile, port: u16) -> Vec<Layout> {
    let data = [header(profile), vec![0; PAYLOAD]].concat();
    let datagram = udp(port, &data, None);
    let (four, six) = (plain_ipv4(&datagram), ipv6(UDP, &datagram, None));
    let plain = ethernet(&[0x0800], &four);
    let short = |bytes: usize| {
        let mut frame = ethernet(&[0x0800], &plain_ipv4(&udp(port, &header(profile), None)));
        frame.resize(bytes.max(frame.len()), 0);
        frame
    };
    let longer = |more: usize| [&plain[..], &vec![0; more]].concat();
    let changed = |at: usize, value: u8| {
        let mut frame = plain.clone();
        frame[at] = value;
        frame
    };
    let in_four = |protocol: u8, payload: &[u8]| ethernet(&[0x0800], &ipv4(protocol, 0, payload, |_| ()));
    let in_six =
        |next: u8, first: &[u8]| ethernet(&[0x86dd], &ipv6(next, &[first, &datagram].concat(), None));
    let v4_with = |change: fn(&mut [u8])| ethernet(&[0x0800], &ipv4(UDP, 0, &datagram, change));
    let of_length = |length: usize| {
        let data = [header(profile), vec![0; length - 42 - header(profile).len()]].concat();
        ethernet(&[0x0800], &plain_ipv4(&udp(port, &data, None)))
    };
    let behind = |words: &[u16]| ethernet(words, &four);
    let ports = |port: u16| ethernet(&[0x0800], &plain_ipv4(&udp(port, &data, None)));
    let extension = |next: u8| [next, 0, 1, 4, 0, 0, 0, 0];
    let authentication = [&[UDP, 4][..], &[0; 22]].concat();
    let opcode = |first: u8| {
        let mut data = data.clone();
        data[0] = first;
        ethernet(&[0x0800], &plain_ipv4(&udp(port, &data, None)))
    };
    let mut all = vec![
        ("IPv4", plain.clone(), Is::Frame),
        ("IPv6", ethernet(&[0x86dd], &six), Is::Frame),
        ("an ACK", ethernet(&[0x0800], &plain_ipv4(&udp(port, &ack(profile), None))), Is::Frame),
        ("no payload", ethernet(&[0x0800], &plain_ipv4(&udp(port, &header(profile), None))), Is::Frame),
        ("a tag 0x8100", behind(&[0x8100, 5, 0x0800]), Is::Frame),
        ("a tag 0x88a8", behind(&[0x88a8, 5, 0x0800]), Is::Frame),
        ("a tag of priority", behind(&[0x8100, 0xe000, 0x0800]), Is::Frame),
        ("two tags", behind(&[0x88a8, 5, 0x8100, 6, 0x0800]), Is::Frame),
        ("two tags of one kind", behind(&[0x8100, 5, 0x8100, 6, 0x0800]), Is::Frame),
        ("IPv6 behind two tags", ethernet(&[0x88a8, 5, 0x8100, 6, 0x86dd], &six), Is::Frame),
        ("three tags", behind(&[0x88a8, 5, 0x8100, 6, 0x8100, 7, 0x0800]), UNSUPPORTED),
        ("a tag 0x9100", behind(&[0x9100, 5, 0x0800]), UNSUPPORTED),
        ("a tag 0x9200", behind(&[0x9200, 5, 0x0800]), UNSUPPORTED),
        ("0x9100 behind 0x8100", behind(&[0x8100, 5, 0x9100, 5, 0x0800]), UNSUPPORTED),
        ("a tag of a network card, 0x8926", behind(&[0x8926, 0, 0, 0x0800]), UNSUPPORTED),
        ("MACsec that does not encrypt", behind(&[0x88e5, 0, 0, 1, 0x0800]), UNSUPPORTED),
        ("a tag of HSR", behind(&[0x892f, 0x1000, 1, 0x0800]), UNSUPPORTED),
        ("a shim", behind(&[0x88b5, 0x2000, 0, 0, 0x0800]), UNSUPPORTED),
        ("MPLS", behind(&[0x8847, 0x0001, 0x0140]), UNSUPPORTED),
        ("PPPoE", behind(&[0x8864, 0x1100, 1, four.len() as u16 + 2, 0x0021]), UNSUPPORTED),
        ("LLC and SNAP", behind(&[four.len() as u16 + 8, 0xaaaa, 0x0300, 0, 0x0800]), UNSUPPORTED),
        ("LLC", behind(&[four.len() as u16 + 3, 0x0606, 0x0300]), UNSUPPORTED),
        ("ARP", ethernet(&[0x0806], &[0; 46]), UNSUPPORTED),
        ("LLDP", ethernet(&[0x88cc], &[0; 46]), UNSUPPORTED),
        ("IPv4 that says IPv6", behind(&[0x86dd]), UNSUPPORTED),
        ("IPv6 that says IPv4", ethernet(&[0x0800], &six), UNSUPPORTED),
        ("IP version 5", changed(14, 0x55), UNSUPPORTED),
        ("an IPv4 header of four words", changed(14, 0x44), UNSUPPORTED),
        ("one word of options", ethernet(&[0x0800], &ipv4(UDP, 1, &datagram, |_| ())), Is::Frame),
        ("ten words of options", ethernet(&[0x0800], &ipv4(UDP, 10, &datagram, |_| ())), Is::Frame),
        ("do not fragment", v4_with(|ip| ip[6] = 0x40), Is::Frame),
        ("the reserved flag of IPv4", v4_with(|ip| ip[6] = 0x80), Is::Frame),
        ("the first fragment", v4_with(|ip| ip[6] = 0x20), UNSUPPORTED),
        ("a later fragment", v4_with(|ip| ip[7] = 1), UNSUPPORTED),
        ("a bad IPv4 checksum", changed(24, 0x12), BAD_CHECKSUM),
        ("IPv4 shorter than its header", v4_with(|ip| ip[2..4].copy_from_slice(&[0, 19])), MISMATCH),
        ("IPv4 shorter than UDP", v4_with(|ip| ip[3] -= 4), MISMATCH),
        ("UDP shorter than IPv4", ethernet(&[0x0800], &plain_ipv4(&udp(port, &data, Some(40)))), MISMATCH),
        ("UDP longer than IPv4", ethernet(&[0x0800], &plain_ipv4(&udp(port, &data, Some(400)))), MISMATCH),
        ("UDP of no length", ethernet(&[0x0800], &plain_ipv4(&udp(port, &data, Some(0)))), MISMATCH),
        ("UDP in IPv6 of no length", ethernet(&[0x86dd], &ipv6(UDP, &datagram, Some(0))), MISMATCH),
        (
            "neither has a length",
            ethernet(&[0x86dd], &ipv6(UDP, &udp(port, &data, Some(0)), Some(0))),
            MISMATCH,
        ),
        (
            "a jumbogram",
            ethernet(&[0x86dd], &ipv6(0, &[&extension(UDP)[..], &datagram].concat(), Some(0))),
            UNSUPPORTED,
        ),
        ("hop-by-hop options", in_six(0, &extension(UDP)), UNSUPPORTED),
        ("destination options", in_six(60, &extension(UDP)), UNSUPPORTED),
        ("a routing header", in_six(43, &extension(UDP)), UNSUPPORTED),
        ("an atomic fragment", in_six(44, &[UDP, 0, 0, 0, 0, 0, 0, 1]), UNSUPPORTED),
        ("no next header", in_six(59, &[]), UNSUPPORTED),
        ("authentication", in_four(51, &[&authentication[..], &datagram].concat()), UNSUPPORTED),
        ("authentication in IPv6", in_six(51, &authentication), UNSUPPORTED),
        ("TCP", in_four(6, &datagram), UNSUPPORTED),
        ("UDP-Lite", in_four(136, &datagram), UNSUPPORTED),
        ("IPv4 in IPv4", in_four(4, &four), UNSUPPORTED),
        ("IPv6 in IPv4", in_four(41, &six), UNSUPPORTED),
        ("IPv4 in IPv6", in_six(4, &four), UNSUPPORTED),
        ("GRE", in_four(47, &[&[0, 0, 8, 0][..], &four].concat()), UNSUPPORTED),
        (
            "VXLAN",
            ethernet(
                &[0x0800],
                &plain_ipv4(&udp(4789, &[&[8, 0, 0, 0, 0, 0, 1, 0][..], &plain].concat(), None)),
            ),
            Is::Other,
        ),
        ("another port", ports(port + 1), Is::Other),
        ("an opcode of RoCE", opcode(0x0a), Is::Other),
        ("a UDP checksum that is wrong", changed(40, 7), Is::Frame),
        ("broadcast", [&[0xff; 6][..], &plain[6..]].concat(), Is::Frame),
        ("a runt", short(0), Is::Frame),
        ("padding to 60 bytes", short(60), Is::Frame),
        ("a check sequence at the end of 60 bytes", short(64), Is::Frame),
        ("65 bytes of which the last are none of UDP's", short(65), MISMATCH),
        ("a check sequence at the end", longer(4), MISMATCH),
        ("a byte at the end", longer(1), MISMATCH),
        ("a trailer of PRP", longer(6), MISMATCH),
        ("a byte is missing at the end", plain[..plain.len() - 1].to_vec(), MISMATCH),
        ("no byte", Vec::new(), TRUNCATED),
        ("13 bytes", plain[..13].to_vec(), TRUNCATED),
        ("Ethernet alone", plain[..14].to_vec(), TRUNCATED),
        ("a tag alone", behind(&[0x8100, 5, 0x0800])[..17].to_vec(), TRUNCATED),
        ("an IPv4 header that ends", plain[..33].to_vec(), TRUNCATED),
        ("an IPv6 header that ends", ethernet(&[0x86dd], &six)[..53].to_vec(), TRUNCATED),
        (
            "options that end",
            ethernet(&[0x0800], &ipv4(UDP, 10, &datagram, |_| ()))[..73].to_vec(),
            TRUNCATED,
        ),
        ("a UDP header that ends", plain[..41].to_vec(), TRUNCATED),
        ("a header of the profile that ends", plain[..42 + header(profile).len() - 1].to_vec(), TRUNCATED),
        (
            "an ACK in too short a UDP",
            ethernet(&[0x0800], &plain_ipv4(&udp(port, &ack(profile)[..20], None))),
            MISMATCH,
        ),
        ("as long as can be counted", of_length(MOST), Is::Frame),
        ("longer", of_length(MOST + 1), MISMATCH),
    ];
    if profile == Profile::Uet {
        let of = |payload: &[u8]| ethernet(&[0x0800], &plain_ipv4(&udp(port, payload, None)));
        let request = uet::Request { credit: Some(uet::Credit::default()), ..uet::Request::default() };
        let ccx = uet::Ack {
            cc: Some(uet::AckCc { is_ccx: true, ..uet::AckCc::default() }),
            ..uet::Ack::default()
        };
        let nack = uet::Nack::default();
        let control = uet::Control { ctl: 1, payload: Some(0), ..uet::Control::default() };
        let (request, ccx, rudi) = (request.to_bytes(), ccx.to_bytes(), uet::Nack { of_rudi: true, ..nack });
        let (nack, ccx_nack) = (nack.to_bytes(), uet::Nack { is_ccx: true, ..nack }.to_bytes());
        let whole = control.to_bytes();
        let syn = uet::Control { syn: true, ..control };
        all.extend([
            ("a request with credits", of(&request), Is::Frame),
            ("a request with credits that ends", of(&request[..15]), MISMATCH),
            ("an ACK_CCX of 24 bytes", of(&ccx), Is::Frame),
            ("an ACK_CCX of 40 bytes", of(&[&ccx[..], &[0; 16]].concat()), Is::Frame),
            ("an ACK_CCX that ends", of(&ccx[..23]), MISMATCH),
            ("an ACK_CC of 31 bytes", of(&ack(profile)[..31]), MISMATCH),
            ("an ACK with bytes behind it", of(&[&ack(profile)[..], &[0xa5; 9]].concat()), Is::Frame),
            ("a NACK", of(&nack), Is::Frame),
            ("a NACK that ends", of(&nack[..13]), MISMATCH),
            ("a NACK_CCX", of(&[&ccx_nack[..], &[0; 16]].concat()), Is::Frame),
            ("a NACK of RUDI", of(&rudi.to_bytes()), Is::Other),
            ("a control packet", of(&whole), Is::Frame),
            ("a control packet without payload", of(&whole[..12]), Is::Frame),
            ("a control packet with some of its payload", of(&whole[..14]), Is::Frame),
            ("a control packet that ends", of(&whole[..11]), TRUNCATED),
            ("a control packet of 11 bytes", [&of(&whole[..11])[..], &[0; 7]].concat(), MISMATCH),
            (
                "a control packet that opens a connection",
                of(&uet::Control { ctl: 0, ..syn }.to_bytes()),
                Is::Frame,
            ),
            ("a SYN in a request for an ACK", of(&syn.to_bytes()), Is::Error(FrameError::Contradiction)),
            (
                "a SYN in a packet of ctl 8",
                of(&uet::Control { ctl: 8, ..syn }.to_bytes()),
                Is::Error(FrameError::Contradiction),
            ),
            ("a negotiation", of(&uet::Control { ctl: 9, ..syn }.to_bytes()), Is::Frame),
            ("RUDI", of(&[4 << 3; 64]), Is::Other),
            ("UUD", of(&[6 << 3; 64]), Is::Other),
            ("a header of security", of(&[0x0c; 64]), Is::Other),
            ("type 0", of(&[0x01; 64]), Is::Other),
            ("type 15", of(&[0x79; 64]), Is::Other),
        ]);
    }
    all.into_iter().map(|(name, frame, is)| Layout { name: name.to_string(), frame, is }).collect()
}

/// Frames without end, each a layout with a few changes: broken, odd, hostile.
pub struct Hostile {
    random: Xoshiro256PlusPlus,
    layouts: Vec<Layout>,
}

impl Hostile {
    pub fn new(seed: u64, profile: Profile, port: u16) -> Hostile {
        // the longest ones take most of the time, and differ from others in nothing else
        let mut layouts = layouts(profile, port);
        layouts.retain(|layout| layout.frame.len() < MOST);
        Hostile { random: Xoshiro256PlusPlus::seed_from_u64(seed), layouts }
    }

    /// Changes something of a frame.
    fn change(&mut self, frame: &mut Vec<u8>) {
        let random = &mut self.random;
        let at = random.random_range(0..=frame.len());
        match random.random_range(0..8) {
            0 => frame.truncate(at),
            1 => frame.resize(frame.len() + random.random_range(1..=8), random.random()),
            2 if at >= 12 => {
                let tag = [0x8100_u16, 0x88a8, 0x9100, 0x0800, 0x86dd][random.random_range(0..5)];
                frame.splice(12..12, tag.to_be_bytes().into_iter().chain([0, 5]));
            }
            3 => {
                let bytes: Vec<u8> = (0..random.random_range(1..=8)).map(|_| random.random()).collect();
                frame.splice(at..at, bytes);
            }
            4 if at < frame.len() => _ = frame.remove(at),
            // where headers are
            5 if frame.len() > 12 => {
                let at = random.random_range(12..frame.len().min(80));
                frame[at] ^= 1 << random.random_range(0..8);
            }
            6 if frame.len() > 12 => {
                let at = random.random_range(12..frame.len().min(80));
                frame[at] = random.random();
            }
            _ if at < frame.len() => frame[at] = random.random(),
            _ => {}
        }
    }

    /// Makes the checksum of an IPv4 header right, and the lengths of IPv4 and UDP such that they fit the frame.
    fn mend(frame: &mut [u8], with_lengths: bool) {
        let Some(ip) = frame.get_mut(14..).filter(|ip| ip.len() >= 28) else { return };
        let bytes = usize::from(ip[0] & 15) * 4;
        if ip[0] >> 4 != 4 || !(20..=ip.len() - 8).contains(&bytes) {
            return;
        }
        if with_lengths {
            let total = ip.len() as u16;
            ip[2..4].copy_from_slice(&total.to_be_bytes());
            let length = total - bytes as u16;
            ip[bytes + 4..bytes + 6].copy_from_slice(&length.to_be_bytes());
        }
        ip[10..12].fill(0);
        let sum = !checksum::sum(&ip[..bytes]);
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
    }
}

impl Iterator for Hostile {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let at = self.random.random_range(0..self.layouts.len());
        let mut frame = self.layouts[at].frame.clone();
        for _ in 0..self.random.random_range(0..=3) {
            self.change(&mut frame);
        }
        match self.random.random_range(0..3) {
            0 => Hostile::mend(&mut frame, true),
            1 => Hostile::mend(&mut frame, false),
            _ => {}
        }
        Some(frame)
    }
}
