//! Hosts behind a `nic` of another kind than the golden one, and what they see of its faults.

use respray_golden::hosts::{Device, Hooks, Port, Setup, State, run, run_with};
use respray_golden::nic::{Choice, Delivery, Event, Limits, Nic, Transmitted};
use respray_golden::paths::{End, PPM};
use respray_golden::wire::Profile;

use super::{MS, US, lossy};

/// What a device does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// It gives every frame twice.
    GivesTwice,
    /// It says that a packet is in flight.
    NeverAtRest,
    /// It drops what it takes.
    SendsNothing,
}

/// The golden `nic` behind a wrapper, as a model of hardware would be.
struct Wrapped {
    nic: Nic,
    fault: Fault,
    given: Option<Delivery>,
}

impl Wrapped {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }
}

impl Port for Wrapped {
    fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        if self.has(Fault::SendsNothing) { Ok(()) } else { self.nic.offer(frame) }
    }

    fn deliver(&mut self) -> Option<Delivery> {
        if let Some(again) = self.given.take() {
            return Some(again);
        }
        let delivery = self.nic.deliver();
        self.given = delivery.clone().filter(|_| self.has(Fault::GivesTwice));
        delivery
    }

    fn event(&mut self) -> Option<Event> {
        self.nic.event()
    }

    fn events_lost(&mut self) -> u64 {
        self.nic.events_lost()
    }

    fn read_register(&mut self, name: &str) -> u32 {
        self.nic.read_register(name)
    }

    fn write_register(&mut self, name: &str, value: u32) {
        self.nic.write_register(name, value);
    }

    fn state(&mut self, conn: u16) -> State {
        let state = self.nic.state(conn);
        State { in_flight: state.in_flight + u32::from(self.has(Fault::NeverAtRest)), ..state }
    }
}

impl Device for Wrapped {
    fn advance(&mut self, cycles: u64) {
        self.nic.advance(cycles);
    }

    fn receive(&mut self, frame: Vec<u8>) {
        self.nic.receive(frame, false);
    }

    fn transmit(&mut self) -> Option<Transmitted> {
        self.nic.transmit()
    }
}

/// A lossy network, and queues so short that events are lost.
fn setup() -> Setup {
    let mut setup = lossy(Choice::reps(), Profile::Strack, 3);
    setup.limit_ps = 20 * MS;
    setup.nic.limits = Limits { events: 16, ..Limits::default() };
    setup.event_interval_ps = 5 * US;
    setup.network.paths.iter_mut().for_each(|path| path.loss_ppm = PPM / 20);
    setup
}

fn wrapped(setup: &Setup, fault: Fault) -> [Wrapped; 2] {
    End::BOTH.map(|_| Wrapped { nic: Nic::new(setup.nic.clone()), fault, given: None })
}

#[test]
fn a_device_that_does_the_same_makes_the_same_run() {
    let setup = setup();
    let golden = run(&setup, Hooks::default()).unwrap_or_else(|broken| panic!("{broken}"));
    let report = run_with(&setup, Hooks::default(), wrapped(&setup, Fault::None))
        .unwrap_or_else(|broken| panic!("{broken}"));
    assert_eq!((report.end_ps, report.restored), (golden.end_ps, golden.restored));
    assert!(report.restored[0] > 0, "no event was lost");
}

#[test]
fn the_faults_of_a_device_are_seen() {
    for (fault, what) in [
        (Fault::GivesTwice, "is delivered twice"),
        (Fault::NeverAtRest, "is done and stands at"),
        (Fault::SendsNothing, "not every message is delivered"),
    ] {
        let setup = setup();
        let broken = run_with(&setup, Hooks::default(), wrapped(&setup, fault)).err();
        let broken = broken.unwrap_or_else(|| panic!("{fault:?} is not seen"));
        assert!(broken.what.contains(what), "{fault:?}: {broken}");
    }
}
