//! What leaves a core in the coming cycles: a ring with one slot a cycle.

/// Longest latency in cycles.
pub const MAX_LATENCY: u32 = 63;

/// A ring of slots, the first of which is the coming clock edge's.
#[derive(Clone, Debug)]
pub struct Pipeline<T> {
    slots: [T; MAX_LATENCY as usize + 1],
    /// Place of the coming edge's slot, modulo the length.
    at: usize,
    /// Bit i: something leaves i edges after the coming one.
    filled: u64,
}

impl<T: Copy + Default> Default for Pipeline<T> {
    fn default() -> Self {
        Pipeline { slots: [T::default(); MAX_LATENCY as usize + 1], at: 0, filled: 0 }
    }
}

impl<T: Copy> Pipeline<T> {
    /// What leaves at the coming edge.
    #[inline(always)]
    pub fn leaving(&self) -> Option<&T> {
        if self.filled & 1 != 0 { Some(&self.slots[self.at % self.slots.len()]) } else { None }
    }

    /// Something enters at the coming edge and leaves `latency` edges later.
    ///
    /// # Panics
    /// If the latency is 0 or above [`MAX_LATENCY`], or something leaves then already.
    #[inline(always)]
    pub fn enter(&mut self, latency: u32, value: T) {
        assert!((1..=MAX_LATENCY).contains(&latency), "a latency that is not provided for");
        assert!(self.filled >> latency & 1 == 0, "two results leave in one cycle");
        self.filled |= 1 << latency;
        self.slots[self.at.wrapping_add(latency as usize) % self.slots.len()] = value;
    }

    /// The coming edge has passed.
    #[inline(always)]
    pub fn step(&mut self) {
        self.filled >>= 1;
        self.at = self.at.wrapping_add(1);
    }

    /// Drops all that has not left.
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Nothing is under way.
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_enters_leaves_after_its_latency_and_once() {
        for latency in [1, 2, 5, MAX_LATENCY] {
            let mut pipeline = Pipeline::default();
            for edge in 0..1000_u32 {
                let leaving = pipeline.leaving().copied();
                let entered = edge.checked_sub(latency).filter(|edge| edge % 3 == 0);
                assert_eq!(leaving, entered, "latency {latency}, edge {edge}");
                if edge % 3 == 0 {
                    pipeline.enter(latency, edge);
                }
                pipeline.step();
            }
        }
    }

    #[test]
    fn latencies_may_differ_and_clear_drops_all() {
        let mut pipeline = Pipeline::default();
        pipeline.enter(4, 'a');
        pipeline.enter(2, 'b');
        assert!(!pipeline.is_empty());
        let mut left = Vec::new();
        for _ in 0..6 {
            left.push(pipeline.leaving().copied());
            pipeline.step();
        }
        assert_eq!(left, [None, None, Some('b'), None, Some('a'), None]);
        assert!(pipeline.is_empty());
        pipeline.enter(3, 'c');
        pipeline.clear();
        assert!(pipeline.is_empty());
        for _ in 0..MAX_LATENCY {
            assert_eq!(pipeline.leaving(), None);
            pipeline.step();
        }
    }

    #[test]
    #[should_panic(expected = "two results leave in one cycle")]
    fn two_results_in_one_cycle_are_an_error_of_the_adapter() {
        let mut pipeline = Pipeline::default();
        pipeline.enter(4, 1);
        pipeline.step();
        pipeline.enter(3, 2);
    }
}
