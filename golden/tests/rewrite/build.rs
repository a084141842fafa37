//! Frames byte by byte, and their checksums from scratch.

use respray_golden::rewrite::ProfileTraffic;
use respray_golden::rewrite_tx::Params;
use respray_golden::wire::{Profile, strack, uet};

#[derive(Clone, Debug)]
pub struct Build {
    pub tags: usize,
    pub v6: bool,
    /// IPv4 options, 32-bit words of no-operations.
    pub options: usize,
    pub traffic_class: u8,
    pub flow_label: u32,
    pub port: u16,
    /// A UDP checksum is computed.
    pub checksum: bool,
    /// UDP's length field is off by so much.
    pub udp_length_off: i32,
    /// IPv4's total length.
    pub ip_total: Option<u16>,
    pub header: Vec<u8>,
    /// Bytes behind the profile's header.
    pub payload: usize,
}

impl Build {
    fn new(profile: Profile, header: Vec<u8>) -> Build {
        Build {
            tags: 0,
            v6: false,
            options: 0,
            traffic_class: 0,
            flow_label: 0,
            port: profile.udp_port(),
            checksum: false,
            udp_length_off: 0,
            ip_total: None,
            header,
            payload: 40,
        }
    }

    pub fn strack_data() -> Build {
        let data = strack::Data { connection: 5, psn: 9, ..Default::default() };
        Build::new(Profile::Strack, data.to_bytes().to_vec())
    }

    pub fn uet_request() -> Build {
        Build::new(
            Profile::Uet,
            uet::Request { psn: 9, destination_pdc: 5, ..Default::default() }.to_bytes().to_vec(),
        )
    }

    pub fn frame(&self) -> Vec<u8> {
        let payload: Vec<u8> = (0..self.payload).map(|at| (at * 37) as u8).collect();
        let length = 8 + self.header.len() + payload.len();
        let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
        for tag in 0..self.tags {
            frame.extend([[0x81, 0x00], [0x88, 0xa8]][tag % 2]);
            frame.extend([0x20, tag as u8]);
        }
        let word = |value: usize| (value as u16).to_be_bytes();
        if self.v6 {
            frame.extend([0x86, 0xdd]);
            frame.extend((6 << 28 | u32::from(self.traffic_class) << 20 | self.flow_label).to_be_bytes());
            frame.extend(word(length));
            frame.extend([17, 64]);
            frame.extend([0xfd; 16]);
            frame.extend([0xfe; 16]);
        } else {
            let ip = 20 + 4 * self.options;
            frame.extend([0x08, 0x00]);
            let at = frame.len();
            frame.extend([0x40 | (ip / 4) as u8, self.traffic_class]);
            frame.extend(self.ip_total.map_or(word(ip + length), u16::to_be_bytes));
            frame.extend([0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
            frame.resize(at + ip, 1);
            let sum = !sum(&frame[at..]);
            frame[at + 10..at + 12].copy_from_slice(&sum.to_be_bytes());
        }
        let udp = frame.len();
        frame.extend([0xc0, 0x01]);
        frame.extend(self.port.to_be_bytes());
        frame.extend(word((length as i32 + self.udp_length_off) as usize));
        frame.extend([0, 0]);
        frame.extend(&self.header);
        frame.extend(payload);
        if self.checksum {
            let sum = match !pseudo_sum(&frame) {
                0 => 0xffff,
                sum => sum,
            };
            frame[udp + 6..udp + 8].copy_from_slice(&sum.to_be_bytes());
        }
        frame
    }
}

pub fn settings(profile: Profile, beat_bytes: usize) -> Params {
    let wire = ProfileTraffic::of(profile);
    Params { wire, flow_label_enable: false, beat_bytes }
}

/// In 64 bits, folded at the end: another way than the model's.
fn sum(bytes: &[u8]) -> u16 {
    let mut sum = 0u64;
    for (at, byte) in bytes.iter().enumerate() {
        sum += u64::from(*byte) << if at % 2 == 0 { 8 } else { 0 };
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// Where IP and UDP begin.
fn places(frame: &[u8]) -> (usize, usize) {
    let mut ip = 14;
    while [[0x81, 0x00], [0x88, 0xa8]].contains(&[frame[ip - 2], frame[ip - 1]]) {
        ip += 4;
    }
    (ip, ip + if frame[ip] >> 4 == 4 { usize::from(frame[ip] & 15) * 4 } else { 40 })
}

fn pseudo_sum(frame: &[u8]) -> u16 {
    let (ip, udp) = places(frame);
    let length = u16::from_be_bytes([frame[udp + 4], frame[udp + 5]]);
    let addresses = if frame[ip] >> 4 == 4 { &frame[ip + 12..ip + 20] } else { &frame[ip + 8..ip + 40] };
    let datagram = &frame[udp..udp + usize::from(length)];
    sum(&[addresses, &[0, 17], &length.to_be_bytes(), datagram].concat())
}

/// IPv4's header checksum, and UDP's if there is one.
pub fn checksums_verify(frame: &[u8]) -> bool {
    let (ip, udp) = places(frame);
    let is_ip_right = frame[ip] >> 4 == 6 || sum(&frame[ip..udp]) == 0xffff;
    let none = frame[udp + 6..udp + 8] == [0, 0];
    is_ip_right && (none || pseudo_sum(frame) == 0xffff)
}
