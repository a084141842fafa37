//! What went wrong: a code for programs, a sentence for people.

use thiserror::Error;

/// What came of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It was done.
    Ok = 0,
    /// There is no such core, or none that can be had here.
    Core = 1,
    /// The configuration is refused.
    Config = 2,
    /// There is no open model of that number: it was closed, or never opened.
    Closed = 3,
    /// Another thread is in a call of this model.
    Busy = 4,
    /// A row or a buffer has another size than the model needs.
    Size = 5,
    /// A value is outside its range.
    Value = 6,
    /// The model does not have what was asked for.
    Missing = 7,
    /// Nothing waits at that output.
    Empty = 8,
    /// The input pauses: what waits in the model has to be taken first.
    Full = 9,
    /// The access to a register is refused, with SLVERR on AXI4-Lite.
    Refused = 10,
    /// A file cannot be read.
    File = 11,
    /// A pointer is null, or a text is not UTF-8.
    Argument = 12,
    /// The model broke down: an error of respray. It can only be closed.
    Broken = 13,
}

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{sentence}")]
pub struct Failure {
    pub code: Code,
    /// What is wrong, and what is allowed.
    pub sentence: String,
}

impl Failure {
    pub fn new(code: Code, sentence: impl Into<String>) -> Failure {
        Failure { code, sentence: sentence.into() }
    }

    /// A row of `what` has `found` words in place of `wanted`.
    pub fn size(what: &str, found: usize, wanted: usize) -> Failure {
        Failure::new(Code::Size, format!("{what} has {found} words; the model has {wanted}"))
    }
}
