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
mod bench;
mod beside;
mod config;
mod cosim;
mod device;
mod difference;
mod end;
mod error;
mod files;
mod follow;
mod give;
mod leaving;
mod log;
mod logged;
mod notes;
mod options;
mod outcome;
mod pair;
mod pauses;
mod plan;
mod probe;
mod random;
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
pub use cosim::cosim;
pub use difference::Difference;
pub use end::{Beats, End, Out};
pub use error::{NicError, REGISTER};
pub use log::{Log, LogError, Step, input_cycle};
pub use logged::Logged;
pub use options::{CaptureReplay, Feed, Frames, Nic, NicOptions, PAIR_BYTES, PairOf};
pub use pair::{Pair, Stop, Tally};
pub use plan::SPEEDUP;
pub use probe::{Course, captured, probed};
pub use report::{NicFailure, NicReport, PairFigures, PathReport, Shrunk};
pub use rtl::Rtl;
pub use run::smallest;
pub use shrink::{Small, shrink};
pub use stimulus::{Act, Entry, Stimulus, StimulusError};
pub use streams::Given;
pub use traffic::Traffic;
pub use upset::upset;
