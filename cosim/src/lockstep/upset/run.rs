//! A run: ops, a flip, ops that meet it, all that is spoilt written anew, and ops that must find nothing of it any more.

use std::collections::VecDeque;

use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use respray_hdl::manifest::Generated;

use super::broken::Hit;
use super::drive::{Drive, get, set};
use super::follow::Follower;
use super::rules::{By, Rules};
use crate::lockstep::device::PortDevice;
use crate::lockstep::op_core::OpCore;
use crate::lockstep::produce::{RESET_EDGES, drive};
use crate::lockstep::rows::Device as _;
use crate::lockstep::unseen::{Seen, Unseen};
use crate::runner::RunError;
use crate::traffic::random::Knobs as _;
use crate::traffic::stimulus::Event;
use crate::upset::{Finding, Flip, FlipPorts, GENERATOR, Site, Upset, Wrong, random_of};
use crate::verilator::Model;

/// Cycles before a flip and from there until what is spoilt is written anew, drawn up to these, and cycles behind that, of
/// a core that takes an op in every cycle. A core that works on one op at a time has as many cycles more as an op may take
/// in it, up to [`LONGEST`] times as many: else few of its flips would be read.
const BEFORE: u64 = 400;
const SPOILT: u64 = 300;
const AFTER: u64 = 250;
const LONGEST: u64 = 16;
/// Connections, or what takes their place, that the ops of a run are about; 0: all.
const CONNECTIONS: [u32; 4] = [2, 8, 32, 0];
/// Ops back to which a flip looks for an entry that is in use; one flip in so many is anywhere.
const RECENT: usize = 16;
const ANYWHERE: u32 = 8;
/// Cycles until what is spoilt must have been written anew, for each entry, beside those of the op that does it and of a reset.
const RENEWAL: u64 = 400;

/// How far a run is.
enum Phase {
    /// The flip comes at this cycle.
    Before(u64),
    /// What is spoilt is written anew from this cycle on.
    Spoilt(u64),
    /// It must be by this one.
    Renewing(u64),
    /// The run ends at this one.
    After(u64),
}

/// Runs a model of a core, made of a text in which the bits of these memories can be flipped, with what `seed` makes of it.
pub(crate) fn upset<C: OpCore>(
    generated: &Generated,
    model: Model,
    rules: &'static Rules,
    sites: &[Site],
    seed: u64,
) -> Result<Upset, RunError> {
    let manifest = &generated.manifest;
    let ports = FlipPorts::of(&model)?;
    let generator = model.port(GENERATOR).ok().map(|port| port.column());
    let mut device = PortDevice::new(model, C::CONTRACT, manifest).map_err(RunError::from)?;
    let layout = device.layout().clone();
    let config = &manifest.config;
    let mut random = random_of(seed);
    let connections = C::CONTRACT.connections(config);
    let mut knobs = C::Knobs::new(connections);
    let few = CONNECTIONS[random.random_range(0..CONNECTIONS.len())];
    let few = if few == 0 { connections } else { few.min(connections) };
    for knob in ["ops_per_reset=0".to_string(), format!("connections={few}")] {
        knobs.set(&knob, connections).expect("every core has these knobs");
    }
    let mut drives = Drive::<C>::new(C::random(seed, &knobs, config), seed as u16);
    let mut follower = Follower::<C>::new(manifest, rules, &layout, generator);
    let each_op = follower.interval.clamp(1, LONGEST);
    let unseen = Unseen::new(C::CONTRACT, &layout, config, seed as u16);
    let (mut row, mut seen) = (vec![0; layout.words.0], vec![0; layout.words.1]);
    let mut recent: VecDeque<C::Op> = VecDeque::new();
    let first = RESET_EDGES + u64::from(manifest.reset_cycles);
    let mut phase = Phase::Before(first + random.random_range(20..BEFORE * each_op));
    let mut upset = Upset::default();
    loop {
        let mut hit = None;
        if let Phase::Before(at) = phase
            && follower.cycle >= at
        {
            if !sites.is_empty() {
                let (flip, number, chosen) = choose::<C>(&mut random, rules, sites, &follower, &recent);
                ports.flip(&mut row, number, chosen.address, flip.bit);
                upset.flip = Some(flip);
                hit = Some(chosen);
            }
            phase = Phase::Spoilt(follower.cycle + random.random_range(10..SPOILT * each_op));
        }
        drive(&drives.inputs, &layout, &mut row);
        if !drives.inputs.op_valid {
            // when a core that was hit comes to what it does by itself is not always known
            unseen.stir(&mut row, follower.cycle, Seen::ALL_BUT_OP);
        }
        if device.cycles(&row, &mut seen) == 0 {
            let says = device.model().ended().unwrap_or_default();
            upset.finding = Some(Finding { wrong: Wrong::Wedge, cycle: follower.cycle, says });
            break;
        }
        ports.rest(&mut row);
        upset.finding = follower.look(&seen);
        if upset.finding.is_some() {
            break;
        }
        let is_taken = drives.inputs.op_valid && !drives.inputs.rst && seen[layout.op_ready] != 0;
        if is_taken {
            recent.truncate(RECENT - 1);
            recent.push_front(drives.inputs.op);
        }
        follower.edge(&drives.inputs, hit);
        if follower.cycle >= RESET_EDGES {
            drives.edge(is_taken);
        }
        match phase {
            Phase::Spoilt(until) if follower.cycle >= until => {
                let all = follower.spoilt.all();
                renew(&mut drives, rules, &all);
                drives.holds = true;
                let each = RENEWAL + follower.interval;
                let until = u64::from(manifest.reset_cycles) + each * (2 + all.len() as u64);
                phase = Phase::Renewing(follower.cycle + until);
            }
            Phase::Renewing(until) => {
                if follower.spoilt.is_empty() {
                    drives.holds = false;
                    let reset = if follower.is_free() { 0 } else { u64::from(manifest.reset_cycles) };
                    phase = Phase::After(follower.cycle + reset + AFTER);
                } else if follower.cycle >= until {
                    let says = format!("spoilt still: {}", follower.spoilt.says());
                    let cycle = follower.cycle;
                    upset.finding = Some(Finding { wrong: Wrong::NotRenewed, cycle, says });
                    break;
                } else if drives.is_empty() && (until - follower.cycle).is_multiple_of(RENEWAL) {
                    renew(&mut drives, rules, &follower.spoilt.all());
                }
            }
            Phase::After(end) if follower.cycle >= end => break,
            _ => {}
        }
    }
    upset.cycles = follower.cycle;
    (upset.met, upset.differed, upset.longest) = (follower.met, follower.differed, follower.longest);
    Ok(upset)
}

