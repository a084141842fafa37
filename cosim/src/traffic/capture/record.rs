//! The header of a pcap file and those of its records.

/// Bytes of the header of a file.
pub const FILE_HEADER: usize = 24;
/// Magic numbers, as the bytes of a big-endian file: times in microseconds, in nanoseconds, and with longer headers of records.
const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;
const MODIFIED: u32 = 0xa1b2_cd34;
/// Bit of the link type word by which its uppermost four bits are the length of the frame check sequence, in words of 16 bits.
const HAS_CHECK_LENGTH: u32 = 1 << 26;

/// In which order the two lengths of a record stand. Version 2.4 has the captured one first, those before 2.3 had it last, and of
/// 2.3 there are both kinds of files: libpcap, `sf-pcap.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lengths {
    CapturedFirst,
    CapturedLast,
    /// The captured length is the shorter one.
    ShorterIsCaptured,
}

/// What the header of a file says.
#[derive(Clone, Copy, Debug)]
pub struct PcapHeader {
    /// LINKTYPE number of all frames.
    pub link_type: i32,
    /// Bytes of the frame check sequence behind every frame.
    pub check_bytes: usize,
    /// Whether times are kept to the nanosecond.
    pub nanoseconds: bool,
    big_endian: bool,
    modified: bool,
    lengths: Lengths,
}

/// What the header of a record says.
#[derive(Clone, Copy, Debug)]
pub struct RecordHeader {
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    /// Bytes that stand in the file.
    pub captured: u32,
    /// Bytes on the wire.
    pub wire_len: u32,
}

impl PcapHeader {
    /// Whether a file that begins with these bytes is pcap.
    pub fn is_magic(magic: &[u8]) -> bool {
        magic.try_into().is_ok_and(|bytes| byte_order(bytes).is_some())
    }

    /// Reads the header of a file. `None` if it is of no version that there is.
    pub fn read(header: &[u8; FILE_HEADER]) -> Option<PcapHeader> {
        let &[m0, m1, m2, m3, v0, v1, v2, v3, .., l0, l1, l2, l3] = header;
        let (magic, big_endian) = byte_order([m0, m1, m2, m3])?;
        let half = |bytes| if big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) };
        let lengths = match (half([v0, v1]), half([v2, v3])) {
            // 543.0 is that of DG/UX
            (2, 0..=2) | (543, 0) => Lengths::CapturedLast,
            (2, 3) => Lengths::ShorterIsCaptured,
            (2, 4) => Lengths::CapturedFirst,
            _ => return None,
        };
        let link = word(&[l0, l1, l2, l3], 0, big_endian);
        Some(PcapHeader {
            link_type: (link & 0xffff) as i32,
            check_bytes: if link & HAS_CHECK_LENGTH == 0 { 0 } else { 2 * (link >> 28) as usize },
            nanoseconds: magic == NANOSECONDS,
            big_endian,
            modified: magic == MODIFIED,
            lengths,
        })
    }

    /// Bytes of the header of a record.
    pub fn record_header(&self) -> usize {
        if self.modified { 24 } else { 16 }
    }

    /// Reads the header of a record, which has [`PcapHeader::record_header`] bytes.
    pub fn record(&self, header: &[u8]) -> RecordHeader {
        let [seconds, fraction, first, second] = [0, 4, 8, 12].map(|at| word(header, at, self.big_endian));
        let is_last = match self.lengths {
            Lengths::CapturedFirst => false,
            Lengths::CapturedLast => true,
            Lengths::ShorterIsCaptured => first > second,
        };
        let (captured, wire_len) = if is_last { (second, first) } else { (first, second) };
        let fraction = u64::from(fraction) * if self.nanoseconds { 1 } else { 1000 };
        RecordHeader { time_ns: u64::from(seconds) * 1_000_000_000 + fraction, captured, wire_len }
    }
}

/// The magic number of a file, and whether its byte order is the big-endian one.
fn byte_order(magic: [u8; 4]) -> Option<(u32, bool)> {
    let known = |number: &u32| [MICROSECONDS, NANOSECONDS, MODIFIED].contains(number);
    let as_big = Some(u32::from_be_bytes(magic)).filter(known).map(|number| (number, true));
    as_big.or(Some(u32::from_le_bytes(magic)).filter(known).map(|number| (number, false)))
}

/// A word of 32 bits.
pub fn word(data: &[u8], at: usize, big_endian: bool) -> u32 {
    let bytes = [data[at], data[at + 1], data[at + 2], data[at + 3]];
    if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}
