//! The configuration, the manifest and the headers.

mod config;
mod cycles;
mod wire;
