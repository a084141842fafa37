//! Nearly all tests of the crate in one binary: each binary more would instantiate the lockstep of every core once more.

mod capture;
mod compare;
mod examples;
mod lockstep;
mod model;
mod nic;
mod order;
mod pages;
mod rules;
mod shells;
mod simulators;
mod stimulus;
mod stream;
mod tor;
mod traces;
mod waves;
