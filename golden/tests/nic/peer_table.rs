//! Who the peers are: numbers that are written into what is sent, addresses that refuse what comes from elsewhere, entries that change as a
//! whole, and hosts that number their connections alike and each for itself.

use std::collections::{BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use respray_golden::nic::peer_table::{HAS_ADDRESS, HAS_NUMBER, IS_IPV6};
use respray_golden::nic::{AccessError, Config, Counter, Event, Kind, Nic, PeerEntry, Sent};
use respray_golden::rewrite::checksum;
use respray_golden::sack_rx::Status;
use respray_golden::wire::{Packet, Profile, strack, uet};

use super::sending::{strack_ack, uet_ack};
use super::{arriving, config, data, events, header_at, open, opened, parse, read, send, write};
use crate::rewrite::build::{Build, checksums_verify};

/// The number by which the peer of connection 5 knows it.
const NUMBER: u32 = 0xabcd;
/// Where frames of `Build` come from.
const SOURCE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const SOURCE_V6: IpAddr = IpAddr::V6(Ipv6Addr::from_bits(u128::from_be_bytes([0xfd; 16])));
const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 9));

fn with_table(profile: Profile) -> Nic {
    opened(Config { peer_table: true, ..config(profile) }, 100)
}

/// Writes the registers of a peer, and makes them an entry.
fn enter(nic: &mut Nic, conn: u32, entry: PeerEntry) {
    stage(nic, entry);
    write(nic, "peer_entry", conn);
}

fn stage(nic: &mut Nic, entry: PeerEntry) {
    let mut flags = 0;
    if let Some(number) = entry.number {
        flags |= HAS_NUMBER;
        write(nic, "peer_number", number);
    }
    match entry.address {
        Some(IpAddr::V4(address)) => {
            flags |= HAS_ADDRESS;
            write(nic, "peer_address_3", address.to_bits());
        }
        Some(IpAddr::V6(address)) => {
            flags |= HAS_ADDRESS | IS_IPV6;
            for (at, name) in
                ["peer_address_0", "peer_address_1", "peer_address_2", "peer_address_3"].iter().enumerate()
            {
                write(nic, name, (address.to_bits() >> (96 - 32 * at)) as u32);
            }
        }
        None => {}
    }
    write(nic, "peer_flags", flags);
}

fn numbered(number: u32) -> PeerEntry {
    PeerEntry { number: Some(number), address: None }
}

fn at(address: IpAddr) -> PeerEntry {
    PeerEntry { number: None, address: Some(address) }
}

/// The number by which the receiver of a packet knows the connection.
fn number_in(profile: Profile, frame: &[u8], like: &Build) -> u32 {
    parse(profile, frame, like).receiver_connection()
}

/// The frame with zeros where the number and the UDP checksum are.
fn without(profile: Profile, frame: &[u8], like: &Build) -> Vec<u8> {
    let header = header_at(like);
    let number = match profile {
        Profile::Strack => header + 5..header + 8,
        Profile::Uet => header + 10..header + 12,
    };
    let mut rest = frame.to_vec();
    rest[number].fill(0);
    rest[header - 2..header].fill(0);
    rest
}

#[test]
fn data_carries_the_number_of_the_peer_in_every_layout_with_a_right_checksum() {
    for profile in Profile::ALL {
        // what is sent without the number is what is sent with it, but for the number
        let (mut nic, mut without_table) = (with_table(profile), opened(config(profile), 100));
        enter(&mut nic, 5, numbered(NUMBER));
        let layouts = (0..3).flat_map(|tags| {
            let ip = [(false, 0), (false, 3), (false, 10), (true, 0)];
            ip.into_iter().flat_map(move |(v6, options)| [false, true].map(|sum| (tags, v6, options, sum)))
        });
        for (psn, (tags, v6, options, checksum)) in (100..).zip(layouts) {
            let build = Build { tags, v6, options, checksum, ..data(profile, psn) };
            let sent = send(&mut nic, build.frame()).expect("it leaves").frame;
            let as_it_was = send(&mut without_table, build.frame()).expect("it leaves").frame;
            assert_eq!(number_in(profile, &sent, &build), NUMBER, "{build:?}");
            assert_ne!(number_in(profile, &as_it_was, &build), NUMBER, "the host wrote another one");
            assert_eq!(without(profile, &sent, &build), without(profile, &as_it_was, &build), "{build:?}");
            assert!(checksums_verify(&sent), "{profile:?}, {build:?}");
            let sum = header_at(&build) - 2;
            assert_eq!(sent[sum..sum + 2] == [0, 0], !checksum, "one that was not computed is not");
        }
    }
}

