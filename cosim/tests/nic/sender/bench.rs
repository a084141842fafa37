//! The sender in Verilator, with a host, a MAC, and one who grants: all of them at random pace.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::traffic::frames::mix;
use respray_cosim::verilator::{Model, Port};
use respray_golden::rewrite_tx::Params;

use super::expect::{EVENTS, Expected, Given, Grant, Request};

/// Cycles without a beat, a request or a grant behind which the sender has stopped.
const PATIENCE: u64 = 500;
/// Cycles in which nothing may come any more.
const AFTER: u64 = 100;
/// Cycles of frames that a reset puts an end to.
const ABANDONED: usize = 200;

/// Shares of cycles, 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// The host offers no beat.
    pub gap: f64,
    /// The MAC takes none.
    pub stall: f64,
    /// Requests are not taken.
    pub wait: f64,
    pub seed: u64,
    /// In every cycle the inputs are turned over before the edge, to see that no output follows them.
    pub turns_inputs: bool,
}

/// How a run went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// Cycles from the first to the last in which a beat left.
    pub cycles: u64,
    /// Among them those in which a beat was offered and not taken.
    pub held: u64,
}

/// Ports of a stream whose fields have at most 64 bits.
struct Stream {
    name: &'static str,
    valid: Port,
    ready: Port,
    fields: Vec<Port>,
    /// Offered and not taken in the last cycle.
    kept: Option<Vec<u64>>,
}

impl Stream {
    fn new(model: &Model, name: &'static str, ports: [&str; 2], fields: &[&str]) -> Stream {
        let port = |name: &str| model.port(name).unwrap();
        let fields = fields.iter().map(|field| port(field)).collect();
        Stream { name, valid: port(ports[0]), ready: port(ports[1]), fields, kept: None }
    }

    /// The fields, with `wide` behind them, if they are offered; what was offered and not taken has to be offered on.
    fn offered(&mut self, model: &Model, wide: &[u32], is_ready: bool) -> Result<Option<Vec<u64>>, String> {
        let now = (model.get(self.valid) == 1).then(|| {
            let fields = self.fields.iter().map(|&field| model.get(field));
            fields.chain(wide.iter().map(|&word| word.into())).collect::<Vec<_>>()
        });
        if self.kept.is_some() && self.kept != now {
            return Err(format!("{}: what was not taken does not stay", self.name));
        }
        self.kept = now.clone().filter(|_| !is_ready);
        Ok(now.filter(|_| is_ready))
    }
}

/// The sender and all that stands around it.
pub struct Bench {
    model: Model,
    bus_bytes: usize,
    s_data: Port,
    s_keep: Port,
    s_valid: Port,
    s_last: Port,
    s_user: Port,
    s_ready: Port,
    rst: Port,
    m_data: Port,
    grant: [Port; 4],
    events: [Port; 4],
    output: Stream,
    requests: Stream,
}

/// What has come so far.
#[derive(Default)]
struct Seen {
    frames: usize,
    /// Of the frame that is leaving.
    bytes: Vec<u8>,
    beats: usize,
    requests: usize,
    events: usize,
}

fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    at: usize,
    seen: T,
    expected: Option<T>,
) -> Result<(), String> {
    if Some(&seen) == expected.as_ref() {
        return Ok(());
    }
    Err(format!("{what} {at}: seen {seen:?}, expected {expected:?}"))
}

/// `tuser` of a beat: a bit of no meaning, other for every beat.
fn user(frame: usize, beat: usize) -> u64 {
    mix((frame as u64) << 32 | beat as u64) & 1
}

impl Bench {
    /// The sender behind its reset.
    pub fn new(model: Model, settings: Params) -> Bench {
        let port = |name: &str| model.port(name).unwrap();
        let mut bench = Bench {
            bus_bytes: settings.beat_bytes,
            s_data: port("s_axis_tdata"),
            s_keep: port("s_axis_tkeep"),
            s_valid: port("s_axis_tvalid"),
            s_last: port("s_axis_tlast"),
            s_user: port("s_axis_tuser"),
            s_ready: port("s_axis_tready"),
            rst: port("rst"),
            m_data: port("m_axis_tdata"),
            grant: ["grant_valid", "grant_action", "grant_ev", "grant_timestamp"].map(port),
            events: EVENTS.map(port),
            output: Stream::new(
                &model,
                "m_axis",
                ["m_axis_tvalid", "m_axis_tready"],
                &["m_axis_tkeep", "m_axis_tlast", "m_axis_tuser", "m_conn", "m_is_data"],
            ),
            requests: Stream::new(
                &model,
                "req",
                ["req_valid", "req_ready"],
                &[
                    "req_is_probe",
                    "req_conn",
                    "req_psn",
                    "req_bytes",
                    "req_destination_pdc",
                    "req_is_ordered",
                ],
            ),
            model,
        };
        for (name, value) in
            [("udp_port", settings.wire.udp_port), ("flow_label_enable", settings.flow_label_enable.into())]
        {
            let port = bench.model.port(name).unwrap();
            bench.model.set(port, value.into());
        }
        bench.reset();
        bench
    }

