//! The joined `nic` under bad input, stalls and resets: it goes on, and whatever went in was counted once. In every cycle the
//! [`bench`] also sees that an output holds what it offers, and that the MAC never waits.

mod bench;
mod ledger;
mod random;
mod reset;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use respray_cosim::verilator::Design;
use respray_golden::nic::{Access, Counter, Kind};

use self::bench::BEAT;
use self::ledger::{Account, QUIET, ack, data, own_data};

/// The block in Verilator, for all tests here.
fn design() -> &'static Design {
    static DESIGN: OnceLock<&'static Design> = OnceLock::new();
    DESIGN.get_or_init(|| bench::design(bench::verilog()))
}

/// Beats that wait for the host at most, and SACKs that wait for the MAC.
const RING_BEATS: usize = 512;
const SACK_PLACES: u64 = 64;
/// Cycles in which everything that waits inside goes out, once the outputs are always ready and nothing more comes in: 512
/// beats for the host, 1024 events, and 64 SACKs of 11 beats with the frames of the host behind them.
const DRAINED: u64 = 2500;
/// Places of the event queue, and those of them for PSNs to send again.
const EVENT_PLACES: usize = 1024;
const KEPT_PLACES: usize = 8;

/// A host that takes nothing: what is for it waits or is dropped and counted, and all else goes on.
fn stalled_host(design: &'static Design) {
    let mut account = Account::new(design, 1);
    account.open(0, 0);
    account.open(1, 0);
    (0..8).for_each(|psn| account.bench.send(own_data(0, psn, 40)));
    account.bench.drain(QUIET, DRAINED);
    account.bench.ready[1] = 0.0;
    let beats = data(1, 0, 40).len().div_ceil(BEAT);
    for psn in 0..120 {
        account.bench.receive(data(1, psn, 40), false);
        if psn % 15 == 14 {
            let epsn = psn / 15 + 1;
            account.bench.receive(ack(0, epsn, 0, epsn * 40), false);
        }
    }
    account.bench.drain(QUIET, 10_000);
    let taken = account.counter(Counter::RxNew);
    assert!(account.bench.out.received.is_empty());
    assert!((1..=RING_BEATS / beats).contains(&(taken as usize)), "{taken} packets of {beats} beats wait");
    assert_eq!(account.counter(Counter::RxDroppedHost), 120 - taken);
    assert_eq!(account.counter(Counter::RxAcks), 8, "ACKs go on");
    assert_eq!(account.counter(Counter::TxSacks), taken, "and so do SACKs");
    assert_eq!(account.read_connection(0), (8, 0, 0));

    account.bench.ready[1] = 1.0;
    account.bench.drain(QUIET, DRAINED);
    let expected: Vec<Vec<u8>> = (0..taken as u32).map(|psn| data(1, psn, 40)).collect();
    let received: Vec<&Vec<u8>> = account.bench.out.received.iter().map(|(frame, _)| frame).collect();
    assert_eq!(received, expected.iter().collect::<Vec<_>>());
    account.is_alive();
    account.check().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_host_that_takes_nothing_stops_nothing_else() {
    stalled_host(design());
}

/// ACKs for connections that were never opened, of which some do not even exist: told, counted, and without effect.
fn unknown_acks(design: &'static Design) {
    let mut account = Account::new(design, 1);
    account.open(0, 0);
    account.bench.send(own_data(0, 0, 40));
    account.bench.drain(QUIET, DRAINED);
    let numbers = [9, 16, 300, 0xff_ffff, 0x10];
    for number in numbers {
        account.bench.receive(ack(number, 1, 0, 40), false);
    }
    account.bench.drain(QUIET, DRAINED);
    let events = &account.bench.out.events;
    let told: Vec<(Kind, u32, u16)> = events
        .iter()
        .filter(|event| event.kind != Kind::Rtt)
        .map(|event| (event.kind, event.conn, event.detail))
        .collect();
    assert_eq!(told, numbers.map(|number| (Kind::BadAck, number, 7)));
    assert_eq!(account.read_connection(0), (0, 1, 0), "what is in flight still is");
    account.is_alive();
    account.check().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn acks_of_connections_that_are_not_open_are_counted_and_told() {
    unknown_acks(design());
}

/// SACKs in every beat, of all sorts: those that cannot be taken in time are dropped and counted.
fn storm(design: &'static Design) {
    const SENT: u32 = 16;
    const ACKS: u32 = 300;
    let mut account = Account::new(design, 1);
    for conn in 0..4 {
        account.open(conn, 0);
    }
    for at in 0..4 * SENT {
        account.bench.send(own_data((at % 4) as u16, at / 4, 40));
    }
    account.bench.drain(QUIET, DRAINED);
    for at in 0..ACKS {
        let epsn = at / 4 % (SENT + 2);
        // now and then packets beyond EPSN, some of which were never sent
        let bitmap = if at % 7 == 0 { 0x3f << (epsn + 1) } else { 0 };
        account.bench.receive(ack(at % 5, epsn, bitmap, epsn * 40), at % 31 == 0);
        // the host asks the same engine for what it has no room for
        account.bench.send(own_data((at % 4) as u16, SENT + 100, 1));
    }
    account.bench.drain(QUIET, 20 * u64::from(ACKS) + DRAINED);
    for conn in 0..4 {
        account.bench.receive(ack(conn.into(), SENT, 0, SENT * 40), false);
        account.bench.drain(QUIET, DRAINED);
        assert_eq!(account.read_connection(conn), (SENT, 0, 0), "connection {conn}");
    }
    use Counter::*;
    for counter in [RxAcks, RxAcksOld, RxAcksBad, AcksDropped, RxBad] {
        assert!(account.counter(counter) > 0, "nothing is counted as {}", counter.name());
    }
    account.is_alive();
    account.check().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_storm_of_sacks_is_counted_and_weathered() {
    storm(design());
}

/// A MAC that takes nothing while data comes: SACKs are dropped and counted, and what was acknowledged is not.
#[test]
fn a_mac_that_takes_nothing_costs_sacks_alone() {
    let mut account = Account::new(design(), 1);
    account.open(1, 0);
    account.open(2, 0);
    account.bench.ready[0] = 0.0;
    (0..6).for_each(|psn| account.bench.send(own_data(2, psn, 40)));
    (0..120).for_each(|psn| account.bench.receive(data(1, psn, 40), false));
    // the host's frames wait for the MAC
    (0..10_000).for_each(|_| account.bench.cycle());
    assert_eq!(account.counter(Counter::RxNew), 120);
    let dropped = account.counter(Counter::SacksDropped);
    assert!((120 - SACK_PLACES - 8..120).contains(&dropped), "{dropped} SACKs are dropped");
    account.bench.ready[0] = 1.0;
    account.bench.drain(QUIET, DRAINED);
    account.is_alive();
    account.check().unwrap_or_else(|error| panic!("{error}"));
}

/// Events that nobody reads: those that find no place are lost and counted, the next one says so, and no PSN to send again is
/// among them.
fn unread_events(design: &'static Design) {
    let mut account = Account::new(design, 1);
    account.open(0, 0);
    account.open(1, 0);
    account.bench.ready[2] = 0.0;
    (0..20).for_each(|psn| account.bench.send(own_data(0, psn, 40)));
    account.bench.drain(QUIET, DRAINED);
    let strays = EVENT_PLACES + 50;
    (0..strays).for_each(|_| account.bench.receive(data(3, 0, 1), false));
    account.bench.drain(QUIET, 20_000);
    // everything but the last packets is lost
    account.write("cwnd_packets", 4);
    account.bench.receive(ack(0, 0, 0xff << 12, 8 * 40), false);
    account.bench.drain(QUIET, DRAINED);
    assert!(account.counter(Counter::EventsLost) >= 50);
    assert_eq!(account.counter(Counter::LossOoo), 1);
    account.write("cwnd_packets", 64);
    account.bench.drain(QUIET, DRAINED);
    assert!(account.counter(Counter::HandedOut) <= KEPT_PLACES as u64, "the rest waits");
    let waiting = account.read("events_waiting") as usize;
    assert!((EVENT_PLACES - KEPT_PLACES..=EVENT_PLACES).contains(&waiting), "{waiting} events wait");

    account.bench.ready[2] = 1.0;
    account.bench.drain(QUIET, DRAINED);
    account.bench.receive(data(3, 0, 1), false);
    account.bench.drain(QUIET, DRAINED);
    let events = &account.bench.out.events;
    let marked = events.iter().filter(|event| event.after_loss).count();
    assert!(marked > 0, "no event says that some were lost before it");
    let again: Vec<u32> =
        events.iter().filter(|event| event.kind == Kind::Retransmit).map(|event| event.psn).collect();
    assert_eq!(again.iter().copied().collect::<BTreeSet<_>>(), (0..12).collect(), "{again:?}");
    assert_eq!(again.len(), 12, "each once");
    account.is_alive();
    account.check().unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn events_that_nobody_reads_are_counted_and_retransmissions_wait() {
    unread_events(design());
}

/// What the table does not allow is refused, counted, and without effect.
#[test]
fn accesses_that_are_not_allowed_are_refused_and_counted() {
    let mut account = Account::new(design(), 1);
    let registers = account.golden.registers().to_vec();
    let mut writes: Vec<(u32, u32)> = vec![];
    for register in &registers {
        let (least, most) = (*register.allowed.start(), *register.allowed.end());
        let values = match register.access {
            Access::ReadOnly => vec![1],
            _ => least.checked_sub(1).into_iter().chain(most.checked_add(1)).collect(),
        };
        writes.extend(values.into_iter().map(|value| (register.address, value)));
    }
    let last = registers.last().expect("a register").address;
    let nowhere = [last + 4, 0xffc, registers[0].address + 1, registers[0].address + 0x400];
    writes.extend(nowhere.map(|address| (address, 0)));
    for (address, value) in &writes {
        assert!(account.bench.write(*address, *value), "{value:#x} is taken at {address:#x}");
    }
    for address in nowhere {
        assert_eq!(account.bench.read(address), (0, true), "a read at {address:#x}");
    }
    let refused = (writes.len() + nowhere.len()) as u64;
    assert_eq!(account.counter(Counter::AccessesRefused), refused);
    account.is_alive();
    account.check().unwrap_or_else(|error| panic!("{error}"));
}

/// An instance, a port of it, what drives it, and what drives it while the fault is there; and the test that finds it.
type Fault = (&'static str, &'static str, &'static str, &'static str, fn(&'static Design));

const FAULTS: [Fault; 8] = [
    // ACKs that are dropped, and events that are lost, are not counted
    ("registers", "count_acks_dropped", "receiver_acks_dropped", "1'b0", storm),
    ("registers", "count_events_lost", "pulses_count_events_lost", "1'b0", unread_events),
    // the host's ready is not looked at, or makes the MAC wait
    ("receiver", "m_axis_tready", "rx_out_tready", "1'b1", stalled_host),
    (
        "rewrite_rx",
        "m_axis_tready",
        "receiver_s_axis_tready",
        "receiver_s_axis_tready && rx_out_tready",
        stalled_host,
    ),
    // PSNs to send again do not wait for a place
    ("scoreboard", "event_room", "events_has_room", "1'b1", unread_events),
    // an ACK of a connection that does not exist is one of another
    ("scoreboard", "ack_conn", "receiver_heard_conn", "{20'd0, receiver_heard_conn[3:0]}", unknown_acks),
    // a reset leaves what answers as it was
    ("answer", "rst", "commands_engine_rst", "1'b0", reset::each_cycle),
    // a frame that a command cuts is not ended
    ("outlet", "cut", "commands_engine_rst", "1'b0", reset::each_command),
];

/// The block with a fault.
fn broken((instance, port, right, wrong, _): &Fault) -> String {
    let verilog = bench::verilog();
    let (parts, top) = verilog.split_once("\nmodule nic (\n").expect("the top");
    let begin = top.find(&format!(" {instance} (\n")).expect("the instance");
    let (before, after) = top.split_at(begin);
    let is_it = |line: &&str| {
        let rest = line.trim_start().strip_prefix(&format!(".{port} "));
        rest.is_some_and(|rest| rest.trim_start().trim_end_matches(',') == format!("({right})"))
    };
    let line = after.lines().find(is_it).unwrap_or_else(|| panic!("{port} of {instance} is not {right}"));
    let faulty = line.replace(right, wrong);
    format!("{parts}\nmodule nic (\n{before}{}", after.replacen(line, &faulty, 1))
}

#[test]
#[ignore = "models of their own"]
fn faults_are_found() {
    for fault in &FAULTS {
        let design = bench::design(broken(fault));
        let outcome = std::panic::catch_unwind(|| fault.4(design));
        assert!(outcome.is_err(), "{} of {} is not missed", fault.1, fault.0);
    }
}
