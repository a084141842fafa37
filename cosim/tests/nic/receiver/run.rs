//! The receive side in Verilator, and what it showed.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::verilator::{BuildOptions, Model, Source};

use super::stimulus::Arrival;

/// Pulses that say what became of a frame, two edges after its last beat was taken.
pub const DECISIONS: [&str; 6] =
    ["rx_bad", "rx_other", "rx_malformed", "rx_dropped_host", "rx_dropped_engine", "acks_dropped"];
/// Pulses that count results.
pub const RESULTS: [&str; 6] =
    ["rx_new", "rx_duplicate", "rx_outside", "rx_not_open", "rx_marked", "rx_probes"];
/// Beside a frame.
pub const SIDE: [&str; 10] = [
    "rx_kind",
    "rx_error",
    "rx_conn",
    "rx_psn",
    "rx_bytes",
    "rx_ecn",
    "rx_ev",
    "rx_timestamp",
    "rx_ack_request",
    "rx_status",
];
pub const HEARD: [&str; 12] = [
    "heard_conn",
    "heard_ecn",
    "heard_probe",
    "heard_flags",
    "heard_ev",
    "heard_timestamp",
    "heard_bytes",
    "heard_epsn",
    "heard_offset",
    "heard_ooo",
    "heard_base",
    "heard_bitmap",
];
pub const ANSWER: [&str; 14] = [
    "answer_psn",
    "answer_epsn",
    "answer_base",
    "answer_bitmap",
    "answer_ooo",
    "answer_bytes_recvd",
    "answer_ecn",
    "answer_ev",
    "answer_timestamp",
    "answer_probe",
    "answer_conn",
    "answer_wire_psn",
    "answer_source_pdc",
    "answer_retransmit",
];
const EVENT: [&str; 4] = ["event_kind", "event_conn", "event_psn", "event_detail"];
/// Outputs that hold while they are offered and not taken: valid, ready, and what is offered.
const HELD: [(&str, &str, &[&str]); 4] = [
    ("m_axis_tvalid", "m_axis_tready", &SIDE),
    ("heard_valid", "heard_ready", &HEARD),
    ("answer_valid", "answer_ready", &ANSWER),
    ("event_valid", "event_ready", &EVENT),
];
/// Edges after the last frame: more than all that can wait needs.
const AFTER: usize = 2000;

/// How the sides behave for a while: shares of edges.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    pub gap: f64,
    pub host: f64,
    pub scoreboard: f64,
    pub answers: f64,
    pub events: f64,
}

/// Nobody waits.
pub const AT_ONCE: Manner = Manner { gap: 0.0, host: 1.0, scoreboard: 1.0, answers: 1.0, events: 1.0 };

/// Frames that come in a manner, and connections that are opened meanwhile: before which frame, number, first PSN.
pub struct Phase {
    pub arrivals: Vec<Arrival>,
    pub manner: Manner,
    pub opens: Vec<(usize, u32, u32)>,
}

/// What the outputs showed.
#[derive(Default)]
pub struct Log {
    /// Of each frame, in order: the pulses of [`DECISIONS`], a bit for each.
    pub decisions: Vec<u8>,
    /// What `sack_rx` was given: the connection of a packet, or an `init` with its PSN.
    pub ops: Vec<(u32, Option<u32>)>,
    /// Frames with what stands beside them.
    pub delivered: Vec<(Vec<u8>, Vec<u64>)>,
    pub heard: Vec<Vec<u64>>,
    /// Answers that were given out, with the first 64 bytes of what they answer.
    pub answers: Vec<(Vec<u8>, Vec<u64>)>,
    /// Of each SACK that was due: whether it was dropped.
    pub sacks_dropped: Vec<bool>,
    pub events: Vec<Vec<u64>>,
    pub events_lost: usize,
    /// Pulses of [`RESULTS`].
    pub results: [u64; 6],
    /// Frames that were dropped by each of [`DECISIONS`].
    pub dropped: [u64; 6],
}

pub struct Bench {
    model: Model,
    bus_bytes: usize,
    random: StdRng,
    log: Log,
    cycle: usize,
    /// When the decision about a frame shows.
    decisions_due: VecDeque<usize>,
    sack_due: bool,
    /// The first 64 bytes of what the answers answer that wait.
    lines: VecDeque<Vec<u8>>,
    frame: Vec<u8>,
    side: Vec<u64>,
    held: [Option<Vec<u64>>; 4],
}

