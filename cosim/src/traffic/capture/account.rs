//! What became of each frame of a capture.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Serialize;

/// Frames of a kind whose numbers are kept.
const FIRST: usize = 5;

/// What became of each frame of a capture, or of a list of frames.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// All of them.
    pub frames: u64,
    /// Those that an engine took as what it works on.
    pub taken: u64,
    /// Each fate, in the order in which they came first.
    pub became: Vec<Became>,
    /// The file beside the capture whose settings were taken, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<PathBuf>,
}

/// Frames of which the same became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Became {
    /// As what they were taken, or why they were not.
    pub what: Cow<'static, str>,
    pub is_taken: bool,
    pub frames: u64,
    /// Numbers of the first few, from 1.
    pub first: Vec<u64>,
}

impl Account {
    /// A frame was taken.
    pub fn taken(&mut self, number: u64, as_what: impl Into<Cow<'static, str>>) {
        self.add(number, as_what.into(), true);
    }

    /// A frame was not taken.
    pub fn left(&mut self, number: u64, why: impl Into<Cow<'static, str>>) {
        self.add(number, why.into(), false);
    }

    fn add(&mut self, number: u64, what: Cow<'static, str>, is_taken: bool) {
        self.frames += 1;
        self.taken += u64::from(is_taken);
        let known = self.became.iter().position(|became| became.what == what && became.is_taken == is_taken);
        let at = known.unwrap_or_else(|| {
            self.became.push(Became { what, is_taken, frames: 0, first: Vec::new() });
            self.became.len() - 1
        });
        let became = &mut self.became[at];
        became.frames += 1;
        if became.first.len() < FIRST {
            became.first.push(number);
        }
    }

    /// Of both together.
    #[must_use]
    pub fn and(mut self, other: &Account) -> Account {
        self.frames += other.frames;
        self.taken += other.taken;
        for more in &other.became {
            let known =
                self.became.iter_mut().find(|one| one.what == more.what && one.is_taken == more.is_taken);
            match known {
                Some(became) => {
                    became.frames += more.frames;
                    became.first.extend(&more.first);
                    became.first.sort_unstable();
                    became.first.truncate(FIRST);
                }
                None => self.became.push(more.clone()),
            }
        }
        self
    }

    /// Frames of which this became.
    pub fn of(&self, what: &str) -> u64 {
        self.became.iter().filter(|became| became.what == what).map(|became| became.frames).sum()
    }

    fn of_kind(&self, is_taken: bool) -> impl Iterator<Item = &Became> {
        self.became.iter().filter(move |became| became.is_taken == is_taken)
    }

    /// In words, a line for each fate.
    pub fn lines(&self) -> Vec<String> {
        let Account { frames, taken, .. } = self;
        let mut lines = vec![format!("{frames} frames given: {taken} taken, {} not", frames - taken)];
        lines.extend(
            self.of_kind(true).map(|Became { what, frames, .. }| format!("  taken: {frames}, {what}")),
        );
        lines.extend(self.of_kind(false).map(|became| format!("  not taken: {}", became.words())));
        lines.extend(self.beside.iter().map(|path| format!("settings are those of {}", path.display())));
        lines
    }

    /// Why none was taken, in a sentence; `None` if one was.
    pub fn nothing(&self) -> Option<String> {
        if self.taken > 0 || self.frames == 0 {
            return None;
        }
        Some(format!("none of the {} frames was taken: {}", self.frames, self.reasons()))
    }

    /// Why those were not taken that were not.
    pub fn reasons(&self) -> String {
        self.of_kind(false).map(Became::words).collect::<Vec<_>>().join("; ")
    }
}

impl Became {
    /// How many, what became of them, and the numbers of the first ones.
    pub fn words(&self) -> String {
        let numbers: Vec<String> = self.first.iter().map(u64::to_string).collect();
        let frame = if self.frames == 1 { "frame" } else { "frames" };
        let more = if self.frames > self.first.len() as u64 { ", ..." } else { "" };
        format!("{}, {} ({frame} {}{more})", self.frames, self.what, numbers.join(", "))
    }
}
