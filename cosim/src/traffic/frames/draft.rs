//! A frame before it is bytes. IP and UDP headers and their checksums are `etherparse`'s.

use etherparse::{IpNumber, Ipv4Header, Ipv4Options, Ipv6FlowLabel, Ipv6Header, UdpHeader};
use respray_golden::rewrite::{Carried, checksum, crc32c};

use super::frame::mix;

/// Frames are padded up to so many bytes.
pub(super) const SHORTEST: usize = 60;

/// UDP's checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// 0: none was computed.
    None,
    Right,
    Wrong,
}

/// A frame of a profile.
#[derive(Clone, Debug)]
pub struct Draft {
    /// VLAN tags.
    pub tags: usize,
    pub is_ipv6: bool,
    /// 32-bit words of IPv4 options, 0 to 10.
    pub options: usize,
    /// The options are some that exist, well formed; otherwise noise.
    pub real_options: bool,
    /// DSCP and ECN.
    pub traffic_class: u8,
    /// 20 bits.
    pub flow_label: u32,
    pub source_port: u16,
    pub udp_port: u16,
    /// What carries the profile's header: UDP, or an entropy header with `source_port` and without a checksum.
    pub carried: Carried,
    pub checksum: Checksum,
    /// Of addresses, options and payload.
    pub seed: u64,
    /// The profile's header.
    pub header: Vec<u8>,
    /// Bytes behind it.
    pub payload: usize,
}

/// As many bytes of IPv4 options as `noise` has, chosen and filled by it (RFC 791 section 3.1, RFC 2113). No source route is among them: it
/// has a destination of its own, and parsers differ on which one stands in the pseudo header of UDP.
fn real_options(noise: &[u8]) -> Vec<u8> {
    let mut options = Vec::with_capacity(noise.len());
    while options.len() < noise.len() {
        let filling = &noise[options.len()..];
        let head: &[u8] = match filling[0] % 5 {
            0 => &[0x01],                                  // no operation
            1 if filling.len() >= 4 => &[0x94, 4, 0, 0],   // router alert
            2 if filling.len() >= 4 => &[0x88, 4],         // stream identifier
            3 if filling.len() >= 11 => &[0x07, 11, 4],    // record route, room for two
            4 if filling.len() >= 12 => &[0x44, 12, 5, 0], // timestamps, room for two
            _ => &[0x00],                                  // end of the list
        };
        match head[0] {
            0x00 => options.resize(noise.len(), 0),
            0x01 => options.extend(head),
            _ => {
                options.extend(head);
                options.extend(&filling[head.len()..usize::from(head[1])]);
            }
        }
    }
    options
}

impl Draft {
    /// Byte at which IP begins.
    pub fn ip_at(&self) -> usize {
        14 + 4 * self.tags
    }

    /// Byte at which UDP or the entropy header begins.
    pub fn udp_at(&self) -> usize {
        self.ip_at() + if self.is_ipv6 { 40 } else { 20 + 4 * self.options }
    }

    /// Bytes up to the payload.
    pub fn head_bytes(&self) -> usize {
        self.udp_at() + self.carried.bytes() + self.header.len()
    }

