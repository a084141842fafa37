//! The loop: the golden side ahead, block by block, the device behind it, and every output compared.

use super::block::Block;
use super::device::StreamDevice;
use super::explain::Explainer;
pub use super::outcome::{FrameListener, Listeners, RESET_EDGES, Run};
use super::pace::Pacing;
use super::predict::Predictor;
use super::stream_core::StreamCore;
use super::timing::Timing;
use crate::ahead::{blocks_in_turn, make_and_check};
use crate::interrupt;
pub use crate::limit::Limit;
use crate::traffic::frames::Frame;

/// Cycles between two calls of a run's progress callback, whole blocks.
const PROGRESS_CYCLES: u64 = 1 << 16;

/// Runs `device` until the stimulus has ended and the core is empty, the limit is reached, or something is wrong.
/// A run that finds a difference takes the stimulus once more from its beginning, to say what it is.
pub fn run<S: Iterator<Item = Frame> + Clone + Send>(
    core: &dyn StreamCore,
    device: &mut StreamDevice,
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
    let mut follower = Follower { device, listeners, outputs: Vec::new(), cycles: 0 };
    let fill = |predictor: &mut Predictor<'_, S>, block: &mut Block| {
        if interrupt::is_requested() || predictor.cycles() > 0 && deadline.has_passed() {
            return false;
        }
        predictor.fill(block, u64::MAX);
        block.rows() != 0
    };
    let follow = |block: &Block| follower.follow(block).err();
    match make_and_check(begin(), fill, Block::default, follow, blocks_in_turn()) {
        (predictor, None) => predictor.run(),
        (_, Some(Differs { row })) => follower.explain(core, begin(), row),
    }
}

/// The row of a block whose outputs are not as they must be.
struct Differs {
    row: usize,
}

/// The device, which follows the golden side.
struct Follower<'a, 'b> {
    device: &'a mut StreamDevice,
    listeners: &'a mut Listeners<'b>,
    /// Outputs before each edge of the block, behind those before the last edge of the block before.
    outputs: Vec<u64>,
    /// Clock edges before the block.
    cycles: u64,
}

impl Follower<'_, '_> {
    fn follow(&mut self, block: &Block) -> Result<(), Differs> {
        let (input_words, words) = (self.device.layout().idle.len(), self.device.layout().output_words);
        let rows = block.rows();
        self.outputs.resize(self.outputs.len().max((rows + 1) * words), 0);
        let mut done = 0;
        while done < rows {
            let end = done + self.device.rows_at_once(rows - done);
            let inputs = &block.inputs[done * input_words..end * input_words];
            self.device.run(inputs, &mut self.outputs[(done + 1) * words..(end + 1) * words]);
            let layout = self.device.layout();
            let outputs = &self.outputs[done * words..(end + 1) * words];
            if let Some(row) = block.first_wrong(done..end, layout, outputs) {
                self.hand_on(block, row);
                return Err(Differs { row });
            }
            done = end;
        }
        self.hand_on(block, rows);
        self.outputs.copy_within(rows * words..(rows + 1) * words, 0);
        self.cycles += rows as u64;
        if self.cycles % PROGRESS_CYCLES == 0 {
            (self.listeners.progress)(self.cycles, block.frames);
        }
        Ok(())
    }

    /// Tells of the frames that left in the first `rows`.
    fn hand_on(&mut self, block: &Block, rows: usize) {
        let Some(frame) = &mut self.listeners.frame else { return };
        for left in block.left.iter().take_while(|left| left.row < rows) {
            frame(left.number, &left.data);
        }
    }

    /// Repeats the golden side up to `row` of the block, and looks at that row port by port.
    #[cold]
    fn explain<S: Iterator<Item = Frame>>(
        self,
        core: &dyn StreamCore,
        mut predictor: Predictor<'_, S>,
        row: usize,
    ) -> Run {
        let cycle = self.cycles + row as u64;
        self.device.ends_in(cycle);
        let mut block = Block::default();
        while predictor.cycles() < cycle {
            predictor.fill(&mut block, cycle);
        }
        let layout = self.device.layout();
        let words = layout.output_words;
        let (before, seen) = self.outputs[row * words..(row + 2) * words].split_at(words);
        let mut explainer = Explainer { core, layout, before, seen, listeners: self.listeners };
        let difference = predictor.cycle(&mut explainer).expect_err("the row differs from what it must be");
        Run { difference: Some(*difference), ..predictor.run() }
    }
}
