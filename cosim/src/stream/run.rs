//! The loop: the golden side ahead, block by block, the device behind it, and every output compared.

use super::block::Block;
use super::device::Device;
use super::explain::Explainer;
pub use super::outcome::{FrameListener, Listeners, RESET_EDGES, RowListener, Run, WrongListener};
use super::pace::Pacing;
use super::predict::Predictor;
use super::stream_core::{Ports, StreamCore};
use super::timing::Timing;
use crate::ahead::{blocks_in_turn, make_and_check};
use crate::interrupt;
pub use crate::limit::Limit;
use crate::report::Differing;
use crate::traffic::frames::Frame;

/// Cycles between two calls of a run's progress callback, whole blocks.
const PROGRESS_CYCLES: u64 = 1 << 16;

/// Runs `device` until the stimulus has ended and the core is empty, the limit is reached, or something is wrong.
/// A run that finds a difference takes the stimulus once more from its beginning, to say what it is.
pub fn run<S: Iterator<Item = Frame> + Clone + Send>(
    core: &dyn StreamCore,
    device: &mut dyn Device,
    timing: &Timing,
    stimulus: S,
    pacing: impl Into<Pacing>,
    limit: impl Into<Limit>,
    listeners: &mut Listeners<'_>,
) -> Run {
    let limit = limit.into();
    let (cycles, deadline) = (limit.cycles, limit.begin());
    let (layout, keeps_frames) = (device.layout().clone(), listeners.frame.is_some());
    let pacing = pacing.into();
    let begin = || Predictor::new(core, &layout, timing, stimulus.clone(), pacing, cycles, keeps_frames);
    let mut follower = Follower {
        device,
        listeners,
        ports: core.ports(),
        outputs: Vec::new(),
        cycles: 0,
        first: None,
        differing: Differing::default(),
    };
    let fill = |predictor: &mut Predictor<'_, S>, block: &mut Block| {
        if interrupt::is_requested() || predictor.cycles() > 0 && deadline.has_passed() {
            return false;
        }
        predictor.fill(block, u64::MAX);
        block.rows() != 0
    };
    let follow = |block: &Block| follower.follow(block).err();
    let (predictor, end) = make_and_check(begin(), fill, Block::default, follow, blocks_in_turn());
    let differing = std::mem::take(&mut follower.differing);
    let Some(first) = follower.first.take() else { return predictor.run() };
    let found = follower.explain(core, begin(), &first);
    if end.is_some() {
        return found;
    }
    let run = predictor.run();
    Run { difference: found.difference, begun_by_difference: found.begun, differing, ..run }
}

/// The run ends with a difference, or because the device has ended.
struct Stop;

/// The first cycle that differs, with its outputs behind those of the cycle before.
struct First {
    cycle: u64,
    outputs: Vec<u64>,
}

/// The device, which follows the golden side.
struct Follower<'a, 'b> {
    device: &'a mut dyn Device,
    listeners: &'a mut Listeners<'b>,
    ports: &'a Ports,
    /// Outputs before each edge of the block, behind those before the last edge of the block before.
    outputs: Vec<u64>,
    /// Clock edges before the block.
    cycles: u64,
    first: Option<First>,
    /// Of a run that keeps going.
    differing: Differing,
}

impl Follower<'_, '_> {
    fn follow(&mut self, block: &Block) -> Result<(), Stop> {
        let (input_words, words) = (self.device.layout().idle.len(), self.device.layout().output_words);
        let rows = block.rows();
        self.outputs.resize(self.outputs.len().max((rows + 1) * words), 0);
        let mut done = 0;
        while done < rows {
            let end = done + self.device.rows_at_once(rows - done);
            let inputs = &block.inputs[done * input_words..end * input_words];
            let outputs = &mut self.outputs[(done + 1) * words..(end + 1) * words];
            let ran = done + self.device.run(inputs, outputs);
            while let Some(row) = self.first_wrong(block, done, ran) {
                self.differs(block, row);
                if !self.listeners.keeps_going {
                    self.hand_on(block, row, row + 1);
                    return Err(Stop);
                }
                done = row + 1;
            }
            if ran < end {
                self.hand_on(block, ran, ran);
                return Err(Stop);
            }
            done = end;
        }
        self.hand_on(block, rows, rows);
        self.outputs.copy_within(rows * words..(rows + 1) * words, 0);
        self.cycles += rows as u64;
        if self.cycles.is_multiple_of(PROGRESS_CYCLES) {
            (self.listeners.progress)(self.cycles, block.frames);
        }
        Ok(())
    }

    /// The first of these rows whose outputs are not as they must be.
    fn first_wrong(&self, block: &Block, from: usize, end: usize) -> Option<usize> {
        let layout = self.device.layout();
        let words = layout.output_words;
        block.first_wrong(from..end, layout, &self.outputs[from * words..(end + 1) * words])
    }

    /// Notes a row that differs.
    #[cold]
    fn differs(&mut self, block: &Block, row: usize) {
        let layout = self.device.layout();
        let words = layout.output_words;
        let outputs = &self.outputs[row * words..(row + 2) * words];
        if self.first.is_none() {
            self.first = Some(First { cycle: self.cycles + row as u64, outputs: outputs.to_vec() });
        }
        if self.listeners.keeps_going {
            let wrong = block.wrong_ports(row, layout, self.ports, &outputs[words..]);
            if let Some(hear) = &mut self.listeners.wrong {
                hear(self.cycles + row as u64, &wrong);
            }
            self.differing.cycles += 1;
            for port in wrong {
                *self.differing.ports.entry(port).or_default() += 1;
            }
        }
    }

    /// Tells of the frames that left in the first `rows`, and of the cycles of the first `seen`.
    fn hand_on(&mut self, block: &Block, rows: usize, seen: usize) {
        if let Some(hear) = &mut self.listeners.row {
            let (input_words, words) = (self.device.layout().idle.len(), self.device.layout().output_words);
            let inputs = block.inputs.chunks_exact(input_words);
            let outputs = self.outputs[words..].chunks_exact(words);
            for ((cycle, inputs), outputs) in (self.cycles..).zip(inputs).zip(outputs).take(seen) {
                hear(cycle, inputs, outputs);
            }
        }
        let Some(frame) = &mut self.listeners.frame else { return };
        for left in block.left.iter().take_while(|left| left.row < rows) {
            frame(left.number, &left.data);
        }
    }

    /// Repeats the golden side up to the first difference, and looks at that cycle port by port.
    #[cold]
    fn explain<S: Iterator<Item = Frame>>(
        self,
        core: &dyn StreamCore,
        mut predictor: Predictor<'_, S>,
        first: &First,
    ) -> Run {
        let First { cycle, outputs } = first;
        self.device.ends_in(*cycle);
        let mut block = Block::default();
        while predictor.cycles() < *cycle {
            predictor.fill(&mut block, *cycle);
        }
        let layout = self.device.layout();
        let (before, seen) = outputs.split_at(layout.output_words);
        let mut explainer = Explainer { core, layout, before, seen, listeners: self.listeners };
        let difference = predictor.cycle(&mut explainer).expect_err("the row differs from what it must be");
        let run = predictor.run();
        Run { difference: Some(*difference), begun_by_difference: run.begun, ..run }
    }
}
