//! The golden models behind a C interface, for simulators and for other languages.
//!
//! A model is opened by the name of a core, or `nic`, and a configuration as TOML, and has a number from then on. Cores
//! that take ops take rows of words and give rows of words; cores that packets stream through, and `nic`, take frames and
//! give frames, each with a row of words beside it. [`describe`](border::respray_describe) says what the words are.
//!
//! [`border`] is the interface and [`given`] what its callers give: the only `unsafe` code here. [`handles`] keeps the models by their numbers, [`model`] is
//! what every model can be asked, and [`ops`], [`frames`] and [`nic`] are the three kinds.

pub mod border;
mod describe;
mod error;
mod frames;
mod given;
mod handles;
mod model;
mod nic;
mod ops;

pub use describe::{Lane, Word};
pub use error::{Code, Failure};
pub use handles::{close, with};
pub use model::{Model, Rows, open};
