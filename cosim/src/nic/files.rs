//! Waves of a run, and what it takes to make them.

use thiserror::Error;

use super::end::End;
use super::pair::Stop;
use crate::runner::{RunError, Window};
use crate::verilator::ModelError;

/// Why there are no waves although they were asked for.
#[derive(Debug, Error)]
pub(super) enum NoWaves {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("no waves were written, since the blocks differ while their connections are opened")]
    Setup,
    #[error("no waves were written, since no frame was given")]
    NoFrames,
}

/// Which cycles of an end the waves of its run show.
pub(super) fn window(end: &End, stop: Option<&Stop>) -> Result<Window, NoWaves> {
    match stop {
        // what the block was given behind its difference nobody knows
        Some(Stop::Differs(_, difference)) => Ok(Window::around(difference.cycle, 0)),
        Some(Stop::Broken(..)) => Ok(Window::up_to(end.cycle())),
        None => {
            let first = end.first_frame().ok_or(NoWaves::NoFrames)?;
            Ok(Window::of_first(first, end.cycle()))
        }
    }
}
