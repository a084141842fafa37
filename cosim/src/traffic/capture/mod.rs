//! Captures as stimulus: file → raw frames → headers → frames of the profile → ops.

mod account;
mod beginning;
mod error;
mod file;
mod flight;
mod frame;
mod headers;
mod info;
mod interface;
pub mod ops;
mod profile;
mod record;
mod source;

pub use account::{Account, Became};
pub use beginning::Beginnings;
pub use error::{CaptureError, Fault, Place};
pub use file::{CaptureFile, Cut, RawFrame};
pub use flight::{Expired, Flight};
pub use frame::{Ack, Data, Kind, ProfileFrame, Sack, Side};
pub use headers::{Headers, Ip};
pub use info::{EcnCounts, Info, ProfileInfo, info};
pub use ops::{CaptureOps, CaptureOptions, Listener, Survey};
pub use profile::{Found, Profile, ProfileFrames, why_other};
pub use source::CaptureSource;
