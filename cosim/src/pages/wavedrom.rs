//! Waveforms as WaveDrom's text.

use std::fmt::Write as _;

/// A signal of a waveform.
pub struct Lane {
    name: String,
    /// Its course, a character a cycle.
    wave: String,
    /// The words in it.
    words: Vec<String>,
}

impl Lane {
    /// A signal of one bit; `None` where nobody promises anything.
    pub fn bit(name: &str, values: &[Option<u64>]) -> Lane {
        let character = |value: &Option<u64>| match value {
            None => 'x',
            Some(0) => '0',
            Some(_) => '1',
        };
        Lane { name: name.into(), wave: course(values.iter().map(character)), words: Vec::new() }
    }

    /// A signal of several bits by what is written into it; `None` where nobody promises anything.
    pub fn bus(name: &str, values: Vec<Option<String>>) -> Lane {
        let mut wave = String::new();
        let mut words = Vec::new();
        let mut before = None;
        for value in values {
            wave.push(match &value {
                value if before.as_ref() == Some(value) => '.',
                None => 'x',
                Some(word) => {
                    words.push(word.clone());
                    '='
                }
            });
            before = Some(value);
        }
        Lane { name: name.into(), wave, words }
    }
}

/// A dot for each character that is that before it.
fn course(characters: impl Iterator<Item = char>) -> String {
    let mut before = None;
    characters
        .map(|character| if before.replace(character) == Some(character) { '.' } else { character })
        .collect()
}

/// The signals below a clock, in a fence of Markdown.
pub fn drawn(lanes: &[Lane]) -> String {
    let cycles = lanes.first().map_or(1, |lane| lane.wave.len());
    let clock =
        Lane { name: "clk".into(), wave: "p".to_string() + &".".repeat(cycles - 1), words: Vec::new() };
    let longest = lanes.iter().map(|lane| lane.name.len()).max().unwrap_or(0);
    let line = |lane: &Lane| {
        let gap = " ".repeat(longest.saturating_sub(lane.name.len()));
        let mut line = format!("  {{ \"name\": \"{}\",{gap} \"wave\": \"{}\"", lane.name, lane.wave);
        if !lane.words.is_empty() {
            let _ = write!(line, ", \"data\": [\"{}\"]", lane.words.join("\", \""));
        }
        line + " }"
    };
    let lines: Vec<String> = [&clock].into_iter().chain(lanes).map(line).collect();
    format!("```wavedrom\n{{ \"signal\": [\n{}\n] }}\n```\n", lines.join(",\n"))
}
