//! `rst` in each cycle of frames that are on their way, and the command `reset` amid them.

use respray_cosim::verilator::Design;
use respray_golden::nic::{Command, Counter};

use super::bench::{BEAT, Out};
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

/// The command `reset` amid frames to the MAC, which takes a beat now and then: those before are whole, and the one that is passing
/// ends with its last beat once more, marked as an error. How often one was.
fn commands(design: &'static Design, seeds: std::ops::Range<u64>) -> usize {
    let mut cut = 0;
    for seed in seeds {
        let mut account = Account::new(design, seed);
        account.open(0, 10);
        account.bench.ready[0] = 0.0;
        let frames: Vec<Vec<u8>> = (10..15).map(|psn| own_data(0, psn, 40)).collect();
        frames.iter().for_each(|frame| account.bench.send(frame.clone()));
        (0..300).for_each(|_| account.bench.cycle());
        account.bench.ready[0] = 0.05 + seed as f64 / 20.0;
        account.write("command", Command::Reset as u32);
        account.bench.drain(QUIET, 5000);
        let out = std::mem::take(&mut account.bench.out);
        // the block has written EV, ECN and timestamp into the headers
        let payload = |frame: &Vec<u8>| frame[80..].to_vec();
        let whole: Vec<Vec<u8>> = out.sent.iter().map(payload).collect();
        assert_eq!(whole, frames.iter().map(payload).take(whole.len()).collect::<Vec<_>>(), "seed {seed}");
        assert!(out.cut.len() <= 1, "seed {seed}: {} frames are cut", out.cut.len());
        for frame in &out.cut {
            let (before, end) = frame.split_at(frame.len() - BEAT);
            let of = &frames[out.sent.len()];
            assert!(before.len() < of.len() && before.ends_with(end), "seed {seed}: {frame:02x?}");
            assert!(before.len() <= 80 || before[80..] == of[80..before.len()], "seed {seed}: {frame:02x?}");
        }
        cut += out.cut.len();
        account.is_alive();
    }
    cut
}

/// The command in frames that are on their way.
pub fn each_command(design: &'static Design) {
    let cut = commands(design, 0..20);
    assert!((1..20).contains(&cut), "of 20 resets {cut} cut a frame");
}

#[test]
fn the_command_reset_ends_the_frame_that_is_passing() {
    each_command(design());
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
