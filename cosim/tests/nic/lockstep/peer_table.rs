//! A block whose host says who the peers are: random traffic between ends that number connections differently, with entries that change under
//! it and packets from elsewhere; faults at the joints and within; and hosts whose numbers overlap, two and three of them.

use std::collections::{BTreeSet, VecDeque};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::nic::{Difference, End, Given};
use respray_golden::hosts::frames::{Addresses, Below, Data, data_over, payload};
use respray_golden::nic::peer_table::{HAS_ADDRESS, HAS_NUMBER};
use respray_golden::nic::{Command, Counter, Kind};
use respray_golden::paths;
use respray_golden::rewrite::ProfileTraffic;
use respray_golden::sack_rx::Status;

use super::found::{self, Within, at_joints_are_found, instead, within_are_found};
use super::{Block, config_with};
use crate::nic::joints::{Fault, faulty};

const FAULTS: [Fault; 12] = [
    // an entry is written for another connection, or never
    ("peer_conn", "registers_peer_conn[3:0]", "registers_peer_conn[3:0] ^ 4'd1"),
    ("peer_valid", "registers_peer_valid", "1'b0"),
    // a bit of a number, of an address and of the flags is another one
    ("peer_number", "registers_peer_number", "registers_peer_number ^ 24'd2"),
    ("peer_address_3", "registers_peer_address_3", "registers_peer_address_3 ^ 32'd1"),
    ("peer_flags", "registers_peer_flags", "registers_peer_flags & 3'd3"),
    // what comes is looked up under another number, or it is never refused
    ("look_conn", "receiver_look_conn", "receiver_look_conn ^ 4'd1"),
    ("refused", "peer_table_refused", "1'b0"),
    ("source_is_ipv6", "receiver_source_is_ipv6", "1'b0"),
    // an ACK is not refused
    ("ack_is_refused", "receiver_heard_is_refused", "1'b0"),
    // what a number changes in the sum is another thing
    ("grant_change", "peer_table_grant_change", "peer_table_grant_change + 16'd1"),
    // the numbers of packets are one behind, or frames of the block have their own
    ("granted", "spray_grant_valid", "spray_grant_valid & (spray_grant_action == 2'd0)"),
    ("job_conn", "peer_table_job_named", "prober_job_conn"),
];

/// Within: what stands in the Verilog once, and what stands there with a fault.
const WITHIN: [Within; 10] = [
    // an entry is written while a packet of its connection is looked up, or one of the host is
    (
        "assign peer_ready = waits & is_ready & !is_looked_up & !is_taken;",
        "assign peer_ready = waits & is_ready & !is_taken;",
    ),
    (
        "assign peer_ready = waits & is_ready & !is_looked_up & !is_taken;",
        "assign peer_ready = waits & is_ready & !is_looked_up;",
    ),
    // the number of a frame of the block that is read at the edge at which it is written is not read again
    ("reads_own <= (job_valid & !had_job) | (reads_own & !is_apart);", "reads_own <= job_valid & !had_job;"),
    // an address of IPv6 is compared as one of IPv4
    ("is_long <= entry_is_ipv6;", "is_long <= 1'b0;"),
    // a carry is lost
    ("wire [15:0] lower = lower_2[15:0] + {15'd0, lower_2[16]};", "wire [15:0] lower = lower_2[15:0];"),
    ("_written = all_3[15:0] + {15'd0, all_3[16]};", "_written = all_3[15:0];"),
    // a refused packet is told as one of no connection, or the engine is asked about it
    ("assign status = !res_valid & is_of_another ? 3'd6 :", "assign status ="),
    (
        "wire waiting_item_is_foreign = item_2_is_foreign | is_refused;",
        "wire waiting_item_is_foreign = item_2_is_foreign;",
    ),
    // the second tag is not seen
    ("wire is_tagged_twice = is_tagged & ", "wire is_tagged_twice = 1'b0 & "),
    // the table is not cleared by a reset
    (" = peer_ready | !is_ready;", " = peer_ready;"),
];

fn block(sets: &[&str], change: impl Fn(String) -> String) -> Block {
    Block::new(config_with(&[&["nic.peer_table=on"], sets].concat()), change, false)
}

const COUNTERS: [Counter; 6] = [
    Counter::RxNew,
    Counter::RxNotOpen,
    Counter::OtherAddress,
    Counter::AcksOtherAddress,
    Counter::RxAcks,
    Counter::TxProbes,
];

/// Random traffic: new packets, those of connections that are not open, packets and ACKs from elsewhere, ACKs that are taken, and probes.
fn traffic(block: &Block, seed: u64) -> Result<[u64; 6], Difference> {
    found::traffic(block, seed, &["peer_flags"], COUNTERS)
}

fn agrees(block: &Block, seed: u64, about: &[&str]) {
    let counts = traffic(block, seed).unwrap_or_else(|difference| panic!("{about:?}: {difference}"));
    assert!(counts.iter().all(|count| *count > 0), "{about:?}: {counts:?}");
}

