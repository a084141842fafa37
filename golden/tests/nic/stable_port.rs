//! Ports of connections in the place of EVs: which frames have them on the way to the host, that checksums are right, and that the packets
//! of a connection are on one queue of a shell that spreads frames by a hash of their ports.

use std::collections::BTreeSet;

use respray_golden::nic::{Command, Config, Delivery, Nic};
use respray_golden::sack_rx::Status;
use respray_golden::wire::{Packet, Profile, strack};

use super::{arriving, command, config, header_at, opened, read, write};
use crate::rewrite::build::{Build, checksums_verify};

/// Register `rss_port_base` after `rst`.
const BASE: u16 = 0xc000;
/// The port of the frames of `Build`.
const EV: u16 = 0xc001;

fn stable(profile: Profile) -> Nic {
    opened(Config { stable_port: true, ..config(profile) }, 100)
}

fn delivered(nic: &mut Nic, frame: Vec<u8>) -> Delivery {
    nic.receive(frame, false);
    nic.deliver().expect("the frame goes to the host")
}

/// Source port and checksum of UDP, and the frame without them.
fn split(frame: &[u8], like: &Build) -> (u16, u16, Vec<u8>) {
    let udp = header_at(like) - 8;
    let word = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
    let mut rest = frame.to_vec();
    rest[udp..udp + 2].fill(0);
    rest[udp + 6..udp + 8].fill(0);
    (word(udp), word(udp + 6), rest)
}

#[test]
fn data_of_an_open_connection_has_its_port_in_every_layout_and_a_right_checksum() {
    for profile in Profile::ALL {
        let mut nic = stable(profile);
        let layouts = (0..3).flat_map(|tags| {
            let ip = [(false, 0), (false, 3), (false, 10), (true, 0)];
            ip.into_iter().flat_map(move |(v6, options)| [false, true].map(|sum| (tags, v6, options, sum)))
        });
        for (psn, (tags, v6, options, checksum)) in (100..).zip(layouts) {
            let build = Build { tags, v6, options, checksum, ..arriving(profile, psn) };
            let frame = build.frame();
            let (port, came, rest) = split(&frame, &build);
            assert_eq!((port, came != 0), (EV, checksum), "what comes");
            let delivery = delivered(&mut nic, frame);
            let (port, sum, left) = split(&delivery.frame, &build);
            assert_eq!((port, left), (BASE + 5, rest), "{profile:?}, {build:?}");
            assert_eq!(sum == 0, !checksum, "a checksum that was not computed is not");
            assert!(checksums_verify(&delivery.frame), "{profile:?}, {build:?}");
            assert_eq!((delivery.record.ev, delivery.status), (EV, Some(Status::New)), "the EV is told");
        }
    }
}

/// A sum of one's complement that becomes 0 is sent as ones: 0 says that there is none.
#[test]
fn a_checksum_that_becomes_zero_is_sent_as_ones() {
    let mut nic = stable(Profile::Strack);
    let build = Build { payload: 2, checksum: true, ..arriving(Profile::Strack, 100) };
    let mut frame = build.frame();
    let udp = header_at(&build) - 8;
    // the checksum is that of a payload for which it becomes 0 with the other port: it loses EV - port = -4
    let end = frame.len();
    let came = u16::from_be_bytes([frame[udp + 6], frame[udp + 7]]);
    let payload = u16::from_be_bytes([frame[end - 2], frame[end - 1]]);
    let wanted = (BASE + 5) - EV;
    let sum = u32::from(payload) + u32::from(came) + 0xffff - u32::from(wanted);
    let folded = (sum & 0xffff) + (sum >> 16);
    frame[end - 2..].copy_from_slice(&((folded & 0xffff) as u16 + (folded >> 16) as u16).to_be_bytes());
    frame[udp + 6..udp + 8].copy_from_slice(&wanted.to_be_bytes());
    assert!(checksums_verify(&frame), "what comes");
    let delivery = delivered(&mut nic, frame);
    assert_eq!(split(&delivery.frame, &build).1, 0xffff);
    assert!(checksums_verify(&delivery.frame));
}

