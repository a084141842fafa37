//! `rewrite_rx` and `sack_tx` joined as a NIC joins them: what a record says of an ACK is the scoreboard's op `sack`.

use respray_cosim::traffic::frames::{Checksum, Draft};
use respray_cosim::verilator::{BuildOptions, Model, Source};
use respray_golden::wire::{Profile, strack};
use respray_hdl::manifest::Manifest;

use super::generated;

/// Outputs of a record, and the inputs of the op that they drive.
const WIRES: [(&str, &str); 8] = [
    ("meta_conn", "op_conn"),
    ("ack_epsn", "op_epsn"),
    ("ack_base", "op_base"),
    ("ack_bitmap", "op_bitmap"),
    ("ack_ooo", "op_ooo"),
    ("ack_bytes", "op_bytes_recvd"),
    ("ack_timestamp", "op_timestamp"),
    ("ack_probe", "op_probe"),
];

/// Outputs of a record, and the inputs of an op of `sack_rx` that they drive.
const ARRIVALS: [(&str, &str); 2] = [("meta_conn", "op_conn"), ("meta_psn", "op_psn")];

/// Codes of `op_kind`.
const SENT: u64 = 0;
const SACK: u64 = 1;
const INIT: u64 = 3;

const CONNECTION: u32 = 3;
/// The first packet sent.
const FIRST: u32 = 1000;
/// When the probe is asked for, when it was sent, and when its answer comes back.
const ASKED: u64 = 400;
const PROBED: u16 = 405;
const ANSWERED: u64 = 430;

/// More clock edges than anything here takes.
const PATIENCE: usize = 2000;
const BEAT_BYTES: usize = 8;

/// What the scoreboard showed of something at one edge.
#[derive(Default)]
struct Shown {
    has_result: bool,
    status: u64,
    probe_due: bool,
    loss_probe: bool,
}

/// Both cores on one clock.
struct Nic {
    reader: Model,
    scoreboard: Model,
    /// The record, and not the test, drives the scoreboard's op.
    is_joined: bool,
}

fn set(model: &mut Model, port: &str, value: u64) {
    let port = model.port(port).unwrap();
    model.set(port, value);
}

fn get(model: &Model, port: &str) -> u64 {
    model.get(model.port(port).unwrap())
}

fn model(core: &str, key: &str) -> Model {
    let core = generated(core, &[key]);
    let source = Source::new(&core.manifest.module, core.verilog);
    let mut model = Model::build(&source, &BuildOptions { quick: true, ..BuildOptions::default() }).unwrap();
    let inputs = core.manifest.ports.iter().filter(|port| port.name != "clk");
    for port in inputs.filter(|port| port.direction == respray_hdl::manifest::Direction::Input) {
        set(&mut model, &port.name, 0);
    }
    model
}

impl Nic {
    fn new() -> Nic {
        let (reader, scoreboard) = (model("rewrite_rx", "bus_bits=64"), model("sack_tx", "connections=16"));
        let mut nic = Nic { reader, scoreboard, is_joined: false };
        set(&mut nic.reader, "udp_port", Profile::Strack.udp_port().into());
        set(&mut nic.reader, "m_axis_tready", 1);
        for (port, value) in [("probe_timeout", 300), ("probe_rtt", 30), ("rto", 65535), ("cwnd_packets", 64)]
        {
            set(&mut nic.scoreboard, port, value);
        }
        for rst in [1, 1, 0] {
            set(&mut nic.reader, "rst", rst);
            set(&mut nic.scoreboard, "rst", rst);
            nic.edge();
        }
        nic
    }

    /// One clock edge of both.
    fn edge(&mut self) -> Shown {
        self.reader.settle();
        if self.is_joined {
            self.join();
        }
        self.scoreboard.settle();
        let ready = get(&self.scoreboard, "op_ready");
        set(&mut self.reader, "meta_ready", u64::from(self.is_joined) & ready);
        self.reader.settle();
        let seen = |port| get(&self.scoreboard, port);
        let shown = Shown {
            has_result: seen("res_valid") == 1,
            status: seen("res_status"),
            probe_due: seen("probe_due") == 1,
            loss_probe: seen("loss_probe") == 1,
        };
        self.reader.rise();
        self.scoreboard.rise();
        shown
    }

    /// The wires between the cores: an ACK is an op.
    fn join(&mut self) {
        let is_ack = get(&self.reader, "meta_valid") == 1 && get(&self.reader, "meta_kind") == 1;
        set(&mut self.scoreboard, "op_valid", is_ack.into());
        set(&mut self.scoreboard, "op_kind", SACK);
        for (from, to) in WIRES {
            let to = self.scoreboard.port(to).unwrap();
            // Connections and PSNs are wider in a record than the scoreboard has them.
            let value = get(&self.reader, from) & u64::MAX >> (64 - to.width());
            self.scoreboard.set(to, value);
        }
    }

