//! Random ops, and what is read from files beside captures and op traces.

mod lines;
mod numbers;
mod options;
mod recording;
mod sack_rx;
mod selector;
mod strack_cc;
mod streams;
