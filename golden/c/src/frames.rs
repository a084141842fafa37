//! Models of cores that packets stream through: a frame in, and what becomes of it.

use std::collections::VecDeque;

use respray_cosim::stream::core_of;
use respray_cosim::stream::stream_core::{Answer, Named, RewriterSettings, StreamCore};
use respray_cosim::traffic::frames::{Frame, ORDERS};
use respray_hdl::config::Config;

use crate::describe::Lane;
use crate::error::{Code, Failure};

/// The first word beside a frame that comes out.
const LEAVES: Named = ("leaves", 8);

/// A model of a core that packets stream through.
pub struct StreamModel {
    core: Box<dyn StreamCore>,
    given: RewriterSettings,
    lanes: [Vec<Lane>; 2],
    /// What waits at each output: the stream, and each lane of records.
    waiting: Vec<VecDeque<(Vec<u8>, Vec<u64>)>>,
    answer: Answer,
    config: Config,
}

impl StreamModel {
    /// The model of a core of [`respray_cosim::stream::STREAM_CORES`].
    pub fn new(core: &str, config: Config) -> StreamModel {
        let given = RewriterSettings::default();
        let core = core_of(core, &config, given).expect("a name of the list");
        let ports = core.ports();
        let inputs = ports.inputs.iter().map(|lane| Lane::of(lane.prefix, &lane.sideband));
        let events = ports.inputs.iter().flat_map(|lane| lane.events.iter().copied());
        let beside: Vec<Named> = std::iter::once(LEAVES).chain(events).collect();
        let stream = Lane::of(ports.outputs[0].prefix, &beside);
        let records = ports.records.iter().map(|lane| Lane::of(lane.prefix, &lane.fields));
        let lanes = [inputs.collect(), std::iter::once(stream).chain(records).collect::<Vec<_>>()];
        let waiting = vec![VecDeque::new(); lanes[1].len()];
        StreamModel { core, given, lanes, waiting, answer: Answer::default(), config }
    }

    pub fn core(&self) -> &'static str {
        self.core.name()
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn lanes(&self) -> [&[Lane]; 2] {
        [&self.lanes[0], &self.lanes[1]]
    }

    /// Names of what a driver sets.
    pub fn settings(&self) -> Vec<&'static str> {
        self.core.ports().settings.iter().map(|(name, ..)| *name).collect()
    }

    pub fn reset(&mut self) {
        self.waiting.iter_mut().for_each(VecDeque::clear);
    }

    /// Sets what a driver sets.
    ///
    /// # Errors
    /// [`Code::Missing`], [`Code::Value`].
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), Failure> {
        let settings = &self.core.ports().settings;
        let Some((_, bits, _)) = settings.iter().find(|(known, ..)| *known == name) else {
            let known = self.settings().join(", ");
            return Err(Failure::new(
                Code::Missing,
                format!("there is no setting `{name}`; the settings are {known}"),
            ));
        };
        let last = u64::MAX >> (64 - bits);
        if value > last {
            return Err(Failure::new(Code::Value, format!("`{name}` is {value}; allowed: 0 to {last}")));
        }
        match name {
            "udp_port" => self.given.udp_port = Some(value as u16),
            "flow_label_enable" => self.given.flow_label = value != 0,
            _ => self.given.ethertype = Some(value as u16),
        }
        self.core = core_of(self.core.name(), &self.config, self.given).expect("it was made before");
        Ok(())
    }

    /// A frame goes in; the row beside it was checked.
    pub fn push(&mut self, data: Vec<u8>, beside: &[u64]) {
        let mut frame = Frame { data, ..Frame::default() };
        for ((name, _), value) in self.core.ports().inputs[0].sideband.iter().zip(beside) {
            match (self.core.name(), *name) {
                (_, "s_ev") => frame.ev = *value as u16,
                ("rewrite_tx", "s_timestamp") => frame.timestamp = *value as u16,
                ("rewrite_tx", "s_enable") => frame.enable = *value != 0,
                (_, name) => frame.orders.set(order(name), *value as u32),
            }
        }
        self.answer.clear();
        self.core.answer(&mut frame, &mut self.answer);
        let Answer { leaves_by, events, .. } = self.answer;
        let mut beside = vec![leaves_by.map_or(0, |output| output as u64 + 1)];
        beside.extend((0..self.core.ports().inputs[0].events.len()).map(|event| events >> event & 1));
        self.waiting[0].push_back((if leaves_by.is_some() { frame.data } else { Vec::new() }, beside));
        for (lane, fields) in self.answer.records() {
            self.waiting[1 + lane].push_back((Vec::new(), fields.to_vec()));
        }
    }

    /// How many frames or records wait at an output.
    pub fn due(&self, output: u32) -> usize {
        self.waiting[output as usize].len()
    }

    pub fn next(&self, output: u32) -> Option<&(Vec<u8>, Vec<u64>)> {
        self.waiting[output as usize].front()
    }

    pub fn drop_next(&mut self, output: u32) {
        self.waiting[output as usize].pop_front();
    }
}

/// Name of what a port `s_...` asks for.
fn order(port: &str) -> &str {
    let name = port.strip_prefix("s_").unwrap_or(port);
    debug_assert!(ORDERS.iter().any(|(known, _)| *known == name), "{port}");
    name
}
