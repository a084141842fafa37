//! The waveform of one packet as the golden side and the manifest have it, which is what the lockstep holds the RTL against.

use std::convert::Infallible;

use etherparse::PacketBuilder;
use respray_golden::shim::{ETHERTYPE, Fields, Kind};
use respray_golden::shim_push::{Request, push};
use respray_golden::wire::{Profile, strack};
use respray_hdl::config::Config;
use respray_hdl::cores::Core;
use respray_hdl::manifest::{Direction, Port};

use super::PageError;
use super::designs::design;
use super::wavedrom::{Lane, drawn};
use crate::stream::layout::Layout;
use crate::stream::predict::Predictor;
use crate::stream::stream_core::{Ports, RewriterSettings};
use crate::stream::timing::Timing;
use crate::stream::witness::{Beat, Due, Now, Record, Witness};
use crate::stream::{Frame, Orders, Pace, core_of};

/// Bytes behind the profile's header: the packet has two beats of 512 bits.
const PAYLOAD_BYTES: usize = 42;

/// Cycles in which everything that a packet does has happened.
const MOST_CYCLES: usize = 64;

/// Draws a data packet of `strack`, which `shim_pop` gets with a shim of CAVER and `shim_push` is to give one.
pub(super) fn text(core: &Core, config: &Config) -> Result<String, PageError> {
    let generated = design(core.name, config)?;
    let manifest = &generated.manifest;
    let golden = core_of(core.name, config, RewriterSettings::default())?;
    let (layout, timing) = (Layout::plain(manifest, golden.ports()), Timing::of(manifest, golden.ports()));
    let frames = [frame(core.name)].into_iter();
    let mut predictor =
        Predictor::new(golden.as_ref(), &layout, &timing, frames, Pace::default(), u64::MAX, false);
    let mut course = Course::new(golden.ports(), &layout);
    for _ in 0..MOST_CYCLES {
        let Ok(()) = predictor.cycle(&mut course);
    }
    Ok(drawn(&course.lanes(&manifest.ports)))
}

/// Ethernet, IPv4, UDP, the profile's header, zeros; what is asked of the cores of shims.
fn frame(core: &str) -> Frame {
    let header =
        strack::Data { connection: 3, ack_request: true, psn: 5, timestamp: 1000, probe: false, hops: 0 };
    let mut payload = header.to_bytes().to_vec();
    payload.resize(payload.len() + PAYLOAD_BYTES, 0);
    let builder = PacketBuilder::ethernet2([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2])
        .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
        .udp(0x1234, Profile::Strack.udp_port());
    let mut data = Vec::new();
    builder.write(&mut data, &payload).expect("a packet of this size can be written");
    let shim = Fields { enable: true, hop: 1, path: 0xffff_1914, ..Fields::default() };
    let mut orders = Orders::default();
    if core == "shim_pop" {
        orders.set("take_out", 31);
        push(&mut data, Request::Insert(Some(Kind::CaverData), shim), ETHERTYPE);
    } else if core == "shim_push" {
        let asked = [("op", 1), ("kind", Kind::CaverData.code()), ("enable", 1), ("hop", 1)];
        asked.into_iter().for_each(|(name, value)| orders.set(name, value as u32));
        orders.set("path", shim.path);
    }
    Frame { data, ev: 77, timestamp: 1000, enable: true, orders, ..Frame::default() }
}

/// What the ports carry and must show, cycle by cycle.
struct Course<'a> {
    ports: &'a Ports,
    layout: &'a Layout,
    /// Of each input, beats of the packet that were taken. It is offered without a gap.
    taken: Vec<u64>,
    signals: Vec<Signal>,
}

/// A port; of `tdata` the number of the beat.
struct Signal {
    name: String,
    /// Of each cycle; `None` where nobody promises anything.
    values: Vec<Option<u64>>,
}

impl<'a> Course<'a> {
    fn new(ports: &'a Ports, layout: &'a Layout) -> Self {
        Course { ports, layout, taken: vec![0; ports.inputs.len()], signals: Vec::new() }
    }

    /// What a port has in this cycle.
    fn tell(&mut self, port: &str, value: Option<u64>) {
        match self.signals.iter_mut().find(|signal| signal.name == port) {
            Some(signal) => signal.values.push(value),
            None => self.signals.push(Signal { name: port.to_string(), values: vec![value] }),
        }
    }