    fn reset(&mut self) {
        self.model.set(self.s_valid, 0);
        self.give(None);
        for reset in [1, 1, 0, 0] {
            self.model.set(self.rst, reset);
            self.model.tick();
        }
        (self.output.kept, self.requests.kept) = (None, None);
    }

    /// Begins to send the frames to a MAC that takes none and with no grants, and puts an end to it with a reset.
    pub fn abandon(&mut self, frames: &[Given]) {
        let (mut frame, mut beat) = (0, 0);
        self.give(None);
        for _ in 0..ABANDONED {
            self.offer(frames, frame, beat, frame < frames.len());
            self.model.set(self.output.ready, 0);
            self.model.set(self.requests.ready, 1);
            self.model.settle();
            if frame < frames.len() && self.model.get(self.s_ready) == 1 {
                (frame, beat) = self.behind(frames, frame, beat);
            }
            self.model.rise();
        }
        self.reset();
    }

    /// The frame and the beat that come next.
    fn behind(&self, frames: &[Given], frame: usize, beat: usize) -> (usize, usize) {
        let is_last = (beat + 1) * self.bus_bytes >= frames[frame].data.len();
        if is_last { (frame + 1, 0) } else { (frame, beat + 1) }
    }

    /// Sends the frames; the first difference to what is expected ends it.
    pub fn run(&mut self, frames: &[Given], expected: &Expected, pace: Pace) -> Result<Run, String> {
        let mut random = StdRng::seed_from_u64(pace.seed);
        let (mut run, mut seen, mut cycle, mut idle) = (Run::default(), Seen::default(), 0, 0);
        let (mut frame, mut beat, mut is_offered) = (0, 0, false);
        let mut grants: VecDeque<(u64, Grant)> = VecDeque::new();
        let is_done = |seen: &Seen| {
            seen.frames == expected.leaves.len()
                && seen.events == expected.events.len()
                && seen.requests == expected.requests.len()
        };
        while idle < AFTER || !is_done(&seen) {
            if idle == PATIENCE {
                return Err(format!("it has stopped behind {} of {} frames", seen.events, frames.len()));
            }
            is_offered = frame < frames.len() && (is_offered || !random.random_bool(pace.gap));
            self.offer(frames, frame, beat, is_offered);
            let (takes, asks) = (!random.random_bool(pace.stall), !random.random_bool(pace.wait));
            self.model.set(self.output.ready, takes.into());
            self.model.set(self.requests.ready, asks.into());
            let is_due = grants.front().is_some_and(|(due, _)| *due <= cycle);
            let granted = if is_due { grants.pop_front() } else { None };
            self.give(granted.map(|(_, grant)| grant));
            self.model.settle();
            if pace.turns_inputs {
                self.turn_inputs(is_offered, takes, asks, granted.is_some())?;
            }
            idle += 1;
            if is_offered {
                if self.model.get(self.s_ready) == 1 {
                    (is_offered, idle) = (false, 0);
                    (frame, beat) = self.behind(frames, frame, beat);
                } else {
                    run.held += 1;
                }
            }
            if granted.is_some() {
                idle = 0;
            }
            if self.see_beat(&mut seen, expected, takes)? {
                (run.cycles, idle) = (cycle + 1, 0);
            }
            if self.see_request(&mut seen, expected, asks)? {
                idle = 0;
                let grant = expected.grants[seen.requests - 1];
                grants.push_back((cycle + grant.delay, grant));
            }
            self.see_event(&mut seen, expected)?;
            self.model.rise();
            cycle += 1;
        }
        Ok(run)
    }

