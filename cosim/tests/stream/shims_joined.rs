//! `shim_pop`, `caver` and `shim_push` joined as a switch joins them: what a shim says is an op, and its result is the next shim.

use std::collections::BTreeMap;

use respray_cosim::verilator::{BuildOptions, Model, Source};
use respray_golden::shim::{ETHERTYPE, Fields, Kind};
use respray_hdl::manifest::Direction;

use super::generated;

/// Outputs of a record, and the inputs of the op of `caver` that they drive, with no glue between.
const TO_OP: [(&str, &str); 6] = [
    ("meta_bytes", "op_bytes"),
    ("shim_enable", "op_enable"),
    ("shim_hop", "op_hop"),
    ("shim_path", "op_path"),
    ("shim_ce", "op_ce"),
    ("shim_len", "op_len"),
];
/// Outputs of a result, and the fields of the shim that they drive.
const FROM_RESULT: [(&str, &str); 5] = [
    ("res_enable", "s_enable"),
    ("res_hop", "s_hop"),
    ("res_path", "s_path"),
    ("res_ce", "s_ce"),
    ("res_len", "s_len"),
];
/// What of a record is an ACK's op of `flowcut_switch`.
const TO_FLOWCUT: [(&str, &str); 4] = [
    ("shim_bytes", "op_bytes"),
    ("shim_epoch", "op_epoch"),
    ("shim_timestamp", "op_timestamp"),
    ("shim_hops", "op_class"),
];

const DATA: u64 = 0;
const ACK: u64 = 1;
/// Codes of `res_kind`.
const NEW: u64 = 3;
const ROUTED: u64 = 5;
const TOOK: u64 = 11;
const HOST: u64 = 5;
/// More clock edges than anything here takes.
const PATIENCE: usize = 10_000;

type Values = BTreeMap<String, u64>;

/// A core of its own clock: inputs stay until they are set anew.
struct Device {
    model: Model,
    outputs: Vec<String>,
}

impl Device {
    fn new(core: &str, key: &str, settings: &[(&str, u64)]) -> Device {
        let core = generated(core, &[key]);
        let source = Source::new(&core.manifest.module, core.verilog);
        let model = Model::build(&source, &BuildOptions { quick: true, ..BuildOptions::default() }).unwrap();
        let of = |direction| core.manifest.ports.iter().filter(move |port| port.direction == direction);
        let outputs = of(Direction::Output).map(|port| port.name.clone()).collect();
        let mut device = Device { model, outputs };
        of(Direction::Input).filter(|port| port.name != "clk").for_each(|port| device.set(&port.name, 0));
        settings.iter().for_each(|(port, value)| device.set(port, *value));
        for rst in [1, 1, 0, 0, 0] {
            device.set("rst", rst);
            device.edge();
        }
        device
    }

    fn set(&mut self, port: &str, value: u64) {
        let port = self.model.port(port).unwrap();
        self.model.set(port, value);
    }

    fn get(&self, port: &str) -> u64 {
        self.model.get(self.model.port(port).unwrap())
    }

    /// The outputs before the next clock edge, which comes.
    fn edge(&mut self) -> Values {
        self.model.settle();
        let seen = self.outputs.iter().map(|port| (port.clone(), self.get(port))).collect();
        self.model.rise();
        seen
    }

    /// Sends a frame through: what leaves, and the record if there is one.
    fn frame(&mut self, frame: &[u8], side: &[(&str, u64)]) -> (Vec<u8>, Values) {
        side.iter().for_each(|(port, value)| self.set(port, *value));
        self.set("m_axis_tready", 1);
        let mut beats = frame.chunks(8);
        let (mut left, mut record, mut has_ended) = (Vec::new(), Values::new(), false);
        let mut beat = beats.next();
        for _ in 0..PATIENCE {
            if let Some(bytes) = beat {
                let data = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                self.set("s_axis_tdata", data);
                self.set("s_axis_tkeep", (1 << bytes.len()) - 1);
                self.set("s_axis_tlast", u64::from(beats.len() == 0));
            }
            self.set("s_axis_tvalid", beat.is_some().into());
            let seen = self.edge();
            if seen["s_axis_tready"] == 1 && beat.is_some() {
                beat = beats.next();
            }
            if seen["m_axis_tvalid"] == 1 {
                let bytes = seen["m_axis_tkeep"].count_ones() as usize;
                left.extend(&seen["m_axis_tdata"].to_le_bytes()[..bytes]);
                has_ended |= seen["m_axis_tlast"] == 1;
            }
            if seen.get("meta_valid") == Some(&1) {
                record = seen;
            }
            if has_ended && (!record.is_empty() || !self.outputs.iter().any(|port| port == "meta_valid")) {
                return (left, record);
            }
        }
        panic!("the frame does not leave");
    }

    /// An op, and its result.
    fn op(&mut self, fields: &[(&str, u64)]) -> Values {
        fields.iter().for_each(|(port, value)| self.set(port, *value));
        self.set("op_valid", 1);
        for _ in 0..PATIENCE {
            let seen = self.edge();
            if seen["op_ready"] == 1 {
                self.set("op_valid", 0);
            }
            if seen["res_valid"] == 1 {
                return seen;
            }
        }
        panic!("the op has no result");
    }
}

