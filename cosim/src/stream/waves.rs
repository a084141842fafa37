//! Waves of a run of frames: those of the model, and beside each output what it had to show.

use std::convert::Infallible;

use super::block::Block;
use super::device::{Device, StreamDevice};
use super::predict::Predictor;
use super::stream_core::Ports;
use super::witness::{Beat, Due, Now, Record, Witness};
use crate::runner::{Window, expected_of};
use crate::traffic::frames::Frame;
use crate::verilator::{Added, ModelError, Overlay, Row, digits};

/// Runs what is predicted up to the end of the window on a device that has not run, and gives the waves of the window as an
/// FST. A bit of which nothing is promised has the expected value `x`.
pub(super) fn record<S: Iterator<Item = Frame>>(
    predictor: &mut Predictor<'_, S>,
    device: &mut StreamDevice,
    ports: &Ports,
    window: Window,
) -> Result<Vec<u8>, ModelError> {
    let words = device.layout().output_words;
    let (mut block, mut outputs) = (Block::default(), Vec::new());
    while predictor.cycles() < window.from {
        predictor.fill(&mut block, window.from);
        if block.rows() == 0 {
            break;
        }
        outputs.resize(block.rows() * words, 0);
        device.run(&block.inputs, &mut outputs);
    }
    let bus_bits = 64 * device.layout().bus_words as u32;
    let signals = signals(ports, bus_bits);
    let mut expected = Expected {
        ports,
        bus_bits,
        signals: &signals,
        window,
        inputs: Vec::new(),
        rows: Vec::new(),
        now: Vec::new(),
    };
    while predictor.cycles() < window.end {
        expected.begin(predictor.cycles());
        let Ok(()) = predictor.edge(&mut expected);
    }
    let Expected { inputs, rows, .. } = expected;
    outputs.resize(rows.len() * words, 0);
    device.model().trace_start_with(Overlay { signals, rows })?;
    device.run(&inputs, &mut outputs);
    device.model().trace_take()
}

/// The marks, and what each output had to show, in the order in which a witness is told of them.
fn signals(ports: &Ports, bus_bits: u32) -> Vec<Added> {
    let mut signals = Window::marks();
    let mut add = |port: &str, width| signals.push(expected_of(port, width));
    ports.inputs.iter().for_each(|lane| add(&format!("{}_tready", lane.prefix), 1));
    ports.inputs.iter().flat_map(|lane| &lane.events).for_each(|(event, _)| add(event, 1));
    for lane in &ports.outputs {
        let port = |name| format!("{}_{name}", lane.prefix);
        add(&port("tvalid"), 1);
        add(&port("tdata"), bus_bits);
        add(&port("tkeep"), bus_bits / 8);
        add(&port("tlast"), 1);
        add(&port("tuser"), 1);
    }
    for lane in &ports.records {
        add(&format!("{}_valid", lane.prefix), 1);
        lane.fields.iter().for_each(|(port, width)| add(port, *width));
    }
    signals
}

/// Keeps the inputs of each cycle and what its outputs had to show.
struct Expected<'a> {
    ports: &'a Ports,
    bus_bits: u32,
    signals: &'a [Added],
    window: Window,
    inputs: Vec<u64>,
    rows: Vec<Row>,
    /// Values of the cycle that is being told.
    now: Vec<Vec<u8>>,
}

impl Expected<'_> {
    fn begin(&mut self, cycle: u64) {
        let unknown = self.signals.iter().map(|added| vec![b'x'; added.width as usize]);
        let mut values = self.window.values(cycle);
        values.extend(unknown.skip(values.len()));
        self.rows.push(Row { cycle, values });
        self.now.clear();
    }

    fn add(&mut self, value: u64, is_promised: bool, width: u32) {
        self.now.push(digits(value, if is_promised { u64::MAX } else { 0 }, width));
    }
}

impl Witness for Expected<'_> {
    type Error = Infallible;

    fn edge(&mut self, row: &[u64], _: bool) {
        self.inputs.extend_from_slice(row);
    }

    fn ready(
        &mut self,
        _: usize,
        _: impl FnOnce() -> Now,
        expected: bool,
        _: bool,
    ) -> Result<(), Infallible> {
        self.add(expected.into(), true, 1);
        Ok(())
    }

    fn events(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        due: Option<&Due<u64>>,
    ) -> Result<(), Infallible> {
        let events = due.map_or(0, |due| due.value);
        (0..self.ports.inputs[lane].events.len()).for_each(|event| self.add(events >> event & 1, true, 1));
        Ok(())
    }

    fn beat(
        &mut self,
        _: usize,
        _: impl FnOnce() -> Now,
        beat: Option<Beat<'_>>,
        _: bool,
    ) -> Result<(), Infallible> {
        let keep = beat.map_or(0, |beat| beat.keep);
        self.add(beat.is_some().into(), true, 1);
        let byte = |at: usize| match beat {
            Some(beat) if keep >> at & 1 == 1 => digits(beat.data[at / 8] >> (at % 8 * 8), 0xff, 8),
            _ => vec![b'x'; 8],
        };
        let bytes = self.bus_bits as usize / 8;
        self.now.push((0..bytes).rev().flat_map(byte).collect());
        self.add(keep, beat.is_some(), self.bus_bits / 8);
        self.add(beat.is_some_and(|beat| beat.last).into(), beat.is_some(), 1);
        self.add(beat.map_or(0, |beat| beat.user), beat.is_some(), 1);
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
        self.add(record.is_some().into(), true, 1);
        let ports = self.ports;
        for (field, (_, width)) in ports.records[lane].fields.iter().enumerate() {
            self.add(record.map_or(0, |record| record.value[field]), record.is_some(), *width);
        }
        Ok(())
    }

    fn told(&mut self) {
        let marks = self.signals.len() - self.now.len();
        let row = self.rows.last_mut().expect("a cycle that is told has begun");
        row.values.truncate(marks);
        row.values.append(&mut self.now);
    }
}