    fn offer(&mut self, frames: &[Given], frame: usize, beat: usize, is_offered: bool) {
        self.model.set(self.s_valid, is_offered.into());
        if !is_offered {
            return;
        }
        let rest = &frames[frame].data[beat * self.bus_bytes..];
        let bytes = &rest[..rest.len().min(self.bus_bytes)];
        let noise = mix(beat as u64) as u8;
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(noise);
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|k| byte(4 * at + k)));
        let words: Vec<u32> = (0..self.bus_bytes / 4).map(word).collect();
        self.model.set_wide(self.s_data, &words);
        self.model.set(self.s_keep, u64::MAX >> (64 - bytes.len()));
        self.model.set(self.s_last, (bytes.len() == rest.len()).into());
        self.model.set(self.s_user, user(frame, beat));
    }

    fn give(&mut self, grant: Option<Grant>) {
        let [valid, action, ev, timestamp] = self.grant;
        self.model.set(valid, grant.is_some().into());
        if let Some(grant) = grant {
            self.model.set(action, grant.action);
            self.model.set(ev, grant.ev.into());
            self.model.set(timestamp, grant.timestamp.into());
        }
    }

    /// Turns the inputs over and back: no output may follow them before the clock does.
    fn turn_inputs(&mut self, valid: bool, takes: bool, asks: bool, grants: bool) -> Result<(), String> {
        let inputs = [
            (self.s_valid, valid),
            (self.output.ready, takes),
            (self.requests.ready, asks),
            (self.grant[0], grants),
        ];
        let watched = [self.s_ready, self.output.valid, self.requests.valid];
        let outputs = |model: &Model| {
            let ports = watched.iter().chain(&self.output.fields).chain(&self.requests.fields);
            ports.chain(&self.events).map(|&port| model.get(port)).collect::<Vec<_>>()
        };
        let before = outputs(&self.model);
        for is_turned in [true, false] {
            for (port, value) in inputs {
                self.model.set(port, (value != is_turned).into());
            }
            self.model.settle();
            if outputs(&self.model) != before {
                return Err("an output follows an input within the cycle".into());
            }
        }
        Ok(())
    }

    fn see_beat(&mut self, seen: &mut Seen, expected: &Expected, takes: bool) -> Result<bool, String> {
        let mut data = vec![0; self.bus_bytes / 4];
        self.model.get_wide(self.m_data, &mut data);
        let Some(fields) = self.output.offered(&self.model, &data, takes)? else { return Ok(false) };
        let [keep, last, tuser, conn, is_data] = fields[..5] else { unreachable!("five fields") };
        let (at, is_last) = (seen.frames, last == 1);
        let leaving = expected.leaves.get(at);
        let whole = u64::MAX >> (64 - self.bus_bytes);
        if keep & keep.wrapping_add(1) != 0 || keep == 0 || !is_last && keep != whole {
            return Err(format!("frame {at}: tkeep is {keep:#x}"));
        }
        let bytes = data.iter().flat_map(|word| word.to_le_bytes());
        seen.bytes.extend(bytes.take(keep.count_ones() as usize));
        same("tuser of frame", at, tuser, leaving.map(|leaving| user(leaving.index, seen.beats)))?;
        same("m_is_data of frame", at, is_data == 1, leaving.map(|leaving| leaving.is_data))?;
        if let Some(expected) = leaving.and_then(|leaving| leaving.conn) {
            same("m_conn of frame", at, conn, Some(expected))?;
        }
        seen.beats += 1;
        if is_last {
            same("frame", at, &seen.bytes, leaving.map(|leaving| &leaving.data))?;
            seen.bytes.clear();
            (seen.frames, seen.beats) = (at + 1, 0);
        }
        Ok(true)
    }

    fn see_request(&mut self, seen: &mut Seen, expected: &Expected, asks: bool) -> Result<bool, String> {
        let Some(fields) = self.requests.offered(&self.model, &[], asks)? else { return Ok(false) };
        let request: Request = fields.try_into().expect("as many fields as a request has");
        same("request", seen.requests, request, expected.requests.get(seen.requests).copied())?;
        seen.requests += 1;
        Ok(true)
    }

    fn see_event(&mut self, seen: &mut Seen, expected: &Expected) -> Result<(), String> {
        let events: Vec<usize> = (0..4).filter(|&event| self.model.get(self.events[event]) == 1).collect();
        for (at, &event) in events.iter().enumerate() {
            if at > 0 {
                return Err(format!("two events in one cycle: {events:?}"));
            }
            same("event", seen.events, event, expected.events.get(seen.events).copied())?;
            seen.events += 1;
        }
        Ok(())
    }
}
