//! What stands around a header: UDP, the entropy header, IPv4 and IPv6, the trailer, and trimming.

use std::net::{IpAddr, Ipv6Addr};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::crc::crc32c;
use respray_golden::hosts::pds::frame::{Outer, Trimmed, trim};
use respray_golden::hosts::pds::{Address, Carrier, Encapsulation, Refusal};

use super::{TRIMMED, TRIMMED_LAST, address, encapsulation, hex, to_hex};

fn address_v6(host: u8) -> Address {
    let ip = IpAddr::V6(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, host.into()));
    Address { ip, ..address(host) }
}

/// From host 1 to 2, by both versions of IP.
fn outers() -> [Outer; 2] {
    let v4 = Outer { from: address(1), to: address(2), ev: 0x4242, dscp: 10, ecn: 2 };
    [v4, Outer { from: address_v6(1), to: address_v6(2), ..v4 }]
}

fn all() -> Vec<Encapsulation> {
    let carriers = [
        Carrier::Udp { port: 4793, checksum: false },
        Carrier::Udp { port: 5432, checksum: true },
        Carrier::Native { protocol: 253 },
    ];
    let with = |carrier| [false, true].map(|crc| Encapsulation { carrier, crc, ..encapsulation() });
    carriers.into_iter().flat_map(with).collect()
}

#[test]
fn what_is_written_is_read() {
    for encapsulation in all() {
        for outer in outers() {
            for length in [12, 40, 1100] {
                let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
                let frame = encapsulation.write(&outer, &bytes);
                let packet =
                    encapsulation.read(&frame).unwrap_or_else(|error| panic!("{encapsulation:?}: {error}"));
                assert_eq!((packet.outer, packet.trimmed, packet.bytes), (outer, None, bytes.as_slice()));
                let header = if matches!(encapsulation.carrier, Carrier::Udp { .. }) { 8 } else { 4 };
                let trailer = if encapsulation.crc { 4 } else { 0 };
                assert_eq!(usize::from(packet.length), header + length + trailer);
                assert!(etherparse::SlicedPacket::from_ethernet(&frame).is_ok());
            }
        }
    }
}

/// Vector 58: the trailer is CRC32C in network order, from the source address on, with the EV.
#[test]
fn the_trailer_is_that_of_the_page() {
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    let native = Encapsulation { carrier: Carrier::Native { protocol: 253 }, crc: true, ..encapsulation() };
    let ip = hex("450200540000400040fd25a90a0000010a000002");
    let request = format!("1188ffff000003e8000700090503001100000001{}", "00".repeat(36));
    for (ev, wanted) in [("4242", "34095025"), ("4243", "0048dd91")] {
        let packet = [ip.clone(), hex(&format!("{ev}0000")), hex(&request)].concat();
        assert_eq!(to_hex(&crc32c(&packet[12..]).to_be_bytes()), wanted);
        let outer = Outer { dscp: 0, ev: u16::from_str_radix(ev, 16).unwrap(), ..outers()[0] };
        let frame = native.write(&outer, &hex(&request));
        assert_eq!(to_hex(&frame[14..]), format!("{}{wanted}", to_hex(&packet)));
    }
}

/// A bit that is flipped from the source address on is found, one before it that a router may change is not looked at.
#[test]
fn a_flipped_bit_is_found_from_the_source_address_on() {
    for encapsulation in all().into_iter().filter(|encapsulation| encapsulation.crc) {
        for outer in outers() {
            let frame = encapsulation.write(&outer, &hex("1188ffff000003e800070009deadbeef"));
            let is_v4 = outer.from.ip.is_ipv4();
            let from = if is_v4 { 14 + 12 } else { 14 + 8 };
            if let (Carrier::Udp { .. }, true) = (encapsulation.carrier, is_v4) {
                assert_eq!(frame[40..42], [0, 0], "no checksum of UDP beside a trailer");
            }
            for bit in from * 8..frame.len() * 8 {
                let mut broken = frame.clone();
                broken[bit / 8] ^= 1 << (bit % 8);
                if is_v4 && bit / 8 < 34 {
                    // addresses are in the checksum of IPv4, too
                    assert!(encapsulation.read(&broken).is_err());
                } else {
                    let error = encapsulation.read(&broken).expect_err("a bit is flipped");
                    let is_known = [
                        Refusal::BadCrc,
                        Refusal::OtherTraffic,
                        Refusal::LengthMismatch,
                        Refusal::BadUdpChecksum,
                    ];
                    assert!(is_known.contains(&error), "bit {bit}: {error}");
                }
            }
            let mut routed = frame.clone();
            if is_v4 {
                routed[15] ^= 1; // ECN
                routed[22] -= 1; // TTL
                let mut ip = etherparse::Ipv4Header::from_slice(&routed[14..]).unwrap().0;
                ip.header_checksum = ip.calc_header_checksum();
                routed[14..34].copy_from_slice(&ip.to_bytes());
            } else {
                routed[15] ^= 0x10;
                routed[21] -= 1;
            }
            assert!(encapsulation.read(&routed).is_ok());
        }
    }
}

