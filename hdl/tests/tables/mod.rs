//! The configuration, the manifest and the headers.

mod config;
mod cycles;
mod numbers;
mod side_by_side;
mod wire;
