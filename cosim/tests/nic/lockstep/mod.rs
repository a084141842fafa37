//! The joined block in lockstep: with a golden one at the other end of a network that loses and marks, and in pairs.

mod captures;
mod closing;
mod coverage;
mod credit;
mod endpoint;
mod event_frames;
mod faults;
mod found;
mod graceful;
mod loss_feedback;
mod options;
mod pairs;
mod parking;
mod peer_table;
mod recorded;
mod registers_of_pairs;
mod resets;
mod rest;
mod stable_port;
mod traffic;
mod uet;
mod window;

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::nic::{Around, Difference, End, Given};
use respray_cosim::verilator::{BuildOptions, Design, Source, build};
use respray_golden::hosts::frames;
use respray_golden::nic::{self, Command, Counter, Kind, Nic};
use respray_golden::paths::{self, frame};
use respray_hdl::config::Config;
use respray_hdl::nic::top::observed;

const FIRST_PSN: u32 = 0xff_ff00;

/// A small block with other values of some keys.
fn config_with(sets: &[&str]) -> Config {
    let small = ["connections=16", "sack.window=64", "bus_bits=64"];
    let sets: Vec<String> = small.iter().chain(sets).map(|set| set.to_string()).collect();
    Config::load(None, &sets).expect("a valid configuration")
}

fn config() -> Config {
    config_with(&[])
}

/// A block in Verilator.
struct Block {
    config: Config,
    verilog: String,
    design: &'static Design,
    /// The input `fault`, where it has one.
    fault: Option<u64>,
}

impl Block {
    /// With what `change` makes of its Verilog.
    fn new(config: Config, change: impl Fn(String) -> String, coverage: bool) -> Block {
        let verilog = change(observed(&config).expect("a valid configuration"));
        let options = BuildOptions { quick: true, coverage, ..BuildOptions::default() };
        let design =
            build(&Source::new("nic", verilog.as_str()), &options).unwrap_or_else(|error| panic!("{error}"));
        Block { config, verilog, design, fault: None }
    }

    /// A small one, as it is.
    fn small() -> Block {
        Block::new(config(), |verilog| verilog, false)
    }

    fn golden(&self) -> nic::Config {
        respray_cosim::nic::golden(&self.config)
    }

    /// One that was just made.
    fn end(&self) -> End {
        let model = self.design.model(1);
        let end = model.and_then(|model| End::new(model, self.golden()));
        let mut end = end.unwrap_or_else(|error| panic!("{error}"));
        if let Some(fault) = self.fault {
            end.set_input("fault", fault);
        }
        end
    }
}

fn write(end: &mut End, peer: &mut Nic, name: &str, value: u32) -> Result<(), Difference> {
    end.write(name, value)?;
    let address = peer.address(name).expect("a register");
    peer.write(address, value).expect("a value that is allowed");
    Ok(())
}

/// Bytes at the end of a SACK that say what has arrived.
const SACK_BYTES: usize = 18;