#[test]
fn traffic_with_peers_agrees_and_faults_at_the_joints_are_found() {
    let mut block = block(&["bus_bits=128"], |verilog| faulty(verilog, &FAULTS));
    block.fault = Some(0);
    agrees(&block, 3, &[]);
    at_joints_are_found(&mut block, &FAULTS, |block| (3..9).find_map(|seed| traffic(block, seed).err()));
    block.fault = Some(0);
    entries_amid_packets(&block).unwrap_or_else(|what| panic!("entries amid packets: {what}"));
    hosts(&block, 2, 60).unwrap_or_else(|what| panic!("two hosts: {what}"));
    hosts(&block, 3, 60).unwrap_or_else(|what| panic!("three hosts: {what}"));
}

#[test]
#[ignore = "a model for each width"]
fn traffic_agrees_at_each_width_with_either_profile() {
    for sets in [
        &["bus_bits=64"][..],
        &["bus_bits=64", "wire=uet"],
        &["bus_bits=128", "wire=uet", "nic.rx_credit=frames", "nic.rss_port=stable"],
        &["bus_bits=256", "sack.engine=fast", "nic.window=strack"],
        &["bus_bits=512", "nic.rx_credit=frames", "nic.events=frames"],
        &["bus_bits=512", "wire=uet", "sack.engine=fast"],
    ] {
        let block = block(sets, |verilog| verilog);
        for seed in 3..8 {
            agrees(&block, seed, sets);
        }
    }
}

#[test]
#[ignore = "a model for each fault"]
fn faults_within_are_found() {
    let block = |fault| block(&["bus_bits=128"], instead(fault));
    within_are_found(&WITHIN, block, |block| {
        let found = entries_amid_packets(block).err();
        found.or_else(|| (3..40).find_map(|seed| traffic(block, seed).err()))
    });
}

#[test]
#[ignore = "models of their own"]
fn hosts_with_overlapping_numbers_get_every_packet_once() {
    for sets in [&["bus_bits=64"][..], &["bus_bits=512"], &["wire=uet", "bus_bits=256"]] {
        let block = block(sets, |verilog| verilog);
        for number in [2, 3, 4] {
            hosts(&block, number, 2_000).unwrap_or_else(|what| panic!("{sets:?}, {number} hosts: {what}"));
        }
    }
}

/// A connection from a host's point of view.
struct Line {
    host: usize,
    /// The number by which that host knows it.
    number: u16,
    sent: u32,
    again: VecDeque<u32>,
    come: BTreeSet<u32>,
}

struct Host {
    end: End,
    lines: Vec<Line>,
    arriving: VecDeque<Vec<u8>>,
}

/// Packets of a connection that may be in flight.
const WINDOW: u32 = 16;
/// Cycles after which a run is given up.
const MOST_CYCLES: u64 = 4_000_000;

fn address(host: usize) -> Addresses {
    let last = 1 + host as u8;
    Addresses { mac: [2, 0, 0, 0, 0, last], next_hop: [2, 0, 0, 0, 1, 0], ipv4: [10, 0, 0, last] }
}

impl Host {
    /// A host among so many: its connections to the others are 0, 1, and so on.
    fn new(block: &Block, own: usize, hosts: usize) -> Result<Host, Difference> {
        let mut end = block.end();
        let settings =
            [("sack_threshold", 0), ("probe_timeout", 200), ("rto", 400), ("cwnd_packets", WINDOW)];
        settings.into_iter().try_for_each(|(name, value)| end.write(name, value))?;
        let others = (0..hosts).filter(|other| *other != own);
        let line = |host: usize| Line {
            host,
            number: (own - usize::from(own > host)) as u16,
            sent: 0,
            again: VecDeque::new(),
            come: BTreeSet::new(),
        };
        let lines: Vec<Line> = others.map(line).collect();
        for (conn, line) in (0..).zip(&lines) {
            for (name, value) in [
                ("command_conn", conn),
                ("command_psn", 0),
                ("command", Command::OpenTx as u32),
                ("command", Command::OpenRx as u32),
                ("peer_number", line.number.into()),
                ("peer_address_3", u32::from_be_bytes(address(line.host).ipv4)),
                ("peer_flags", HAS_NUMBER | HAS_ADDRESS),
                ("peer_entry", conn),
            ] {
                end.write(name, value)?;
            }
        }
        Ok(Host { end, lines, arriving: VecDeque::new() })
    }

    /// Gives a packet, if it has one that may go.
    fn send(&mut self, own: usize, packets: u32, at: usize) {
        let profile = self.end.golden().config().profile;
        let una = self.end.golden().scoreboard().connection(at as u16).snd_una;
        let line = &mut self.lines[at];
        let (psn, again) = match line.again.pop_front() {
            Some(psn) => (psn, true),
            None if line.sent < packets && line.sent - una < WINDOW => {
                line.sent += 1;
                (line.sent - 1, false)
            }
            None => return,
        };
        let below = Below::Ipv4([address(own), address(line.host)]);
        let data = Data { from: paths::End::A, conn: at as u16, psn, bytes: 40, ack_request: false, again };
        let bytes = data_over(below, ProfileTraffic::of(profile), &data);
        self.end.send(Given { bytes, user: false });
    }

