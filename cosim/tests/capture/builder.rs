//! Captures made byte by byte, so that the reader is held against the formats and not against a writer's view of them.

use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;

use etherparse::{IpHeaders, IpNumber, Ipv4Header, Ipv6Header, UdpHeader};
use flate2::Compression;
use flate2::write::GzEncoder;
use respray_cosim::traffic::capture::{
    CaptureError, CaptureFile, CaptureSource, Cut, Profile, ProfileFrame, ProfileFrames,
};
use respray_golden::rewrite::Carried;
use respray_golden::wire::{Packet, Profile as Wire, strack};

pub const STRACK: Profile =
    Profile { wire: Wire::Strack, udp_port: 4791, carried: Carried::Udp, has_crc: false };
pub const UET: Profile = Profile { wire: Wire::Uet, udp_port: 4793, carried: Carried::Udp, has_crc: false };

/// A record: time in ns, bytes on the wire, bytes captured.
#[derive(Clone, Debug)]
pub struct Record {
    pub time_ns: u64,
    pub wire_len: usize,
    pub data: Vec<u8>,
}

impl Record {
    pub fn whole(time_ns: u64, data: Vec<u8>) -> Record {
        Record { time_ns, wire_len: data.len(), data }
    }

    pub fn cut(mut self, snap_len: usize) -> Record {
        self.data.truncate(snap_len);
        self
    }
}

/// Numbers of a file in one byte order.
pub struct Bytes {
    pub big: bool,
    pub out: Vec<u8>,
}

impl Bytes {
    pub fn new(big: bool) -> Bytes {
        Bytes { big, out: Vec::new() }
    }

    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.out.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.out.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.out.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    pub fn padded(&mut self, data: &[u8]) -> &mut Self {
        self.out.extend(data);
        self.out.resize(self.out.len().next_multiple_of(4), 0);
        self
    }

    /// A pcapng block around a body.
    pub fn block(&mut self, kind: u32, body: &[u8]) -> &mut Self {
        let length = 12 + body.len() as u32;
        self.u32(kind).u32(length).padded(body).u32(length)
    }
}

/// Kinds of pcap, by their magic numbers.
pub const MICROSECONDS: u32 = 0xa1b2_c3d4;
pub const NANOSECONDS: u32 = 0xa1b2_3c4d;
pub const MODIFIED: u32 = 0xa1b2_cd34;

pub fn pcap(link_type: u32, big: bool, nanoseconds: bool, records: &[Record]) -> Vec<u8> {
    let magic = if nanoseconds { NANOSECONDS } else { MICROSECONDS };
    pcap_of(magic, (2, 4), false, link_type, big, records)
}

/// A file of any kind and version, in which the captured length stands first or last.
pub fn pcap_of(
    magic: u32,
    (major, minor): (u16, u16),
    captured_last: bool,
    link_type: u32,
    big: bool,
    records: &[Record],
) -> Vec<u8> {
    let mut file = Bytes::new(big);
    file.u32(magic).u16(major).u16(minor).u32(0).u32(0).u32(65535).u32(link_type);
    for record in records {
        let fraction = record.time_ns % 1_000_000_000;
        let mut lengths = [record.data.len() as u32, record.wire_len as u32];
        if captured_last {
            lengths.reverse();
        }
        file.u32((record.time_ns / 1_000_000_000) as u32)
            .u32((if magic == NANOSECONDS { fraction } else { fraction / 1000 }) as u32)
            .u32(lengths[0])
            .u32(lengths[1]);
        if magic == MODIFIED {
            file.u32(7).u16(0x800).u16(0);
        }
        file.out.extend(&record.data);
    }
    file.out
}

/// A simple packet block, which has no time.
pub fn simple_packet(big: bool, data: &[u8]) -> Vec<u8> {
    let (mut file, mut packet) = (Bytes::new(big), Bytes::new(big));
    packet.u32(data.len() as u32).padded(data);
    file.block(3, &packet.out);
    file.out
}

/// One packet block with this count of units of time.
pub fn at_count(resolution: u8, offset_s: i64, count: u64) -> Vec<u8> {
    let mut file = pcapng(1, false, resolution, offset_s, &[]);
    let (mut block, mut packet) = (Bytes::new(false), Bytes::new(false));
    packet.u32(0).u32((count >> 32) as u32).u32(count as u32).u32(4).u32(4).padded(&[1; 4]);
    block.block(6, &packet.out);
    file.extend(block.out);
    file
}