impl Bench {
    pub fn new(source: &Source, bus_bits: usize, udp_port: u16, sack_threshold: u64) -> Bench {
        let model = Model::build(source, &BuildOptions { quick: true, ..BuildOptions::default() });
        let mut bench = Bench {
            model: model.expect("the Verilog compiles"),
            bus_bytes: bus_bits / 8,
            random: StdRng::seed_from_u64(1),
            log: Log::default(),
            cycle: 0,
            decisions_due: VecDeque::new(),
            sack_due: false,
            lines: VecDeque::new(),
            frame: Vec::new(),
            side: Vec::new(),
            held: Default::default(),
        };
        bench.set("udp_port", udp_port.into());
        bench.set("sack_threshold", sack_threshold);
        bench.reset();
        bench
    }

    /// Resets it in the midst of whatever there is, and waits until `sack_rx` has cleared its connections.
    pub fn reset(&mut self) {
        for port in
            ["s_axis_tvalid", "open_valid", "heard_ready", "answer_ready", "event_ready", "m_axis_tready"]
        {
            self.set(port, 0);
        }
        for cycle in 0..40 {
            self.set("rst", u64::from(cycle < 2));
            self.model.settle();
            self.model.rise();
        }
        self.model.settle();
        for (valid, ..) in HELD {
            assert_eq!(self.get(valid), 0, "{valid} after rst");
        }
        self.log = Log::default();
        self.decisions_due.clear();
        self.sack_due = false;
        self.lines.clear();
        self.frame.clear();
        self.held = Default::default();
    }

    /// One of the faults that the model has, from 1; 0 is none.
    pub fn choose_fault(&mut self, fault: u64) {
        self.set("fault", fault);
    }

    fn set(&mut self, port: &str, value: u64) {
        let port = self.model.port(port).unwrap();
        self.model.set(port, value);
    }

    fn get(&self, port: &str) -> u64 {
        self.model.get(self.model.port(port).unwrap())
    }

    fn all(&self, ports: &[&str]) -> Vec<u64> {
        ports.iter().map(|port| self.get(port)).collect()
    }

    /// The bytes of a port, the first from its lowest bits.
    fn bytes(&self, port: &str, count: usize) -> Vec<u8> {
        let port = self.model.port(port).unwrap();
        let mut words = vec![0; count.div_ceil(4)];
        self.model.get_wide(port, &mut words);
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(count);
        bytes
    }

    fn is(&mut self, share: f64) -> u64 {
        u64::from(share >= 1.0 || self.random.random_bool(share))
    }

    /// Runs phases, and then until nothing is left. What is shown then is the log.
    pub fn run(&mut self, phases: &[Phase]) -> Log {
        for phase in phases {
            self.phase(phase);
        }
        for _ in 0..AFTER {
            self.edge(AT_ONCE, None);
        }
        for (valid, ..) in HELD {
            assert_eq!(self.get(valid), 0, "{valid}: nothing is left");
        }
        assert!(self.decisions_due.is_empty() && self.frame.is_empty());
        std::mem::take(&mut self.log)
    }

    /// Runs a phase, and then leaves a frame off after its first beat.
    pub fn cut_short(&mut self, phase: &Phase) {
        self.phase(phase);
        let beat = vec![0; self.bus_bytes];
        self.edge(phase.manner, Some((&beat, false, false)));
    }

    fn phase(&mut self, phase: &Phase) {
        for (at, (frame, is_bad)) in phase.arrivals.iter().enumerate() {
            for &(before, conn, psn) in &phase.opens {
                if before == at {
                    self.open(phase.manner, conn, psn);
                }
            }
            for (number, beat) in frame.chunks(self.bus_bytes).enumerate() {
                while phase.manner.gap > 0.0 && self.random.random_bool(phase.manner.gap) {
                    self.edge(phase.manner, None);
                }
                let is_last = (number + 1) * self.bus_bytes >= frame.len();
                // what tuser says of another beat than the last does not matter
                let user = if is_last { *is_bad } else { self.random.random() };
                self.edge(phase.manner, Some((beat, is_last, user)));
            }
        }
    }

    fn open(&mut self, manner: Manner, conn: u32, psn: u32) {
        self.set("open_valid", 1);
        self.set("open_conn", conn.into());
        self.set("open_psn", psn.into());
        while self.edge(manner, None) == 0 {}
        self.set("open_valid", 0);
    }

