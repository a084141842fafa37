//! `rst` in each cycle of frames that are on their way.

use respray_cosim::verilator::Design;
use respray_golden::nic::Counter;

use super::bench::Out;
use super::design;
use super::ledger::{Account, QUIET, ack, data, own_data};

/// Cycles in which all that [`begin`] gives has gone through.
const THROUGH: u64 = 160;

/// A frame of the host, data from the network whose SACK goes out, and an ACK.
fn begin(account: &mut Account) {
    account.open(0, 10);
    account.bench.send(own_data(0, 10, 40));
    account.bench.drain(QUIET, 2000);
    account.bench.out = Out::default();
    account.bench.send(own_data(0, 11, 100));
    account.bench.receive(data(0, 10, 100), false);
    account.bench.receive(ack(0, 11, 0, 40), false);
}

/// What comes out of a block that was just reset, and its counters.
fn script(account: &mut Account) -> (Out, Vec<u64>) {
    account.set_up();
    for conn in 0..3 {
        account.open(conn, 50);
    }
    for psn in 50..54 {
        for conn in 0..3 {
            account.bench.send(own_data(conn, psn, 40));
            account.bench.receive(data(conn, psn, 60), false);
        }
    }
    account.bench.drain(QUIET, 3000);
    account.bench.receive(ack(1, 52, 0b1 << 53, 120), false);
    account.bench.receive(ack(2, 54, 0, 160), false);
    account.bench.drain(QUIET, 2000);
    let counters = Counter::ALL.iter().map(|counter| account.counter(*counter)).collect();
    account.check().unwrap_or_else(|error| panic!("{error}"));
    (account.bench.out.clone(), counters)
}

/// Resets of these many cycles at each of these cycles of the frames.
fn sweep(design: &'static Design, at: impl Iterator<Item = u64>, cycles: u32) -> Result<(), String> {
    let expected = script(&mut Account::new(design, 1));
    for at in at {
        let mut account = Account::new(design, 1);
        begin(&mut account);
        (0..at).for_each(|_| account.bench.cycle());
        account.bench.reset(cycles);
        let seen = script(&mut account);
        if seen != expected {
            return Err(format!("a reset {at} cycles in: {:?}, not {:?}", seen.1, expected.1));
        }
    }
    Ok(())
}

/// One cycle of `rst` in every cycle of the frames.
pub fn each_cycle(design: &'static Design) {
    sweep(design, 0..THROUGH, 1).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_reset_amid_frames_leaves_nothing_behind() {
    sweep(design(), (0..THROUGH).step_by(23), 1).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
#[ignore = "the same in every cycle"]
fn a_reset_in_any_cycle_leaves_nothing_behind() {
    each_cycle(design());
    sweep(design(), 0..THROUGH, 2).unwrap_or_else(|error| panic!("{error}"));
}