#[test]
fn all_bits_of_a_number_of_strack_are_written_and_the_byte_before_it_stays() {
    let mut nic = with_table(Profile::Strack);
    for (psn, number) in (100..).zip([0, 1, 0xff_ffff, 0x80_0000, 0x12_3456]) {
        enter(&mut nic, 5, numbered(number));
        let mut build = Build { checksum: true, ..data(Profile::Strack, psn) };
        build.header[4] = 0xa5;
        let sent = send(&mut nic, build.frame()).expect("it leaves").frame;
        assert_eq!(number_in(Profile::Strack, &sent, &build), number);
        assert_eq!(sent[header_at(&build) + 4], 0xa5);
        assert!(checksums_verify(&sent), "{number:#x}");
    }
}

#[test]
fn sacks_and_probes_carry_it_too() {
    for profile in Profile::ALL {
        let mut nic = with_table(profile);
        enter(&mut nic, 5, numbered(NUMBER));
        let build = data(profile, 100);
        send(&mut nic, build.frame()).expect("it leaves");
        nic.receive(arriving(profile, 100).frame(), false);
        let sack = nic.transmit().expect("an answer");
        assert_eq!(sack.sent, Sent::Sack);
        assert!(checksums_verify(&sack.frame));
        let (to, from) = match parse(profile, &sack.frame, &build) {
            Packet::StrackAck(ack) => (ack.connection, None),
            Packet::UetAck(ack) => (ack.destination_pdc.into(), Some(ack.source_pdc)),
            other => panic!("{other:?}"),
        };
        match profile {
            Profile::Strack => assert_eq!(to, NUMBER),
            // to where the request came from: its source PDC
            Profile::Uet => assert_eq!((to, from), (9, Some(5))),
        }
        // a probe is due some time after the last packet
        for step in 1..40 {
            nic.advance(step * 1000);
        }
        let probe = nic.transmit().expect("a probe is due");
        assert!(matches!(probe.sent, Sent::Probe { .. }), "{:?}", probe.sent);
        assert_eq!(number_in(profile, &probe.frame, &build), NUMBER, "{profile:?}");
        assert!(checksums_verify(&probe.frame));
        if let Packet::UetRequest(request) = parse(profile, &probe.frame, &build) {
            assert_eq!(request.source_pdc, 5);
        }
    }
}

/// Status beside the frame, and the events that were told.
fn receive(nic: &mut Nic, frame: Vec<u8>) -> (Option<u8>, Vec<Event>) {
    nic.receive(frame, false);
    (nic.deliver().map(|delivery| delivery.status_code()), events(nic))
}

