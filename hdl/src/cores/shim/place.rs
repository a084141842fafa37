//! Which steps of the beat that leaves are a frame's shim, or behind it.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::Plan;
use crate::comment;
use crate::cores::rewrite::Geometry;
use crate::prims::Param;

/// Counts the beats of the frame in place 0 of the window, and compares its steps with where the shim begins.
#[derive(LogicBlock, Part)]
pub struct Place<const N: usize, const BB: usize> {
    pub clk: Signal<In, Clock>,
    /// A beat comes to place 0; it is the first of a frame.
    pub advance: Signal<In, Bit>,
    pub is_first: Signal<In, Bit>,
    /// The steps count on without a beat.
    pub step: Signal<In, Bit>,
    pub plan: Signal<In, Plan>,
    /// The step is the shim's first or behind that.
    pub is_behind: [Signal<Out, Bit>; N],
    /// It is the shim's first, second, third.
    pub is_word_0: [Signal<Out, Bit>; N],
    pub is_word_1: [Signal<Out, Bit>; N],
    pub is_word_2: [Signal<Out, Bit>; N],

    beat: DFF<Bits<BB>>,
    /// Bit s: step s, of the first 16, is in the beat.
    front: Signal<Local, Bits<16>>,
    is_past: Signal<Local, Bit>,
    from: Signal<Local, Bits<16>>,
    at: Signal<Local, Bits<16>>,
    behind: [Signal<Local, Bits<16>>; N],
    word_0: [Signal<Local, Bits<16>>; N],
    word_1: [Signal<Local, Bits<16>>; N],
    word_2: [Signal<Local, Bits<16>>; N],
    step_beat: [Param<Bits<BB>>; 16],
    /// The last beat with one of the first 16 steps, and the number at which the count stays.
    last_front: Param<Bits<BB>>,
    last_beat: Param<Bits<BB>>,
    /// The steps that a lane stands for, among the first 16.
    steps_of: [Param<Bits<16>>; N],
}

impl<const N: usize, const BB: usize> Default for Place<N, BB> {
    fn default() -> Self {
        fn each<T: Default, const N: usize>() -> [T; N] {
            std::array::from_fn(|_| T::default())
        }
        let last_beat = Geometry::new(32 * N).last_beat;
        let steps_of = |lane| (0..16).filter(|step| step % N == lane).map(|step| 1u64 << step).sum::<u64>();
        Self {
            clk: Default::default(),
            advance: Default::default(),
            is_first: Default::default(),
            step: Default::default(),
            plan: Default::default(),
            is_behind: each(),
            is_word_0: each(),
            is_word_1: each(),
            is_word_2: each(),
            beat: Default::default(),
            front: Default::default(),
            is_past: Default::default(),
            from: Default::default(),
            at: Default::default(),
            behind: each(),
            word_0: each(),
            word_1: each(),
            word_2: each(),
            step_beat: std::array::from_fn(|step| Param::new(((step / N) as u64).into())),
            last_front: Param::new(((15 / N) as u64).into()),
            last_beat: Param::new(last_beat.into()),
            steps_of: std::array::from_fn(|lane| Param::new(steps_of(lane).into())),
        }
    }
}

// As one condition it is placed worse on ECP5: 149 in place of 157 MHz.
#[allow(clippy::collapsible_if)]
impl<const N: usize, const BB: usize> Logic for Place<N, BB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Which steps of a beat are the shim, or behind it.");
        dff_setup!(self, clk, beat);
        if self.advance.val() || self.step.val() {
            if self.beat.q.val() != self.last_beat.val() {
                self.beat.d.next = self.beat.q.val() + 1;
            }
        }
        if self.advance.val() && self.is_first.val() {
            self.beat.d.next = bits::<BB>(0);
        }
        self.front.next = bits::<16>(0);
        for s in 0..16 {
            self.front.next = self.front.val().replace_bit(s, self.beat.q.val() == self.step_beat[s].val());
        }
        self.is_past.next = self.beat.q.val() > self.last_front.val();
        self.from.next = bits::<16>(0xFFF8) << self.plan.val().tags;
        self.at.next = bits::<16>(0x0008) << self.plan.val().tags;
        for j in 0..N {
            self.behind[j].next = self.from.val() & self.front.val() & self.steps_of[j].val();
            self.word_0[j].next = self.at.val() & self.front.val() & self.steps_of[j].val();
            self.word_1[j].next = (self.at.val() << 1) & self.front.val() & self.steps_of[j].val();
            self.word_2[j].next = (self.at.val() << 2) & self.front.val() & self.steps_of[j].val();
            self.is_behind[j].next = self.is_past.val() || (self.behind[j].val() != bits::<16>(0));
            self.is_word_0[j].next = self.word_0[j].val() != bits::<16>(0);
            self.is_word_1[j].next = self.word_1[j].val() != bits::<16>(0);
            self.is_word_2[j].next = self.word_2[j].val() != bits::<16>(0);
        }
    }
}
