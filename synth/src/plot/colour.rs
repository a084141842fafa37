//! The colours of charts and bars: each path selector has one, the same on every page, and series that are no selectors
//! have others.

use std::fmt::Write;
use std::sync::LazyLock;

/// What a line or a bar is coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// A path selector, by its place in [`SELECTORS`].
    Selector(usize),
    /// One of several that are no selectors: devices, paths.
    Series(usize),
    /// What stands out against any other, in the colour of letters.
    Ink,
    /// What fails.
    Bad,
    /// All else.
    Plain,
}

/// A colour on a light page and on a dark one.
type Pair = (&'static str, &'static str);

/// Each path selector.
const SELECTORS: [(&str, Pair); 11] = [
    ("reps", ("#1f6feb", "#6ea8fe")),
    ("ops", ("#d1570c", "#f0a35e")),
    ("ecmp", ("#6f42c1", "#b392f0")),
    ("subflows", ("#0e7c86", "#39c5cf")),
    ("mprdma", ("#1a7f37", "#4ac26b")),
    ("flowlet", ("#bf3989", "#f778ba")),
    ("plb", ("#8a6a00", "#d4a72c")),
    ("strack", ("#8b3a1e", "#d98b6a")),
    ("bitmap", ("#4d6b1f", "#a3c76d")),
    ("mixed", ("#4338a8", "#a5a0ff")),
    ("flowcut", ("#5b2a57", "#d3a2ce")),
];

/// Colours of series that there are.
pub const SERIES_COLOURS: usize = 8;

const SERIES: [Pair; SERIES_COLOURS] = [
    ("#33658a", "#86b3dd"),
    ("#b36b00", "#e0a95a"),
    ("#2f7d6b", "#66c2a9"),
    ("#8e4a7e", "#d197c6"),
    ("#5d6d1e", "#b2c45f"),
    ("#a34a4a", "#e29a9a"),
    ("#5650a0", "#aaa5ea"),
    ("#6b5b4b", "#bfae9c"),
];

const INK: Pair = ("#1f2328", "#e6edf3");
const BAD: Pair = ("#c2261f", "#ff7b72");
const PLAIN: Pair = ("#59636e", "#9198a1");

impl Colour {
    /// The colour of a name: of a path selector, with or without a variant and a file, e.g. `reps:uet` or
    /// `reps=mine.v`, its own.
    pub fn of(name: &str) -> Colour {
        let base = name.split([':', '=']).next().unwrap_or(name);
        let place = SELECTORS.iter().position(|(selector, _)| *selector == base);
        place.map_or(Colour::Plain, Colour::Selector)
    }

    /// Its class in the style sheet, which sets `--hue`.
    pub(crate) fn class(self) -> String {
        match self {
            Colour::Selector(place) => format!("of-{}", SELECTORS[place % SELECTORS.len()].0),
            Colour::Series(place) => format!("series-{}", place % SERIES.len()),
            Colour::Ink => "hue-ink".into(),
            Colour::Bad => "hue-bad".into(),
            Colour::Plain => "hue-plain".into(),
        }
    }
}

/// A rule for each class, light and dark.
pub(super) static RULES: LazyLock<String> = LazyLock::new(|| {
    let selectors = (0..SELECTORS.len()).map(|place| (Colour::Selector(place), SELECTORS[place].1));
    let series = (0..SERIES.len()).map(|place| (Colour::Series(place), SERIES[place]));
    let rest = [(Colour::Ink, INK), (Colour::Bad, BAD), (Colour::Plain, PLAIN)];
    let (mut light, mut dark) = (String::new(), String::new());
    for (colour, pair) in selectors.chain(series).chain(rest) {
        let _ = writeln!(light, ".{} {{ --hue: {}; }}", colour.class(), pair.0);
        let _ = writeln!(dark, ".{} {{ --hue: {}; }}", colour.class(), pair.1);
    }
    format!("{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n")
});

#[cfg(test)]
mod tests {
    use respray_hdl::config::PathSelector;

    use super::*;

    /// Relative luminance of a colour, 0 to 1 (WCAG 2).
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn every_selector_has_a_colour_of_its_own_and_so_has_each_of_its_variants() {
        for name in PathSelector::NAMES {
            assert!(matches!(Colour::of(name), Colour::Selector(_)), "{name}");
            assert_eq!(Colour::of(&format!("{name}:uet")), Colour::of(name));
            assert_eq!(Colour::of(&format!("{name}=mine.v")), Colour::of(name));
        }
        assert_eq!(Colour::of("sack_tx"), Colour::Plain);
        let mut all: Vec<&str> = SELECTORS.iter().map(|(_, (light, _))| *light).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), SELECTORS.len());
    }

    #[test]
    fn every_colour_is_seen_on_its_page() {
        let pairs = SELECTORS.iter().map(|(_, pair)| *pair).chain(SERIES).chain([INK, BAD, PLAIN]);
        for (light, dark) in pairs {
            // that of cards, which is the paler one on a light page and on a dark one
            assert!(contrast(light, "#f6f8fa") >= 3.0, "{light}: {}", contrast(light, "#f6f8fa"));
            assert!(contrast(dark, "#161b22") >= 3.0, "{dark}: {}", contrast(dark, "#161b22"));
        }
        assert!(contrast("#e0e0e0", "#f6f8fa") < 3.0, "what is not seen is told");
    }
}
