//! Captures as stimulus: containers, link layers, headers, ops and bad input.

mod bad;
mod builder;
mod containers;
mod frames;
mod links;
mod ops;
mod public;
mod window;
