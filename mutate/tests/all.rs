//! Campaigns of a small core of our own, and the mutants of the generated ones.

mod chosen;
mod explained;
mod small;
