//! What can happen in a core.

/// Something that can happen in a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub name: String,
    /// The module at whose end it stands, without the core's name before it; empty for the top.
    pub module: String,
    /// The condition on signals of that module, in Verilog; it counts at each rising edge at which it holds.
    pub when: String,
    /// In words.
    pub means: String,
}

impl Point {
    /// Its label in the Verilog, which no signal has for its name.
    pub fn label(&self) -> String {
        format!("point_{}", self.name)
    }
}
