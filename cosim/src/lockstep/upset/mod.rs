//! One bit of one memory flips while a core is at work: what comes of it, beside the golden model, which knows nothing of the flip.
//!
//! ```text
//!  random ops, a flip, and ops that  ──► inputs ──┬──► device ──► rows seen ────┐
//!  write anew what is spoilt                      └──► golden model, op by op ──┴─► compared, but for what is spoilt
//! ```
//!
//! The lockstep of [`super::run`] makes its rows ahead, as nothing depends on what the device shows. Here it does: an op that reads what
//! is spoilt may take another time, draw a random number or not, and change other entries. So device and golden side go on cycle by cycle
//! together. [`rules`] says what may differ, [`drive`] what the device is given, [`follow`] compares, and [`spoilt`] keeps what is spoilt.
//! Where words have parity, nothing may differ: [`broken`] says which op meets the word with the flipped bit, and the golden model is
//! told that the connection is lost there.

mod broken;
mod drive;
mod follow;
pub mod rules;
mod run;
mod spoilt;

pub(crate) use self::run::upset;