#[test]
fn data_and_probes_from_another_address_are_refused_counted_and_told() {
    for profile in Profile::ALL {
        let shapes = [(false, 0, 0), (false, 2, 10), (true, 0, 0), (true, 1, 0), (true, 2, 0)];
        for (v6, tags, options) in shapes {
            let mut nic = with_table(profile);
            let build = |psn| Build { v6, tags, options, ..arriving(profile, psn) };
            let (right, other) = if v6 { (SOURCE_V6, SOURCE) } else { (SOURCE, SOURCE_V6) };
            // another one of the same version: each byte counts
            let near = |bit: u32| match right {
                IpAddr::V4(address) => IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() ^ 1 << (bit % 32))),
                IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() ^ 1 << bit)),
            };
            let mut refused = 0u64;
            for wrong in [other].into_iter().chain((0..128).map(near)) {
                enter(&mut nic, 5, at(wrong));
                nic.advance(refused * 100);
                let (status, told) = receive(&mut nic, build(100).frame());
                assert_eq!(status, Some(6), "{wrong}");
                let [Event { kind: Kind::Stray, conn: 5, psn: 100, detail: 6, .. }] = told[..] else {
                    panic!("{told:?}")
                };
                assert!(nic.transmit().is_none(), "nothing is acknowledged");
                refused += 1;
                assert_eq!(nic.counter(Counter::OtherAddress), refused);
            }
            assert_eq!((nic.counter(Counter::RxNew), nic.counter(Counter::RxNotOpen)), (0, 0));
            // from its peer it is new
            enter(&mut nic, 5, at(right));
            assert_eq!(receive(&mut nic, build(100).frame()).0, Some(Status::New as u8));
            assert_eq!(nic.transmit().expect("it is acknowledged").sent, Sent::Sack);
        }
        let mut nic = with_table(profile);
        enter(&mut nic, 5, at(ELSEWHERE));
        let mut probe = arriving(profile, 100);
        match profile {
            Profile::Strack => {
                let header = strack::Data {
                    connection: 5,
                    psn: 100,
                    probe: true,
                    ack_request: true,
                    ..Default::default()
                };
                probe.header = header.to_bytes().to_vec();
            }
            Profile::Uet => {
                probe.payload = 0;
                let header = uet::Request {
                    psn: 100,
                    source_pdc: 9,
                    destination_pdc: 5,
                    ack_request: true,
                    ..Default::default()
                };
                probe.header = header.to_bytes();
            }
        }
        let (status, told) = receive(&mut nic, probe.frame());
        assert_eq!((status, told.len(), told[0].detail), (None, 1, 6), "a probe does not go to the host");
        assert!(nic.transmit().is_none(), "and is not answered");
        assert_eq!((nic.counter(Counter::OtherAddress), nic.counter(Counter::RxProbes)), (1, 0));
    }
}

#[test]
fn an_ack_from_another_address_changes_nothing() {
    for profile in Profile::ALL {
        let ack = || match profile {
            Profile::Strack => {
                strack_ack(strack::Ack { psn: 100, expected_psn: 101, sack_base: 64, ..Default::default() })
            }
            Profile::Uet => uet_ack(uet::Ack { cack_psn: 100, ..Default::default() }),
        };
        let mut nic = with_table(profile);
        send(&mut nic, data(profile, 100).frame()).expect("it leaves");
        enter(&mut nic, 5, at(ELSEWHERE));
        let stands = |nic: &Nic| {
            let sender = nic.scoreboard().connection(5);
            (sender.snd_una, sender.snd_nxt, sender.bytes_flight)
        };
        let before = stands(&nic);
        nic.receive(ack(), false);
        let told = events(&mut nic);
        let [Event { kind: Kind::BadAck, conn: 5, psn: 101, detail: 6, .. }] = told[..] else {
            panic!("{told:?}")
        };
        assert_eq!(stands(&nic), before);
        let counts = [Counter::AcksOtherAddress, Counter::RxAcksBad, Counter::RxAcks];
        assert_eq!(counts.map(|counter| nic.counter(counter)), [1, 0, 0]);
        enter(&mut nic, 5, at(SOURCE));
        nic.receive(ack(), false);
        assert!(events(&mut nic).iter().any(|event| event.kind == Kind::Acknowledged));
        assert!(events(&mut nic).is_empty());
        assert_eq!(counts.map(|counter| nic.counter(counter)), [1, 0, 1]);
    }
}

/// The RTT of an ACK of `uet` is that of what left, although another host has answered before.
#[test]
fn an_ack_from_another_address_takes_no_time_from_the_right_one() {
    let mut nic = with_table(Profile::Uet);
    send(&mut nic, data(Profile::Uet, 100).frame()).expect("it leaves");
    nic.advance(8 * 50);
    enter(&mut nic, 5, at(ELSEWHERE));
    nic.receive(uet_ack(uet::Ack { cack_psn: 100, ..Default::default() }), false);
    enter(&mut nic, 5, at(SOURCE));
    events(&mut nic);
    nic.receive(uet_ack(uet::Ack { cack_psn: 100, ..Default::default() }), false);
    let told = events(&mut nic);
    let rtt = told.iter().find(|event| event.kind == Kind::Rtt).expect("the RTT is told");
    assert_eq!(rtt.detail, 50);
}

