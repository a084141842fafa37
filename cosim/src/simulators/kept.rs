//! The rows of a simulation, kept in a file, so that its outputs are looked at again with another value for their unknown bits.
//!
//! A simulator gives the same outputs for the same inputs, so it need not run again where the inputs are those of before.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

/// A row of outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// The words of the outputs, with unknown bits at 0.
    values: Vec<u64>,
    /// As many words, with unknown bits at 1 and all others at 0.
    unknown: Vec<u64>,
}

impl Seen {
    /// So many words.
    pub fn new(words: usize) -> Seen {
        Seen { values: vec![0; words], unknown: vec![0; words] }
    }

    /// The words of the outputs if each unknown bit is `unknown`.
    pub fn taken(&self, unknown: bool) -> impl Iterator<Item = u64> {
        let words = self.values.iter().zip(&self.unknown);
        words.map(move |(value, mask)| if unknown { value | mask } else { *value })
    }

    /// Reads the words of a line, each in binary.
    ///
    /// # Errors
    /// What the line is in place of a row.
    pub fn read(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        for (value, unknown) in self.values.iter_mut().zip(&mut self.unknown) {
            (*value, *unknown) =
                words.next().and_then(word).ok_or_else(|| format!("it gave `{}`", line.trim()))?;
        }
        Ok(())
    }
}

/// A number in binary with its unknown bits.
fn word(digits: &str) -> Option<(u64, u64)> {
    digits.chars().try_fold((0, 0), |(value, unknown), digit| {
        let (bit, is_unknown) = match digit {
            '0' => (0, 0),
            '1' => (1, 0),
            'x' | 'X' | 'z' | 'Z' => (0, 1),
            _ => return None,
        };
        Some((value << 1 | bit, unknown << 1 | is_unknown))
    })
}

/// Rows that are written.
pub(super) struct Keeper {
    file: GzEncoder<File>,
    /// The bytes of a row.
    bytes: Vec<u8>,
}

impl Keeper {
    /// In a file without a name, which is gone with the process.
    pub fn new() -> io::Result<Keeper> {
        // successive rows are so alike that the fastest compression does
        let file = GzEncoder::new(tempfile::tempfile()?, Compression::fast());
        Ok(Keeper { file, bytes: Vec::new() })
    }

    /// Keeps what a cycle was given, and what it gave.
    pub fn keep(&mut self, inputs: &[u64], seen: &Seen) -> io::Result<()> {
        let words = [inputs, &seen.values, &seen.unknown].into_iter().flatten();
        self.bytes.clear();
        self.bytes.extend(words.flat_map(|word| word.to_le_bytes()));
        self.file.write_all(&self.bytes)
    }

    /// All rows from the first one on, which have so many words of inputs and of outputs.
    pub fn finish(self, words: (usize, usize)) -> io::Result<Kept> {
        Kept::new(self.file.finish()?, words)
    }
}

/// Rows that are read.
pub(super) struct Kept {
    file: File,
    unpacked: BufReader<GzDecoder<BufReader<File>>>,
    /// Rows that were asked for and had the inputs that were named.
    rows: usize,
    inputs: Vec<u64>,
    seen: Seen,
}

impl Kept {
    fn new(mut file: File, words: (usize, usize)) -> io::Result<Kept> {
        file.rewind()?;
        let unpacked = BufReader::new(GzDecoder::new(BufReader::new(file.try_clone()?)));
        Ok(Kept { file, unpacked, rows: 0, inputs: vec![0; words.0], seen: Seen::new(words.1) })
    }

    /// The outputs of the next row, if there is one and its inputs are these.
    pub fn next(&mut self, inputs: &[u64]) -> io::Result<Option<&Seen>> {
        match self.read() {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        if self.inputs != inputs {
            return Ok(None);
        }
        self.rows += 1;
        Ok(Some(&self.seen))
    }

    /// The inputs of the rows so far, from the first one on. No more rows can be asked for then.
    pub fn inputs(&mut self) -> io::Result<impl Iterator<Item = io::Result<Vec<u64>>>> {
        let words = (self.inputs.len(), self.seen.values.len());
        let mut again = Kept::new(self.file.try_clone()?, words)?;
        Ok((0..self.rows).map(move |_| again.read().map(|()| again.inputs.clone())))
    }

    fn read(&mut self) -> io::Result<()> {
        let Kept { unpacked, inputs, seen, .. } = self;
        let words = [inputs, &mut seen.values, &mut seen.unknown].into_iter().flatten();
        for word in words {
            let mut bytes = [0; size_of::<u64>()];
            unpacked.read_exact(&mut bytes)?;
            *word = u64::from_le_bytes(bytes);
        }
        Ok(())
    }
}
