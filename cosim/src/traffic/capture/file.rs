//! pcap and pcapng files, gzipped or not, as a stream of raw frames.
//!
//! The kind of file is told by its first bytes, never by its name. Memory holds one record. Lengths are checked
//! before anything is read by them; the fields of pcapng are `pcap-parser`'s work.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use pcap_parser::pcapng::{parse_block_be, parse_block_le};

use super::error::{CaptureError, Fault, MAX_BLOCK, MAX_CAPTURED, Place};
use super::interface::{Interface, PacketPlace};
use super::record::{FILE_HEADER, PcapHeader, word};
use crate::traffic::gzip::{GZIP, Unpacked};

const SECTION: u32 = 0x0a0d_0d0a;
const OBSOLETE_PACKET: u32 = 2;

/// What becomes of a capture that ends within a record, as one does whose recording was broken off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// It is refused there.
    #[default]
    Refused,
    /// It is read up to there, and [`CaptureFile::warning`] says so.
    Warned,
}

/// One frame as the file holds it.
#[derive(Clone, Copy, Debug)]
pub struct RawFrame<'a> {
    /// Number in the file, from 1.
    pub number: u64,
    /// Nanoseconds since 1970; `None` of a simple packet block, which has no time.
    pub time_ns: Option<u64>,
    /// LINKTYPE number of the interface.
    pub link_type: i32,
    /// Bytes that the frame had on the wire, without a frame check sequence that the file announces; more than `data`
    /// holds when the snap length cut it.
    pub wire_len: usize,
    /// Captured bytes, without a frame check sequence that the file announces.
    pub data: &'a [u8],
}

enum Format {
    Pcap(PcapHeader),
    PcapNg { big_endian: bool, interfaces: Vec<Interface> },
}

/// An open capture.
pub struct CaptureFile {
    path: PathBuf,
    source: Box<dyn Read + Send>,
    unpacked: bool,
    buffer: Vec<u8>,
    /// First byte of `buffer` that is not consumed.
    start: usize,
    /// Offset in the data of `buffer[start]`.
    offset: u64,
    frames: u64,
    format: Format,
    cut: Cut,
    warning: Option<CaptureError>,
}

