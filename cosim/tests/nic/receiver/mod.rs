//! `nic_receiver` between the real `rewrite_rx` and the real `sack_rx`.

mod check;
mod design;
mod run;
mod stimulus;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use respray_cosim::traffic::capture::CaptureFile;
use respray_golden::rewrite::{Kind, ProfileTraffic};
use respray_golden::rewrite_rx;
use respray_golden::wire::Profile;
use respray_hdl::config::Config;

use self::check::{SACK_THRESHOLD, WINDOW, check};
use self::design::{Fault, source};
use self::run::{AT_ONCE, Bench, Manner, Phase};
use self::stimulus::{Arrival, CONNECTIONS, FIRST_PSN, Mix, arrivals};

/// Packets of few and of many kinds, and what waits for `sack_rx` longest: packets of one connection, with nothing between.
const ANY: Mix = Mix { odd: 0.3, acks: 0.2, connections: CONNECTIONS + 2, payload: 200 };
const SHORT: Mix = Mix { odd: 0.15, acks: 0.2, connections: CONNECTIONS + 2, payload: 20 };
const ONE_CONNECTION: Mix = Mix { odd: 0.0, acks: 0.05, connections: 1, payload: 0 };

/// The host hardly takes anything; only the host does.
const HOST_BUSY: Manner = Manner { gap: 0.0, host: 0.004, scoreboard: 1.0, answers: 1.0, events: 1.0 };
const OTHERS_BUSY: Manner = Manner { gap: 0.0, host: 1.0, scoreboard: 0.001, answers: 0.001, events: 0.001 };
const UNEVEN: Manner = Manner { gap: 0.3, host: 0.6, scoreboard: 0.5, answers: 0.5, events: 0.5 };

/// What is built.
#[derive(Clone, Copy, Debug)]
struct Setup {
    bus_bits: usize,
    profile: Profile,
    engine: &'static str,
    connections: u32,
    udp_port: u16,
}

impl Setup {
    fn new(bus_bits: usize, profile: Profile, engine: &'static str) -> Setup {
        Setup { bus_bits, profile, engine, connections: CONNECTIONS, udp_port: profile.udp_port() }
    }

    fn config(self) -> Config {
        let sets = [
            format!("bus_bits={}", self.bus_bits),
            format!("wire={}", self.profile.name()),
            format!("sack.engine={}", self.engine),
            format!("connections={}", self.connections),
            format!("sack.window={WINDOW}"),
            "sack.psn_bits=24".to_string(),
        ];
        Config::load(None, &sets).expect("a valid configuration")
    }

    fn traffic(self) -> ProfileTraffic {
        ProfileTraffic { udp_port: self.udp_port, ..ProfileTraffic::of(self.profile) }
    }

    fn bench(self, faults: &[Fault]) -> Bench {
        let source = source(&self.config(), faults);
        Bench::new(&source, self.bus_bits, self.udp_port, SACK_THRESHOLD.into())
    }
}

/// A packet that ends after each number of bytes, once good and once bad.
fn every_length(profile: Profile, next: &mut [u32]) -> Vec<Arrival> {
    let long = Mix { odd: 0.0, acks: 0.0, payload: 200, connections: CONNECTIONS };
    let all = arrivals(profile, 5, 140, long, next);
    let cut = |(at, (frame, _)): (usize, Arrival)| {
        let frame = frame[..frame.len().min(at / 2 + 1)].to_vec();
        (frame, at % 2 == 1)
    };
    all.into_iter().enumerate().map(cut).collect()
}

fn phases(profile: Profile, seed: u64, count: usize) -> Vec<Phase> {
    let mut next = vec![FIRST_PSN; CONNECTIONS as usize + 2];
    let mut arrive = |seed, count, mix| arrivals(profile, seed, count, mix, &mut next);
    // the last connections are opened while packets for them wait
    let first = (0..12).map(|conn| (0, conn, FIRST_PSN)).collect();
    let later = (12..16).map(|conn| (20 * (conn as usize - 11), conn, FIRST_PSN)).collect();
    let mut phases = vec![
        Phase { arrivals: arrive(seed, count, ANY), manner: AT_ONCE, opens: first },
        Phase { arrivals: arrive(seed + 1, 2 * count, ANY), manner: HOST_BUSY, opens: later },
        Phase { arrivals: arrive(seed + 5, 2 * count, SHORT), manner: OTHERS_BUSY, opens: vec![] },
        Phase { arrivals: arrive(seed + 2, count, ANY), manner: UNEVEN, opens: vec![] },
        Phase { arrivals: arrive(seed + 3, count, ONE_CONNECTION), manner: AT_ONCE, opens: vec![] },
        Phase { arrivals: arrive(seed + 4, count, ANY), manner: AT_ONCE, opens: vec![] },
    ];
    phases.push(Phase { arrivals: every_length(profile, &mut next), manner: AT_ONCE, opens: vec![] });
    phases
}

fn all(phases: &[Phase]) -> impl Iterator<Item = &Arrival> {
    phases.iter().flat_map(|phase| &phase.arrivals)
}

