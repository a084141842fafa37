//! Random traffic agrees, and happens to fill what can be full; `rst` in the midst of it leaves nothing behind.

use respray_cosim::nic::{Difference, Traffic};
use respray_golden::nic::{Command, Counter};

use super::{Block, config_with};

/// Connections, half of which are open from the start on.
const CONNECTIONS: usize = 12;
const CYCLES: u64 = 60_000;

/// Short frames come faster on a wide bus than the engines take them.
fn block() -> Block {
    Block::new(config_with(&["bus_bits=512"]), |verilog| verilog, false)
}

#[test]
fn random_traffic_fills_every_queue_and_agrees() {
    let mut end = block().end();
    Traffic::whole(&mut end, CONNECTIONS, CYCLES, 1).unwrap_or_else(|difference| panic!("{difference}"));
    // it makes no access that is refused
    for counter in Counter::ALL.iter().filter(|counter| **counter != Counter::AccessesRefused) {
        assert!(end.golden().counter(*counter) > 0, "nothing is counted as {}", counter.name());
    }
}

/// `rst` behind some cycles of traffic, with a command on its way; then traffic as at a block that was just made.
fn restarted() -> Result<(), Difference> {
    let mut end = block().end();
    for cycles in [50, 300, 2000] {
        Traffic::begin(&mut end, CONNECTIONS, cycles)?.run(cycles)?;
        end.abandon_write("command", Command::Read as u32, cycles % 100);
        end.reset(1);
        end.check_register("command_conn")?;
    }
    Traffic::whole(&mut end, CONNECTIONS, CYCLES, 2)
}

#[test]
fn a_reset_amid_random_traffic_leaves_nothing_behind() {
    restarted().unwrap_or_else(|difference| panic!("{difference}"));
}
