//! Campaigns of a small core of our own, the mutants of the generated ones, what faults in the field do to them, with parity and
//! without, what their runs hit, and bits that nobody knows.

mod chosen;
mod cover;
mod explained;
mod parity;
mod sampled;
mod small;
mod unknown;
mod upset;
