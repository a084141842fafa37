//! Whether a block differs from the golden one, and where first; nothing is made of the difference.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::Setup;
use respray_golden::nic::{Access, Command, Register, Target, Transmitted};
use respray_golden::paths::End as Side;
use respray_hdl::config::Config;

use super::around::Around;
use super::begun::Begun;
use super::difference::Difference;
use super::end::End;
use super::error::NicError;
use super::options::CaptureReplay;
use super::pair::{Pair, Stop};
use super::plan::{What, plan_of_capture};
use super::stimulus::Stimulus;
use super::traffic::Traffic;
use crate::report::{Probed, Seen};
use crate::verilator::Model;

/// Cycles of a pair at most: one that takes longer is given up, as its hosts then send the same over and over.
const MOST_CYCLES: u64 = 4_000_000;
/// Values that a register gets in a round, beside the least and the greatest one, and those beyond these.
const VALUES: usize = 3;
/// Connections that are opened and read.
const CONNECTIONS: u32 = 4;
/// A pair's host reads where a connection stands once in so many cycles.
const CYCLES_PER_READ: f64 = 3000.0;
/// Frames between two resets, and cycles behind the last of them.
const FRAMES_PER_RESET: std::ops::RangeInclusive<usize> = 1..=40;
const CYCLES_BEFORE_RESET: std::ops::RangeInclusive<u64> = 0..=300;
/// Cycles in which a block that no stream is held for takes something of the frames that wait.
const MOST_WAIT_CYCLES: u64 = 20_000;
/// Cycles of traffic before `rst`, of probes before it, cycles of `rst`, those that an access takes, about, and registers that are read
/// behind `rst`.
const CYCLES_BEFORE_RST: std::ops::RangeInclusive<u64> = 0..=600;
const CYCLES_OF_RUSH: std::ops::RangeInclusive<u64> = 20..=100;
const CYCLES_OF_RST: std::ops::RangeInclusive<u64> = 1..=3;
const CYCLES_OF_ACCESS: u64 = 120;
const REGISTERS_BEHIND_RST: usize = 2;

/// What a block is run on.
#[derive(Clone, Debug)]
pub enum Course {
    /// Every register is written with values that it takes and with ones that it refuses, and is read. Then connections are opened and read.
    Registers { seed: u64 },
    /// It is one end of a pair, whose other end is the design as it is. Its host, its MAC and the readers of its events hold each stream for
    /// this share of the cycles, and its host reads where connections stand.
    Pair { setup: Box<Setup>, side: Side, held: f64, seed: u64 },
    /// Frames in cycles.
    Given(Stimulus),
    /// The same frames as fast as they go in, with resets by the command in between, behind each of which connections are opened anew.
    Resets { stimulus: Stimulus, seed: u64 },
    /// Random traffic on so many connections.
    Traffic { cycles: u64, connections: usize, seed: u64 },
    /// Random traffic for a moment, which `rst` ends, so many times.
    Restarts { times: usize, seed: u64 },
    /// Probes of the host and of the MAC, one behind the other, which a cycle of `rst` ends, so many times.
    Rushes { times: usize, seed: u64 },
    /// The host sends of one connection until its window is full and its packets are refused, since nothing arrives.
    Flood { cycles: u64, seed: u64 },
}

/// The frames of a capture.
///
/// # Errors
/// A capture that cannot be read.
pub fn captured(config: &Config, replay: &CaptureReplay) -> Result<Stimulus, NicError> {
    match plan_of_capture(config, replay)?.what {
        What::Stimulus(stimulus) => Ok(stimulus),
        What::Logged(_) => unreachable!("the log beside a capture is not looked at"),
    }
}

/// Runs a model with the ports of the block, whose counts begin as [`Begun::FAR`] says, on a course, up to its first difference.
///
/// # Errors
/// If there is no run.
pub fn probed(config: &Config, model: Model, course: &Course) -> Result<Probed, NicError> {
    let golden = super::golden(config);
    let design = model.design();
    let mut end = End::begun(model, golden.clone(), Begun::FAR)?;
    let differs = match course {
        Course::Registers { seed } => registers(&mut end, *seed).err(),
        Course::Given(stimulus) => stimulus.give(&mut end, &mut |_| true).err(),
        Course::Resets { stimulus, seed } => resets(&mut end, stimulus, *seed).err(),
        Course::Traffic { cycles, connections, seed } => {
            Traffic::whole(&mut end, *connections, *cycles, *seed).err()
        }
        Course::Restarts { times, seed } => restarts(&mut end, *times, *seed).err(),
        Course::Rushes { times, seed } => rushes(&mut end, *times, *seed).err(),
        Course::Flood { cycles, seed } => flood(&mut end, *cycles, *seed).err(),
        Course::Pair { setup, side, held, seed } => {
            let other = End::begun(design.model(*seed as u32)?, golden, Begun::FAR)?;
            return of_pair(setup, [end, other], *side, (*held, *seed));
        }
    };
    let seen = differs.map(seen).or_else(|| ended(&end));
    Ok(Probed::new(seen, end.model())?)
}

