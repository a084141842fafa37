//! What must hold of Flowcut in a switch: in any history, and step by step.

mod histories;
mod steps;
mod traces;