/// A switch with the three cores.
struct Switch {
    pop: Device,
    caver: Device,
    push: Device,
}

impl Switch {
    fn new() -> Switch {
        let settings = [("ethertype", u64::from(ETHERTYPE)), ("meta_ready", 1)];
        let of_caver = [
            ("path_age", 128),
            ("flow_timeout", 128),
            ("is_host", 0xffff),
            ("up", 0xffff_ffff),
            ("dre_period", 13_500),
            ("dre_alpha", 2),
        ];
        Switch {
            pop: Device::new("shim_pop", "bus_bits=64", &settings),
            caver: Device::new("caver", "caver.destinations=64", &of_caver),
            push: Device::new("shim_push", "bus_bits=64", &settings[..1]),
        }
    }

    /// A frame goes through; `op` are the fields that the switch knows by itself, `push_op` what is done with a result that has a shim.
    /// The frame that leaves, and the result.
    fn pass(&mut self, frame: &[u8], take_out: u64, op: &[(&str, u64)], push_op: u64) -> (Vec<u8>, Values) {
        let (inner, record) = self.pop.frame(frame, &[("s_take_out", take_out)]);
        let wired = TO_OP.map(|(from, to)| (to, record[from]));
        let result = self.caver.op(&[&wired, op].concat());
        let is_ack = op.contains(&("op_kind", ACK));
        let kind = if is_ack { Kind::CaverAck } else { Kind::CaverData };
        let wired = FROM_RESULT.map(|(from, to)| (to, result[from]));
        let asked = [("s_op", push_op * result["res_enable"]), ("s_kind", kind.code())];
        (self.push.frame(&inner, &[&wired[..], &asked].concat()).0, result)
    }
}

fn frame(shim: Option<(Kind, Fields)>) -> Vec<u8> {
    let mut frame: Vec<u8> = (0..12).collect();
    if let Some((kind, fields)) = shim {
        frame.extend(fields.write(kind, ETHERTYPE));
    }
    frame.extend([8, 0, 0x45]);
    frame.extend((0..60).map(|byte| byte * 3));
    frame
}

#[test]
fn ports_have_the_widths_of_those_that_they_drive() {
    let width = |core: &str, name: &str| {
        let manifest = generated(core, &[]).manifest;
        manifest.ports.iter().find(|port| port.name == name).expect("a port").width
    };
    for (from, to) in TO_OP {
        assert_eq!(width("shim_pop", from), width("caver", to), "{from} drives {to}");
    }
    for (from, to) in FROM_RESULT {
        assert_eq!(width("caver", from), width("shim_push", to), "{from} drives {to}");
    }
    for (from, to) in TO_FLOWCUT {
        assert_eq!(width("shim_pop", from), width("flowcut_switch", to), "{from} drives {to}");
    }
    assert_eq!(width("flowcut_switch", "res_epoch"), width("shim_push", "s_epoch"));
}

#[test]
fn what_a_shim_says_is_an_op_and_its_result_is_the_next_shim() {
    let mut switch = Switch::new();
    // an ACK from a switch behind port 20 reports a path, which goes on with that port before it
    let reported = Fields { ce: 9, len: 1, path: 0xffff_ff07, ..Fields::default() };
    let op = [("op_kind", ACK), ("op_dst", HOST), ("op_in_port", 20)];
    let (left, result) = switch.pass(&frame(Some((Kind::CaverAck, reported))), 31, &op, 1);
    assert_eq!(result["res_kind"], TOOK);
    let passed_on = Fields { ce: 9, len: 2, path: 0xffff_0714, ..Fields::default() };
    assert_eq!(left, frame(Some((Kind::CaverAck, passed_on))), "the shim of the ACK is the next one");

    // the first packet of a host of this switch takes that path
    let op = [
        ("op_kind", DATA),
        ("op_dst", HOST),
        ("op_in_port", 3),
        ("op_hash", 0x1234_5678),
        ("op_fib_port", 17),
    ];
    let (left, result) = switch.pass(&frame(None), 31, &op, 1);
    assert_eq!((result["res_kind"], result["res_port"]), (NEW, 20));
    let route = Fields { enable: true, hop: 0, path: result["res_path"] as u32, ..Fields::default() };
    assert_eq!(result["res_path"] & 0xffff, 0x0714, "port 20, then 7");
    assert_eq!(left, frame(Some((Kind::CaverData, route))));

    // a packet that comes with a route has its hop written anew
    let route = Fields { enable: true, hop: 0, path: 0xffff_1914, ..Fields::default() };
    let op = [("op_kind", DATA), ("op_dst", HOST), ("op_in_port", 21), ("op_hash", 1), ("op_fib_port", 17)];
    let (left, result) = switch.pass(&frame(Some((Kind::CaverData, route))), 0, &op, 2);
    assert_eq!((result["res_kind"], result["res_port"], result["res_hop"]), (ROUTED, 0x19, 1));
    assert_eq!(left, frame(Some((Kind::CaverData, Fields { hop: 1, ..route }))));
}
