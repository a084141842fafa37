//! Campaigns of a small core of our own, the mutants of the generated ones, and what faults in the field do to them.

mod chosen;
mod explained;
mod small;
mod upset;
