//! How fast the joined block is at 512 bits, in lockstep with the golden one. The figures are those of the table in `docs/nic.md`.

mod bench;

use respray_cosim::verilator::Design;
use respray_golden::nic::Counter;
use respray_golden::paths::End::{A, B};
use respray_hdl::config::Config;

use self::bench::{Bench, Data, Load, Network, Passed, acks_of};

/// Bytes of a frame of 24 beats, and of one of one beat.
const LONG: usize = 1536;
const SHORT: usize = 64;
/// Cycles in which queues fill, and those that are measured behind them.
const BEFORE: u64 = 6000;
const MEASURED: u64 = 24_000;

/// Connections of a load: some of all kinds of frames, and many whose frames of [`SHORT`] bytes carry data.
fn mixed() -> Vec<u16> {
    (0..16).collect()
}

fn plain() -> Vec<u16> {
    (0..256).step_by(4).collect()
}

/// An engine of both SACK cores, and its block.
struct Device {
    engine: &'static str,
    config: Config,
    design: &'static Design,
}

impl Device {
    fn new(engine: &'static str) -> Device {
        Device { engine, config: bench::config(engine), design: bench::design(engine, |verilog| verilog) }
    }

    fn bench(&self, conns: &[u16]) -> Bench {
        Bench::new(self.design, &self.config, conns)
    }

    /// A line of the table.
    fn row(&self, what: &str, passed: &Passed) -> String {
        let share = |beats: u64| format!("{:.3}", beats as f64 / passed.cycles as f64);
        let rate = |count: u64| match count {
            0 => "-".to_string(),
            _ => format!("{:.1}", count as f64 / passed.cycles as f64 * self.config.clock_mhz),
        };
        let beats = passed.beats;
        let cells = [
            what.to_string(),
            self.engine.to_string(),
            share(beats.tx_in),
            share(beats.tx_out),
            share(beats.rx_in),
            share(beats.rx_out),
            rate(passed.sent),
            rate(passed.received),
            rate(passed.acks),
        ];
        format!("| {} |", cells.join(" | "))
    }
}

/// Drops of a run: SACKs, ACKs, and data because of `sack_rx`. Nothing else is dropped or lost.
fn drops(bench: &Bench) -> [u64; 3] {
    use Counter::*;
    for counter in [RxDroppedHost, RxBad, TxRefused, EventsLost, LossOoo, LossProbe, LossTimeout] {
        assert_eq!(bench.counter(counter), 0, "{}", counter.name());
    }
    [SacksDropped, AcksDropped, RxDroppedEngine].map(|counter| bench.counter(counter))
}

/// Long frames in both directions, with the SACKs of both.
fn both_ways(device: &Device) -> (Passed, [u64; 3]) {
    let mut bench = device.bench(&mixed());
    let data = |from| Some(Data::new(from, &mixed(), LONG));
    let passed = bench.run(Load { host: data(A), peer: data(B), network: None }, BEFORE, MEASURED);
    assert_eq!(passed.beats.rx_in, passed.cycles, "the MAC waits");
    bench.rest();
    (passed, drops(&bench))
}

/// Short frames from the network, one in so many cycles.
fn short_received(device: &Device, interval: u64) -> (Passed, [u64; 3]) {
    let mut bench = device.bench(&plain()).unanswered();
    let network = Some(Network::new(Data::new(B, &plain(), SHORT), interval));
    let passed = bench.run(Load { network, ..Load::default() }, BEFORE, MEASURED);
    assert_eq!(passed.beats.rx_in, passed.cycles / interval, "the MAC waits");
    bench.rest();
    (passed, drops(&bench))
}

/// Short frames of the host, and a SACK for each or none.
fn short_sent(device: &Device, is_answered: bool) -> (Passed, [u64; 3]) {
    let bench = device.bench(&plain());
    let mut bench = if is_answered { bench } else { bench.unanswered() };
    let host = Some(Data::new(A, &plain(), SHORT));
    let passed = bench.run(Load { host, ..Load::default() }, BEFORE, MEASURED);
    bench.rest();
    (passed, drops(&bench))
}

