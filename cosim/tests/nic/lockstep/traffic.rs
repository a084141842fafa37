//! Random traffic agrees, and happens to fill what can be full; `rst` in the midst of it leaves nothing behind. A connection that is
//! opened anew has nothing of the one that had its number before.

use respray_cosim::nic::{Around, Difference, Traffic};
use respray_golden::hosts::frames::{self, Data};
use respray_golden::nic::{Command, Counter, Sent};

use super::found::{CONNECTIONS, CYCLES};
use super::{Block, config, config_with};
use crate::nic::joints::{Fault, faulty};

/// Short frames come faster on a wide bus than the engines take them.
fn block() -> Block {
    Block::new(config_with(&["bus_bits=512"]), |verilog| verilog, false)
}

#[test]
fn random_traffic_fills_every_queue_and_agrees() {
    let mut end = block().end();
    Traffic::whole(&mut end, CONNECTIONS, CYCLES, 39).unwrap_or_else(|difference| panic!("{difference}"));
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

/// Ticks of `sack_tx`, of 16 cycles, until a probe is due, and cycles in which several are.
const PROBE_TIMEOUT: u32 = 20;
const PROBES: u64 = 2000;
/// Bytes of a MAC address, the first of which is that of the receiver.
const MAC: usize = 6;

/// A packet of a connection leaves. It is opened anew, and a packet to somebody else waits before a `tx_out` that is held for longer than
/// `probe_timeout`. Receivers of the probes before and behind that.
fn opened_anew(block: &Block) -> Result<[Vec<Vec<u8>>; 2], Difference> {
    let mut end = block.end();
    let profile = end.golden().config().profile;
    let settings =
        [("sack_prescale", 4), ("probe_timeout", PROBE_TIMEOUT), ("rto", 0xffff), ("command_conn", 0)];
    settings.iter().try_for_each(|(name, value)| end.write(name, *value))?;
    let mut probed = [Vec::new(), Vec::new()];
    for (receiver, probed) in [1, 2].into_iter().zip(&mut probed) {
        end.write("command", Command::OpenTx as u32)?;
        let mut frame = frames::data(profile, &Data { psn: 0, bytes: 100, ..Data::default() });
        frame[MAC - 1] = receiver;
        end.around =
            if receiver == 2 { Around::FREE.holding("tx_out").expect("a stream") } else { Around::FREE };
        // a frame in front of it has begun to leave where all is held
        end.send(vec![0xff; 200].into());
        end.send(frame.into());
        for _ in 0..PROBES {
            end.step()?;
        }
        end.around = Around::FREE;
        for _ in 0..PROBES {
            end.step()?;
        }
        let sent = std::mem::take(&mut end.out).transmitted.into_iter();
        let of_block = sent.filter(|sent| matches!(sent.sent, Sent::Probe { .. }));
        probed.extend(of_block.map(|sent| sent.frame[..MAC].to_vec()));
    }
    end.check_counters()?;
    Ok(probed)
}

#[test]
fn a_probe_never_goes_to_whom_a_connection_had_before() {
    let probed = opened_anew(&Block::small()).unwrap_or_else(|difference| panic!("{difference}"));
    for (receiver, probed) in [1, 2].into_iter().zip(probed) {
        assert!(probed.len() > 2 && probed.iter().all(|to| to[MAC - 1] == receiver), "{probed:?}");
    }
}

#[test]
fn a_block_that_takes_what_left_before_for_a_connections_own_is_found() {
    let known: Fault = ("line_known", "peers_line_known", "1'b1");
    let mut block = Block::new(config(), |verilog| faulty(verilog, &[known]), false);
    block.fault = Some(1);
    let difference = opened_anew(&block).expect_err("a difference");
    assert_eq!(difference.expected, "none waits");
}