    /// One clock edge. Returns `open_ready`.
    fn edge(&mut self, manner: Manner, beat: Option<(&[u8], bool, bool)>) -> u64 {
        self.set("s_axis_tvalid", u64::from(beat.is_some()));
        if let Some((bytes, is_last, user)) = beat {
            let mut words = vec![0_u8; self.bus_bytes];
            words[..bytes.len()].copy_from_slice(bytes);
            let words: Vec<u32> =
                words.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
            let data = self.model.port("s_axis_tdata").unwrap();
            self.model.set_wide(data, &words);
            self.set("s_axis_tkeep", u64::MAX >> (64 - bytes.len()));
            self.set("s_axis_tlast", is_last.into());
            self.set("s_axis_tuser", user.into());
        }
        let Manner { host, scoreboard, answers, events, .. } = manner;
        for (port, share) in [
            ("m_axis_tready", host),
            ("heard_ready", scoreboard),
            ("answer_ready", answers),
            ("event_ready", events),
        ] {
            let ready = self.is(share);
            self.set(port, ready);
        }
        self.model.settle();
        assert_eq!(self.get("s_axis_tready"), 1, "the network waits in cycle {}", self.cycle);
        let open_ready = self.get("open_ready");
        self.look();
        self.model.rise();
        self.cycle += 1;
        open_ready
    }

    fn look(&mut self) {
        self.look_at_decisions();
        self.look_at_engine();
        if self.get("line_valid") == 1 {
            self.lines.push_back(self.bytes("line", 64));
        }
        for (stream, (valid, ready, ports)) in HELD.into_iter().enumerate() {
            let is_offered = self.get(valid) == 1;
            let now = is_offered.then(|| self.all(ports));
            if let Some(before) = self.held[stream].take() {
                assert_eq!(now.as_ref(), Some(&before), "{valid} in cycle {}", self.cycle);
            }
            let Some(now) = now else { continue };
            if self.get(ready) == 0 {
                self.held[stream] = Some(now);
                continue;
            }
            match stream {
                0 => self.delivered(now),
                1 => self.log.heard.push(now),
                2 => {
                    let line = self.lines.pop_front().expect("each answer has its line");
                    self.log.answers.push((line, now));
                }
                _ => self.log.events.push(now),
            }
        }
        self.log.events_lost += self.get("event_lost") as usize;
    }

    fn look_at_decisions(&mut self) {
        let pulses = self.all(&DECISIONS);
        if self.decisions_due.front() == Some(&self.cycle) {
            self.decisions_due.pop_front();
            let bits = pulses.iter().enumerate().map(|(at, pulse)| (*pulse as u8) << at).sum();
            self.log.decisions.push(bits);
        } else {
            assert!(
                pulses.iter().all(|pulse| *pulse == 0),
                "a pulse without a frame in cycle {}",
                self.cycle
            );
        }
        for (count, pulse) in self.log.dropped.iter_mut().zip(pulses) {
            *count += pulse;
        }
        if self.get("decided") == 1 {
            self.decisions_due.push_back(self.cycle + 2);
        }
    }

    fn look_at_engine(&mut self) {
        if self.get("rx_op_valid") & self.get("rx_op_ready") == 1 {
            let init = (self.get("rx_op_kind") == 1).then(|| self.get("rx_op_psn") as u32);
            self.log.ops.push((self.get("rx_op_conn") as u32, init));
        }
        let dropped = self.get("sacks_dropped") == 1;
        if self.sack_due {
            self.log.sacks_dropped.push(dropped);
        } else {
            assert!(!dropped, "a SACK that was not due is dropped in cycle {}", self.cycle);
        }
        self.sack_due = self.get("rx_sack_valid") == 1;
        for (at, pulse) in RESULTS.into_iter().enumerate() {
            self.log.results[at] += self.get(pulse);
        }
    }

    fn delivered(&mut self, side: Vec<u64>) {
        if self.frame.is_empty() {
            self.side = side;
        } else {
            assert_eq!(side, self.side, "what is beside a frame holds");
        }
        let kept = self.get("m_axis_tkeep").count_ones() as usize;
        let beat = self.bytes("m_axis_tdata", self.bus_bytes);
        self.frame.extend(&beat[..kept]);
        if self.get("m_axis_tlast") == 1 {
            self.log.delivered.push((std::mem::take(&mut self.frame), std::mem::take(&mut self.side)));
        }
    }
}