    /// Edges up to the first at which something is shown.
    fn until(&mut self, what: impl Fn(&Shown) -> bool) -> Shown {
        let shown = (0..PATIENCE).map(|_| self.edge()).find(|shown| what(shown));
        shown.expect("it is shown before long")
    }

    /// An op that the test gives by itself.
    fn op(&mut self, kind: u64, psn: u32) {
        let fields = [("op_valid", 1), ("op_kind", kind), ("op_conn", CONNECTION.into())];
        for (port, value) in fields.into_iter().chain([("op_psn", psn.into()), ("op_bytes", 100)]) {
            set(&mut self.scoreboard, port, value);
        }
        for _ in 0..PATIENCE {
            let is_taken = get(&self.scoreboard, "op_ready") == 1;
            self.edge();
            if is_taken {
                set(&mut self.scoreboard, "op_valid", 0);
                return;
            }
        }
        panic!("the op is not taken");
    }

    /// A frame on the reader's input.
    fn receive(&mut self, frame: &[u8]) {
        let beats = frame.chunks(BEAT_BYTES);
        let last = beats.len() - 1;
        for (at, beat) in beats.enumerate() {
            let data = beat.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            set(&mut self.reader, "s_axis_tdata", data);
            set(&mut self.reader, "s_axis_tkeep", (1 << beat.len()) - 1);
            set(&mut self.reader, "s_axis_tlast", u64::from(at == last));
            set(&mut self.reader, "s_axis_tvalid", 1);
            assert_eq!(get(&self.reader, "s_axis_tready"), 1, "nothing waits in the reader");
            self.edge();
        }
        set(&mut self.reader, "s_axis_tvalid", 0);
    }
}

/// A frame with a SACK that acknowledges nothing.
fn ack(probe_echo: bool) -> Vec<u8> {
    let ack = strack::Ack {
        connection: CONNECTION,
        expected_psn: FIRST,
        sack_base: FIRST / 64 * 64,
        echo_timestamp: PROBED,
        probe_echo,
        ..strack::Ack::default()
    };
    let draft = Draft {
        tags: 0,
        is_ipv6: false,
        options: 0,
        real_options: false,
        traffic_class: 0,
        flow_label: 0,
        source_port: 0xc001,
        udp_port: Profile::Strack.udp_port(),
        carried: respray_golden::rewrite::Carried::Udp,
        checksum: Checksum::Right,
        seed: 1,
        header: ack.to_bytes().to_vec(),
        payload: 0,
    };
    draft.frame()
}

/// Ten packets are sent, nothing is heard, a probe is asked for: whether its answer, as a frame, shows as a loss by rule 2.
fn is_loss_proved(probe_echo: bool) -> bool {
    let mut nic = Nic::new();
    nic.op(INIT, FIRST);
    (FIRST..FIRST + 10).for_each(|psn| nic.op(SENT, psn));
    set(&mut nic.scoreboard, "now", ASKED);
    nic.until(|shown| shown.probe_due);
    set(&mut nic.scoreboard, "now", ANSWERED);
    nic.is_joined = true;
    nic.receive(&ack(probe_echo));
    let result = nic.until(|shown| shown.has_result);
    assert_eq!(result.status, 0, "the SACK is taken");
    result.loss_probe
}

/// Ports that carry a whole PSN of the wire, in both profiles.
const WHOLE_PSNS: [&str; 2] = ["op_psn", "op_epsn"];

#[test]
fn what_a_record_says_of_a_psn_is_as_wide_as_the_engines_take_it() {
    for (wire, bits) in [("wire=strack", 24), ("wire=uet", 32)] {
        let reader = generated("rewrite_rx", &[wire, "bus_bits=64"]).manifest;
        for (core, wires) in [("sack_tx", &WIRES[..]), ("sack_rx", &ARRIVALS)] {
            let engine = generated(core, &[wire]).manifest;
            for (from, to) in wires {
                let width = |manifest: &Manifest, name: &str| {
                    manifest.ports.iter().find(|port| port.name == name).expect("a port").width
                };
                let (record, op) = (width(&reader, from), width(&engine, to));
                assert!(record >= op, "{wire}, {core}: {from} has {record} bits, {to} {op}");
                if WHOLE_PSNS.contains(to) {
                    assert_eq!(op, bits, "{wire}, {core}: {to} takes the PSN of the wire");
                }
            }
        }
    }
}

#[test]
fn an_ack_proves_a_loss_by_rule_2_where_it_says_that_it_answers_a_probe() {
    assert!(is_loss_proved(true), "004 section 3.3.2, rule 2");
    assert!(!is_loss_proved(false), "any other ACK proves nothing by that rule");
}
