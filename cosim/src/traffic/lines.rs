//! Lines of a text whose length is bounded, so that a small packed file cannot fill the memory.

use std::io::{self, BufRead, Read};

use thiserror::Error;

/// A line is longer than it may be.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the line is longer than {longest} bytes, the most that a line may have")]
pub struct LineTooLong {
    /// Its number, from 1.
    pub line: u64,
    /// Bytes that a line may have.
    pub longest: usize,
}

impl LineTooLong {
    /// What an error of [`BoundedLines`] says of a line; `None` if reading failed for another reason.
    pub fn of(error: &io::Error) -> Option<LineTooLong> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// Passes a text on, and fails with [`LineTooLong`] at a line that is too long.
pub struct BoundedLines<R> {
    inner: R,
    count: Count,
}

/// Where in the text a reader is.
struct Count {
    longest: usize,
    /// The line that is being read, from 1, and its bytes so far.
    line: u64,
    bytes: usize,
    too_long: Option<LineTooLong>,
}

impl<R: BufRead> BoundedLines<R> {
    /// Lines of up to `longest` bytes, the line break aside.
    pub fn new(inner: R, longest: usize) -> Self {
        BoundedLines { inner, count: Count { longest, line: 1, bytes: 0, too_long: None } }
    }

    /// The coming line with its line break, nothing at the end.
    ///
    /// # Errors
    /// If reading fails, and on a line that is too long.
    pub fn next_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        Ok(self.read_until(b'\n', line)? != 0)
    }
}

impl Count {
    fn pass(&mut self, passed: &[u8]) {
        for (at, piece) in passed.split(|byte| *byte == b'\n').enumerate() {
            if at > 0 {
                (self.line, self.bytes) = (self.line + 1, 0);
            }
            self.bytes += piece.len();
            if self.bytes > self.longest && self.too_long.is_none() {
                self.too_long = Some(LineTooLong { line: self.line, longest: self.longest });
            }
        }
    }
}

impl<R: BufRead> BufRead for BoundedLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.count.too_long {
            Some(too_long) => Err(io::Error::other(too_long)),
            None => self.inner.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        // what is consumed stands in the buffer still, so that nothing is read here
        if let Some(Ok(buffer)) = (amount > 0).then(|| self.inner.fill_buf()) {
            self.count.pass(&buffer[..amount]);
        }
        self.inner.consume(amount);
    }
}

impl<R: BufRead> Read for BoundedLines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}