    /// What a channel has in this cycle: the beat's number, and whether it is the packet's last.
    fn tell_beat(&mut self, prefix: &str, beat: Option<(u64, bool)>) {
        self.tell(&format!("{prefix}_tvalid"), Some(beat.is_some().into()));
        self.tell(&format!("{prefix}_tdata"), beat.map(|(number, _)| number));
        self.tell(&format!("{prefix}_tlast"), beat.map(|(_, is_last)| is_last.into()));
    }

    /// A cycle in which the core is empty, then from the first beat that is taken until the core is empty again.
    fn shown(&self) -> Vec<usize> {
        let (ready, others): (Vec<&Signal>, Vec<_>) =
            self.signals.iter().partition(|signal| signal.name.ends_with("_tready"));
        let is_one = |value: &Option<u64>| value.is_some_and(|value| value != 0);
        let first = ready.iter().filter_map(|signal| signal.values.iter().position(is_one)).min();
        let last = others.iter().filter_map(|signal| signal.values.iter().rposition(is_one)).max();
        let (first, empty) = (first.unwrap_or(0), last.map_or(0, |last| last + 1));
        [empty].into_iter().chain(first..=empty).collect()
    }

    /// A lane for each port that has something to show, the inputs first.
    fn lanes(&self, ports: &[Port]) -> Vec<Lane> {
        let shown = self.shown();
        let of = |direction| ports.iter().filter(move |port| port.direction == direction);
        let lane = |port: &Port| {
            let signal = self.signals.iter().find(|signal| signal.name == port.name)?;
            let values: Vec<Option<u64>> = shown.iter().map(|cycle| signal.values[*cycle]).collect();
            let spelt = |prefix: &str| values.iter().map(|v| v.map(|v| format!("{prefix}{v}"))).collect();
            match port.width {
                _ if values.iter().all(|value| value.is_none_or(|value| value == 0)) => None,
                1 => Some(Lane::bit(&port.name, &values)),
                _ if port.name.ends_with("_tdata") => Some(Lane::bus(&port.name, spelt("beat "))),
                _ => Some(Lane::bus(&port.name, spelt(""))),
            }
        };
        of(Direction::Input).chain(of(Direction::Output)).filter_map(lane).collect()
    }
}

impl Witness for Course<'_> {
    type Error = Infallible;

    fn edge(&mut self, row: &[u64], _: bool) {
        for (lane, (input, columns)) in self.ports.inputs.iter().zip(&self.layout.inputs).enumerate() {
            let beat = columns.offered(row).map(|is_last| (self.taken[lane], is_last));
            self.tell_beat(input.prefix, beat);
            let is_first = beat.is_some_and(|(number, _)| number == 0);
            for ((name, _), value) in input.sideband.iter().zip(columns.sideband(row)) {
                self.tell(name, is_first.then_some(value));
            }
        }
    }

    fn ready(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        is_ready: bool,
        _: bool,
    ) -> Result<(), Infallible> {
        self.tell(&format!("{}_tready", self.ports.inputs[lane].prefix), Some(is_ready.into()));
        self.taken[lane] += u64::from(is_ready);
        Ok(())
    }

    fn events(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        due: Option<&Due<u64>>,
    ) -> Result<(), Infallible> {
        for (bit, (name, _)) in self.ports.inputs[lane].events.iter().enumerate() {
            self.tell(name, Some(due.map_or(0, |due| due.value >> bit & 1)));
        }
        Ok(())
    }

    fn beat(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        beat: Option<Beat<'_>>,
        _: bool,
    ) -> Result<(), Infallible> {
        self.tell_beat(self.ports.outputs[lane].prefix, beat.map(|beat| (beat.at as u64, beat.last)));
        Ok(())
    }

    fn left(&mut self, _: u64, _: Option<Vec<u8>>) {}

    fn record(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        record: Option<&Record>,
        _: bool,
    ) -> Result<(), Infallible> {
        let records = &self.ports.records[lane];
        self.tell(&format!("{}_valid", records.prefix), Some(record.is_some().into()));
        for (field, (name, _)) in records.fields.iter().enumerate() {
            self.tell(name, record.map(|record| record.value[field]));
        }
        Ok(())
    }

    fn told(&mut self) {}
}
