//! When ops start, end and are taken.

use respray_cosim::lockstep::op_core::{NO_ENTRY, Shares};
use respray_cosim::lockstep::schedule::{Schedule, Times};
use respray_hdl::config::Config;
use respray_hdl::cores::sack_rx::contract::{CONTRACT, Class};
use respray_hdl::cycles::Cycles;

fn schedule(latency: u32, interval: u32, init: u32, same: Option<u32>) -> Schedule {
    let mut manifest = CONTRACT.manifest(&Config::default());
    let all = |cycles: u32| CONTRACT.classes.iter().map(move |class| (class.to_string(), cycles.into()));
    let growing = |base| ("new_in_order".to_string(), Cycles::growing(base, 2, "advance_segments"));
    manifest.latency_cycles = all(latency).chain([growing(latency)]).collect();
    let init = ("init".to_string(), init.into());
    manifest.initiation_interval_cycles = all(interval).chain([growing(interval), init]).collect();
    manifest.same_connection_interval_cycles = same.map(|cycles| all(cycles).collect()).unwrap_or_default();
    Schedule::new(&CONTRACT, &manifest, 256)
}

#[test]
fn an_engine_that_works_on_one_op_at_a_time() {
    let mut schedule = schedule(6, 6, 257, None);
    for (class, segments, until_result, until_free) in
        [(Class::NewAhead, 0, 6, 5), (Class::NewInOrder, 0, 6, 5), (Class::NewInOrder, 4, 14, 13)]
    {
        let times = schedule.take(&Shares::of(3), class as usize, &[segments, 0, 0]);
        assert_eq!(times, Times { until_result, until_free, waited: false });
    }
    assert_eq!(schedule.take(&Shares::of(3), Class::Init as usize, &[0; 3]).until_free, 256);
}

#[test]
fn an_op_waits_for_the_last_one_of_its_connection() {
    // connection and edge of each op, edge of its result, edge at which the next is taken
    let mut schedule = schedule(8, 1, 259, Some(8));
    let mut edge = 0_u64;
    for (connection, at, result, free) in
        [(5, 100, 108, 101), (5, 101, 116, 109), (7, 109, 117, 110), (5, 110, 124, 117), (5, 132, 140, 133)]
    {
        while edge < at {
            schedule.step();
            edge += 1;
        }
        let times = schedule.take(&Shares::of(connection), Class::Probe as usize, &[0; 3]);
        let edges = (at + u64::from(times.until_result), at + u64::from(times.until_free) + 1);
        assert_eq!(edges, (result, free), "connection {connection} at {at}");
    }
    schedule.reset();
    assert!(!schedule.take(&Shares::of(5), Class::Probe as usize, &[0; 3]).waited);
}

/// As data in a switch, which reads an entry of one table and changes one of another.
#[test]
fn an_op_waits_for_the_last_change_of_each_entry_that_it_uses() {
    let (first, second) = (3, 200);
    let reads_second = Shares { uses: [first, second], changes: [first, NO_ENTRY] };
    let mut schedule = schedule(8, 1, 259, Some(7));
    let mut until_result = |shares: &Shares| {
        let times = schedule.take(shares, Class::Probe as usize, &[0; 3]);
        schedule.step();
        times.until_result
    };
    assert_eq!(until_result(&reads_second), 8);
    // nobody changed the second entry, and the first one was changed at the edge before
    assert_eq!(until_result(&Shares::of(second)), 8);
    assert_eq!(until_result(&Shares::of(first)), 8 + 5);
    assert_eq!(until_result(&Shares::NOTHING), 8);
}

#[test]
#[should_panic(expected = "grows with `packets`, which is not counted")]
fn a_formula_that_counts_something_else_is_refused() {
    let mut manifest = CONTRACT.manifest(&Config::default());
    manifest.latency_cycles.insert("probe".into(), Cycles::growing(6, 2, "packets"));
    Schedule::new(&CONTRACT, &manifest, 256);
}
