//! Models of the default configuration, compiled into the program by the build script.

use std::sync::OnceLock;

use super::design::Design;
use super::error::ModelError;
use super::source::Source;

#[cfg(feature = "linked")]
mod table {
    use super::super::abi::RawShim;
    // Its build script compiles Verilator's runtime; without a use, its archive would be left out.
    use verilated as _;

    include!(concat!(env!("OUT_DIR"), "/linked.rs"));
}

#[cfg(not(feature = "linked"))]
mod table {
    pub fn linked() -> Vec<(&'static str, *const super::super::abi::RawShim, &'static str)> {
        Vec::new()
    }
}

fn designs() -> &'static [&'static Design] {
    static DESIGNS: OnceLock<Vec<&'static Design>> = OnceLock::new();
    DESIGNS.get_or_init(|| {
        let wrap = |(name, shim, _)| {
            // SAFETY: the shim was compiled from the same sources as this crate and is part of the program.
            unsafe { Design::from_shim(name, shim) }.expect("shim and crate are built together")
        };
        table::linked().into_iter().map(wrap).collect()
    })
}

/// Names of the cores that are linked in: those of a NIC, or none without the feature `linked`.
pub fn names() -> Vec<&'static str> {
    designs().iter().map(|design| design.name()).collect()
}

/// The Verilog that core `name` was linked in from, as a source for other flavours of it.
///
/// # Errors
/// [`ModelError::NotLinked`].
pub fn source(name: &str) -> Result<Source, ModelError> {
    let found = table::linked().into_iter().find(|(linked, ..)| *linked == name);
    found.map(|(top, _, verilog)| Source::new(top, verilog)).ok_or_else(|| not_linked(name))
}

/// The design that was linked in from this very Verilog, if there is one.
pub(crate) fn of(source: &Source) -> Option<&'static Design> {
    let (top, ..) = table::linked().into_iter().find(|(top, _, verilog)| {
        *top == source.top && *verilog == source.verilog && source.parameters.is_empty()
    })?;
    design(top).ok()
}

/// The design of core `name`.
///
/// # Errors
/// [`ModelError::NotLinked`].
pub fn design(name: &str) -> Result<&'static Design, ModelError> {
    designs().iter().find(|design| design.name() == name).copied().ok_or_else(|| not_linked(name))
}

fn not_linked(name: &str) -> ModelError {
    let linked = match names().as_slice() {
        [] => "none, it was built without the feature `linked`".to_string(),
        names => names.join(", "),
    };
    ModelError::NotLinked { name: name.to_string(), linked }
}
