//! Every line of the joined block's Verilog runs while it is in lockstep, but for those of which it is said here why they cannot.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::nic::{Around, Difference, End, Given, Pair};
use respray_cosim::traffic::frames::{Checksum, Draft, FrameKnobs, RandomFrames};
use respray_cosim::verilator::Coverage;
use respray_golden::hosts::frames;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::nic::{Access, Command, Kind, Nic};
use respray_golden::paths::End as Side;
use respray_golden::wire::{Packet, Profile, strack, uet};
use respray_hdl::config::{Config, PathSelector, Wire};

use super::faults::unread_events;
use super::{Block, config_with, cut, run, write};

/// Bytes that A sends B in a pair.
const BYTES: u64 = 200_000;
/// PSNs of the second connection wrap soon.
const FIRST_PSN: u32 = 0xff_fc00;
/// How many times sooner than in the scenario a path fails.
const SOONER: u64 = 25;
/// Frames of all layouts, and of none, in either direction.
const FRAMES: usize = 3000;

/// Lines that never run in a configuration. The word behind `module`, its lines, and where that is so.
type Idle = (&'static str, &'static [&'static str], fn(&Config) -> bool);

const COLLISION: &str =
    "if (write_enable && write_address == read_address) read_data <= ~words[read_address];";

const IDLE: [Idle; 7] = [
    // a word is written in a step in which no other op's or no other word's read can meet it
    ("sack_tx_acked_ram", &[COLLISION], |_| true),
    ("sack_tx_bytes_ram", &[COLLISION], |_| true),
    // they wait for clock cycle 2^32, and for counters of 2^22 and 2^41: `cosim/tests/nic/registers.rs` begins there
    (
        "nic_registers_cycle_count",
        &[
            "if (advances[1]) high[15:0] <= high[15:0] + 16'd1;",
            "if (advances[2]) high[31:16] <= high[31:16] + 16'd1;",
        ],
        |_| true,
    ),
    // a request of uet that asks without data is one of the host's like all others
    ("nic_scoreboard_pick", &["if (req_is_probe) tag_class = 3'd2;"], is_uet),
    // only reps has something to tell
    ("nic_spray_freezes", &["if (write_enable) words[write_address] <= write_data;", COLLISION], |config| {
        !is_reps(config)
    }),
    ("nic_spray_fifo_5", &["if (pop) begin", "out_valid <= fill != 5'd1;"], |config| !is_reps(config)),
    ("nic_events", &["end else if (event2_ready) last <= 2'd2;"], |config| !is_reps(config)),
];

fn is_uet(config: &Config) -> bool {
    config.wire == Wire::Uet
}

fn is_reps(config: &Config) -> bool {
    config.nic.selector == PathSelector::Reps
}

/// A block, and how often its lines ran.
struct Counted {
    block: Block,
    counts: Coverage,
}

impl Counted {
    fn new(sets: &[&str]) -> Counted {
        let block = Block::new(config_with(sets), |verilog| verilog, true);
        Counted { block, counts: Coverage::default() }
    }

    fn add(&mut self, end: &mut End) {
        let counts = end.model().coverage().unwrap_or_else(|error| panic!("{error}"));
        self.counts.merge(&counts);
    }

    /// Runs one, and adds what it ran.
    fn run(&mut self, what: &str, run: impl FnOnce(&Block) -> Result<End, Difference>) {
        let mut end = run(&self.block).unwrap_or_else(|difference| panic!("{what}: {difference}"));
        self.add(&mut end);
    }

    fn pair(&mut self, scenario: Scenario) {
        let mut setup = scenario.setup(self.block.golden(), BYTES, 5);
        setup.first_psn = FIRST_PSN;
        // the path fails while there is something to send
        setup.network.changes.iter_mut().for_each(|change| change.at_ps /= SOONER);
        let ends = [self.block.end(), self.block.end()];
        let mut pair = Pair::new(&setup, ends).unwrap_or_else(|stop| panic!("{scenario:?}: {stop}"));
        let mut heard = |_, _, _: &_| {};
        while !pair.is_done() {
            pair.step(&mut heard).unwrap_or_else(|stop| panic!("{scenario:?}: {stop}"));
        }
        pair.finish(&mut heard).unwrap_or_else(|stop| panic!("{scenario:?}: {stop}"));
        Side::BOTH.into_iter().for_each(|side| self.add(pair.end(side)));
    }
}

/// Frames of all layouts and of none, with gaps and stalls.
fn all_layouts(block: &Block, seed: u64) -> Result<End, Difference> {
    let mut end = block.end();
    end.write("sack_threshold", 0)?;
    let profile = block.golden().profile;
    let knobs = FrameKnobs { longest: 300, ..FrameKnobs::default() };
    let mut frames = RandomFrames::new(seed, profile, profile.udp_port(), knobs).over(2);
    let mut random = StdRng::seed_from_u64(seed);
    let mut left = FRAMES;
    // longer than what the host is given
    let data = frames::Data { from: Side::B, conn: 0, psn: 0, bytes: 9000, ack_request: true, again: false };
    (0..3).for_each(|_| end.receive(Given { bytes: frames::data(profile, &data), user: false }));
    while left > 0 || end.waiting() != [0, 0] {
        if left > 0 && end.waiting().iter().all(|waiting| *waiting < 4) {
            let frame = frames.next().expect("there is always one");
            let is_bad = frame.input == 1 && random.random_bool(0.05);
            let given = Given { bytes: frame.data, user: is_bad };
            if frame.input == 0 {
                end.send(given)
            } else {
                end.receive(given)
            }
            left -= 1;
        }
        if random.random_bool(0.05) {
            end.around = Around {
                tx_out_ready: random.random_bool(0.8),
                rx_out_ready: random.random_bool(0.8),
                event_ready: random.random_bool(0.8),
                tx_in_pauses: random.random_bool(0.2),
                rx_in_pauses: random.random_bool(0.2),
            };
        }
        end.step()?;
        end.out = Default::default();
    }
    end.around = Around::FREE;
    for _ in 0..4000 {
        end.step()?;
    }
    end.check_counters().map(|()| end)
}

/// Reads and writes of every register, allowed and not, and every command.
fn accesses(block: &Block) -> Result<End, Difference> {
    let mut end = block.end();
    let registers = end.golden().registers().to_vec();
    for command in Command::ALL {
        end.write("command_conn", 3)?;
        end.write("command", command as u32)?;
    }
    for register in &registers {
        end.read(&register.name)?;
        let (least, most) = (*register.allowed.start(), *register.allowed.end());
        let values: Vec<u32> = match register.access {
            Access::ReadOnly => vec![1],
            Access::WriteOnly => vec![most.wrapping_add(1)],
            Access::ReadWrite if most < 32 => (least..=most).chain([most + 1, register.reset]).collect(),
            Access::ReadWrite => {
                [least.checked_sub(1), Some(least), most.checked_add(1), Some(most), Some(register.reset)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
        };
        for value in values {
            end.write(&register.name, value)?;
            for _ in 0..20 {
                end.step()?;
            }
        }
    }
    Ok(end)
}

/// In a SACK of `uet` the highest byte of what was received stands so many bytes before its end, and these count on over 2^24.
const COUNT_BYTES: usize = 5;
const TOPS: [u8; 4] = [0x40, 0x80, 0xc0, 0x01];

/// A network that dies when the first packets are acknowledged. The timeouts of the others double up to their longest, and they are
/// sent again over the few paths that were good.
fn dying_network(block: &Block) -> Result<End, Difference> {
    let (mut end, mut peer) = (block.end(), Nic::new(block.golden()));
    for (name, value) in [
        ("sack_threshold", 0),
        ("rto", 1),
        ("rto_backoff_max", 7),
        ("command_conn", 0),
        ("command_psn", 0),
        ("command", Command::OpenTx as u32),
        ("command", Command::OpenRx as u32),
    ] {
        write(&mut end, &mut peer, name, value)?;
    }
    let profile = block.golden().profile;
    let give = |end: &mut End, psn, again| {
        let data = frames::Data { from: Side::A, conn: 0, psn, bytes: 40, ack_request: false, again };
        end.send(Given { bytes: frames::data(profile, &data), user: false });
    };
    (0..8).for_each(|psn| give(&mut end, psn, false));
    let (mut delivered, mut tops) = (0, TOPS.to_vec());
    for _ in 0..60_000 {
        end.step()?;
        let out = std::mem::take(&mut end.out);
        for sent in out.transmitted {
            delivered += 1;
            if delivered <= 3 {
                peer.advance(end.cycle());
                peer.receive(sent.frame, false);
            }
        }
        while let Some(sent) = peer.transmit() {
            for top in std::mem::take(&mut tops) {
                let mut bytes = sent.frame.clone();
                let at = bytes.len() - COUNT_BYTES;
                bytes[at] = top;
                end.receive(Given { bytes, user: false });
            }
            end.receive(Given { bytes: sent.frame, user: false });
        }
        for event in out.events {
            if event.kind == Kind::Retransmit {
                give(&mut end, event.psn, true);
            }
        }
    }
    end.check_counters().map(|()| end)
}

/// A host that reads no events, packets of it that are refused, packets that wait for `sack_rx`, of which all are strays, and malformed
/// frames beat by beat: there is more to be told at a time than there is room for.
fn more_to_tell_than_room(block: &Block) -> Result<End, Difference> {
    let mut end = block.end();
    end.write("sack_threshold", 0)?;
    end.around = Around { event_ready: false, ..Around::FREE };
    let profile = block.golden().profile;
    let data = |from| {
        let data = frames::Data { from, conn: 8, psn: 5, bytes: 1, ack_request: false, again: false };
        Given { bytes: frames::data(profile, &data), user: false }
    };
    (0..1100).for_each(|_| end.receive(data(Side::B)));
    (0..1500).for_each(|_| end.send(data(Side::A)));
    for _ in 0..5 {
        (0..120).for_each(|_| end.receive(data(Side::B)));
        // they end within the first header
        (0..200).for_each(|_| end.receive(Given { bytes: vec![0; 8], user: false }));
    }
    while end.waiting() != [0, 0] {
        end.step()?;
        end.out = Default::default();
    }
    for _ in 0..1000 {
        end.step()?;
    }
    end.check_counters().map(|()| end)
}

/// Packets of the host in every layout that the sender rewrites.
fn layouts_of_the_host(block: &Block) -> Result<End, Difference> {
    let mut end = block.end();
    for (name, value) in [
        ("flow_label_enable", 1),
        ("command_conn", 0),
        ("command_psn", 0),
        ("command", Command::OpenTx as u32),
    ] {
        end.write(name, value)?;
    }
    let profile = block.golden().profile;
    for psn in 0..48 {
        let (tags, words) = (psn as usize % 3, psn as usize / 3 % 12);
        let header = match profile {
            Profile::Strack => Packet::StrackData(strack::Data { psn, ..Default::default() }),
            Profile::Uet => Packet::UetRequest(uet::Request { next_header: 1, psn, ..Default::default() }),
        };
        let draft = Draft {
            tags,
            is_ipv6: words == 11,
            options: words % 11,
            real_options: false,
            traffic_class: 0,
            flow_label: 0,
            source_port: 0,
            udp_port: profile.udp_port(),
            carried: respray_golden::rewrite::Carried::Udp,
            checksum: if psn % 2 == 0 { Checksum::Right } else { Checksum::None },
            seed: psn.into(),
            header: header.to_bytes(),
            payload: 40,
        };
        end.send(Given { bytes: draft.frame(), user: false });
    }
    for _ in 0..4000 {
        end.step()?;
    }
    assert_eq!(end.out.transmitted.len(), 48, "all are sent");
    end.check_counters().map(|()| end)
}

/// Lines that do not run and of which nothing is said above.
fn unexplained(sets: &[&str]) -> Vec<String> {
    let mut counted = Counted::new(sets);
    Scenario::ALL.into_iter().for_each(|scenario| counted.pair(scenario));
    for (seed, window) in [(2, 32), (3, 32), (4, 4), (5, 8)] {
        let mut more = vec![("flow_label_enable", 1), ("cwnd_packets", window)];
        // freezes end while there is traffic
        more.extend(is_reps(&counted.block.config).then_some(("freeze_timeout", 200)));
        counted.run("random traffic", |block| run(block, (seed, 0.2), 120_000, &more));
    }
    counted.run("a dying network", dying_network);
    counted.run("more to tell than room", more_to_tell_than_room);
    counted.run("layouts of the host", layouts_of_the_host);
    counted.run("all layouts", |block| all_layouts(block, 1));
    counted.run("accesses", accesses);
    counted.run("a frame that is cut", cut);
    counted.run("unread events", |block| {
        let mut end = block.end();
        unread_events(&mut end).map(|()| end)
    });
    let (covered, total) = counted.counts.covered_and_total();
    println!("{sets:?}: {covered} of {total} lines");
    assert!(total > 4000, "{sets:?}: {total} lines");
    counted.unexplained()
}

impl Counted {
    /// Lines that did not run and of which nothing is said above.
    fn unexplained(&self) -> Vec<String> {
        let text: Vec<&str> = self.block.verilog.lines().map(str::trim).collect();
        let is_explained = |module: &str, line: &str| {
            let of = |(name, lines, is_so): &Idle| {
                *name == module && lines.contains(&line) && is_so(&self.block.config)
            };
            IDLE.iter().any(of)
        };
        let mut unexplained = Vec::new();
        for number in self.counts.uncovered() {
            let line = text[number as usize - 1];
            let module = text[..number as usize].iter().rev().find_map(|line| line.strip_prefix("module "));
            let module =
                module.and_then(|module| module.split_whitespace().next()).expect("a line of a module");
            if !is_explained(module, line) {
                unexplained.push(format!("{number}, {module}: {line}"));
            }
        }
        unexplained
    }
}

#[test]
#[ignore = "a model of its own for each configuration"]
fn every_line_of_the_joined_block_runs_but_those_that_are_explained() {
    let sets = [&[][..], &["wire=uet"], &["nic.selector=ops"], &["bus_bits=128"]];
    let idle = sets.map(|sets| (sets, unexplained(sets)));
    assert!(idle.iter().all(|(_, lines)| lines.is_empty()), "these lines do not run: {idle:#?}");
}
