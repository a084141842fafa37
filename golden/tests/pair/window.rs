//! Hosts that keep to the window that their block tells them.

use std::cell::RefCell;

use respray_golden::hosts::scenarios::Scenario;
use respray_golden::hosts::{Hooks, Setup, Window, run};
use respray_golden::nic::{self, Choice, Counter, Kind, WindowEngine};
use respray_golden::paths::{self, End, Path};

use super::{MS, STRACK};

/// Ticks of the wire in the round trip of an idle network, and in the queuing delay that is aimed at.
const BASE_RTT: f64 = 322.0;
const TARGET: f64 = 322.0;

thread_local! {
    /// Round trips and windows that the host of A was told.
    static TOLD: RefCell<(Vec<u16>, Vec<u16>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// One path at a seventh of the line's rate, whose queue marks from half of the target on and loses nothing.
fn narrow(selector: Choice, window_engine: WindowEngine, connections: u16) -> Setup {
    let nic = nic::Config { window_engine, ..super::nic(selector) };
    let mut setup = Setup { limit_ps: 100 * MS, ..Scenario::Equal.setup(nic, 4 << 20, 5) };
    let path = Path { queue_bytes: u32::MAX.into(), ..setup.network.paths[0] };
    setup.network = paths::Config { paths: vec![path], ..setup.network };
    // the queue of the first round trip is longer than what the scenario waits
    setup.settings.extend([("rto", 20_000), ("probe_timeout", 10_000)]);
    setup.connections = connections;
    for (message, conn) in setup.messages[0].iter_mut().zip((0..connections).cycle()) {
        message.conn = conn;
    }
    setup
}

/// Mean queuing delay of the second half of the ACKs over the target, and the windows that the host was told.
fn settled(setup: &Setup) -> (f64, Vec<u16>) {
    TOLD.take();
    let event = |end, event: &nic::Event| {
        TOLD.with_borrow_mut(|(rtts, windows)| match event.kind {
            Kind::Rtt if end == End::A => rtts.push(event.detail),
            Kind::Window if end == End::A => windows.push(event.detail),
            _ => {}
        });
        true
    };
    let report = run(setup, Hooks { event, ..Hooks::default() }).unwrap_or_else(|broken| panic!("{broken}"));
    assert_eq!(report.counter(End::A, Counter::TxAgain), 0, "nothing is lost");
    let (rtts, windows) = TOLD.take();
    let late = &rtts[rtts.len() / 2..];
    assert!(late.len() > 500, "{} ACKs", late.len());
    let mean = late.iter().map(|rtt| f64::from(*rtt)).sum::<f64>() / late.len() as f64;
    ((mean - BASE_RTT) / TARGET, windows)
}

#[test]
fn windows_by_delay_keep_a_narrow_path_near_its_target() {
    for connections in [1, 4] {
        let (delay, windows) = settled(&narrow(STRACK, WindowEngine::Strack, connections));
        assert!((0.5..1.5).contains(&delay), "{connections} connections: {delay} times the target");
        assert!(windows.len() > 10, "{windows:?}");
    }
    let mut fixed = narrow(STRACK, WindowEngine::Fixed, 1);
    fixed.window = Window::Fixed(40);
    let (delay, windows) = settled(&fixed);
    assert!(delay > 8.0 && windows.is_empty(), "{delay} times the target with a window of 40 packets");
}