fn seen(difference: Difference) -> Seen {
    Seen { cycle: difference.cycle, port: difference.what }
}

/// Why the model ended its simulation, if it did.
fn ended(end: &End) -> Option<Seen> {
    end.ended().map(|port| Seen { cycle: end.cycle(), port })
}

/// The first end is at `side` of the pair.
fn of_pair(setup: &Setup, ends: [End; 2], side: Side, (held, seed): (f64, u64)) -> Result<Probed, NicError> {
    let [end, other] = ends;
    let ends = if side == Side::A { [end, other] } else { [other, end] };
    let mut pair = match Pair::new(setup, ends) {
        Ok(pair) => pair,
        Err(stop) => return Ok(Probed { seen: Some(stopped(stop)), ..Probed::default() }),
    };
    let mut random = StdRng::seed_from_u64(seed);
    let mut heard = |_, _, _: &Transmitted| {};
    let mut run = || {
        while !pair.is_done() && pair.cycles() < MOST_CYCLES {
            let around = &mut pair.end(side).around;
            around.rx_out_ready = !random.random_bool(held);
            around.event_ready = !random.random_bool(held);
            around.tx_in_pauses = random.random_bool(held);
            around.rx_in_pauses = random.random_bool(held);
            if random.random_bool(1.0 / CYCLES_PER_READ) {
                let conn = random.random_range(0..setup.connections);
                pair.end(side)
                    .read_connection(conn.into())
                    .map_err(|difference| Stop::Differs(side, difference))?;
            }
            pair.step(&mut heard)?;
        }
        pair.end(side).around = Around::FREE;
        pair.finish(&mut heard)
    };
    let stop = run().err().map(stopped);
    let seen = stop.or_else(|| pair.ends().into_iter().find_map(|end| ended(end)));
    let [a, b] = pair.ends();
    let mut probed = Probed::new(seen, a.model())?;
    if let (Some(coverage), Some(other)) = (&mut probed.coverage, Probed::new(None, b.model())?.coverage) {
        coverage.merge(&other);
    }
    Ok(probed)
}

fn stopped(stop: Stop) -> Seen {
    match stop {
        Stop::Differs(_, difference) => seen(difference),
        Stop::Broken(_, cycle, what) => Seen { cycle, port: what },
    }
}

fn resets(end: &mut End, stimulus: &Stimulus, seed: u64) -> Result<(), Difference> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut frames = stimulus.frames.iter();
    while frames.len() > 0 {
        stimulus.writes.iter().try_for_each(|(name, value)| end.write(name, *value))?;
        for entry in frames.by_ref().take(random.random_range(FRAMES_PER_RESET)) {
            let frame = entry.frame.clone();
            if entry.is_of_host { end.send(frame) } else { end.receive(frame) }
        }
        // a host does not reset the block within a frame, and beats of the MAC would be lost
        let mut since = end.cycle();
        while end.waiting() != [0, 0] {
            let waiting = end.waiting();
            end.step()?;
            if end.waiting() != waiting {
                since = end.cycle();
            } else if end.cycle() - since > MOST_WAIT_CYCLES {
                let seen = format!("of the host {} are never taken, of the MAC {}", waiting[0], waiting[1]);
                return Err(Difference {
                    cycle: end.cycle(),
                    what: "frames".into(),
                    expected: "all are".into(),
                    seen,
                });
            }
        }
        for _ in 0..random.random_range(CYCLES_BEFORE_RESET) {
            end.step()?;
        }
        end.out = Default::default();
        end.write("command", Command::Reset as u32)?;
    }
    // nothing says which of the frames within the block were counted before a reset
    Ok(())
}

fn restarts(end: &mut End, times: usize, seed: u64) -> Result<(), Difference> {
    let mut random = StdRng::seed_from_u64(seed);
    let registers = end.golden().registers().iter().filter(is_kept).map(|register| register.name.clone());
    let registers: Vec<String> = registers.collect();
    for _ in 0..times {
        let mut traffic = Traffic::begin(end, CONNECTIONS as usize, random.random())?;
        traffic.run(random.random_range(CYCLES_BEFORE_RST))?;
        if random.random() {
            let command = random.random_range(Command::OpenTx as u32..=Command::CloseRx as u32);
            traffic.end().abandon_write("command", command, random.random_range(0..=CYCLES_OF_ACCESS));
        }
        traffic.restart(random.random_range(CYCLES_OF_RST));
        if random.random_ratio(1, 4) {
            // the registers are just given their values
            let cycles = random.random_range(CYCLES_BEFORE_RST);
            (0..cycles).try_for_each(|_| traffic.end().step())?;
            traffic.restart(random.random_range(CYCLES_OF_RST));
        }
        for _ in 0..REGISTERS_BEHIND_RST {
            end.check_register(&registers[random.random_range(0..registers.len())])?;
        }
    }
    Traffic::whole(end, CONNECTIONS as usize, *CYCLES_BEFORE_RST.end(), random.random())
}

