//! What the tests of a block with one key or another have in common: random traffic, a lossy pair, and faults that have to be found.

use std::fmt::Display;

use respray_cosim::nic::{Difference, Pair, Traffic, golden};
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::nic::Counter;

use super::Block;
use crate::nic::joints::Fault;

/// Connections, half of which are open from the start on.
pub(super) const CONNECTIONS: usize = 12;
pub(super) const CYCLES: u64 = 60_000;

/// A text that stands in the Verilog once, and what stands there with a fault.
pub(super) type Within = (&'static str, &'static str);

/// Random traffic, behind which these registers are what they should be. What these counters have come to.
pub(super) fn traffic<const N: usize>(
    block: &Block,
    seed: u64,
    registers: &[&str],
    counters: [Counter; N],
) -> Result<[u64; N], Difference> {
    let mut end = block.end();
    Traffic::whole(&mut end, CONNECTIONS, CYCLES, seed)?;
    registers.iter().try_for_each(|name| end.check_register(name))?;
    Ok(counters.map(|counter| end.golden().counter(counter)))
}

/// A pair over a network that loses, with these settings besides, delivers each message once. What these counters have
/// come to at both ends.
pub(super) fn lossy_pair<const N: usize>(
    block: &Block,
    more: &[(&'static str, u32)],
    counters: [Counter; N],
) -> Result<[u64; N], String> {
    let mut setup = Scenario::Lossy.setup(golden(&block.config), 60_000, 5);
    setup.settings.extend(more);
    let mut pair = Pair::new(&setup, [block.end(), block.end()]).map_err(|stop| stop.to_string())?;
    let mut heard = |_, _, _: &_| {};
    let mut run = || {
        while !pair.is_done() {
            pair.step(&mut heard)?;
        }
        pair.finish(&mut heard)
    };
    run().map_err(|stop| stop.to_string())?;
    let [a, b] = pair.ends();
    Ok(counters.map(|counter| a.golden().counter(counter) + b.golden().counter(counter)))
}

/// Puts the fault into the Verilog.
pub(super) fn instead((right, wrong): Within) -> impl Fn(String) -> String {
    move |verilog| {
        assert_eq!(verilog.matches(right).count(), 1, "{right}");
        verilog.replace(right, wrong)
    }
}

/// Each of these faults is found, in a block of its own.
pub(super) fn within_are_found<D: Display>(
    faults: &[Within],
    block: impl Fn(Within) -> Block,
    find: impl Fn(&Block) -> Option<D>,
) {
    for fault in faults {
        let found = find(&block(*fault));
        println!("{}: {}", fault.1, found.unwrap_or_else(|| panic!("{} is not found", fault.1)));
    }
}

/// Each of these faults is found, in the block that has them all.
pub(super) fn at_joints_are_found<D: Display>(
    block: &mut Block,
    faults: &[Fault],
    find: impl Fn(&Block) -> Option<D>,
) {
    for (at, (port, ..)) in (1..).zip(faults) {
        block.fault = Some(at);
        println!("{port}: {}", find(block).unwrap_or_else(|| panic!("a fault at {port} is not found")));
    }
}
