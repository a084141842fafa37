//! Op traces of the second transcription in Python (`tb/reference/README.md`), whose every result the model has to give.

use respray_golden::flowcut_switch::{Engine, Op, OpKind, Params, Pick, Route, Settings};

use crate::transcription::{Line, Traces, number};

/// Ops between two visits of the walker.
const OPS_A_VISIT: usize = 15;

fn params(traces: &Traces, name: &str) -> Params {
    let settings = traces.settings(name);
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
    let traces = Traces::of("flowcut_switch");
    let params = params(&traces, name);
    let (mut engine, buckets) = (Engine::new(params), params.buckets);
    let (mut next, mut cleared) = (0, 0);
    for (number, line) in traces.lines(name) {
        let at = number - 2;
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
        assert_eq!(line["expect"], word, "{name}, line {number}");
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
            assert_eq!(line[&format!("expect_{column}")], value, "{name}, line {number}: {column}");
        }
    }
    cleared
}

#[test]
fn traces_of_the_second_transcription_have_every_result_equal() {
    let names = ["all_512", "two_512", "all_4096", "two_4096"].map(|name| format!("flowcut_switch_{name}"));
    assert_eq!(names.map(|name| replay(&name)), [237, 250, 24, 6]);
}
