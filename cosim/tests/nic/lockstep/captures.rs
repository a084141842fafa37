//! What a replay of a capture says of each frame.

use std::path::{Path, PathBuf};

use respray_cosim::nic::{CaptureReplay, Feed, Frames, NicError, NicFailure, NicOptions, cosim};
use respray_cosim::report::{Report, Verdict};
use respray_cosim::traffic::capture::{Account, Cut};
use respray_cosim::traffic::pcap::PcapWriter;
use respray_golden::rewrite::checksum;
use respray_golden::wire::{Packet, strack, uet};
use respray_hdl::config::Config;

use super::{config, config_with};

const US: u64 = 1000;
const HOST: u8 = 1;
const PEER: u8 = 2;
const STRANGER: u8 = 3;

/// A frame from one host to another, of a profile's port.
fn frame(from: u8, to: u8, packet: &Packet, payload: usize) -> Vec<u8> {
    let data = [packet.to_bytes(), vec![0; payload]].concat();
    let udp = 8 + data.len() as u16;
    let mut ip = vec![0x45, 2, 0, 0, 0, 1, 0, 0, 64, 17, 0, 0, 192, 0, 2, from, 192, 0, 2, to];
    ip[2..4].copy_from_slice(&(20 + udp).to_be_bytes());
    let sum = !checksum::sum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    let ethernet = [2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, from, 8, 0];
    let ports = [5000, packet.profile().udp_port(), udp, 0].map(u16::to_be_bytes).concat();
    [&ethernet[..], &ip, &ports, &data].concat()
}

fn data(from: u8, to: u8, connection: u32, psn: u32) -> Vec<u8> {
    let header = strack::Data { connection, psn, ..Default::default() };
    frame(from, to, &Packet::StrackData(header), 64)
}

fn request(from: u8, to: u8, [source_pdc, destination_pdc]: [u16; 2], psn: u32) -> Vec<u8> {
    let header = uet::Request { source_pdc, destination_pdc, psn, ..Default::default() };
    frame(from, to, &Packet::UetRequest(header), 64)
}

/// Replays frames that come 20 us apart.
fn replayed(config: &Config, local: Option<u8>, frames: &[Vec<u8>]) -> Result<Report<NicFailure>, NicError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.pcap");
    write(&path, frames);
    let local = local.map(|last| [192, 0, 2, last].into());
    let frames = Frames::Capture(CaptureReplay { path, local, speedup: 1, cut: Cut::Refused });
    let mut options = NicOptions::new(Feed::Frames(frames));
    options.reproducer = folder.path().join("nic_failure.csv");
    Ok(cosim(config, &options, &mut |_| {})?.run)
}

fn write(path: &PathBuf, frames: &[Vec<u8>]) {
    let mut file = PcapWriter::create(Path::new(path)).unwrap();
    (0..).zip(frames).for_each(|(at, frame)| file.write(at * 20 * US, frame).unwrap());
    file.finish().unwrap();
}

/// Of each fate: whether it is one of being taken, its first words, and the numbers of its frames.
fn fates(account: &Account) -> Vec<(bool, &str, &[u64])> {
    account.became.iter().map(|one| (one.is_taken, &*one.what, &*one.first)).collect()
}

/// Asserts that of frames with these numbers this became.
fn became(account: &Account, wanted: &[(bool, &str, &[u64])]) {
    let found = fates(account);
    for (is_taken, words, numbers) in wanted {
        let one = found.iter().find(|(_, _, found)| found == numbers);
        let (was_taken, what, _) = one.unwrap_or_else(|| panic!("{numbers:?} of {found:?}"));
        assert!(was_taken == is_taken && what.contains(words), "{numbers:?}: {what}, but {words}");
    }
    assert_eq!(found.len(), wanted.len(), "{found:?}");
}

#[test]
fn each_frame_of_a_capture_is_accounted_for() {
    let bad = {
        let mut bad = data(PEER, HOST, 3, 12);
        bad[24] ^= 1;
        bad
    };
    let probe = strack::Data { connection: 3, psn: 6, probe: true, ..Default::default() };
    let probe = frame(HOST, PEER, &Packet::StrackData(probe), 0);
    let own = frame(HOST, PEER, &Packet::StrackAck(strack::Ack { connection: 3, ..Default::default() }), 0);
    // it acknowledges what was never sent
    let false_ack = strack::Ack { connection: 3, expected_psn: 900, sack_base: 896, ..Default::default() };
    let false_ack = frame(PEER, HOST, &Packet::StrackAck(false_ack), 0);
    let mut tagged = data(PEER, HOST, 3, 13);
    tagged.splice(12..12, [0x91, 0, 0, 5]);
    let frames = [
        data(HOST, PEER, 3, 5),
        data(PEER, HOST, 3, 11),
        data(PEER, HOST, 3, 10),
        data(PEER, HOST, 3, 11),
        data(HOST, PEER, 3, 5),
        data(HOST, PEER, 3, 7),
        data(HOST, PEER, 300, 5),
        data(PEER, HOST, 300, 5),
        data(STRANGER, PEER, 4, 5),
        bad,
        tagged,
        probe,
        own,
        false_ack,
        data(PEER, HOST, 3, 500),
    ];
    let report = replayed(&config(), None, &frames).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.result, Verdict::Pass, "{:?}", report.failure);
    let account = report.account.as_ref().expect("a capture has one");
    assert_eq!((account.frames, account.taken), (15, 5));
    became(
        account,
        &[
            (true, "sent for the first time", &[1]),
            (true, "received, new", &[2, 3]),
            (true, "come again", &[4]),
            (true, "sent again", &[5]),
            (false, "not the next PSN", &[6]),
            (false, "of the host, of a connection beyond 0 to 15", &[7]),
            (false, "received, of a connection beyond 0 to 15", &[8]),
            (false, "neither from the local side nor to it", &[9]),
            (false, "bad IPv4 header checksum, passed on", &[10]),
            (false, "not UDP in IPv4 or IPv6", &[11]),
            (false, "probes of the local side", &[12]),
            (false, "ACKs of the local side", &[13]),
            (false, "cannot be true", &[14]),
            (false, "outside the window", &[15]),
        ],
    );
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["account"]["became"].as_array().map(Vec::len), Some(14));
}

