//! Calls that do not return.

use std::sync::mpsc;
use std::time::Duration;

use respray_cosim::verilator::inside::Pulse;
use respray_cosim::verilator::{Stuck, watch};

#[test]
fn a_call_that_does_not_return_is_noticed_and_those_that_do_are_not() {
    let (busy, stuck) = (Pulse::new(), Pulse::new());
    let (send, noticed) = mpsc::channel();
    watch(Duration::from_millis(200), move |stuck| send.send(stuck).unwrap());
    for cycle in 0..50 {
        busy.enter(cycle);
        std::thread::sleep(Duration::from_millis(10));
        busy.leave();
    }
    assert!(noticed.try_recv().is_err(), "every call has returned");
    stuck.enter(77);
    assert_eq!(noticed.recv().unwrap(), Stuck { cycles: 77 });
}
