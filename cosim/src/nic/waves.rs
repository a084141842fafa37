//! Waves of some cycles of a block.

use crate::runner::Window;
use crate::verilator::{Model, ModelError, Overlay, Row};

/// Waves that begin and end by themselves.
pub(super) struct Waves {
    window: Window,
    has_begun: bool,
    taken: Option<Result<Vec<u8>, ModelError>>,
}

impl Waves {
    pub fn new(window: Window) -> Waves {
        Waves { window, has_begun: false, taken: None }
    }

    /// Whether nothing more is recorded.
    pub fn are_taken(&self) -> bool {
        self.taken.is_some()
    }

    /// This cycle comes next.
    pub fn before(&mut self, cycle: u64, model: &mut Model) {
        if !self.has_begun && cycle >= self.window.from {
            self.has_begun = true;
            self.taken = model.trace_start_with(marks(self.window)).err().map(Err);
        }
        if self.has_begun && self.taken.is_none() && cycle >= self.window.end {
            self.taken = Some(model.trace_take());
        }
    }

    /// The waves as an FST.
    pub fn take(self, model: &mut Model) -> Result<Vec<u8>, ModelError> {
        self.taken.unwrap_or_else(|| model.trace_take())
    }
}

/// The cycle, and the mark of the difference.
fn marks(window: Window) -> Overlay {
    let rows = (window.from..window.end).map(|cycle| Row { cycle, values: window.values(cycle) });
    Overlay { signals: Window::marks(), rows: rows.collect() }
}