#[test]
fn a_replay_of_which_nothing_is_taken_shows_nothing() {
    let frames = [data(HOST, PEER, 300, 5), data(PEER, HOST, 300, 9)];
    let report = replayed(&config(), None, &frames).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.result, Verdict::Empty);
    let why = report.why_empty();
    assert!(why.contains("none of the 2 frames was taken: 1, data packets of the host, of a con"), "{why}");
}

/// Packets that open a connection go to the host, and those behind them are still told apart.
#[test]
fn each_frame_of_a_list_of_ultra_ethernet_is_accounted_for() {
    let open = "write,command_conn,1\nwrite,command_psn,100\nwrite,command_peer,9\nwrite,command,2\n";
    let to = |syn, pdc, psn| {
        let header = uet::Request {
            syn,
            source_pdc: 9,
            destination_pdc: pdc,
            psn,
            ack_request: true,
            ..Default::default()
        };
        frame(PEER, HOST, &Packet::UetRequest(header), 64)
    };
    let probe = uet::Control { ctl: 6, source_pdc: 9, destination_pdc: 1, psn: 100, ..Default::default() };
    let credit = uet::Control { ctl: 7, source_pdc: 9, destination_pdc: 1, psn: 100, ..Default::default() };
    let ack = uet::Ack { source_pdc: 9, destination_pdc: 1, ..Default::default() };
    let frames = [
        to(true, 0, 100),
        to(false, 1, 100),
        to(true, 0, 101),
        to(false, 1, 100),
        to(false, 3, 100),
        to(false, 300, 100),
        frame(PEER, HOST, &Packet::UetControl(probe), 0),
        frame(PEER, HOST, &Packet::UetControl(credit), 0),
        frame(PEER, HOST, &Packet::UetAck(ack), 0),
        to(false, 1, 9_000_000),
    ];
    let lines = (1..).zip(&frames).map(|(at, frame)| {
        let bytes: String = frame.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{},mac,0,{bytes}\n", at * 4000)
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.csv");
    let list = "# frames of the nic: cycle,from,bad,bytes\n".to_string() + open + &lines.collect::<String>();
    std::fs::write(&path, list).unwrap();
    let options = NicOptions::new(Feed::Frames(Frames::List(path)));
    let config = config_with(&["wire=uet", "sack.acks=uet", "sack.window=128"]);
    let report = cosim(&config, &options, &mut |_| {}).unwrap_or_else(|error| panic!("{error}")).run;
    assert_eq!(report.result, Verdict::Pass, "{:?}", report.failure);
    became(
        report.account.as_ref().expect("a list has one"),
        &[
            (true, "ask for a connection, given to the host", &[1, 3]),
            (true, "received, new", &[2]),
            (true, "come again", &[4]),
            (false, "of a connection that is not open", &[5]),
            (false, "received, of a connection beyond 0 to 15", &[6]),
            (true, "probes received", &[7]),
            (false, "control packets, passed on unchanged", &[8]),
            (false, "ACKs that cannot be true", &[9]),
            (false, "outside the window", &[10]),
        ],
    );
}

/// The receiver numbers a connection for itself, and begins at the lowest PSN, with whatever upper bits.
#[test]
fn a_receiver_is_keyed_and_begins_as_it_does_for_itself() {
    let config = config_with(&["wire=uet"]);
    let high = 0x4500_0000;
    let frames = [
        request(HOST, PEER, [5, 9], high + 100),
        request(PEER, HOST, [9, 5], high + 701),
        request(PEER, HOST, [9, 5], high + 700),
        request(HOST, PEER, [5, 9], high + 101),
    ];
    let report = replayed(&config, None, &frames).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.result, Verdict::Pass, "{:?}", report.failure);
    let account = report.account.as_ref().expect("a capture has one");
    became(account, &[(true, "sent for the first time", &[1, 4]), (true, "received, new", &[2, 3])]);
    assert_eq!(report.counts.get("sacks"), 2);

    // the other end's view: it receives alone, and numbers the connection otherwise than its sender
    let only = [request(HOST, PEER, [5, 9], 100), request(HOST, PEER, [5, 9], 101)];
    let report = replayed(&config, Some(PEER), &only).unwrap_or_else(|error| panic!("{error}"));
    became(report.account.as_ref().expect("it has one"), &[(true, "received, new", &[1, 2])]);

    let error = replayed(&config, Some(77), &only).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no frame of the uet profile is from 192.0.2.77 or to it"), "{error}");
}