/// A trimmed packet is known by its DSCP before anything else: lengths and checks of UDP, and the trailer, are of
/// what was cut.
#[test]
fn trimmed_packets_are_known_by_their_dscp() {
    for encapsulation in all() {
        for outer in outers() {
            let frame = encapsulation.write(&outer, &[0x5a; 1000]);
            let header = if matches!(encapsulation.carrier, Carrier::Udp { .. }) { 8 } else { 4 };
            for (dscp, wanted) in [(TRIMMED, Trimmed::OnItsWay), (TRIMMED_LAST, Trimmed::LastHop)] {
                let short = trim(&frame, header + 16, dscp);
                let packet =
                    encapsulation.read(&short).unwrap_or_else(|error| panic!("{encapsulation:?}: {error}"));
                assert_eq!((packet.trimmed, packet.bytes), (Some(wanted), &[0x5a; 16][..]));
                assert_eq!(packet.outer, Outer { dscp, ..outer });
                assert_eq!(
                    encapsulation.read(&trim(&frame, header + 15, dscp)),
                    Err(Refusal::LengthMismatch)
                );
            }
            // the same without the DSCP is broken
            let other = encapsulation.read(&trim(&frame, header + 16, 11)).map(|packet| packet.trimmed);
            let native = matches!(encapsulation.carrier, Carrier::Native { .. }) && !encapsulation.crc;
            assert_eq!(other.is_ok(), native, "{encapsulation:?}");
        }
    }
}

#[test]
fn other_frames_are_refused() {
    let [v4, v6] = outers();
    let plain = encapsulation();
    let bytes = hex("1188ffff000003e800070009deadbeefdeadbeefdeadbeefdeadbeef");
    let good = plain.write(&v4, &bytes);
    let changed = |at: usize, to: u8| {
        let mut frame = good.clone();
        frame[at] = to;
        frame
    };
    let fixed = |change: fn(&mut etherparse::Ipv4Header)| {
        let mut frame = good.clone();
        let mut ip = etherparse::Ipv4Header::from_slice(&frame[14..]).unwrap().0;
        change(&mut ip);
        ip.header_checksum = ip.calc_header_checksum();
        frame[14..34].copy_from_slice(&ip.to_bytes());
        frame
    };
    let tagged = |tags: &str| [good[..12].to_vec(), hex(tags), good[12..].to_vec()].concat();
    let checked = Encapsulation { carrier: Carrier::Udp { port: 4793, checksum: true }, ..plain };
    let wrong_sum = {
        let mut frame = checked.write(&v4, &bytes);
        *frame.last_mut().unwrap() ^= 1;
        frame
    };
    let longer = [good.clone(), vec![0; 3]].concat();
    let v6_good = plain.write(&v6, &bytes);
    let cases = [
        (Vec::new(), Refusal::Truncated),
        (good[..13].to_vec(), Refusal::Truncated),
        (good[..14].to_vec(), Refusal::Truncated),
        (good[..30].to_vec(), Refusal::Truncated),
        (good[..50].to_vec(), Refusal::LengthMismatch),
        (v6_good[..50].to_vec(), Refusal::Truncated),
        (v6_good[..60].to_vec(), Refusal::LengthMismatch),
        (changed(12, 0x86), Refusal::NotIp),
        (changed(14, 0x65), Refusal::NotIp),
        (changed(24, 0), Refusal::BadIpChecksum),
        (fixed(|ip| ip.more_fragments = true), Refusal::NotIp),
        (fixed(|ip| ip.protocol = etherparse::IpNumber::TCP), Refusal::OtherTraffic),
        (fixed(|ip| ip.total_len -= 1), Refusal::LengthMismatch),
        (changed(37, 1), Refusal::OtherTraffic),
        (changed(39, 1), Refusal::LengthMismatch),
        (longer, Refusal::LengthMismatch),
        (wrong_sum, Refusal::BadUdpChecksum),
        (tagged("810000018100000281000003"), Refusal::NotIp),
    ];
    for (at, (frame, refusal)) in cases.into_iter().enumerate() {
        assert_eq!(plain.read(&frame), Err(refusal), "case {at}");
    }
    assert!(plain.read(&tagged("88a8000181000002")).is_ok());
    assert!(plain.read(&checked.write(&v4, &bytes)).is_ok());
    let short = plain.write(&v4, &hex("3a000002000003e700090007"));
    let padded = [short.clone(), vec![0; 60 - short.len()]].concat();
    assert_eq!(plain.read(&padded), plain.read(&short), "a short frame is padded");
    let native = Encapsulation { carrier: Carrier::Native { protocol: 253 }, ..plain };
    assert_eq!(native.read(&good), Err(Refusal::OtherTraffic));
    let no_room_for_a_trailer = native.write(&v4, &[1, 2, 3]);
    assert_eq!(Encapsulation { crc: true, ..native }.read(&no_room_for_a_trailer), Err(Refusal::BadCrc));
}

#[test]
fn no_bytes_make_a_reader_panic() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    for encapsulation in all() {
        let good = encapsulation.write(&outers()[0], &[7; 60]);
        for _ in 0..2000 {
            let mut frame = good.clone();
            for _ in 0..rng.random_range(1..6) {
                let at = rng.random_range(0..frame.len());
                frame[at] = rng.random();
            }
            frame.truncate(rng.random_range(0..=frame.len()));
            let _ = encapsulation.read(&frame);
        }
    }
}
