//! Op traces of the second transcription in Python, whose every result the model has to give. Nothing in them depends on the cycles
//! of a device but for the congestion of uplinks that have entries of their own: that is looked up in the core's own slot after each 15
//! ops. That the walker comes then, too, changes no result.

use respray_golden::caver::{Advertise, Engine, Kind, Op, OpKind, Outcome, Params, Settings, Table};

use crate::transcription::{Line, Traces, number};

fn op(line: &Line) -> Op {
    let kind = match line["op"].as_str() {
        "data" => OpKind::Data,
        "host" => OpKind::Host,
        "ack" => OpKind::Ack,
        "set_shift" => OpKind::SetShift,
        other => panic!("no op is named {other}"),
    };
    let flag = |column: &str| number(line, column) != 0;
    Op {
        kind,
        dst: number(line, "conn") as u16,
        in_port: number(line, "in_port") as u8,
        hash: number(line, "hash") as u32,
        bytes: number(line, "bytes") as u16,
        is_local: flag("is_local"),
        fib_port: number(line, "fib_port") as u8,
        enable: flag("enable"),
        hop: number(line, "hop") as u8,
        path: number(line, "path") as u32,
        ce: number(line, "ce") as u8,
        len: number(line, "len") as u8,
        to_local: flag("to_local"),
        port: number(line, "port") as u8,
        shift: number(line, "shift") as u8,
        now: number(line, "now") as u8,
        settings: Settings {
            path_age: number(line, "path_age") as u8,
            flow_timeout: number(line, "flow_timeout") as u8,
            is_host: number(line, "is_host"),
            up: number(line, "up"),
            dre_alpha: number(line, "dre_alpha") as u8,
        },
    }
}

/// The word of a kind in a trace.
fn word_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Deliver => "deliver",
        Kind::Same => "same",
        Kind::Collided => "collided",
        Kind::New => "new",
        Kind::Ecmp => "ecmp",
        Kind::Routed => "routed",
        Kind::BadRoute => "bad_route",
        Kind::Pass => "pass",
        Kind::Advertised => "advertised",
        Kind::Refused => "refused",
        Kind::Took => "took",
        Kind::Kept => "kept",
    }
}

/// Ops between two slots of the core's own.
const OPS_A_SLOT: u16 = 15;

/// Replays a trace; returns how many results it compared.
fn replay(name: &str) -> u32 {
    let traces = Traces::of("caver");
    let settings = traces.settings(name);
    let key = |key: &str| settings[&format!("caver.{key}")].parse().unwrap();
    let word = |key: &str| settings.get(&format!("caver.{key}")).map(|word| word.as_str());
    let params = Params {
        destinations: key("destinations"),
        ports: key("ports"),
        flows: key("flows"),
        table: match word("table") {
            None => Table::Single,
            Some("per_port") => Table::PerPort,
            Some(other) => panic!("no table is named {other}"),
        },
        advertise: match word("advertise") {
            None => Advertise::Source,
            Some("round_robin") => Advertise::RoundRobin,
            Some(other) => panic!("nothing is advertised by {other}"),
        },
    };
    let mut engine = Engine::new(params);
    let (mut compared, mut ops) = (0, 0);
    for (at, line) in traces.lines(name) {
        let mut shown = vec![];
        let op = op(&line);
        match engine.apply(&op) {
            Outcome::Nothing => shown.push(("expect", String::new())),
            Outcome::Data { kind, port, shim } => {
                shown.push(("expect", word_of(kind).to_string()));
                shown.push(("expect_port", port.to_string()));
                shown.push(("expect_enable", u8::from(shim.is_some()).to_string()));
                shown.push(("expect_hop", shim.map_or(String::new(), |shim| shim.hop.to_string())));
                shown.push(("expect_path", shim.map_or(String::new(), |shim| shim.path.to_string())));
            }
            Outcome::Ack { kind, shim } => {
                shown.push(("expect", word_of(kind).to_string()));
                shown.push(("expect_enable", u8::from(shim.is_some()).to_string()));
                shown.push(("expect_path", shim.map_or(String::new(), |shim| shim.path.to_string())));
                shown.push(("expect_ce", shim.map_or(String::new(), |shim| shim.ce.to_string())));
                shown.push(("expect_len", shim.map_or(String::new(), |shim| shim.len.to_string())));
                if kind == Kind::Advertised {
                    shown.push(("expect_dst", shim.map_or(String::new(), |shim| shim.dst.to_string())));
                }
            }
        }
        compared += u32::from(shown.len() > 1);
        for (column, value) in shown {
            assert_eq!(line[column], value, "{name}, line {at}: {column}");
        }
        ops += 1;
        if ops % OPS_A_SLOT == 0 {
            engine.apply(&Op { kind: OpKind::Visit, dst: ops / OPS_A_SLOT % 64, ..op });
        }
    }
    compared
}

#[test]
fn traces_of_the_second_transcription_have_every_result_equal() {
    let compared = ["small", "default", "full", "ages", "hosts", "uplinks", "wide"]
        .map(|name| replay(&format!("caver_{name}")));
    assert_eq!(compared, [6715, 8643, 9784, 5770, 19046, 19179, 3809]);
}
