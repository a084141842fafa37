//! What a memory says of itself in the Verilog.

use crate::manifest::MemoryKind;

/// Name, purpose and kind of a memory.
///
/// A memory at its default has no label and no words. It is a mistake in a design, as somebody made the memory without its
/// constructor: the Verilog backend refuses it with its path, and the simulation stops at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    /// Name of its module.
    pub name: &'static str,
    /// What it holds, one phrase.
    pub about: &'static str,
    /// What synthesis is asked to make of it.
    pub kind: MemoryKind,
}

impl Label {
    /// The value of Verilog's `ram_style` that Vivado and Yosys take.
    pub fn ram_style(self) -> &'static str {
        match self.kind {
            MemoryKind::Block => "block",
            MemoryKind::Ultra => "ultra",
            MemoryKind::Distributed => "distributed",
        }
    }
}