/// One section with one interface; `resolution` as in the `if_tsresol` option.
pub fn pcapng(link_type: u16, big: bool, resolution: u8, offset_s: i64, records: &[Record]) -> Vec<u8> {
    let mut file = Bytes::new(big);
    let mut section = Bytes::new(big);
    section.u32(0x1a2b_3c4d).u16(1).u16(0).u64(u64::MAX);
    file.block(0x0a0d_0d0a, &section.out);
    let mut interface = Bytes::new(big);
    interface.u16(link_type).u16(0).u32(0);
    interface.u16(9).u16(1).padded(&[resolution]);
    interface.u16(14).u16(8).u64(offset_s as u64);
    interface.u16(0).u16(0);
    file.block(1, &interface.out);
    // statistics: a block to step over
    file.block(5, &[0; 12]);
    for record in records {
        let ns = u128::from(record.time_ns) - (offset_s as u128) * 1_000_000_000;
        let exponent = u32::from(resolution & 0x7f);
        let units = if resolution & 0x80 != 0 { 1u128 << exponent } else { 10u128.pow(exponent) };
        // rounded up, so that a coarser unit is seen in the test and binary fractions come back exactly
        let ticks = (ns * units).div_ceil(1_000_000_000) as u64;
        let mut packet = Bytes::new(big);
        packet.u32(0).u32((ticks >> 32) as u32).u32(ticks as u32);
        packet.u32(record.data.len() as u32).u32(record.wire_len as u32).padded(&record.data);
        file.block(6, &packet.out);
    }
    file.out
}

pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A UDP datagram in its IP packet.
pub fn ip_packet(source: IpAddr, destination: IpAddr, ecn: u8, ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let udp_len = UdpHeader::LEN + payload.len();
    let ip = match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let mut header =
                Ipv4Header::new(udp_len as u16, 64, IpNumber::UDP, source.octets(), destination.octets())
                    .unwrap();
            header.ecn = etherparse::IpEcn::try_new(ecn).unwrap();
            header.header_checksum = header.calc_header_checksum();
            IpHeaders::Ipv4(header, Default::default())
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => IpHeaders::Ipv6(
            Ipv6Header {
                traffic_class: ecn,
                payload_length: udp_len as u16,
                next_header: IpNumber::UDP,
                hop_limit: 64,
                source: source.octets(),
                destination: destination.octets(),
                ..Ipv6Header::default()
            },
            Default::default(),
        ),
        _ => panic!("one IP version a packet"),
    };
    let udp =
        UdpHeader { source_port: ports.0, destination_port: ports.1, length: udp_len as u16, checksum: 0 };
    let mut packet = Vec::new();
    ip.write(&mut packet).unwrap();
    packet.extend(udp.to_bytes());
    packet.extend(payload);
    packet
}

/// An Ethernet frame with VLAN tags around an IP packet.
pub fn ethernet(vlan_tags: &[u16], ip: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];
    for (index, tag) in vlan_tags.iter().enumerate() {
        let kind: u16 = if index + 1 < vlan_tags.len() { 0x88a8 } else { 0x8100 };
        frame.extend(kind.to_be_bytes());
        frame.extend(tag.to_be_bytes());
    }
    frame.extend(ether_type(ip).to_be_bytes());
    frame.extend(ip);
    frame
}

pub fn ether_type(ip: &[u8]) -> u16 {
    if ip[0] >> 4 == 4 { 0x0800 } else { 0x86dd }
}

pub fn v4(last: u8) -> IpAddr {
    IpAddr::from([10, 0, 0, last])
}

/// A data frame of `strack` on Ethernet.
pub fn data(source: IpAddr, destination: IpAddr, connection: u32, psn: u32, ev: u16) -> Vec<u8> {
    let header = strack::Data { connection, psn, timestamp: 7, ack_request: true, ..Default::default() };
    let payload = [Packet::StrackData(header).to_bytes(), vec![0; 100]].concat();
    ethernet(&[], &ip_packet(source, destination, 2, (ev, 4791), &payload))
}

/// An ACK of `strack` on Ethernet.
pub fn ack(source: IpAddr, destination: IpAddr, ack: strack::Ack) -> Vec<u8> {
    let payload = Packet::StrackAck(ack).to_bytes();
    ethernet(&[], &ip_packet(source, destination, 0, (ack.echo_entropy, 4791), &payload))
}

/// A file of the test's own that goes when dropped.
pub struct TempCapture {
    _dir: tempfile::TempDir,
    pub path: PathBuf,
}

impl TempCapture {
    pub fn new(name: &str, bytes: &[u8]) -> TempCapture {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        TempCapture { _dir: dir, path }
    }
}

/// Number, time, bytes on the wire and captured bytes of every frame.
pub type Raw = Vec<(u64, Option<u64>, usize, Vec<u8>)>;

pub fn read_raw(bytes: &[u8]) -> Result<Raw, CaptureError> {
    let reader = std::io::Cursor::new(bytes.to_vec());
    let mut file = CaptureFile::from_reader("x.pcap".as_ref(), reader)?;
    let mut frames = Vec::new();
    while let Some(frame) = file.next_frame()? {
        frames.push((frame.number, frame.time_ns, frame.wire_len, frame.data.to_vec()));
    }
    Ok(frames)
}

pub fn read_profile(bytes: &[u8], profile: Profile) -> Result<Vec<ProfileFrame>, CaptureError> {
    let file = TempCapture::new("x.pcap", bytes);
    let mut frames = ProfileFrames::open(&CaptureSource::open(&file.path, Cut::Refused)?, profile)?;
    let mut found = Vec::new();
    while let Some(frame) = frames.next_frame()? {
        found.push(frame);
    }
    Ok(found)
}
