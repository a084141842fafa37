//! The block with its registers by name, and the account of its counters: whatever goes in is counted once.

use std::collections::HashMap;

use respray_cosim::verilator::Design;
use respray_golden::hosts::frames;
use respray_golden::nic::headers::{Addressing, Ecn};
use respray_golden::nic::{self, Command, Counter, Event, Kind, Nic};
use respray_golden::paths::End;
use respray_golden::rewrite::{self, Extent, ProfileTraffic};
use respray_golden::wire::{Packet, Profile, strack};

use super::bench::{Bench, STATUS};

/// Cycles without anything behind which nothing more follows of what was given.
pub const QUIET: u64 = 250;
/// Connection that no test but [`Account::is_alive`] opens, and its first PSN.
const SPARE: u16 = 15;
const SPARE_PSN: u32 = 77;

/// The block, and where its registers are.
pub struct Account {
    pub bench: Bench,
    pub golden: Nic,
    addresses: HashMap<String, u32>,
}

/// A golden block of the same size.
pub fn golden() -> Nic {
    Nic::new(nic::Config { connections: 16, window: 64, bus_bits: 64, ..Default::default() })
}

/// A data packet from the network, whose EV and timestamp are made of its PSN.
pub fn data(conn: u16, psn: u32, bytes: u32) -> Vec<u8> {
    host_data(End::B, conn, psn, bytes)
}

/// One of this host.
pub fn own_data(conn: u16, psn: u32, bytes: u32) -> Vec<u8> {
    host_data(End::A, conn, psn, bytes)
}

fn host_data(from: End, conn: u16, psn: u32, bytes: u32) -> Vec<u8> {
    frames::data(Profile::Strack, &frames::Data { from, conn, psn, bytes, ack_request: false, again: false })
}

/// A SACK from the network for the packets below `epsn`, and for those of `bitmap` in the segment of `epsn`.
pub fn ack(connection: u32, epsn: u32, bitmap: u64, recv_bytes: u32) -> Vec<u8> {
    let way = data(0, 0, 40);
    let traffic = ProfileTraffic::of(Profile::Strack);
    let headers = rewrite::read(&way, traffic, Extent::Whole).ok().flatten().expect("a data packet");
    let base = epsn & !63;
    let below = (1u64 << (epsn - base)) - 1;
    let sack = strack::Ack {
        connection,
        psn: epsn,
        echo_entropy: 0x1234,
        recv_bytes,
        expected_psn: epsn,
        ooo: bitmap.count_ones() as u16,
        sack_base: base,
        sack_bitmap: bitmap | below,
        ..Default::default()
    };
    let payload = Packet::StrackAck(sack).to_bytes();
    Addressing::of(&way, &headers).frame(Ecn::NotEct, 0x1234, traffic.udp_port, &payload)
}

impl Account {
    /// The block behind its reset, with a SACK for every packet.
    pub fn new(design: &'static Design, seed: u64) -> Account {
        let golden = golden();
        let addresses =
            golden.registers().iter().map(|register| (register.name.clone(), register.address)).collect();
        let mut account = Account { bench: Bench::new(design, seed), golden, addresses };
        account.set_up();
        account
    }

    /// What a driver writes behind each reset. The ticks are so long that no timer fires unless a test wants it.
    pub fn set_up(&mut self) {
        for (name, value) in [
            ("sack_prescale", 16),
            ("wire_prescale", 16),
            ("sack_threshold", 0),
            ("probe_timeout", 0xffff),
            ("rto", 0xffff),
        ] {
            self.write(name, value);
        }
    }

    pub fn address(&self, name: &str) -> u32 {
        self.addresses[name]
    }

    /// Writes a register, which is not refused.
    pub fn write(&mut self, name: &str, value: u32) {
        let is_refused = self.bench.write(self.address(name), value);
        assert!(!is_refused, "{name} does not take {value}");
    }

    /// Opens a connection for sending and for receiving.
    pub fn open(&mut self, conn: u16, psn: u32) {
        self.write("command_conn", conn.into());
        self.write("command_psn", psn);
        self.write("command", Command::OpenTx as u32);
        self.write("command", Command::OpenRx as u32);
    }

    /// Reads a register that can be read.
    pub fn read(&mut self, name: &str) -> u32 {
        let (value, is_refused) = self.bench.read(self.address(name));
        assert!(!is_refused, "{name} cannot be read");
        value
    }

    pub fn counter(&mut self, counter: Counter) -> u64 {
        self.read(&format!("{}_low", counter.name())).into()
    }

    /// What the command `read` gives: `snd_una`, packets in flight, and whether the connection is in recovery.
    pub fn read_connection(&mut self, conn: u16) -> (u32, u32, u32) {
        self.write("command_conn", conn.into());
        self.write("command", Command::Read as u32);
        (self.read("result_snd_una"), self.read("result_in_flight"), self.read("result_in_recovery"))
    }

