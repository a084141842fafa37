//! What a choice of the configuration adds to the wires that all blocks have.

/// Sink and source.
pub type Pair = (&'static str, &'static str);

/// The wires of one word of the configuration.
pub struct Layer {
    /// What drives each sink.
    pub wires: &'static [Pair],
    /// Sinks that fall away with what drives them.
    pub without: &'static [&'static str],
    /// Sinks that take the low bits of a wider source.
    pub cut: &'static [Pair],
    /// Sinks that are 0, and their widths.
    pub zeros: &'static [(&'static str, u32)],
    /// Sinks of a bit that are 1.
    pub ones: &'static [&'static str],
    /// Sources that drive nothing.
    pub open: &'static [&'static str],
}

impl Layer {
    /// That of a word which changes nothing.
    pub const NONE: Layer = Layer { wires: &[], without: &[], cut: &[], zeros: &[], ones: &[], open: &[] };

    /// Whether it says something else of a sink than the tables below it.
    pub fn replaces(&self, sink: &str) -> bool {
        self.without.contains(&sink) || self.wires.iter().any(|(other, _)| *other == sink)
    }

    /// Whether something has this source.
    pub fn reads(&self, source: &str) -> bool {
        self.wires.iter().chain(self.cut).any(|(_, other)| *other == source)
    }
}
