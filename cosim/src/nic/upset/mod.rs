//! One bit of one memory of the block flips amid random traffic: what comes of it, without a golden block beside, which could not follow.
//!
//! ```text
//!  hosts and network ──► traffic ─► flip ─► traffic ─► a driver opens all connections anew ─► each of them does as a new one
//!                                                                          `rst` behind that ─► nothing is left of the flip
//! ```
//!
//! What is checked holds for any block: the MAC never waits, every access to a register is answered, and the host's frames are taken
//! once their connections are open anew. The other end is a golden block.

mod bench;
mod world;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::nic::Command;
use respray_hdl::config::Config;

use self::world::World;
use super::error::NicError;
use crate::upset::{Flip, Site, Upset, numbered};
use crate::verilator::Model;

/// Cycles of traffic before the flip, drawn up to these, and behind it.
const BEFORE: u64 = 1500;
const BEHIND: u64 = 1500;

/// Runs a model of the block, made of a text in which the bits of these memories can be flipped and that shows what the lockstep watches.
///
/// # Errors
/// [`NicError`].
pub fn upset(config: &Config, models: [Model; 2], sites: &[Site], seed: u64) -> Result<Upset, NicError> {
    let [flipped, plain] = models;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let begin = random.random();
    let mut world = World::new(super::golden(config), flipped, begin)?;
    let mut twin = World::new(super::golden(config), plain, begin)?;
    let before = random.random_range(1..=BEFORE);
    let behind = random.random_range(1..=BEHIND);
    let place = random.random_range(0..sites.len());
    let site = &sites[place];
    let (address, of) = world.word(site, &mut random);
    let bit = random.random_range(0..site.width);
    let mut upset = Upset::default();
    let begun = |world: &mut World| {
        world.set_up()?;
        world.run(before)
    };
    let finding = begun(&mut world).and_then(|()| {
        let (memory, cycle) = (site.path.clone(), world.bench.cycle);
        upset.flip = Some(Flip { memory, address: numbered(address), bit, cycle, of });
        world.bench.flip(place, address, bit);
        world.run(behind)?;
        let seen = world.bench.out.clone();
        begun(&mut twin)?;
        twin.run(behind)?;
        upset.met = u64::from(seen != twin.bench.out);
        upset.differed = upset.met;
        if world.renewed().is_err() {
            // a queue may have lost its step: who drives the block sees that, and resets it
            upset.reset = true;
            world.bench.write("command", Command::Reset as u32)?;
            world.renewed()?;
        }
        world.restarted(&mut twin)
    });
    upset.finding = finding.err();
    upset.cycles = world.bench.cycle;
    Ok(upset)
}
