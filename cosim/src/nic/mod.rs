//! The joined `nic` in lockstep with the golden one.
//!
//! ```text
//!  host ──► Feeder ──► ┌───────────┐ ──► Collector ──► equal? ◄─┐
//!  MAC  ──► Feeder ──► │ Verilator │ ──► Collector ──► equal? ◄─┤
//!                      └─────┬─────┘ ──► events ─────► equal? ◄─┤
//!                            │ which op each part takes         │
//!                            └─────► Follower ──► golden nic ───┘
//! ```

mod access;
mod around;
mod begun;
mod beside;
mod config;
mod device;
mod difference;
mod end;
mod error;
mod files;
mod follow;
mod give;
mod log;
mod logged;
mod pair;
mod plan;
mod probe;
mod registers;
mod replay;
mod report;
mod rtl;
mod rules;
mod run;
mod shrink;
mod stimulus;
mod streams;
mod traffic;
mod upset;
mod waves;

pub use around::Around;
pub use begun::Begun;
pub use config::golden;
pub use difference::Difference;
pub use end::{Beats, End, Out};
pub use error::{NicError, REGISTER};
pub use files::RunFiles;
pub use log::{Log, LogError, Step, input_cycle};
pub use logged::Logged;
pub use pair::{Pair, Stop, Tally};
pub use plan::{CaptureReplay, Frames, SPEEDUP};
pub use probe::{Course, captured, probed};
pub use replay::{ReplayOptions, replay};
pub use report::{NicFailure, PairReport, PathReport, Shrunk};
pub use rtl::Rtl;
pub use run::{PAIR_BYTES, PairOptions, pair, smallest};
pub use shrink::{Small, shrink};
pub use stimulus::{Entry, Stimulus, StimulusError};
pub use streams::Given;
pub use traffic::Traffic;
pub use upset::upset;
