//! The loop: the golden side ahead, block by block, the device behind it, and every output compared.

use super::block::Block;
use super::core::{StreamCore, Timing};
use super::device::StreamDevice;
use super::explain::Explainer;
use super::pace::Pace;
use super::predict::Predictor;
use super::report::Difference;
use crate::ahead::{blocks_in_turn, make_and_check};
use crate::traffic::frames::Frame;

/// Clock edges with `rst` high with which every run begins.
pub const RESET_EDGES: u64 = 2;
/// Cycles between two calls of a run's progress callback, whole blocks.
const PROGRESS_CYCLES: u64 = 1 << 16;

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Clock edges in all, the run's own reset included.
    pub cycles: u64,
    /// Frames begun, the one on offer at the end included.
    pub begun: u64,
    /// Frames that left whole.
    pub frames: u64,
    pub beats: u64,
    pub bytes: u64,
    pub resets: u64,
    /// Cycles in which the input was held up.
    pub held_up: u64,
    /// Of the core's own counts, frames lost to a reset included.
    pub counts: Vec<u64>,
    /// The first difference, at which the run stopped.
    pub difference: Option<Difference>,
}

/// Takes a frame's number in the stimulus, from 0, and its bytes as they left.
pub type FrameListener<'a> = &'a mut dyn FnMut(u64, &[u8]);

/// Who hears of a run.
pub struct Listeners<'a> {
    /// A frame has left.
    pub frame: Option<FrameListener<'a>>,
    /// Now and then: clock edges, and frames that have left.
    pub progress: &'a mut dyn FnMut(u64, u64),
}

/// Runs `device` until the stimulus has ended and the core is empty, `cycles` edges have passed, or something is wrong.
/// A run that finds a difference takes the stimulus once more from its beginning, to say what it is.
pub fn run<S: Iterator<Item = Frame> + Clone + Send>(
    core: &dyn StreamCore,
    device: &mut StreamDevice,
    timing: Timing,
    stimulus: S,
    pace: Pace,
    cycles: u64,
    listeners: &mut Listeners<'_>,
) -> Run {
    let (layout, keeps_frames) = (device.layout().clone(), listeners.frame.is_some());
    let begin = || Predictor::new(core, layout.clone(), timing, stimulus.clone(), pace, cycles, keeps_frames);
    let mut follower = Follower { device, listeners, outputs: Vec::new(), cycles: 0 };
    let fill = |predictor: &mut Predictor<'_, S>, block: &mut Block| {
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