fn rushes(end: &mut End, times: usize, seed: u64) -> Result<(), Difference> {
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..times {
        let mut traffic = Traffic::begin(end, CONNECTIONS as usize, random.random())?;
        traffic.rush(random.random_range(CYCLES_OF_RUSH))?;
        traffic.restart(1);
        end.check_counters()?;
    }
    Ok(())
}

fn flood(end: &mut End, cycles: u64, seed: u64) -> Result<(), Difference> {
    let mut traffic = Traffic::begin(end, 1, seed)?;
    traffic.flood(cycles)?;
    traffic.finish()
}

/// Whether what a read of the register gives stands there until something is written or counted, or a command is given.
pub(super) fn is_kept(register: &&Register) -> bool {
    let is_kept = matches!(
        register.target,
        Target::Constant(_) | Target::Setting(_) | Target::Result(_) | Target::High
    );
    is_kept && register.access != Access::WriteOnly
}

/// Values of a register: those at the ends of what it takes and some within, and those just beyond.
fn values(register: &Register, random: &mut StdRng) -> Vec<u32> {
    let (least, most) = (*register.allowed.start(), *register.allowed.end());
    let within = (0..VALUES).map(|_| random.random_range(least..=most)).collect::<Vec<_>>();
    let beyond = [least.checked_sub(1), most.checked_add(1), Some(u32::MAX)];
    beyond.into_iter().flatten().chain([least, most]).chain(within).collect()
}

/// The bytes of the block's registers, and what lies beside them.
const ADDRESSES: u32 = 1 << 12;

/// Addresses at which no register is: those beside registers, some others, and some that are not of a word.
fn holes(all: &[Register], random: &mut StdRng) -> Vec<u32> {
    const OTHERS: usize = 16;
    let mut holes: Vec<u32> =
        all.iter().flat_map(|register| [register.address.saturating_sub(4), register.address + 4]).collect();
    holes.extend((0..OTHERS).map(|_| 4 * random.random_range(0..ADDRESSES / 4)));
    holes.extend((0..OTHERS).map(|_| random.random_range(0..ADDRESSES)));
    holes.retain(|address| all.iter().all(|register| register.address != *address));
    holes.sort_unstable();
    holes.dedup();
    holes
}

/// Cycles in which the block goes once through its registers, at least.
const ROUND_CYCLES: u32 = 64;

pub(super) fn registers(end: &mut End, seed: u64) -> Result<(), Difference> {
    let mut random = StdRng::seed_from_u64(seed);
    let all: Vec<Register> = end.golden().registers().to_vec();
    let is_setting = |register: &&Register| matches!(register.target, Target::Setting(_));
    for register in all.iter().filter(is_setting) {
        for value in values(register, &mut random) {
            end.write(&register.name, value)?;
            // the block takes a read once a round, so that reads at once behind writes all begin at one place of it
            for _ in 0..random.random_range(0..ROUND_CYCLES) {
                end.step()?;
            }
            end.check_register(&register.name)?;
        }
        // what others need is as it was
        end.write(&register.name, register.reset)?;
    }
    all.iter().filter(is_kept).try_for_each(|register| end.check_register(&register.name))?;
    holes(&all, &mut random).into_iter().try_for_each(|address| end.check_hole(address))?;
    let psn =
        all.iter().find(|register| register.name == "command_psn").map(|register| *register.allowed.end());
    for conn in 0..CONNECTIONS {
        let psn = random.random_range(0..=psn.expect("there is such a register"));
        for (name, value) in [("command_conn", conn), ("command_psn", psn)] {
            end.write(name, value)?;
        }
        for command in [Command::OpenTx, Command::OpenRx, Command::Read, Command::Nack] {
            end.write("command", command as u32)?;
        }
        all.iter().filter(is_kept).try_for_each(|register| end.check_register(&register.name))?;
        // where it stood, and then that it is not open
        for command in [Command::CloseRx, Command::CloseTx, Command::Read] {
            end.write("command", command as u32)?;
            all.iter().filter(is_kept).try_for_each(|register| end.check_register(&register.name))?;
        }
    }
    end.check_time()?;
    end.check_counters()
}
