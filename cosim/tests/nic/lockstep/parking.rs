//! Flowcut in the joined block: packets that wait are parked, none overtakes another of its connection, and faults at its joints are found.

use respray_cosim::nic::{Pair, Small, Stop, golden, smallest};
use respray_golden::hosts::Setup;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::nic::Counter;
use respray_golden::paths::{Change, End as Side, Scheduled};
use respray_hdl::config::Config;

use super::{Block, config_with};
use crate::nic::joints::{Fault, faulty};

const FAULTS: [Fault; 12] = [
    // places are never free again: the park is full
    ("left_valid", "park_left_valid", "1'b0"),
    // the end of a drain wakes nobody
    ("drain_done", "selector_drain_done", "1'b0"),
    // a retransmission is taken for a first transmission, and may have to wait
    ("op_rtx", "spray_op_rtx", "1'b0"),
    // the host's packet sent again is taken for a new one
    ("decide_again", "scoreboard_count_tx_again", "1'b0"),
    // an ACK tells of a byte too many
    ("op_recvd", "spray_op_recvd", "spray_op_recvd + {23'd0, spray_op_kind == 3'd1}"),
    // an ACK echoes another time
    ("spray.ack_timestamp", "receiver_heard_timestamp", "receiver_heard_timestamp ^ 16'd64"),
    // a frame goes into another place than its packet
    ("way_place", "spray_way_place", "spray_way_place ^ 5'd1"),
    // a packet that is to wait goes on
    ("way_parks", "spray_way_parks", "1'b0"),
    // a parked packet leaves with an EV that was not drawn
    ("release_ev", "spray_release_ev", "spray_release_ev ^ 16'd1"),
    // and with a time that is a tick late
    ("release_timestamp", "registers_wire_time", "registers_wire_time + 16'd1"),
    // a timeout gives no drain up
    ("drain_given_up", "selector_drain_given_up", "1'b0"),
    // bytes of a packet are not counted
    ("op_bytes", "spray_op_bytes", "14'd1"),
];

/// Cycles in which a pair without a fault is done by far.
const MOST_CYCLES: u64 = 600_000;

fn config() -> Config {
    config_with(&["nic.selector=flowcut", "nic.park=4"])
}

/// When two of the paths become slow, in ps. A fault that shows at the first drain needs a later one: else there are so few frames before it that
/// it cannot be seen whether most of them are left out.
const SLOW_FROM_PS: u64 = 0;
const SLOW_LATE_PS: u64 = 40_000_000;
/// The fault that shows so.
const SHOWS_AT_FIRST_DRAIN: &str = "way_parks";

/// Four connections over paths that lose an eighth and of which two become slow; hosts that pay no heed to XOFF. Windows are small, so that a drain
/// comes while there is much to send, and the ratio is one that queues of other packets reach, so that each RTT counts. A sample weighs a half,
/// so that few ACKs make a connection drain.
fn setup(config: &Config, bytes: u64, slow_from_ps: u64) -> Setup {
    let mut setup = Scenario::Lossy.setup(golden(config), bytes, 5);
    for (at, path) in setup.network.paths.iter_mut().enumerate() {
        path.reorder_ps = 0;
        path.loss_ppm = 120_000;
        if at % 4 == 3 {
            let change = Change::Rate(path.rate_bps / 20);
            setup.network.changes.push(Scheduled { at_ps: slow_from_ps, path: at, from: None, change });
        }
    }
    setup.heeds_xoff = false;
    setup.settings.extend([("ratio", 3), ("selector_alpha", 1), ("rtt_floor", 200), ("cwnd_packets", 8)]);
    setup
}

/// A block with a fault, or without one.
fn with(block: &Block, fault: usize) -> respray_cosim::nic::End {
    let mut end = block.end();
    if block.fault.is_some() {
        end.set_input("fault", fault as u64);
    }
    end
}

/// A pair of which A has the fault, up to its first difference; drains, parked packets and those at which `tx_in` paused, and those overtaken.
fn run(block: &Block, setup: &Setup, fault: usize) -> Result<[u64; 4], Stop> {
    let mut pair = Pair::new(setup, [with(block, fault), with(block, 0)])?;
    let mut heard = |_, _, _: &_| {};
    while !pair.is_done() && pair.cycles() < MOST_CYCLES {
        pair.step(&mut heard)?;
    }
    pair.finish(&mut heard)?;
    let counters = [Counter::SelectorEvent0, Counter::Parked, Counter::Held];
    let [drains, parked, held] =
        counters.map(|counter| pair.golden().iter().map(|nic| nic.counter(counter)).sum());
    Ok([drains, parked, held, pair.overtaken()])
}

#[test]
#[ignore = "a model of its own: seconds"]
fn a_pair_with_flowcut_parks_and_keeps_the_order() {
    let block = Block::new(config(), |verilog| verilog, false);
    let counts =
        run(&block, &setup(&block.config, 60_000, SLOW_FROM_PS), 0).unwrap_or_else(|stop| panic!("{stop}"));
    let [drains, parked, held, overtaken] = counts;
    assert!(drains > 2 && parked > 2 && held > 2, "{counts:?}");
    assert_eq!(overtaken, 0);
    // the same with reps, for which order is nothing
    let block = Block::small();
    let mut setup = setup(&block.config, 60_000, SLOW_FROM_PS);
    setup.settings.retain(|(name, _)| !["ratio", "selector_alpha", "rtt_floor"].contains(name));
    let [.., overtaken] = run(&block, &setup, 0).unwrap_or_else(|stop| panic!("{stop}"));
    assert!(overtaken > 0);
}

#[test]
#[ignore = "a model of its own, and each fault many times"]
fn faults_of_parking_are_found_and_shrunk() {
    let mut block = Block::new(config(), |verilog| faulty(verilog, &FAULTS), false);
    block.fault = Some(0);
    let [early, late] = [SLOW_FROM_PS, SLOW_LATE_PS].map(|from| setup(&block.config, 60_000, from));
    for setup in [&early, &late] {
        run(&block, setup, 0).unwrap_or_else(|stop| panic!("{stop}"));
    }
    let mut wrong = Vec::new();
    for (fault, (port, ..)) in (1..).zip(FAULTS) {
        let setup = if port == SHOWS_AT_FIRST_DRAIN { &late } else { &early };
        let Err(stop) = run(&block, setup, fault) else {
            wrong.push(format!("{port} is not found"));
            continue;
        };
        let mut make = |side| Ok(with(&block, if side == Side::A { fault } else { 0 }));
        let small = smallest(setup, Side::A, &mut make).expect("there are blocks");
        let (small, before): (Small, usize) = small.unwrap_or_else(|| panic!("{port} is not shrunk"));
        let after = small.stimulus.frames.len();
        println!("fault {fault}, {port}: {stop}: {before} frames become {after}");
        if after > (before / 4).max(1) {
            wrong.push(format!("{port}: {before} frames become {after}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
