//! Waves of a run of ops: those of the model, and beside each output what it had to show.

use respray_hdl::manifest::Manifest;

use super::compare::outputs_of;
use super::device::PortDevice;
use super::op_core::OpCore;
use super::produce::Producer;
use super::rows::{Block, Device};
use super::run::{BLOCK_CYCLES, Given};
use crate::runner::{Window, expected_of};
use crate::verilator::{ModelError, Overlay, Row, digits};

/// Runs the stimulus up to the end of the window on a device that has not run, and gives the waves of the window as an FST.
/// A bit of which nothing is promised has the expected value `x`. Behind the end of the stimulus all inputs are 0.
pub(super) fn record<C: OpCore>(
    manifest: &Manifest,
    device: &mut PortDevice,
    given: Given<'_, C::Op>,
    window: Window,
) -> Result<Vec<u8>, ModelError> {
    let layout = device.layout().clone();
    let (input_words, output_words) = layout.words;
    let mut producer = Producer::<C>::new(manifest, &layout, given, window.end);
    let mut block = Block::new(&layout, BLOCK_CYCLES);
    let mut outputs = vec![0; output_words * BLOCK_CYCLES];
    let mut cycle = 0;
    while cycle < window.from && !producer.has_ended() {
        producer.fill(&mut block, BLOCK_CYCLES.min((window.from - cycle) as usize));
        let rows = block.cycles;
        device.cycles(&block.inputs[..input_words * rows], &mut outputs[..output_words * rows]);
        cycle += rows as u64;
    }
    let ports = outputs_of(producer.predictor(), &layout, &manifest.config);
    let mut overlay = Overlay { signals: Window::marks(), rows: Vec::new() };
    overlay.signals.extend(ports.iter().map(|(port, _, width)| expected_of(port, *width)));
    let mut inputs = Vec::new();
    while cycle < window.end {
        block.cycles = 0;
        if !producer.has_ended() {
            producer.fill(&mut block, 1);
        }
        if block.cycles == 0 {
            [&mut block.inputs, &mut block.care].into_iter().for_each(|words| words.fill(0));
        }
        inputs.extend_from_slice(&block.inputs[..input_words]);
        let mut values = window.values(cycle);
        values
            .extend(ports.iter().map(|(_, at, width)| digits(block.expected[*at], block.care[*at], *width)));
        overlay.rows.push(Row { cycle, values });
        cycle += 1;
    }
    device.model().trace_start_with(overlay)?;
    device.cycles(&inputs, &mut vec![0; output_words * (inputs.len() / input_words)]);
    device.model().trace_take()
}