    /// Takes in what is new.
    fn take(&mut self) -> Result<(), String> {
        while let Some(event) = self.end.out.events.pop_front() {
            if event.kind == Kind::Retransmit {
                self.lines[event.conn as usize].again.push_back(event.psn);
            }
        }
        while let Some(delivery) = self.end.out.delivered.pop_front() {
            if delivery.status != Some(Status::New) {
                continue;
            }
            let line = &mut self.lines[delivery.record.connection as usize];
            let (frame, psn) = (&delivery.frame, delivery.record.psn & 0xff_ffff);
            let expected = payload(paths::End::A, line.number, psn, 40);
            if frame[26..30] != address(line.host).ipv4 || !frame.ends_with(&expected) {
                return Err(format!("a packet of another connection: {:?}", delivery.record));
            }
            if !line.come.insert(psn) {
                return Err(format!("twice: {:?}", delivery.record));
            }
        }
        Ok(())
    }
}

/// An entry is written in each of the cycles in which a packet of its connection can be on its way to the engines, from the host and from
/// the wire.
fn entries_amid_packets(block: &Block) -> Result<(), Difference> {
    let mut host = Host::new(block, 0, 2)?;
    // another number than the one that a packet carries where there is no entry
    host.end.write("peer_number", 5)?;
    host.end.write("peer_entry", 0)?;
    host.send(0, 1, 0);
    let below = Below::Ipv4([address(1), address(0)]);
    let data = Data { from: paths::End::B, conn: 0, psn: 0, bytes: 40, ack_request: true, again: true };
    let profile = ProfileTraffic::of(host.end.golden().config().profile);
    for from_wire in [false, true] {
        for cycles in 0..64 {
            // some of them are still to come when the write is through
            for _ in 0..8 {
                if from_wire {
                    host.end.receive(Given { bytes: data_over(below, profile, &data), user: false });
                } else {
                    host.lines[0].again.push_back(0);
                    host.send(0, 1, 0);
                }
            }
            (0..cycles).try_for_each(|_| host.end.step())?;
            host.end.write("peer_entry", 0)?;
            (0..200).try_for_each(|_| host.end.step())?;
        }
    }
    // a reset leaves no entry
    host.end.reset(2);
    for (name, value) in [("command_conn", 0), ("command_psn", 0), ("command", Command::OpenTx as u32)] {
        host.end.write(name, value)?;
    }
    host.lines[0].again.push_back(0);
    host.send(0, 1, 0);
    (0..200).try_for_each(|_| host.end.step())
}

/// Hosts that number their connections from 0 on send each other so many packets. One packet in eight is lost, and some come late.
fn hosts(block: &Block, number: usize, packets: u32) -> Result<(), String> {
    let mut random = StdRng::seed_from_u64(7);
    let hosts = (0..number).map(|own| Host::new(block, own, number));
    let mut hosts = hosts.collect::<Result<Vec<Host>, Difference>>().map_err(|what| what.to_string())?;
    for cycle in 0..MOST_CYCLES {
        for own in 0..number {
            let [of_host, of_mac] = hosts[own].end.waiting();
            if of_host == 0 {
                let at = random.random_range(0..number - 1);
                hosts[own].send(own, packets, at);
            }
            if of_mac < 2
                && let Some(bytes) = hosts[own].arriving.pop_front()
            {
                hosts[own].end.receive(Given { bytes, user: false });
            }
            hosts[own].end.step().map_err(|what| format!("host {own}: {what}"))?;
            hosts[own].take().map_err(|what| format!("host {own}: {what}"))?;
            while let Some(sent) = hosts[own].end.out.transmitted.pop_front() {
                let to = &mut hosts[usize::from(sent.frame[33]) - 1].arriving;
                match random.random_range(0..8) {
                    0 => {}
                    1 if !to.is_empty() => to.insert(0, sent.frame),
                    _ => to.push_back(sent.frame),
                }
            }
        }
        if cycle % 256 == 0 && hosts.iter().all(|host| is_done(host, packets)) {
            for host in &mut hosts {
                let counters = [Counter::OtherAddress, Counter::AcksOtherAddress, Counter::RxNotOpen];
                if counters.iter().any(|counter| host.end.golden().counter(*counter) != 0) {
                    return Err("a packet of a peer is refused".to_string());
                }
                host.end.check_counters().map_err(|what| what.to_string())?;
            }
            return Ok(());
        }
    }
    Err("it does not end".to_string())
}

/// All has come, and all is acknowledged.
fn is_done(host: &Host, packets: u32) -> bool {
    let scoreboard = host.end.golden().scoreboard();
    (0..).zip(&host.lines).all(|(conn, line)| {
        line.come.len() == packets as usize && scoreboard.connection(conn).snd_una == packets
    })
}
