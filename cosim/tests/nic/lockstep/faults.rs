//! Faults at the joints: each is found, and the frames that show it become few.

use std::ops::RangeInclusive;

use respray_cosim::nic::{Around, Difference, End, Given, Pair, Small, Stop, golden, shrink, smallest};
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::hosts::{Setup, frames};
use respray_golden::nic::Command;
use respray_golden::paths::End as Side;

use super::{Block, config};
use crate::nic::joints::{Fault, faulty};

const FAULTS: [Fault; 17] = [
    // a timestamp that is a tick late
    ("grant_timestamp", "registers_wire_time", "registers_wire_time + 16'd1"),
    // the mark of an ACK is not told to the selector
    ("ack_ecn", "receiver_heard_ecn", "1'b0"),
    // a connection in recovery is forgotten
    ("add_valid", "scoreboard_recovery_add", "1'b0"),
    // a probe goes the way of another connection
    ("conn", "sender_m_conn[3:0]", "sender_m_conn[3:0] ^ 4'd1"),
    // an ACK is taken for that of another connection
    ("ack_conn", "receiver_heard_conn", "receiver_heard_conn ^ 24'd1"),
    // an ACK returns an EV that no packet had
    ("ack_ev", "receiver_heard_ev", "receiver_heard_ev ^ 16'd1"),
    // an event has the PSN of the packet behind
    ("event0_psn", "scoreboard_event_psn", "scoreboard_event_psn + 32'd1"),
    // a packet has the PSN of the one before it
    ("op_psn", "receiver_rx_op_psn", "earlier_psn"),
    // data goes before a SACK that waits
    ("a_axis_tvalid", "answer_m_axis_tvalid", "answer_m_axis_tvalid & !sender_m_axis_tvalid"),
    // a packet that was marked is not counted
    ("count_rx_new", "receiver_rx_new", "receiver_rx_new & !receiver_rx_marked"),
    // an event that is lost is not counted
    ("event_lost", "events_events_lost", "1'b0"),
    // a timeout comes a tick late
    ("rto", "registers_rto", "registers_rto + 16'd1"),
    // the EV of another connection
    ("op_conn", "spray_op_conn[3:0]", "spray_op_conn[3:0] ^ 4'd1"),
    // a packet is sent with an EV that was not drawn
    ("grant_ev", "spray_grant_ev", "spray_grant_ev ^ 16'd1"),
    // a SACK says too much
    ("job_bitmap", "receiver_answer_bitmap", "receiver_answer_bitmap | 64'd2"),
    // what stands beside a frame of the host is lost
    ("b_axis_tuser", "sender_m_axis_tuser", "1'b0"),
    // every packet is new
    ("rx_res_status", "sack_rx_res_status", "3'd0"),
];

/// The PSN of the op before, which a fault needs.
const EARLIER: &str = "
    reg [23:0] earlier_psn;
    always @(posedge clk) begin
        if (receiver_rx_op_valid & sack_rx_op_ready) begin
            earlier_psn <= receiver_rx_op_psn;
        end
    end

    // Reads the frames from the network.";

/// Frames of the host that reads no events.
const UNREAD: usize = 5000;

/// Cycles in which a pair without a fault is done by far.
const MOST_CYCLES: u64 = 250_000;

/// The block with all faults.
fn all_of_them(verilog: String) -> String {
    let verilog = verilog.replacen("\n    // Reads the frames from the network.", EARLIER, 1);
    assert!(verilog.contains("earlier_psn"), "the place of the register");
    faulty(verilog, &FAULTS)
}

/// Loss, reordering and many marks.
fn setup() -> Setup {
    let mut setup = Scenario::Lossy.setup(golden(&config()), 60_000, 5);
    for path in &mut setup.network.paths {
        (path.kmin_bytes, path.kmax_bytes) = (0, 1000);
    }
    setup
}

/// A block with a fault, or without one.
fn with(fault: usize) -> End {
    let mut end = Block::new(config(), all_of_them, false).end();
    end.set_input("fault", fault as u64);
    end
}

/// A pair of which A has the fault, up to its first difference.
fn run(setup: &Setup, fault: usize) -> Option<Stop> {
    let ends = [with(fault), with(0)];
    let mut pair = match Pair::new(setup, ends) {
        Ok(pair) => pair,
        Err(stop) => return Some(stop),
    };
    let mut heard = |_, _, _: &_| {};
    while !pair.is_done() && pair.cycles() < MOST_CYCLES {
        if let Err(stop) = pair.step(&mut heard) {
            return Some(stop);
        }
    }
    pair.finish(&mut heard).err()
}