/// Random traffic over a network that loses and marks, for so many cycles; the block behind it. A share of the SACKs that it is given
/// has a wrong byte, and a share of the packets of its host are far from those before, or ask without data.
fn run(
    block: &Block,
    (seed, spoilt): (u64, f64),
    cycles: u64,
    more: &[(&str, u32)],
) -> Result<End, Difference> {
    let mut random = StdRng::seed_from_u64(seed);
    let (mut end, mut peer) = (block.end(), Nic::new(block.golden()));
    let settings = [
        ("sack_prescale", 6),
        ("wire_prescale", 4),
        ("selector_prescale", 2),
        ("cwnd_packets", 32),
        ("probe_timeout", 100),
        ("rto", 300),
    ];
    for (name, value) in settings.iter().chain(more) {
        write(&mut end, &mut peer, name, *value)?;
    }
    for conn in 0..4 {
        for (name, value) in [
            ("command_conn", conn),
            ("command_psn", FIRST_PSN),
            ("command", Command::OpenTx as u32),
            ("command", Command::OpenRx as u32),
        ] {
            write(&mut end, &mut peer, name, value)?;
        }
    }
    let mut next = [FIRST_PSN; 4];
    let mut in_flight = [0; 4];
    let mut again: VecDeque<(u16, u32)> = VecDeque::new();
    let mut arriving: VecDeque<Vec<u8>> = VecDeque::new();
    let mut kinds = [0u32; Kind::ALL.len()];
    let mut around = Around::FREE;
    for _ in 0..cycles {
        if random.random_bool(0.02) {
            around.tx_out_ready = random.random_bool(0.8);
            around.rx_out_ready = random.random_bool(0.8);
            around.event_ready = random.random_bool(0.8);
            around.tx_in_pauses = random.random_bool(0.2);
            around.rx_in_pauses = random.random_bool(0.2);
        }
        let [tx, rx] = end.waiting();
        if tx == 0 {
            let conn = random.random_range(0..4u16);
            let at = usize::from(conn);
            let mut is_odd = false;
            let of = match again.pop_front() {
                Some(of) => Some((of, true)),
                None if random.random_bool(spoilt) => {
                    is_odd = true;
                    Some(((conn, nic::PSNS.add(next[at], random.random_range(1..1000))), false))
                }
                None if in_flight[at] < 32 => {
                    let psn = next[at];
                    next[at] = nic::PSNS.add(psn, 1);
                    in_flight[at] += 1;
                    Some(((conn, psn), false))
                }
                None => None,
            };
            if let Some(((conn, psn), again)) = of {
                let data = frames::Data {
                    from: paths::End::A,
                    conn,
                    psn,
                    bytes: if is_odd && random.random() { 0 } else { random.random_range(1..400) },
                    ack_request: is_odd || random.random_bool(0.2),
                    again,
                };
                end.send(Given { bytes: frames::data(block.golden().profile, &data), user: false });
            }
        }
        if rx < 2
            && let Some(mut frame) = arriving.pop_front()
        {
            if random.random_bool(spoilt) {
                let at = frame.len() - random.random_range(1..=SACK_BYTES);
                frame[at] = if random.random() {
                    random.random()
                } else {
                    frame[at] ^ 1 << random.random_range(0..8)
                };
            }
            end.receive(Given { bytes: frame, user: random.random_bool(0.01) });
        }
        end.around = around;
        end.step()?;
        let out = std::mem::take(&mut end.out);
        for mut sent in out.transmitted {
            if random.random_bool(0.1) {
                continue;
            }
            if random.random_bool(0.2) {
                frame::mark(&mut sent.frame);
            }
            peer.advance(end.cycle());
            peer.receive(sent.frame, false);
            while let Some(sent) = peer.transmit() {
                arriving.push_back(sent.frame);
            }
            while peer.event().is_some() {}
            while peer.deliver().is_some() {}
        }
        for event in out.events {
            kinds[event.kind as usize] += 1;
            match event.kind {
                Kind::Retransmit => again.push_back((event.conn as u16, event.psn)),
                Kind::Acknowledged => in_flight[event.conn as usize] = event.in_flight,
                _ => {}
            }
        }
    }
    for kind in [Kind::Acknowledged, Kind::Loss, Kind::Retransmit, Kind::RecoveryLeft, Kind::Rtt] {
        assert!(kinds[kind as usize] > 0, "no event of kind {kind:?} in {kinds:?}");
    }
    assert!(end.golden().counter(Counter::TxProbes) > 0);
    end.around = Around::FREE;
    for _ in 0..4000 {
        end.step()?;
    }
    end.check_counters().map(|()| end)
}

/// A frame that the command `reset` cuts, and one behind it.
fn cut(block: &Block) -> Result<End, Difference> {
    let mut end = block.end();
    let open = |end: &mut End| {
        [("command_psn", FIRST_PSN), ("command", Command::OpenTx as u32)]
            .iter()
            .try_for_each(|(name, value)| end.write(name, *value))
    };
    let send = |end: &mut End| {
        let (from, conn, psn) = (paths::End::A, 0, FIRST_PSN);
        let data = frames::Data { from, conn, psn, bytes: 400, ack_request: false, again: false };
        end.send(Given { bytes: frames::data(block.golden().profile, &data), user: false });
        (0..200).try_for_each(|_| end.step())
    };
    open(&mut end)?;
    end.around.tx_out_ready = false;
    send(&mut end)?;
    end.write("command", Command::Reset as u32)?;
    assert!(end.out.transmitted.is_empty() && end.beats().tx_out == 0);
    end.around.tx_out_ready = true;
    open(&mut end)?;
    assert_eq!((end.out.transmitted.len(), end.beats().tx_out), (0, 2), "the first beat twice");
    send(&mut end)?;
    assert_eq!(end.out.transmitted.len(), 1);
    end.check_counters().map(|()| end)
}

#[test]
fn a_frame_that_a_command_cuts_is_no_frame() {
    cut(&Block::small()).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn the_joined_block_agrees_in_every_cycle() {
    let end = run(&Block::small(), (2, 0.02), 30_000, &[]);
    end.unwrap_or_else(|difference| panic!("{difference}"));
}
