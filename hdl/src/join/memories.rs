//! The memories of modules, as their Verilog declares them.

use crate::manifest::{Memory, MemoryKind};

/// What stands before the declaration of a memory, as the memories of [`prims`](crate::prims) print it.
const STYLE: &str = "(* ram_style = \"";

/// The memory that a module of this name and text is, if it is one: a module of one array, whose purpose stands above it.
pub fn memory(name: &str, text: &str) -> Option<Memory> {
    let mut lines = text.lines().map(str::trim);
    let meaning = lines.clone().find_map(|line| line.strip_prefix("// ")).unwrap_or_default();
    let style = lines.find_map(|line| line.strip_prefix(STYLE))?;
    let declaration = lines.next()?;
    let mut sizes = declaration.split('[').skip(1).filter_map(|range| range.split(']').next());
    let (bits, words) = (sizes.next()?.split(':').next()?, sizes.next()?.split(':').next_back()?);
    Some(Memory {
        name: name.to_string(),
        words: words.parse::<u32>().ok()? + 1,
        bits: bits.parse::<u32>().ok()? + 1,
        kind: kind(style.split('"').next()?)?,
        meaning: meaning.trim_end_matches('.').to_string(),
    })
}

/// The kind that `ram_style` asks for.
fn kind(style: &str) -> Option<MemoryKind> {
    match style {
        "block" => Some(MemoryKind::Block),
        "ultra" => Some(MemoryKind::Ultra),
        "distributed" => Some(MemoryKind::Distributed),
        _ => None,
    }
}