/// A host that reads no events: they are lost, and the block has to say so.
pub fn unread_events(end: &mut End) -> Result<(), Difference> {
    let profile = end.golden().config().profile;
    for (name, value) in [("command_conn", 0), ("command_psn", 0), ("command", Command::OpenTx as u32)] {
        end.write(name, value)?;
    }
    end.around = Around { event_ready: false, ..Around::FREE };
    // each of these is refused, which is an event, and there is room for 1024 of them
    let data = frames::Data { from: Side::A, conn: 0, psn: 5, bytes: 1, ack_request: false, again: false };
    for _ in 0..UNREAD {
        end.send(Given { bytes: frames::data(profile, &data), user: false });
    }
    while end.waiting()[0] > 0 {
        end.step()?;
    }
    end.check_counters()
}

/// What is left of the frames that a host gives who reads no events.
fn unread_smallest(fault: usize) -> Option<(Small, usize)> {
    let mut end = with(fault);
    end.record();
    unread_events(&mut end).err()?;
    let stimulus = end.recorded();
    let small = shrink(&stimulus, &mut || Ok(with(fault))).expect("there are blocks")?;
    Some((small, stimulus.frames.len()))
}

/// Each of these faults, numbered from 1, is found, and its frames become a quarter at most.
fn found_and_shrunk(faults: RangeInclusive<usize>) {
    let setup = setup();
    assert_eq!(run(&setup, 0), None);
    unread_events(&mut with(0)).unwrap_or_else(|difference| panic!("{difference}"));
    for fault in faults {
        let name = FAULTS[fault - 1];
        let (stop, small) = match run(&setup, fault) {
            Some(stop) => {
                let small =
                    smallest(&setup, Side::A, &mut |side| Ok(with(if side == Side::A { fault } else { 0 })));
                (stop.to_string(), small.expect("there are blocks"))
            }
            None => {
                let difference = unread_events(&mut with(fault)).err();
                let difference = difference.unwrap_or_else(|| panic!("fault {fault} is not found: {name:?}"));
                (difference.to_string(), unread_smallest(fault))
            }
        };
        println!("fault {fault}, {}: {stop}", name.0);
        let (small, before) = small.unwrap_or_else(|| panic!("{name:?} is not shrunk"));
        let after = small.stimulus.frames.len();
        println!("  {before} frames become {after}: {}", small.difference);
        assert!(after <= (before / 4).max(1), "{name:?}: {before} frames become {after}");
    }
}

#[test]
#[ignore = "a model of its own, and each fault many times"]
fn faults_of_ops_and_lists_are_found_and_shrunk() {
    found_and_shrunk(1..=6);
}

#[test]
#[ignore = "a model of its own, and each fault many times"]
fn faults_of_events_and_packets_are_found_and_shrunk() {
    found_and_shrunk(7..=11);
}

#[test]
#[ignore = "a model of its own, and each fault many times"]
fn faults_of_times_and_evs_are_found_and_shrunk() {
    found_and_shrunk(12..=FAULTS.len());
}

/// Whatever is wrong with a block, a run that goes on behind its first difference comes to an end, and counts what differs.
#[test]
#[ignore = "a model of its own, and each fault to the end"]
fn a_pair_goes_on_behind_each_fault() {
    let setup = setup();
    let mut noted = 0;
    for fault in 0..=FAULTS.len() {
        let mut ends = [with(fault), with(0)];
        ends.iter_mut().for_each(End::keep_going);
        let mut pair = Pair::new(&setup, ends).unwrap_or_else(|stop| panic!("{stop}"));
        let mut heard = |_, _, _: &_| {};
        let mut stop = None;
        while stop.is_none() && !pair.is_done() && pair.cycles() < MOST_CYCLES {
            stop = pair.step(&mut heard).err();
        }
        // a host may not believe what it is told; no difference stops the pair
        assert!(!matches!(stop, Some(Stop::Differs(..))), "fault {fault}: {stop:?}");
        let (first, differing) = pair.end(Side::A).noted();
        println!("fault {fault}: {} cycles, {:?}", differing.cycles, differing.ports);
        assert_eq!(first.is_some(), differing.cycles > 0, "fault {fault}");
        assert!(fault > 0 || first.is_none(), "{first:?}");
        noted += usize::from(first.is_some());
    }
    assert!(noted > 12, "{noted} of {} faults", FAULTS.len());
}
