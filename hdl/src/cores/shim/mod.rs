//! What `shim_push` and `shim_pop` share: the beats that a frame's head is read from, and what is read.
//!
//! A shim begins at byte 12 + 4v of a frame, v being the number of VLAN tags, and is 8 or 12 bytes long: in the steps of 32 bits
//! that `rewrite` speaks of, two or three whole ones from step 3 + v on. So a frame is cut and joined between steps.
//!
//! ```text
//!            ┌───────────────────────────────────────────┐     ┌────────────┐     ┌───────┐
//!  beat ────►│ Window: newest ... the first 9 steps, ... ├────►│ beat 0,    ├────►│ Queue ├──► m_axis
//!            └─────────────────────┬─────────────────────┘     │ cut, moved │     └───────┘
//!                                  └──► Finder ──► plan ──────►└────────────┘
//! ```

pub mod describe;
mod extent;
mod finder;
mod place;
mod window;

pub use extent::Extent;
pub use finder::{Finder, Found, Plan};
pub use place::Place;
pub use window::Window;

/// The steps that are looked at: the EtherType behind the longest shim behind two tags is the last.
const STEPS: usize = 9;

/// Beats of the window on a bus of so many bytes: those that hold the steps that are looked at, at least two, and the beat
/// that leaves.
pub const fn window(bytes: usize) -> usize {
    let beats = (4 * STEPS).div_ceil(bytes);
    if beats < 2 { 3 } else { beats + 1 }
}