    /// The bytes, not padded.
    ///
    /// # Panics
    /// If a field is beyond its range.
    pub fn frame(&self) -> Vec<u8> {
        let mut frame = Vec::with_capacity((self.head_bytes() + self.payload).max(SHORTEST));
        let addresses: [u8; 32] = self.noise(2);
        let udp_length = (8 + self.header.len() + self.payload) as u16;
        frame.extend(self.noise::<12>(3));
        for tag in 0..self.tags {
            frame.extend(if (self.seed >> tag) & 1 == 0 { [0x81, 0x00] } else { [0x88, 0xa8] });
            frame.extend(self.noise::<2>(4 + tag as u64));
        }
        let udp = UdpHeader {
            source_port: self.source_port,
            destination_port: self.udp_port,
            length: udp_length,
            checksum: 0,
        };
        let right = if self.is_ipv6 {
            let ip = Ipv6Header {
                traffic_class: self.traffic_class,
                flow_label: Ipv6FlowLabel::try_new(self.flow_label).expect("20 bits"),
                payload_length: udp.length,
                next_header: IpNumber::UDP,
                hop_limit: 64,
                source: addresses[..16].try_into().expect("16 bytes"),
                destination: addresses[16..].try_into().expect("16 bytes"),
            };
            frame.extend([0x86, 0xdd]);
            frame.extend(ip.to_bytes());
            udp.calc_checksum_ipv6(&ip, self.behind_ip(&mut frame, &udp))
        } else {
            let addresses = |at: usize| addresses[at..at + 4].try_into().expect("4 bytes");
            let mut ip =
                Ipv4Header::new(udp.length, 64, IpNumber::UDP, addresses(0), addresses(4)).expect("it fits");
            ip.dscp = etherparse::IpDscp::try_new(self.traffic_class >> 2).expect("6 bits");
            ip.ecn = etherparse::IpEcn::try_new(self.traffic_class & 3).expect("2 bits");
            ip.identification = mix(self.seed) as u16;
            ip.dont_fragment = self.seed & 1 == 1;
            if self.options > 0 {
                let options = &self.noise::<40>(6)[..4 * self.options];
                let options = if self.real_options { real_options(options) } else { options.to_vec() };
                ip.options = Ipv4Options::try_from(&options[..]).expect("up to 40 bytes");
            }
            ip.total_len = (20 + 4 * self.options) as u16 + udp.length;
            ip.header_checksum = ip.calc_header_checksum();
            frame.extend([0x08, 0x00]);
            frame.extend_from_slice(&ip.to_bytes());
            udp.calc_checksum_ipv4(&ip, self.behind_ip(&mut frame, &udp))
        };
        if let Carried::Entropy { ip_proto } = self.carried {
            self.carry_by(ip_proto, &mut frame);
            return frame;
        }
        let right = right.expect("the length fits");
        let checksum = match self.checksum {
            Checksum::None => 0,
            Checksum::Right => right,
            Checksum::Wrong => right ^ (mix(self.seed) as u16 | 1),
        };
        let at = self.udp_at() + 6;
        frame[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
        frame
    }

    /// Puts an entropy header in the place of UDP's.
    fn carry_by(&self, ip_proto: u8, frame: &mut Vec<u8>) {
        let (ip, udp) = (self.ip_at(), self.udp_at());
        let reserved = mix(self.seed) as u16;
        let entropy = [self.source_port, reserved].map(u16::to_be_bytes).concat();
        frame.splice(udp..udp + 8, entropy);
        let length = (frame.len() - if self.is_ipv6 { udp } else { ip }) as u16;
        let (length_at, protocol_at) = if self.is_ipv6 { (ip + 4, ip + 6) } else { (ip + 2, ip + 9) };
        frame[length_at..length_at + 2].copy_from_slice(&length.to_be_bytes());
        frame[protocol_at] = ip_proto;
        if !self.is_ipv6 {
            frame[ip + 10..ip + 12].fill(0);
            let sum = !checksum::sum(&frame[ip..udp]);
            frame[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
        }
    }

    /// Makes the last four bytes of its frame, if there are so many that the trailer covers and that end the frame, the trailer.
    pub fn seal(&self, frame: &mut [u8]) {
        let from = self.ip_at() + crc32c::covered_from(!self.is_ipv6);
        if let Some(at) = frame.len().checked_sub(crc32c::TRAILER_BYTES).filter(|at| *at >= from) {
            let trailer = crc32c::trailer(&frame[from..at]);
            frame[at..].copy_from_slice(&trailer);
        }
    }

    /// Appends UDP's header, the profile's, and the payload; returns what UDP carries.
    fn behind_ip<'a>(&self, frame: &'a mut Vec<u8>, udp: &UdpHeader) -> &'a [u8] {
        frame.extend(udp.to_bytes());
        frame.extend_from_slice(&self.header);
        let payload = frame.len();
        frame.resize(payload + self.payload, 0);
        self.fill(1, &mut frame[payload..]);
        &frame[payload - self.header.len()..]
    }

    fn noise<const BYTES: usize>(&self, stream: u64) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        self.fill(stream, &mut bytes);
        bytes
    }

    /// Fills with noise, other for every stream.
    fn fill(&self, stream: u64, bytes: &mut [u8]) {
        let noise = |word: usize| mix(self.seed ^ stream << 32 ^ word as u64).to_be_bytes();
        let words = bytes.len() / 8;
        let (whole, rest) = bytes.split_at_mut(8 * words);
        for (word, bytes) in whole.chunks_exact_mut(8).enumerate() {
            bytes.copy_from_slice(&noise(word));
        }
        rest.copy_from_slice(&noise(words)[..rest.len()]);
    }
}
