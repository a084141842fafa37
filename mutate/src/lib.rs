pub mod mutants;
pub mod schemata;
pub mod verilog;