/// A bit to flip, the place of its memory, and its word.
fn choose<C: OpCore>(
    random: &mut Xoshiro256PlusPlus,
    rules: &'static Rules,
    sites: &[Site],
    follower: &Follower<'_, C>,
    recent: &VecDeque<C::Op>,
) -> (Flip, usize, Hit) {
    let number = random.random_range(0..sites.len());
    let site = &sites[number];
    let memory = rules.memory(&site.module).expect("a campaign has a rule for each memory");
    let entries = follower.spoilt.size(memory.table);
    let named = rules.ops.iter().find_map(|(_, touch)| match touch.by {
        By::Op(port) if touch.table == memory.table => Some(port),
        _ => None,
    });
    let entry = match named {
        Some(port) if !recent.is_empty() && random.random_range(0..ANYWHERE) > 0 => {
            let op = &recent[random.random_range(0..recent.len())];
            (get::<C>(op, port) % u64::from(entries)) as u32
        }
        _ => random.random_range(0..entries),
    };
    let address = memory.address(entry, random.random(), site.words, entries);
    let flip = Flip {
        memory: site.path.clone(),
        address: Some(address),
        bit: random.random_range(0..site.width),
        cycle: follower.cycle,
        of: format!("{} {entry}", rules.tables[memory.table].entry),
    };
    let word = memory.word(address, site.words, entries);
    (flip, number, Hit { memory, entry, address, word })
}

/// Puts the ops that write these entries anew; `rst` where there is none for one of them.
fn renew<C: OpCore>(drives: &mut Drive<C>, rules: &Rules, entries: &[(usize, u32)]) {
    let mut ops = Vec::new();
    for (table, entry) in entries {
        let Some((kind, port)) = rules.renewal(*table) else {
            drives.put(Event::Reset { seed: None });
            return;
        };
        let mut op = drives.like_random();
        set::<C>(&mut op, C::CONTRACT.op_fields().next().expect("the kind of op").port, kind.into());
        set::<C>(&mut op, port, (*entry).into());
        ops.push(Event::Op(op));
    }
    ops.into_iter().for_each(|op| drives.put(op));
}