#[test]
fn an_entry_changes_as_a_whole_and_touches_no_other_connection() {
    let mut nic = with_table(Profile::Strack);
    open(&mut nic, 6, 100);
    enter(&mut nic, 5, PeerEntry { number: Some(NUMBER), address: Some(SOURCE) });
    let whole = nic.peer_entry(5);
    assert_eq!(whole, PeerEntry { number: Some(NUMBER), address: Some(SOURCE) });
    stage(&mut nic, PeerEntry { number: Some(1), address: Some(SOURCE_V6) });
    assert_eq!(nic.peer_entry(5), whole, "registers alone change nothing");
    write(&mut nic, "peer_entry", 6);
    assert_eq!(nic.peer_entry(5), whole);
    assert_eq!(nic.peer_entry(6), PeerEntry { number: Some(1), address: Some(SOURCE_V6) });
    enter(&mut nic, 5, PeerEntry::default());
    assert_eq!(nic.peer_entry(5), PeerEntry::default());
    write(&mut nic, "command", 5);
    assert_eq!(nic.peer_entry(6), PeerEntry::default(), "the command reset clears the table");
    assert_eq!(read(&mut nic, "peer_flags"), 0, "the last ones written were of nobody");
    let entry = nic.address("peer_entry").expect("there is such a register");
    assert!(matches!(nic.write(entry, 16), Err(AccessError::OutOfRange { .. })));
    assert!(matches!(nic.read(entry), Err(AccessError::WriteOnly { .. })));
    assert!(opened(config(Profile::Strack), 100).address("peer_entry").is_none(), "not without the key");
}

/// Connections from a host's point of view: the other host, and its number there.
struct Line {
    host: usize,
    number: u32,
    sent: u32,
    again: VecDeque<u32>,
    come: BTreeSet<u32>,
}

const HOSTS: usize = 3;
const PACKETS: u32 = 300;

fn address_of(host: usize) -> [u8; 4] {
    [10, 0, 0, 1 + host as u8]
}

