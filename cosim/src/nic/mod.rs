//! The joined `nic` in lockstep with the golden one.
//!
//! ```text
//!  host ──► Feeder ──► ┌───────────┐ ──► Collector ──► equal? ◄─┐
//!  MAC  ──► Feeder ──► │ Verilator │ ──► Collector ──► equal? ◄─┤
//!                      └─────┬─────┘ ──► events ─────► equal? ◄─┤
//!                            │ which op each part takes         │
//!                            └─────► Follower ──► golden nic ───┘
//! ```

mod beside;
mod device;
mod difference;
mod end;
mod follow;
mod rules;
mod streams;

pub use difference::Difference;
pub use end::{Around, End, Entry, Out};
pub use streams::Given;