#[test]
fn duplicates_and_strays_have_the_port_and_what_is_not_data_of_an_open_connection_keeps_its_own() {
    let mut nic = stable(Profile::Strack);
    let build = |psn| arriving(Profile::Strack, psn);
    let port = |delivery: &Delivery| split(&delivery.frame, &build(0)).0;
    for (psn, status) in [(100, Status::New), (100, Status::Duplicate), (9000, Status::Outside)] {
        let delivery = delivered(&mut nic, build(psn).frame());
        assert_eq!((port(&delivery), delivery.status), (BASE + 5, Some(status)));
    }
    let of = |connection| {
        let header = Packet::StrackData(strack::Data { connection, psn: 7, ..Default::default() }).to_bytes();
        Build { header, ..build(7) }.frame()
    };
    for connection in [6, 16 + 5, 0xff_fff5] {
        let frame = of(connection);
        let delivery = delivered(&mut nic, frame.clone());
        assert_eq!((delivery.status, delivery.frame), (Some(Status::Uninitialised), frame), "{connection}");
    }
    let other = Build { port: 53, ..build(101) }.frame();
    assert_eq!(delivered(&mut nic, other.clone()).frame, other, "another UDP port");
    command(&mut nic, Command::CloseRx, 5, 0);
    let late = build(101).frame();
    assert_eq!(delivered(&mut nic, late.clone()).frame, late, "the connection is closed");
}

#[test]
fn the_register_moves_the_ports_around_and_with_0_they_stay() {
    let mut nic = stable(Profile::Strack);
    assert_eq!(read(&mut nic, "rss_port_base"), BASE.into());
    for (psn, base, port) in [(100, 0xfffd, 2), (101, 0, EV), (102, 1, 6)] {
        write(&mut nic, "rss_port_base", base);
        let build = arriving(Profile::Strack, psn);
        let delivery = delivered(&mut nic, build.frame());
        assert_eq!(split(&delivery.frame, &build).0, port, "{base}");
    }
    write(&mut nic, "command", Command::Reset as u32);
    assert_eq!(read(&mut nic, "rss_port_base"), 1, "a setting stays over the command reset");
}

/// Receive side scaling, as OpenNIC and Corundum have it by default: the Toeplitz hash of addresses and ports with the key of its
/// specification, of which the low bits choose one of 128 places of a table, and this a queue.
mod rss {
    const KEY: [u8; 40] = [
        0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0,
        0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42,
        0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
    ];
    const PLACES: u32 = 128;

    /// For each bit of the input that is set, the 32 bits of the key from there on.
    pub fn hash(input: &[u8]) -> u32 {
        let bit = |bytes: &[u8], at: usize| u32::from(bytes[at / 8] >> (7 - at % 8) & 1);
        let window = |from: usize| (0..32).fold(0, |window, at| window << 1 | bit(&KEY, from + at));
        (0..8 * input.len()).filter(|at| bit(input, *at) == 1).fold(0, |hash, at| hash ^ window(at))
    }

    /// The queue of a frame of IPv4 without tags and options, of as many.
    pub fn queue(frame: &[u8], queues: u32) -> u32 {
        hash(&frame[26..38]) % PLACES % queues
    }
}

#[test]
fn the_packets_of_a_connection_are_on_one_queue_and_without_ports_they_are_on_many() {
    // from the specification of receive side scaling: 66.9.149.187:2794 to 161.142.100.80:1766
    let input = [66, 9, 149, 187, 161, 142, 100, 80, 0x0a, 0xea, 0x06, 0xe6];
    assert_eq!([rss::hash(&input), rss::hash(&input[..8])], [0x51cc_c178, 0x323e_8fc2]);
    let queues = |nic: &mut Nic| -> BTreeSet<u32> {
        let come = |psn: u32| {
            let build = arriving(Profile::Strack, 100 + psn);
            let mut frame = build.frame();
            let ev = 0x9e37u16.wrapping_mul(psn as u16 + 1);
            frame[34..36].copy_from_slice(&ev.to_be_bytes());
            let delivery = delivered(nic, frame);
            assert_eq!((delivery.status, delivery.record.ev), (Some(Status::New), ev));
            rss::queue(&delivery.frame, 8)
        };
        (0..16).map(come).collect()
    };
    assert_eq!(queues(&mut stable(Profile::Strack)).len(), 1);
    let spread = queues(&mut opened(config(Profile::Strack), 100));
    assert!(spread.len() > 4, "the EV spreads them: {spread:?}");
}
