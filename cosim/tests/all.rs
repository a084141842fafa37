//! Nearly all tests of the crate in one binary: each binary more would instantiate the lockstep of every core once more.

mod capture;
mod lockstep;
mod model;
mod nic;
mod rules;
mod stream;
mod waves;
