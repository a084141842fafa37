//! What is written is read back, for every contract.

use proptest::prelude::*;

use super::*;

/// Random numbers of which a line is made.
#[derive(Clone, Debug)]
struct Draw {
    /// Kind of op; the one behind the last is a reset.
    kind: u64,
    /// A word for each field of the op.
    words: Vec<u64>,
    /// Settings that the line gives.
    own: u32,
    time: u64,
    idle: Option<u32>,
    /// A word for the result, if it may have one.
    word: Option<usize>,
    /// A value for each field of the result, if it is expected.
    values: Vec<Option<u64>>,
    seed: Option<u16>,
}

fn draws(contract: &Contract) -> impl Strategy<Value = Vec<Draw>> {
    let kinds = contract.kind_names().len() as u64;
    let (ops, shown) = (contract.op_fields().count(), contract.shown_fields().count());
    let settings = contract.driver_settings().count();
    // fields are often 0, which some are not written for
    let word = prop_oneof![1 => Just(0), 3 => any::<u64>()];
    let values = prop::collection::vec(prop::option::weighted(0.3, any::<u64>()), shown);
    let draw = (
        0..=kinds,
        prop::collection::vec(word, ops),
        0..1_u32 << settings,
        any::<u64>(),
        any::<Option<u32>>(),
        prop::option::of(0..contract.trace.words.len()),
        prop::option::of(values),
        any::<Option<u16>>(),
    )
        .prop_map(move |(kind, words, own, time, idle, word, values, seed)| {
            let values = values.unwrap_or_else(|| vec![None; shown]);
            Draw { kind, words, own, time, idle, word, values, seed }
        });
    prop::collection::vec(draw, 1..40)
}

/// The line that a draw stands for: as it is read, with nothing in it that a line does not carry.
fn line<O: Words>(contract: &Contract, config: &Config, draw: &Draw) -> Line<O> {
    let trace = &contract.trace;
    let clock = contract.op_fields().find(|field| field.value == Value::Now);
    let last_time = match clock {
        Some(clock) if trace.time == Some(clock.name) => clock.last(config),
        _ => u64::MAX,
    };
    let time = if trace.time.is_some() { draw.time & last_time } else { 0 };
    let idle = draw.idle.unwrap_or(0);
    if draw.kind as usize == contract.kind_names().len() {
        let time = if last_time == u64::MAX { time } else { 0 };
        return Line { idle, time, ..Line::reset(draw.seed.filter(|_| trace.seed.is_some())) };
    }
    let mut op = O::default();
    op.set(0, draw.kind);
    for (place, field) in contract.op_fields().enumerate().take(contract.settings_at().start).skip(1) {
        op.set(place, draw.words[place] & field.last(config));
    }
    for (number, (place, field, _)) in contract.driver_settings().enumerate() {
        if draw.own >> number & 1 != 0 {
            op.set(place, draw.words[place] & field.last(config));
        }
    }
    let word = draw.word.filter(|_| trace.expecting_kinds >> draw.kind & 1 != 0);
    let needs = word.map_or(&[][..], |word| trace.words[word].needs);
    let value = |(field, value): (&respray_hdl::contract::Field, &Option<u64>)| {
        let column = field.expect?;
        let value = if needs.contains(&column) { Some(value.unwrap_or(0)) } else { *value };
        value.map(|value| value & field.last(config))
    };
    let values = contract.shown_fields().zip(&draw.values).map(value).enumerate();
    let values: Vec<(usize, u64)> = values.filter_map(|(place, value)| Some((place, value?))).collect();
    let expectation = Expectation { word, values };
    let expect = (expectation != Expectation::default()).then(|| Box::new(expectation));
    Line { idle, own: draw.own, expect, ..Line::op(time, op) }
}

fn what_is_written_is_read_back<C: OpCore>(sets: &[&str]) {
    let config = &config(sets);
    let contract = C::CONTRACT;
    let settings = prop::collection::vec(any::<Option<u64>>(), contract.driver_settings().count());
    let cases = (draws(contract), any::<Option<u16>>(), settings, any::<bool>());
    let dir = tempfile::tempdir().unwrap();
    proptest!(ProptestConfig::with_cases(128), |((draws, seed, values, gzip) in cases)| {
        let mut settings = Settings::default();
        for ((_, field, _), value) in contract.driver_settings().zip(values) {
            value.iter().for_each(|value| settings.set(field.name, value & field.last(config)));
        }
        let lines: Vec<Line<C::Op>> = draws.iter().map(|draw| line(contract, config, draw)).collect();
        let notes = vec!["a note, with a comma".into()];
        let trace = OpTrace { seed, settings, notes, lines, warnings: Vec::new() };
        let path = dir.path().join(if gzip { "t.csv.gz" } else { "t.csv" });
        trace.write(contract, &path).unwrap();
        // times are drawn, so that they go back
        let read = OpTrace::<C::Op>::read(&path, contract, config).unwrap();
        let read = OpTrace { warnings: Vec::new(), ..read };
        prop_assert_eq!(&read, &trace);
        // and entries made of it lead back to the same entries
        let ops = read.ops(contract, &read.settings, config);
        let again = OpTrace::of_entries(contract, &ops.entries, &ops.expectations);
        let again = again.ops(contract, &again.settings, config);
        prop_assert_eq!(again.entries, ops.entries);
        prop_assert_eq!(again.expectations, ops.expectations);
    });
}

#[test]
fn traces_of_reps() {
    what_is_written_is_read_back::<RepsCore>(&[]);
    what_is_written_is_read_back::<RepsCore>(&["connections=16384", "reps.time_bits=16"]);
}

#[test]
fn traces_of_sack_rx() {
    what_is_written_is_read_back::<SackRxCore>(&[]);
}

#[test]
fn traces_of_sack_tx() {
    what_is_written_is_read_back::<SackTxCore>(&["connections=16", "sack.window=64"]);
}

#[test]
fn a_reset_line_keeps_idle_time_and_seed_alone() {
    let text = "time_ns,op,conn,ev,ecn,expect_ev,idle,bdp_packets\n8,reset,7,9,1,3,2,\n";
    let lines = parse::<RepsCore>(text).unwrap().lines;
    assert_eq!(lines, [Line { idle: 2, time: 8, ..Line::reset(Some(9)) }]);
    let text = "op,conn,psn,bytes,ev,idle,sack_threshold,expect_epsn\nreset,7,9,1,3,2,,1\n";
    assert_eq!(parse::<SackRxCore>(text).unwrap().lines, [Line { idle: 2, ..Line::reset(None) }]);
    let text = "now,op,conn,psn,epsn,idle,rto,expect_status\n,reset,7,9,1,2,,1\n";
    assert_eq!(parse::<SackTxCore>(text).unwrap().lines, [Line { idle: 2, ..Line::reset(None) }]);
}