/// A packet from one host to another with what it is, in the header of the sender's number.
fn packet(profile: Profile, host: usize, conn: usize, line: &Line, psn: u32) -> Vec<u8> {
    let mut build = data(profile, psn);
    match profile {
        Profile::Strack => build.header[5..8].copy_from_slice(&[0, 0, conn as u8]),
        Profile::Uet => build.header[8..12].copy_from_slice(&[0, conn as u8, 0, 0]),
    }
    build.header.extend([host as u8, conn as u8]);
    build.header.extend(psn.to_be_bytes());
    let mut frame = build.frame();
    let ip = 14;
    frame[ip + 12..ip + 16].copy_from_slice(&address_of(host));
    frame[ip + 16..ip + 20].copy_from_slice(&address_of(line.host));
    frame[ip + 10..ip + 12].fill(0);
    let sum = !checksum::sum(&frame[ip..ip + 20]);
    frame[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
    frame
}

/// Three hosts that number their connections from 0 on, so that the number of a connection differs at its ends and is the same at others.
/// One packet in eight is lost.
fn three_hosts(profile: Profile, enters: bool) -> Result<(), String> {
    let mut lines: Vec<Vec<Line>> = (0..HOSTS)
        .map(|host| {
            let others = (0..HOSTS).filter(|other| *other != host);
            let line = |other: usize| Line {
                host: other,
                // the place of this host among the others of that one
                number: (host - usize::from(host > other)) as u32,
                sent: 0,
                again: VecDeque::new(),
                come: BTreeSet::new(),
            };
            others.map(line).collect()
        })
        .collect();
    let mut nics: Vec<Nic> = lines
        .iter()
        .map(|lines| {
            let mut nic = Nic::new(Config { peer_table: true, ..config(profile) });
            let settings = [
                ("sack_threshold", 0),
                ("probe_timeout", 20),
                ("probe_rtt", 10),
                ("rto", 100),
                ("cwnd_packets", 32),
            ];
            settings.into_iter().for_each(|(name, value)| write(&mut nic, name, value));
            for (conn, line) in (0..).zip(lines) {
                open(&mut nic, conn, 0);
                if enters {
                    let address = Some(IpAddr::from(address_of(line.host)));
                    enter(&mut nic, conn, PeerEntry { number: Some(line.number), address });
                }
            }
            nic
        })
        .collect();
    let mut random = 1u32;
    let mut is_lost = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 29 == 0
    };
    let header = 14 + 20 + 8;
    let bytes = data(profile, 0).header.len();
    for step in 1..60_000u64 {
        for host in 0..HOSTS {
            nics[host].advance(step * 40);
            for (conn, line) in lines[host].iter_mut().enumerate() {
                let una = nics[host].scoreboard().connection(conn as u16).snd_una;
                let psn = match line.again.pop_front() {
                    Some(psn) => psn,
                    None if line.sent < PACKETS && line.sent - una < 32 => {
                        line.sent += 1;
                        line.sent - 1
                    }
                    None => continue,
                };
                nics[host].offer(packet(profile, host, conn, line, psn)).expect("tx_in takes it");
            }
            while let Some(transmitted) = nics[host].transmit() {
                let to = usize::from(transmitted.frame[14 + 19]) - 1;
                if !is_lost() {
                    nics[to].receive(transmitted.frame, false);
                }
            }
            while let Some(event) = nics[host].event() {
                if event.kind == Kind::Retransmit {
                    lines[host][event.conn as usize].again.push_back(event.psn);
                }
            }
        }
        for host in 0..HOSTS {
            while let Some(delivery) = nics[host].deliver() {
                if delivery.status != Some(Status::New) {
                    continue;
                }
                let conn = delivery.record.connection as usize;
                let tag = &delivery.frame[header + bytes..];
                let psn = u32::from_be_bytes([tag[2], tag[3], tag[4], tag[5]]);
                let line = &mut lines[host][conn];
                if (usize::from(tag[0]), u32::from(tag[1])) != (line.host, line.number) {
                    return Err(format!("{tag:?} at connection {conn} of host {host}"));
                }
                if !line.come.insert(psn) {
                    return Err(format!("{psn} twice at connection {conn} of host {host}"));
                }
            }
        }
        let is_whole = |line: &Line| line.come.len() == PACKETS as usize;
        let is_acknowledged = |host: usize| {
            (0..HOSTS as u16 - 1).all(|conn| nics[host].scoreboard().connection(conn).snd_una == PACKETS)
        };
        if lines.iter().flatten().all(is_whole) && (0..HOSTS).all(is_acknowledged) {
            return match nics.iter().map(|nic| nic.counter(Counter::OtherAddress)).sum::<u64>() {
                0 => Ok(()),
                refused => Err(format!("{refused} packets of peers are refused")),
            };
        }
    }
    Err("it does not end".to_string())
}

#[test]
fn three_hosts_with_overlapping_numbers_get_every_packet_once() {
    for profile in Profile::ALL {
        three_hosts(profile, true).unwrap_or_else(|what| panic!("{profile:?}: {what}"));
        assert!(three_hosts(profile, false).is_err(), "without the table they do not understand each other");
    }
}

/// Two hosts send to one number. The one whose address is set is heard, and the other one is told apart in each packet.
#[test]
fn of_two_peers_with_one_number_the_one_that_is_set_is_heard() {
    let mut nic = with_table(Profile::Strack);
    enter(&mut nic, 5, at(SOURCE));
    let from = |address: IpAddr, psn| {
        let mut frame = arriving(Profile::Strack, psn).frame();
        let IpAddr::V4(address) = address else { unreachable!("these are of IPv4") };
        frame[26..30].copy_from_slice(&address.octets());
        frame[24..26].fill(0);
        let sum = !checksum::sum(&frame[14..34]);
        frame[24..26].copy_from_slice(&sum.to_be_bytes());
        frame
    };
    for psn in 100..120 {
        assert_eq!(receive(&mut nic, from(ELSEWHERE, psn)).0, Some(6));
        assert_eq!(receive(&mut nic, from(SOURCE, psn)).0, Some(Status::New as u8));
    }
    assert_eq!((nic.counter(Counter::RxNew), nic.counter(Counter::OtherAddress)), (20, 20));
    assert_eq!(nic.counter(Counter::RxDuplicate), 0);
}
