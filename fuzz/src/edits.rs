//! Inputs: a file of the corpus, changed.

use bolero::TypeGenerator;

/// Most bytes of an input: a reader that doubles its input with each edit would take all memory.
const LONGEST: usize = 64 * 1024;

/// A file of the corpus and what is done to it.
#[derive(Clone, Debug, TypeGenerator)]
pub struct Input {
    /// Which file, modulo their number.
    pub base: u8,
    pub edits: Vec<Edit>,
}

/// One change. Places are modulo the length.
#[derive(Clone, Debug, TypeGenerator)]
pub enum Edit {
    /// A byte becomes another.
    Set { at: u16, value: u8 },
    /// A bit becomes the other.
    Flip { at: u16, bit: u8 },
    /// Bytes are left out.
    Delete { at: u16, count: u8 },
    /// Bytes are put in.
    Insert { at: u16, bytes: Vec<u8> },
    /// Bytes of one place stand at another, too.
    Repeat { from: u16, count: u8, at: u16 },
    /// A number in four bytes, of either order: lengths and counts.
    Number { at: u16, value: u32, is_big_endian: bool },
    /// The rest is cut off.
    Cut { at: u16 },
}

impl Input {
    /// The bytes of the input.
    pub fn of(&self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = corpus[usize::from(self.base) % corpus.len()].clone();
        for edit in &self.edits {
            edit.apply(&mut bytes);
            bytes.truncate(LONGEST);
        }
        bytes
    }
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let place = |at: u16, length: usize| usize::from(at) % (length + 1);
        let length = bytes.len();
        match self {
            Edit::Set { at, value } => {
                if let Some(byte) = bytes.get_mut(place(*at, length)) {
                    *byte = *value;
                }
            }
            Edit::Flip { at, bit } => {
                if let Some(byte) = bytes.get_mut(place(*at, length)) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Edit::Delete { at, count } => {
                let at = place(*at, length);
                bytes.drain(at..length.min(at + usize::from(*count)));
            }
            Edit::Insert { at, bytes: new } => {
                let at = place(*at, length);
                bytes.splice(at..at, new.iter().copied());
            }
            Edit::Repeat { from, count, at } => {
                let from = place(*from, length);
                let piece = bytes[from..length.min(from + usize::from(*count))].to_vec();
                let at = place(*at, length);
                bytes.splice(at..at, piece);
            }
            Edit::Number { at, value, is_big_endian } => {
                let number = if *is_big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
                for (byte, new) in bytes.iter_mut().skip(place(*at, length)).zip(number) {
                    *byte = new;
                }
            }
            Edit::Cut { at } => bytes.truncate(place(*at, length)),
        }
    }
}