/// The block agrees with the golden `nic`, also after a reset in the midst of a frame, and each kind of drop occurred.
fn agrees(setup: Setup, count: usize) {
    let mut bench = setup.bench(&[]);
    bench.cut_short(&phases(setup.profile, 90, 40)[1]);
    bench.reset();
    let phases = phases(setup.profile, 7, count);
    let log = bench.run(&phases);
    check(setup, all(&phases), &log).unwrap_or_else(|error| panic!("{setup:?}: {error}"));
    let [.., host, engine, acks] = log.dropped;
    let sacks = log.sacks_dropped.iter().filter(|dropped| **dropped).count();
    let counts = [host, acks, sacks as u64, log.events_lost as u64];
    assert!(counts.iter().all(|count| *count > 5), "frames, ACKs, SACKs, events dropped: {counts:?}");
    assert!(log.results.iter().all(|count| *count > 5), "results of each kind: {:?}", log.results);
    // narrower buses bring no more packets than the engines can take
    assert!(setup.bus_bits < 512 || engine > 5, "packets that sack_rx had no place for: {engine}");
}

#[test]
fn what_leaves_is_what_the_golden_nic_makes_of_what_was_not_dropped() {
    agrees(Setup::new(512, Profile::Strack, "fast"), 250);
}

#[test]
#[ignore = "a minute"]
fn what_leaves_is_what_the_golden_nic_makes_in_each_combination() {
    for bus_bits in [64, 128, 256, 512] {
        for profile in Profile::ALL {
            for engine in ["small", "fast"] {
                agrees(Setup::new(bus_bits, profile, engine), 1000);
            }
        }
    }
}

/// UDP port of the recordings.
const ROCE_PORT: u16 = 4791;

/// First frames of what a recording's receiver saw; of the payload it holds the first bytes alone.
fn recorded(name: &str, count: usize) -> Vec<Arrival> {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/recordings");
    let mut file =
        CaptureFile::open(&recordings.join(format!("{name}-receiver.pcap.gz"))).expect("a capture");
    let mut next = || {
        let frame = file.next_frame().expect("it is whole")?;
        let mut data = frame.data.to_vec();
        data.resize(frame.wire_len, 0);
        Some((data, false))
    };
    std::iter::from_fn(&mut next).take(count).collect()
}

/// A recording at full rate: each connection is opened with the PSN of its first packet.
#[test]
#[ignore = "half a minute"]
fn recordings_are_received_as_the_golden_nic_receives_them() {
    let profile = Profile::Strack;
    for (bus_bits, name) in [(64, "steady"), (512, "path-failure")] {
        let setup = Setup { connections: 256, udp_port: ROCE_PORT, ..Setup::new(bus_bits, profile, "fast") };
        let arrivals = recorded(name, 5000);
        let mut first = BTreeMap::new();
        for record in arrivals.iter().map(|(frame, _)| rewrite_rx::record(frame, setup.traffic())) {
            if record.kind == Some(Kind::Data) && record.connection < setup.connections {
                first.entry(record.connection).or_insert(record.psn);
            }
        }
        let opens: Vec<_> = first.into_iter().map(|(conn, psn)| (0, conn, psn)).collect();
        assert!(opens.len() > 10, "connections in {name}: {}", opens.len());
        let phases = [Phase { arrivals, manner: AT_ONCE, opens }];
        let log = setup.bench(&[]).run(&phases);
        check(setup, all(&phases), &log).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(log.results[0] > 1000, "new packets in {name}: {}", log.results[0]);
    }
}

const FAULTS: [Fault; 6] = [
    Fault {
        about: "the record of a bad frame stays, so that records slip by a frame",
        place: "assign meta_ready = ",
        right: "tvalid & tlast",
        wrong: "tvalid & tlast & !tuser",
    },
    Fault {
        about: "the host's record goes with a beat that is not the last",
        place: "wire records_pop = ",
        right: "pop & lasts_head",
        wrong: "pop",
    },
    Fault {
        about: "a frame that is dropped keeps a beat of its place",
        place: "write_at <= ",
        right: "start",
        wrong: "start + 10'd1",
    },
    Fault {
        about: "sack_rx hears of data that is dropped",
        place: "assign push_op = ",
        right: "has_op_room & (is_probe | (is_data & has_host_room))",
        wrong: "has_op_room & (is_probe | is_data)",
    },
    Fault {
        about: "a packet of no connection gets no result",
        place: "wire ends = ",
        right: "res_valid | (has_issued & head_is_foreign)",
        wrong: "res_valid",
    },
    Fault {
        about: "a frame whose first beats found no room goes on",
        place: "is_cut <= ",
        right: "1'b1",
        wrong: "1'b0",
    },
];

/// The same model shows that it agrees without a fault, with the other profile and the other engine.
#[test]
#[ignore = "a model of its own"]
fn each_fault_is_found() {
    let setup = Setup::new(64, Profile::Uet, "small");
    let phases = phases(setup.profile, 3, 100);
    let found = |fault: usize| {
        let run = AssertUnwindSafe(|| {
            let mut bench = setup.bench(&FAULTS);
            bench.choose_fault(fault as u64);
            check(setup, all(&phases), &bench.run(&phases))
        });
        !matches!(catch_unwind(run), Ok(Ok(())))
    };
    assert!(!found(0), "without a fault they agree");
    for (at, fault) in FAULTS.iter().enumerate() {
        assert!(found(at + 1), "{}", fault.about);
    }
}