impl CaptureFile {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        let file = File::open(path).map_err(|e| CaptureError::file(path, Fault::Open(e)))?;
        Self::from_reader(path, file)
    }

    /// Reads from anything; `path` is for messages.
    pub fn from_reader(path: &Path, reader: impl Read + Send + 'static) -> Result<Self, CaptureError> {
        let mut reader = BufReader::new(reader);
        let mut magic = Vec::new();
        reader
            .by_ref()
            .take(2)
            .read_to_end(&mut magic)
            .map_err(|e| CaptureError::file(path, Fault::Read(e)))?;
        let unpacked = magic == GZIP;
        let whole = BufReader::new(std::io::Cursor::new(magic).chain(reader));
        let source: Box<dyn Read + Send> =
            if unpacked { Box::new(Unpacked::new(whole)) } else { Box::new(whole) };
        let mut capture = CaptureFile {
            path: path.to_owned(),
            source,
            unpacked,
            buffer: Vec::new(),
            start: 0,
            offset: 0,
            frames: 0,
            format: Format::PcapNg { big_endian: false, interfaces: Vec::new() },
            cut: Cut::Refused,
            warning: None,
        };
        capture.read_header()?;
        Ok(capture)
    }

    /// The same, with this to become of it if it ends within a record. Otherwise that is refused.
    pub fn on_cut(self, cut: Cut) -> Self {
        CaptureFile { cut, ..self }
    }

    /// Where within a record the capture ended, if it did and is not refused for it.
    pub fn warning(&self) -> Option<&CaptureError> {
        self.warning.as_ref()
    }

    /// The same for one who has read it to its end.
    pub fn into_warning(self) -> Option<CaptureError> {
        self.warning
    }

    /// The file's name, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `pcap` or `pcapng`.
    pub fn format_name(&self) -> &'static str {
        match self.format {
            Format::Pcap(_) => "pcap",
            Format::PcapNg { .. } => "pcapng",
        }
    }

    /// Whether the file is gzipped.
    pub fn is_gzipped(&self) -> bool {
        self.unpacked
    }

    /// Whether times are kept to the nanosecond by the file's header (pcap), `None` for pcapng, where each
    /// interface has its own resolution.
    pub fn nanoseconds(&self) -> Option<bool> {
        match self.format {
            Format::Pcap(header) => Some(header.nanoseconds),
            Format::PcapNg { .. } => None,
        }
    }

    /// The next frame, `None` at the end.
    pub fn next_frame(&mut self) -> Result<Option<RawFrame<'_>>, CaptureError> {
        let place = match self.format {
            Format::Pcap(_) => self.next_record(),
            Format::PcapNg { .. } => self.next_packet_block(),
        };
        let place = match place {
            Err(error) if self.cut == Cut::Warned && error.fault.is_cut() => {
                self.warning = Some(error);
                None
            }
            place => place?,
        };
        Ok(place.map(|place| RawFrame {
            number: self.frames,
            time_ns: place.time_ns,
            link_type: place.link_type,
            wire_len: place.wire_len,
            data: &self.buffer[place.start..place.start + place.captured],
        }))
    }

    fn read_header(&mut self) -> Result<(), CaptureError> {
        let have = self.fill(4)?;
        if have == 0 {
            return Err(CaptureError::file(&self.path, Fault::Empty));
        }
        let magic = self.data()[..have.min(4)].to_vec();
        match *magic.as_slice() {
            [0x0a, 0x0d, 0x0d, 0x0a] => Ok(()),
            _ if PcapHeader::is_magic(&magic) => {
                self.want(FILE_HEADER, "pcap header")?;
                let header = self.data().first_chunk().and_then(PcapHeader::read);
                self.format = Format::Pcap(header.ok_or_else(|| self.fault(Fault::Header("pcap")))?);
                self.consume(FILE_HEADER);
                Ok(())
            }
            _ => Err(self.fault(Fault::Magic(magic))),
        }
    }

    /// The place of the next frame in the buffer.
    fn next_record(&mut self) -> Result<Option<PacketPlace>, CaptureError> {
        let Format::Pcap(file) = self.format else { unreachable!() };
        if self.fill(1)? == 0 {
            return Ok(None);
        }
        let header = file.record_header();
        self.want_frame(header, "record header")?;
        let record = file.record(self.data());
        if record.captured > MAX_CAPTURED {
            return Err(self.frame_fault(Fault::CapturedLength(record.captured)));
        }
        let captured = record.captured as usize;
        self.want_frame(header + captured, "record")?;
        self.frames += 1;
        let place = PacketPlace {
            time_ns: Some(record.time_ns),
            link_type: file.link_type,
            wire_len: (record.wire_len as usize).max(captured),
            start: self.start + header,
            captured,
        };
        self.consume(header + captured);
        Ok(Some(place.without_check(file.check_bytes)))
    }

    /// The place of the next frame in the buffer.
    fn next_packet_block(&mut self) -> Result<Option<PacketPlace>, CaptureError> {
        loop {
            let Some(length) = self.want_block()? else { return Ok(None) };
            let kind = self.block_type();
            let Format::PcapNg { big_endian, interfaces } = &mut self.format else { unreachable!() };
            let block_bytes = &self.buffer[self.start..self.start + length];
            let parse = if *big_endian { parse_block_be } else { parse_block_le };
            let frame = match parse(block_bytes) {
                Err(_) => Err(Fault::Block(kind)),
                Ok((_, block)) => Interface::apply(&block, *big_endian, interfaces),
            };
            let frame = match frame {
                Ok(frame) => frame,
                Err(fault) if is_packet(kind) => return Err(self.frame_fault(fault)),
                Err(fault) => return Err(self.fault(fault)),
            };
            let begin = self.start;
            self.consume(length);
            if let Some(place) = frame {
                self.frames += 1;
                return Ok(Some(PacketPlace { start: begin + place.start, ..place }));
            }
        }
    }

    /// Brings a whole block into the buffer, checks its two lengths and keeps track of the byte order.
    fn want_block(&mut self) -> Result<Option<usize>, CaptureError> {
        if self.fill(1)? == 0 {
            return Ok(None);
        }
        self.want(12, "block header")?;
        let is_section = word(self.data(), 0, false) == SECTION;
        if is_section {
            let big = match word(self.data(), 8, false) {
                0x1a2b_3c4d => false,
                0x4d3c_2b1a => true,
                _ => return Err(self.fault(Fault::Header("pcapng section"))),
            };
            self.format = Format::PcapNg { big_endian: big, interfaces: Vec::new() };
        }
        let Format::PcapNg { big_endian, .. } = self.format else { unreachable!() };
        let head = word(self.data(), 4, big_endian);
        if !head.is_multiple_of(4) || !(12..=MAX_BLOCK).contains(&head) {
            return Err(self.fault(Fault::BlockLength(head)));
        }
        let length = head as usize;
        self.want(length, "block")?;
        let tail = word(self.data(), length - 4, big_endian);
        if head != tail {
            return Err(self.fault(Fault::BlockTrailer { head, tail }));
        }
        if self.block_type() == OBSOLETE_PACKET {
            return Err(self.frame_fault(Fault::ObsoleteBlock(OBSOLETE_PACKET)));
        }
        // the major version is the half word behind the byte order mark
        let version = [self.data().get(12), self.data().get(13)];
        if is_section && version != if big_endian { [Some(&0), Some(&1)] } else { [Some(&1), Some(&0)] } {
            return Err(self.fault(Fault::Header("pcapng section")));
        }
        Ok(Some(length))
    }

    fn block_type(&self) -> u32 {
        let Format::PcapNg { big_endian, .. } = self.format else { unreachable!() };
        word(self.data(), 0, big_endian)
    }

    fn data(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Reads until `wanted` bytes are in the buffer or the data ends; returns how many there are.
    fn fill(&mut self, wanted: usize) -> Result<usize, CaptureError> {
        if self.buffer.len() - self.start < wanted && self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        while self.buffer.len() - self.start < wanted {
            let used = self.buffer.len();
            self.buffer.resize(used.max(wanted).max(64 << 10), 0);
            let read = self.source.read(&mut self.buffer[used..]);
            self.buffer.truncate(used + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.fault(Fault::Read(e))),
            }
        }
        Ok(self.buffer.len() - self.start)
    }

    fn want(&mut self, wanted: usize, what: &'static str) -> Result<(), CaptureError> {
        let have = self.fill(wanted)?;
        if have < wanted {
            return Err(self.fault(Fault::Cut { what, want: wanted as u64, have: have as u64 }));
        }
        Ok(())
    }

    fn want_frame(&mut self, wanted: usize, what: &'static str) -> Result<(), CaptureError> {
        let next = self.frames + 1;
        self.want(wanted, what).map_err(|mut e| {
            if let Place::Byte { frame, .. } = &mut e.place {
                *frame = Some(next);
            }
            e
        })
    }

    /// Steps over bytes. They stay where they are until the next call of `fill`, so that a frame can borrow them.
    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        self.offset += bytes as u64;
    }

    fn fault(&self, fault: Fault) -> CaptureError {
        let place = Place::Byte { offset: self.offset, frame: None, unpacked: self.unpacked };
        CaptureError { path: self.path.as_path().into(), place, fault: fault.into() }
    }

    fn frame_fault(&self, fault: Fault) -> CaptureError {
        let place =
            Place::Byte { offset: self.offset, frame: Some(self.frames + 1), unpacked: self.unpacked };
        CaptureError { path: self.path.as_path().into(), place, fault: fault.into() }
    }
}

fn is_packet(kind: u32) -> bool {
    matches!(kind, 3 | 6)
}
