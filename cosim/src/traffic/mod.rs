//! Stimulus: captures and op traces read from files, and a random generator.

pub mod capture;
pub mod frames;
pub mod gzip;
pub mod hexadecimal;
pub mod lines;
pub mod optrace;
pub mod pcap;
pub mod random;
pub mod recording;
pub mod stimulus;
