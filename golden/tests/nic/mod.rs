//! The golden `nic`, frame by frame and register by register.

mod answers;
mod anything;
mod closing;
mod credit;
mod event_frames;
mod graceful;
mod library;
mod limits;
mod peer_table;
mod registers;
mod sending;
mod settings;
mod stable_port;
mod steps;
mod timing;

use respray_golden::hosts::Port;
use respray_golden::nic::{Command, Config, Event, Kind, Nic, Transmitted};
use respray_golden::wire::{Packet, Profile, strack, uet};

use crate::rewrite::build::Build;

/// Where the profile's header of a frame begins that `Build` made with these tags and options.
fn header_at(build: &Build) -> usize {
    14 + 4 * build.tags + if build.v6 { 40 } else { 20 + 4 * build.options } + 8
}

fn config(profile: Profile) -> Config {
    Config { connections: 16, profile, ..Config::default() }
}

/// A nic with connection 5 open in both directions from this PSN on.
fn opened(config: Config, psn: u32) -> Nic {
    let mut nic = Nic::new(config);
    write(&mut nic, "sack_threshold", 0);
    open(&mut nic, 5, psn);
    nic
}

fn open(nic: &mut Nic, conn: u32, psn: u32) {
    command(nic, Command::OpenTx, conn, psn);
    command(nic, Command::OpenRx, conn, psn);
}

fn command(nic: &mut Nic, command: Command, conn: u32, psn: u32) {
    write(nic, "command_conn", conn);
    write(nic, "command_psn", psn);
    write(nic, "command", command as u32);
}

fn write(nic: &mut Nic, name: &str, value: u32) {
    nic.write_register(name, value);
}

fn read(nic: &mut Nic, name: &str) -> u32 {
    nic.read_register(name)
}

/// A data packet of connection 5.
fn data(profile: Profile, psn: u32) -> Build {
    let header = match profile {
        Profile::Strack => {
            Packet::StrackData(strack::Data { connection: 5, psn: psn % (1 << 24), ..Default::default() })
        }
        Profile::Uet => Packet::UetRequest(uet::Request {
            next_header: 1,
            psn,
            source_pdc: 5,
            destination_pdc: 9,
            ..Default::default()
        }),
    };
    let build = if profile == Profile::Strack { Build::strack_data() } else { Build::uet_request() };
    Build { header: header.to_bytes(), ..build }
}

/// What the receiver of `data` gets: the same, to connection 5 of its own.
fn arriving(profile: Profile, psn: u32) -> Build {
    let mut build = data(profile, psn);
    if profile == Profile::Uet {
        build.header[8..12].copy_from_slice(&[0, 9, 0, 5]);
    }
    build
}

/// The profile's header of a frame that `like` tells the shape of.
fn parse(profile: Profile, frame: &[u8], like: &Build) -> Packet {
    profile.parse(&frame[header_at(like)..]).expect("the profile's header")
}

fn send(nic: &mut Nic, frame: Vec<u8>) -> Option<Transmitted> {
    nic.offer(frame).expect("tx_in takes it");
    nic.transmit()
}

fn events(nic: &mut Nic) -> Vec<Event> {
    std::iter::from_fn(|| nic.event()).collect()
}

fn kinds(events: &[Event]) -> Vec<Kind> {
    events.iter().map(|event| event.kind).collect()
}
