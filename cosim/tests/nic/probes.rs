//! `nic_probes`: each connection waits at most once and none is lost.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::bench::{Bench, ensure};

const CONNECTIONS: usize = 16;
/// Cycles in which the block gets through all connections if every one of them is skipped.
const SETTLES: u32 = 4 * CONNECTIONS as u32 + 16;

/// The connections that wait. One that is cancelled leaves as soon as it is the first; the block takes some cycles for that.
#[derive(Default)]
struct Plain {
    order: VecDeque<usize>,
    psns: [Option<u64>; CONNECTIONS],
    /// Until then it depends on cycles whether the connection has left.
    unsettled: [u32; CONNECTIONS],
    taken: u32,
    /// Connections that were taken in the cycle behind the one in which they were added again.
    taken_late: u32,
    /// Connections that were added, or cancelled, while they waited.
    replaced: u32,
    cancelled: u32,
}

impl Plain {
    fn add(&mut self, conn: usize, psn: u64) {
        self.psns[conn] = Some(psn);
        if self.order.contains(&conn) {
            self.replaced += 1;
        } else {
            self.order.push_back(conn);
        }
    }

    fn cancel(&mut self, conn: usize, cycle: u32) {
        self.cancelled += u32::from(self.psns[conn].take().is_some());
        self.skip(cycle);
    }

    fn skip(&mut self, cycle: u32) {
        while let Some(conn) = self.order.front().copied().filter(|conn| self.psns[*conn].is_none()) {
            self.order.pop_front();
            self.unsettled[conn] = cycle + SETTLES;
        }
    }

    /// The head is taken: it must be the first, if what the model says of the order can be believed. Its PSN is not shown in
    /// the cycle behind the one in which the connection is added again.
    fn take(&mut self, conn: usize, psn: Option<u64>, is_exact: bool, cycle: u32) -> Result<(), String> {
        ensure(self.psns[conn].is_some() && (psn.is_none() || psn == self.psns[conn]), || {
            format!("{conn} with {psn:?} was not to come")
        })?;
        self.taken_late += u32::from(psn.is_none());
        let place = self.order.iter().position(|waiting| *waiting == conn).ok_or("it does not wait")?;
        ensure(!is_exact || place == 0, || format!("{conn} comes before {:?}", self.order))?;
        self.order.remove(place);
        self.psns[conn] = None;
        self.taken += 1;
        self.skip(cycle);
        Ok(())
    }
}

/// `is_exact`: no connection is added while it depends on cycles whether it has left.
fn run(instance: &'static str, is_exact: bool) -> Result<Plain, String> {
    let (mut bench, mut rng) = (Bench::new(instance), StdRng::seed_from_u64(21));
    let (mut plain, mut next_add, mut next_cancel, mut stuck) = (Plain::default(), 0, 0, 0);
    // the connection that was shown and neither taken nor cancelled since
    let mut shown: Option<usize> = None;
    ensure(bench.is_high("ready"), || "the memory is not cleared".into())?;
    for cycle in 0..8000u32 {
        let at = |text: String| format!("cycle {cycle}: {text}");
        let phase = cycle as usize / 100 % 4;
        let is_draining = cycle >= 7600;
        let (conn, psn) = (rng.random_range(0..CONNECTIONS), rng.random_range(0..1u64 << 24));
        let conn = shown.filter(|_| rng.random_range(0..8) == 0).unwrap_or(conn);
        let is_settled = !is_exact || cycle >= plain.unsettled[conn];
        let adds =
            !is_draining && cycle >= next_add && is_settled && rng.random_range(0..8) < [8, 2, 5, 1][phase];
        let cancels =
            !is_draining && !adds && cycle >= next_cancel && rng.random_range(0..8) < [1, 1, 6, 1][phase];
        let is_ready = is_draining || rng.random_range(0..8) < [1, 8, 1, 4][phase];
        next_add = if adds { cycle + 4 } else { next_add };
        next_cancel = if cancels { cycle + 4 } else { next_cancel };
        bench.set("add_valid", adds);
        bench.set("cancel_valid", cancels);
        bench.set("add_conn", conn as u64);
        bench.set("cancel_conn", conn as u64);
        bench.set("add_psn", psn);
        bench.model.settle();
        let is_valid = bench.is_high("head_valid");
        if is_valid {
            shown = Some(bench.get("head_conn") as usize);
        }
        bench.set("head_ready", is_ready && shown.is_some());
        bench.model.settle();
        stuck = if is_valid || plain.order.is_empty() { 0 } else { stuck + 1 };
        ensure(stuck < SETTLES, || at("a connection does not come".into()))?;
        if let Some(head) = shown.take_if(|_| is_ready) {
            plain.take(head, is_valid.then(|| bench.get("head_psn")), is_exact, cycle).map_err(at)?;
        }
        if adds {
            plain.add(conn, psn);
        }
        if cancels {
            plain.cancel(conn, cycle);
            shown.take_if(|shown| *shown == conn);
        }
        bench.model.rise();
    }
    ensure(plain.order.is_empty(), || format!("{:?} are lost", plain.order))?;
    Ok(plain)
}

#[test]
fn connections_come_in_their_order_and_each_once() {
    let seen = run("probes", true).unwrap_or_else(|error| panic!("{error}"));
    assert!(seen.taken > 300 && seen.replaced > 50 && seen.cancelled > 50, "{}", seen.taken);
}

/// Also where a connection is added in the cycles in which it leaves.
#[test]
fn no_connection_is_lost_whenever_it_is_added() {
    let seen = run("probes", false).unwrap_or_else(|error| panic!("{error}"));
    assert!(seen.taken > 400 && seen.replaced > 100 && seen.cancelled > 100, "{}", seen.taken);
    assert!(seen.taken_late > 5, "{}", seen.taken_late);
}

#[test]
fn a_connection_that_waits_twice_or_stays_is_found() {
    for instance in ["probes_twice", "probes_unforgetting", "probes_keeping"] {
        assert!(run(instance, true).is_err() && run(instance, false).is_err(), "{instance}");
    }
}
