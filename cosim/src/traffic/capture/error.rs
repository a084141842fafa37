//! What can be wrong with a capture, always with file and place, one sentence each.

use std::fmt;
use std::io;
use std::path::Path;

use thiserror::Error;

use super::frame::Side;

/// Largest captured length that is believed, in bytes (libpcap's MAXIMUM_SNAPLEN).
pub const MAX_CAPTURED: u32 = 262_144;

/// Largest pcapng block that is believed, in bytes.
pub const MAX_BLOCK: u32 = 16 << 20;

/// Most interfaces that a section of pcapng may describe: all of them are kept.
pub const MAX_INTERFACES: usize = 1 << 16;

/// A fault in a capture: `FILE: byte OFFSET (frame N): what is wrong and what is allowed`.
#[derive(Debug, Error)]
#[error("{}: {place}{fault}", path.display())]
pub struct CaptureError {
    /// The file.
    pub path: Box<Path>,
    /// Where in it.
    pub place: Place,
    /// What is wrong there.
    #[source]
    pub fault: Box<Fault>,
}

/// A place in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A byte offset, from 0; of the unpacked data where the file is gzipped.
    Byte {
        /// The offset of the record's or block's first byte.
        offset: u64,
        /// Number of the frame that starts there, from 1, as packet analysers count.
        frame: Option<u64>,
        /// Whether the offset counts unpacked bytes.
        unpacked: bool,
    },
    /// A frame by its number, from 1.
    Frame(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Byte { offset, frame, unpacked } => {
                write!(f, "byte {offset}")?;
                if *unpacked {
                    write!(f, " of the unpacked data")?;
                }
                if let Some(frame) = frame {
                    write!(f, " (frame {frame})")?;
                }
                write!(f, ": ")
            }
            Place::Frame(number) => write!(f, "frame {number}: "),
        }
    }
}