/// ACKs without a gap, with a data packet among sixteen.
fn storm(device: &Device) -> (Passed, [u64; 3]) {
    let mut bench = device.bench(&plain()).unanswered();
    let data = |from| Data::new(from, &plain(), SHORT).at_most(16);
    bench.run(Load { host: Some(data(A)), ..Load::default() }, BEFORE + MEASURED, 1);
    let acks = acks_of(&device.config, &mut data(A));
    let network = Network::new(data(B), 0).behind(acks, 15);
    let passed = bench.run(Load { network: Some(network), ..Load::default() }, BEFORE, MEASURED);
    assert_eq!(passed.beats.rx_in, passed.cycles, "the MAC waits");
    let [acks, data] = bench.given();
    bench.rest();
    let drops = drops(&bench);
    use Counter::*;
    let heard: u64 = [RxAcks, RxAcksOld, AcksDropped].iter().map(|counter| bench.counter(*counter)).sum();
    assert_eq!((heard, bench.counter(RxNew)), (acks, data), "each is taken or counted");
    assert_eq!(bench.counter(TxData), 16 * plain().len() as u64);
    (passed, drops)
}

/// Long frames fill both streams in both directions; of 26 beats to the MAC, 24 are data and two are a SACK.
fn both_ways_fill_the_bus(device: &Device) -> Passed {
    let (passed, drops) = both_ways(device);
    assert_eq!(drops, [0; 3]);
    assert_eq!(passed.beats.tx_out, passed.cycles, "tx_out has gaps");
    for beats in [passed.beats.tx_in, passed.beats.rx_out] {
        assert!((beats + 26) * 26 >= passed.cycles * 24, "{beats} beats of data");
    }
    passed
}

/// Short packets at this interval are all taken. SACKs for them take longer to be made, so most are dropped.
fn short_are_taken(device: &Device, interval: u64) -> Passed {
    let (passed, [sacks, acks, data]) = short_received(device, interval);
    assert_eq!((acks, data), (0, 0));
    assert!(sacks > 0 && passed.received.abs_diff(passed.cycles / interval) < 10, "{passed:?}");
    passed
}

/// Short packets of the host, at these most cycles for one, in hundredths.
fn short_are_sent(device: &Device, is_answered: bool, most: u64) -> Passed {
    let (passed, drops) = short_sent(device, is_answered);
    assert_eq!(drops, [0; 3]);
    assert!(passed.cycles * 100 <= passed.sent * most, "{passed:?}");
    passed
}

/// All lines of the table for an engine: the fewest cycles from one short packet received to the next, and the most that one costs
/// that is sent, without an ACK and with one, in hundredths.
fn rows(engine: &'static str, interval: u64, [sent, acknowledged]: [u64; 2]) -> Vec<String> {
    let device = Device::new(engine);
    let long = both_ways_fill_the_bus(&device);
    let received = short_are_taken(&device, interval);
    let alone = short_are_sent(&device, false, sent);
    let answered = short_are_sent(&device, true, acknowledged);
    let (storm, [_, acks, data]) = storm(&device);
    assert!(acks > 0 && data == 0, "{acks} ACKs and {data} packets are dropped");
    [
        ("1536 bytes in both directions", long),
        ("64 bytes received", received),
        ("64 bytes sent, no ACKs", alone),
        ("64 bytes sent, an ACK for each", answered),
        ("ACKs without a gap, 64 bytes of data behind each fifteenth", storm),
    ]
    .iter()
    .map(|(what, passed)| device.row(what, passed))
    .collect()
}

#[test]
#[ignore = "two models of their own"]
fn rates_are_those_of_the_page() {
    let page = include_str!("../../../../docs/nic.md");
    let rows = [rows("small", 7, [760, 2550]), rows("fast", 1, [550, 1900])].concat();
    println!("{}", rows.join("\n"));
    for row in rows {
        assert!(page.contains(&row), "the page has not\n{row}");
    }
}

/// Where the second beat of a SACK is gathered only when the first one has left, the stream waits for it.
#[test]
#[ignore = "a model of its own"]
fn gaps_in_sacks_are_seen() {
    let design = bench::design("small", |verilog| {
        let changes = [
            ("m_axis_tvalid = has_out && (m_axis_tlast || is_whole);", "m_axis_tvalid = has_out;"),
            (
                "takes = is_there && (!is_whole || moves);",
                "takes = is_there && !is_whole && (!has_out || m_axis_tlast);",
            ),
        ];
        changes.iter().fold(verilog, |verilog, (right, wrong)| {
            assert_eq!(verilog.matches(right).count(), 1, "{right}");
            verilog.replace(right, wrong)
        })
    });
    let (passed, _) = both_ways(&Device { engine: "small", config: bench::config("small"), design });
    assert!(passed.beats.tx_out * 10 < passed.cycles * 9, "{passed:?}");
}

/// One packet in five cycles is more than the small engine takes.
#[test]
#[ignore = "a model of its own"]
fn packets_that_come_too_fast_are_dropped_and_counted() {
    let (_, [_, _, dropped]) = short_received(&Device::new("small"), 5);
    assert!(dropped > 0);
}
