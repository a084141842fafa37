//! How much waits for an engine.

/// Ops that an engine has been given and has not done yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Clock cycle at which all of them are done.
    until: u64,
}

impl Load {
    /// Gives the engine an op of so many cycles at a time, unless `most` ops wait already.
    pub fn take(&mut self, now: u64, cycles: u64, most: u64) -> bool {
        let begin = self.until.max(now);
        if begin - now >= most * cycles {
            return false;
        }
        self.until = begin + cycles;
        true
    }
}
