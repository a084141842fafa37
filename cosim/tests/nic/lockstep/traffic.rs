//! Random traffic agrees, and happens to fill what can be full; `rst` in the midst of it leaves nothing behind.

use respray_cosim::nic::{Difference, End, Traffic};
use respray_golden::nic::{Command, Counter};

use super::{Block, config_with};

/// Connections, half of which are open from the start on.
const CONNECTIONS: usize = 12;
const CYCLES: u64 = 60_000;

/// Short frames come faster on a wide bus than the engines take them.
fn block() -> Block {
    Block::new(config_with(&["bus_bits=512"]), |verilog| verilog, false)
}

fn traffic(end: &mut End, seed: u64) -> Result<(), Difference> {
    let mut traffic = Traffic::begin(end, CONNECTIONS, seed)?;
    traffic.run(CYCLES)?;
    traffic.finish()
}

#[test]
fn random_traffic_fills_every_queue_and_agrees() {
    let mut end = block().end();
    traffic(&mut end, 1).unwrap_or_else(|difference| panic!("{difference}"));
    use Counter::*;
    for counter in [
        TxData,
        TxAgain,
        TxProbes,
        TxSacks,
        TxOther,
        TxMalformed,
        TxRefused,
        RxNew,
        RxDuplicate,
        RxOutside,
        RxNotOpen,
        RxMarked,
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
        SacksDropped,
        LossOoo,
        LossProbe,
        LossTimeout,
        RecoveryLeft,
        HandedOut,
        EventsLost,
    ] {
        assert!(end.golden().counter(counter) > 0, "nothing is counted as {}", counter.name());
    }
}

/// `rst` behind these cycles of traffic, with a command on its way; then traffic as at a block that was just made.
fn restarted(cycles: impl Iterator<Item = u64>) -> Result<(), Difference> {
    let mut end = block().end();
    for cycles in cycles {
        Traffic::begin(&mut end, CONNECTIONS, cycles)?.run(cycles)?;
        end.abandon_write("command", Command::Read as u32, cycles % 100);
        end.reset(1);
        end.check_register("command_conn")?;
    }
    traffic(&mut end, 2)
}

#[test]
fn a_reset_amid_random_traffic_leaves_nothing_behind() {
    restarted([50, 300, 2000].into_iter()).unwrap_or_else(|difference| panic!("{difference}"));
}