/// What is wrong.
#[derive(Debug, Error)]
pub enum Fault {
    /// The file cannot be opened.
    #[error("cannot be opened: {0}")]
    Open(io::Error),
    /// Reading or unpacking failed.
    #[error("cannot be read further: {0}")]
    Read(io::Error),
    /// Nothing in it.
    #[error("the file is empty; a pcap or pcapng capture is wanted, gzipped or not")]
    Empty,
    /// Nothing but a header.
    #[error("the capture has a header and no frame behind it")]
    NoFrame,
    /// A second reading found less than the first.
    #[error("the capture changed while it was read: it has fewer frames than before")]
    Changed,
    /// Neither pcap nor pcapng.
    #[error(
        "the magic number {} is neither pcap (a1b2c3d4, a1b23c4d or a1b2cd34 in either byte order) nor pcapng (0a0d0d0a)",
        crate::traffic::hexadecimal::text(.0)
    )]
    Magic(Vec<u8>),
    /// The file header or section header is damaged.
    #[error("the {0} header is damaged or of an unknown version")]
    Header(&'static str),
    /// The file ends inside a record.
    #[error("the {what} needs {want} bytes and the file ends after {have}")]
    Cut {
        /// Header, record or block.
        what: &'static str,
        /// Bytes that it says it has.
        want: u64,
        /// Bytes that are left.
        have: u64,
    },
    /// A captured length that no tool writes.
    #[error("the captured length {0} is beyond {MAX_CAPTURED} bytes, the most that a record may hold")]
    CapturedLength(u32),
    /// A block length that cannot be.
    #[error("the block length {0} is not a multiple of 4 from 12 to {MAX_BLOCK}")]
    BlockLength(u32),
    /// The two lengths of a block differ.
    #[error("the block length is {head} at its start and {tail} at its end; they must be equal")]
    BlockTrailer {
        /// First length.
        head: u32,
        /// Second length.
        tail: u32,
    },
    /// A block's inside contradicts its length.
    #[error("the block of type 0x{0:08x} is damaged: its fields do not fit its length")]
    Block(u32),
    /// A kind of block that nobody writes any more.
    #[error(
        "block type 0x{0:08x}, the obsolete packet block, is not read; resave the file as pcapng or pcap"
    )]
    ObsoleteBlock(u32),
    /// A frame of an interface that was not described.
    #[error("interface {id} is not described; the section describes {known}")]
    Interface {
        /// The frame's interface.
        id: u32,
        /// Number of interfaces described so far.
        known: usize,
    },
    /// More interfaces than any machine has.
    #[error("the section describes more than {MAX_INTERFACES} interfaces")]
    Interfaces,
    /// A time resolution that does not fit 64 bits.
    #[error("the time resolution 0x{0:02x} is not 10^-0 to 10^-19 or 2^-0 to 2^-63 of a second")]
    Resolution(u8),
    /// A time that does not fit 64 bits of nanoseconds.
    #[error(
        "the time of the frame is {0} ns from the beginning of 1970; allowed: 0 to 2^64-1, in the year 2554"
    )]
    Time(i128),
    /// An option of another length than it has to have.
    #[error("the option {name} has {length} bytes; allowed: {want}")]
    Option {
        /// Its name in the draft of pcapng.
        name: &'static str,
        /// Bytes that it has.
        length: usize,
        /// Bytes that it must have.
        want: usize,
    },
    /// A link layer that is not read.
    #[error(
        "link type {0} is not one of Ethernet (1), raw IP (12, 14, 101, 228, 229) and Linux cooked (113, 276)"
    )]
    LinkType(i32),
    /// The snap length cut the profile's header.
    #[error(
        "the snap length left {got} bytes of a frame of the {profile} profile, whose headers take {need}; record \
         with a longer one"
    )]
    HeaderCut {
        /// Profile.
        profile: &'static str,
        /// Bytes up to the end of its header, as far as they tell.
        need: usize,
        /// Bytes captured.
        got: usize,
    },
    /// More connections than the engine has.
    #[error(
        "connection {connection} (queue pair or context {id}) is beyond the {connections} connections that are configured"
    )]
    Connection {
        /// Number that the connection would get, from 0.
        connection: u32,
        /// Its number on the wire.
        id: u32,
        /// Connections that there are.
        connections: u32,
    },
    /// No data of the profile.
    #[error(
        "no {} of the {profile} profile ({place}) is in it{}; `respray traffic info` shows what is",
        if *answers { "data frame, and so no connection," } else { "frame" },
        if passed.is_empty() { String::new() } else { format!(": {passed}") }
    )]
    NoProfile {
        /// Profile looked for.
        profile: &'static str,
        /// Its UDP port, or IP protocol.
        place: String,
        /// There are ACKs or NACKs.
        answers: bool,
        /// What its other frames are.
        passed: String,
    },
    /// The named local side is at neither end of the profile's frames.
    #[error("no frame of the {profile} profile is from {local} or to it; those that there are have {others}")]
    NotThere {
        /// Address given.
        local: std::net::IpAddr,
        /// Profile looked for.
        profile: &'static str,
        /// Addresses that there are.
        others: String,
    },
    /// The named local side sends no data, or gets none.
    #[error("{local} {} no data frame of the {profile} profile; those that do: {others}", side.does())]
    NoLocal {
        /// Address given.
        local: std::net::IpAddr,
        /// What it was to do.
        side: Side,
        /// Profile looked for.
        profile: &'static str,
        /// Addresses that do.
        others: String,
    },
}

impl Fault {
    /// Whether the file ends where a record or the packed data should go on.
    pub(super) fn is_cut(&self) -> bool {
        match self {
            Fault::Cut { .. } => true,
            Fault::Read(error) => error.kind() == io::ErrorKind::UnexpectedEof,
            _ => false,
        }
    }
}

impl CaptureError {
    /// What a report says of a capture that was read up to this fault.
    pub fn as_warning(&self) -> String {
        format!("{self}; what stands before it was read")
    }

    /// A fault of the file as a whole.
    pub(crate) fn file(path: &Path, fault: Fault) -> Self {
        CaptureError { path: path.into(), place: Place::File, fault: fault.into() }
    }

    /// A fault of one frame.
    pub(crate) fn frame(path: &Path, number: u64, fault: Fault) -> Self {
        CaptureError { path: path.into(), place: Place::Frame(number), fault: fault.into() }
    }
}
