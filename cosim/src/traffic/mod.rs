//! Stimulus: captures and op traces read from files, and a random generator.

pub mod capture;
pub mod optrace;
pub mod random;
pub mod recording;