    /// Whatever went in since the reset was counted once, and what the counters say went out. The host has sent no probes, and all
    /// events are enabled.
    pub fn check(&mut self) -> Result<(), String> {
        let mut counts = HashMap::new();
        for counter in Counter::ALL {
            counts.insert(counter.name(), self.counter(*counter));
        }
        for (counter, name) in
            Counter::SELECTOR_EVENTS.iter().zip(["ev_cached", "ev_dropped", "freeze_entered", "freeze_left"])
        {
            counts.insert(counter.name(), self.read(&format!("{name}_low")).into());
        }
        let sum = |names: &[Counter]| names.iter().map(|counter| counts[counter.name()]).sum::<u64>();
        let [of_host, of_mac] = self.bench.given();
        let out = &self.bench.out;
        let strays = out.received.iter().filter(|(_, beside)| beside[STATUS] == 7).count() as u64;
        use Counter::*;
        let equal = [
            (
                "frames of the MAC",
                of_mac,
                sum(&[
                    RxNew,
                    RxDuplicate,
                    RxOutside,
                    RxNotOpen,
                    RxProbes,
                    RxAcks,
                    RxAcksOld,
                    RxAcksBad,
                    RxOther,
                    RxMalformed,
                    RxBad,
                    RxDroppedHost,
                    RxDroppedEngine,
                    AcksDropped,
                ]),
            ),
            (
                "frames to the host",
                out.received.len() as u64,
                sum(&[RxNew, RxDuplicate, RxOutside, RxOther, RxMalformed]) + strays,
            ),
            ("frames of the host", of_host, sum(&[TxData, TxAgain, TxOther, TxRefused])),
            ("frames to the MAC", out.sent.len() as u64, sum(&[TxData, TxAgain, TxOther, TxProbes, TxSacks])),
            ("draws of the selector", sum(&[Explore, Recycle, Replay]), sum(&[TxData, TxAgain, TxProbes])),
            ("SACKs", sum(&[TxSacks, SacksDropped]), sum(&[RxNew, RxDuplicate, RxProbes])),
            ("PSNs to send again", out.of_kind(Kind::Retransmit) as u64, sum(&[HandedOut])),
            (
                "events",
                out.events.len() as u64 + sum(&[EventsLost]),
                sum(&[
                    // each ACK is one event and its RTT another, of an old one there is the RTT alone
                    RxAcks,
                    RxAcks,
                    RxAcksOld,
                    RxAcksBad,
                    LossOoo,
                    LossProbe,
                    LossTimeout,
                    HandedOut,
                    RecoveryLeft,
                    RxDuplicate,
                    TxRefused,
                    RxOutside,
                    RxNotOpen,
                    RxMalformed,
                    SelectorEvent2,
                    SelectorEvent3,
                ]),
            ),
        ];
        for (what, seen, expected) in equal {
            if seen != expected {
                return Err(format!("{what}: {seen}, but the counters say {expected}: {counts:?}"));
            }
        }
        Ok(())
    }

    /// A connection that was not used before does as the golden block says: data is answered, and what is sent acknowledged.
    pub fn is_alive(&mut self) {
        let before = self.bench.out.clone();
        self.bench.out = Default::default();
        self.open(SPARE, SPARE_PSN);
        self.golden = golden();
        for (name, value) in [
            ("sack_threshold", 0),
            ("command_conn", SPARE.into()),
            ("command_psn", SPARE_PSN),
            ("command", Command::OpenRx as u32),
        ] {
            self.golden.write(self.addresses[name], value).expect("as above");
        }
        let arriving = data(SPARE, SPARE_PSN, 40);
        self.golden.receive(arriving.clone(), false);
        let answer = self.golden.transmit().expect("a SACK").frame;
        self.bench.receive(arriving.clone(), false);
        self.bench.drain(QUIET, 2000);
        let out = std::mem::take(&mut self.bench.out);
        assert_eq!(out.sent, [answer], "the SACK");
        assert_eq!(out.events, []);
        assert_eq!(out.received.iter().map(|(frame, _)| frame).collect::<Vec<_>>(), [&arriving]);
        assert_eq!(out.received[0].1[STATUS], 0, "the packet is new");

        let sent = own_data(SPARE, SPARE_PSN, 40);
        self.bench.send(sent.clone());
        self.bench.drain(QUIET, 2000);
        self.bench.receive(ack(SPARE.into(), SPARE_PSN + 1, 0, 40), false);
        self.bench.drain(QUIET, 2000);
        let later = std::mem::take(&mut self.bench.out);
        assert_eq!(later.sent.len(), 1);
        assert_eq!(later.sent[0].len(), sent.len());
        assert_eq!(self.read_connection(SPARE), (SPARE_PSN + 1, 0, 0));
        let is_told = |event: &Event| event.kind == Kind::Acknowledged && event.conn == u32::from(SPARE);
        assert!(later.events.iter().any(is_told), "{:?}", later.events);

        for part in [before, out, later].into_iter().rev() {
            let now = std::mem::take(&mut self.bench.out);
            self.bench.out = super::bench::Out {
                sent: [part.sent, now.sent].concat(),
                cut: [part.cut, now.cut].concat(),
                received: [part.received, now.received].concat(),
                events: [part.events, now.events].concat(),
            };
        }
    }
}
