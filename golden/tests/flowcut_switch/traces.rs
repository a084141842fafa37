//! Op traces of the second transcription in Python (`tb/reference/README.md`), whose every result the model has to give.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use respray_golden::flowcut_switch::{Engine, Op, OpKind, Params, Pick, Route, Settings};

/// Ops between two visits of the walker.
const OPS_A_VISIT: usize = 15;

fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/reference/flowcut_switch_traces")
}

/// A line by its columns.
type Line = HashMap<String, String>;

/// A number of a column; an empty one is 0.
fn number(line: &Line, column: &str) -> u64 {
    let text = line[column].as_str();
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None if text.is_empty() => 0,
        None => text.parse().unwrap(),
    }
}

fn params(name: &str) -> Params {
    let settings = csv::Reader::from_path(traces().join(format!("{name}.settings.csv"))).unwrap();
    let settings: HashMap<String, String> = settings.into_deserialize().map(Result::unwrap).collect();
    let key = |key: &str| settings[&format!("flowcut_switch.{key}")].as_str();
    Params {
        buckets: key("buckets").parse().unwrap(),
        uplinks: key("uplinks").parse().unwrap(),
        pick: if key("pick") == "two" { Pick::Two } else { Pick::All },
        seed: settings["seed"].parse().unwrap(),
    }
}

fn op(line: &Line) -> Op {
    let kind = match line["op"].as_str() {
        "data" => OpKind::Data,
        "ack" => OpKind::Ack,
        "load" => OpKind::Load,
        "set_min" => OpKind::SetMin,
        other => panic!("no op is named {other}"),
    };
    Op {
        kind,
        bucket: number(line, "conn") as u16,
        bytes: number(line, "bytes") as u32,
        up: number(line, "up"),
        epoch: number(line, "epoch") as u8,
        timestamp: number(line, "timestamp") as u32,
        class: number(line, "class") as u8,
        serial: number(line, "serial") as u32,
        port: number(line, "port") as u8,
        load: number(line, "load") as u8,
        now: number(line, "now") as u32,
        clock: number(line, "clock") as u8,
        settings: Settings {
            rtt_floor: number(line, "rtt_floor") as u32,
            ratio: number(line, "ratio") as u8,
            alpha: number(line, "alpha") as u8,
            entry_timeout: number(line, "entry_timeout") as u8,
            drain_after: number(line, "drain_after") as u8,
        },
    }
}

/// Replays a trace with the walker's visits between its lines; returns how many entries they cleared.
fn replay(name: &str) -> u32 {
    let params = params(name);
    let (mut engine, buckets) = (Engine::new(params), params.buckets);
    let (mut next, mut cleared) = (0, 0);
    let file = File::open(traces().join(format!("{name}.csv.gz"))).unwrap();
    let lines = csv::Reader::from_reader(GzDecoder::new(file)).into_deserialize::<Line>();
    for (at, line) in lines.map(Result::unwrap).enumerate() {
        let op = op(&line);
        if at > 0 && at % OPS_A_VISIT == 0 {
            let visit = Op { kind: OpKind::Visit, bucket: next as u16, ..op };
            cleared += u32::from(engine.apply(&visit).entry_cleared);
            next = (next + 1) % buckets;
        }
        let outcome = engine.apply(&op);
        let word = match outcome.sent {
            None => "",
            Some(Route::New(_)) => "new",
            Some(Route::Same(_)) => "same",
            Some(Route::Forced(_)) => "forced",
            Some(Route::NoRoute) => "no_route",
        };
        assert_eq!(line["expect"], word, "{name}, line {}", at + 2);
        let port = outcome.sent.and_then(|route| route.port());
        let of_port = |value: u64| port.map(|_| value);
        for (column, value) in [
            ("port", port.map(u64::from)),
            ("epoch", of_port(outcome.epoch.into())),
            ("xoff_state", of_port(outcome.draining.into())),
            ("xoff", Some(outcome.xoff.into())),
            ("xon", Some(outcome.xon.into())),
            ("order_risk", Some(outcome.order_risk.into())),
            ("ack_refused", Some(outcome.ack_refused.into())),
        ] {
            let value = value.map_or(String::new(), |value| value.to_string());
            assert_eq!(line[&format!("expect_{column}")], value, "{name}, line {}: {column}", at + 2);
        }
    }
    cleared
}

#[test]
fn traces_of_the_second_transcription_have_every_result_equal() {
    let names = ["all_512", "two_512", "all_4096", "two_4096"].map(|name| format!("flowcut_switch_{name}"));
    assert_eq!(names.map(|name| replay(&name)), [236, 223, 22, 3]);
}
