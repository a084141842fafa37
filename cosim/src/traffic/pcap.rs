//! Writes captures: pcap, little-endian, nanoseconds, Ethernet; what Wireshark opens.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Magic number of pcap with times in nanoseconds.
const MAGIC: u32 = 0xa1b2_3c4d;
const SNAP_LEN: u32 = 262_144;
const ETHERNET: u32 = 1;

/// An open file.
pub struct PcapWriter {
    file: BufWriter<File>,
}

impl PcapWriter {
    /// Creates the file and writes its header.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn create(path: &Path) -> io::Result<PcapWriter> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&MAGIC.to_le_bytes())?;
        for half in [2_u16, 4] {
            file.write_all(&half.to_le_bytes())?;
        }
        for word in [0, 0, SNAP_LEN, ETHERNET] {
            file.write_all(&word.to_le_bytes())?;
        }
        Ok(PcapWriter { file })
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, time_ns: u64, data: &[u8]) -> io::Result<()> {
        let length = data.len() as u32;
        for word in [(time_ns / 1_000_000_000) as u32, (time_ns % 1_000_000_000) as u32, length, length] {
            self.file.write_all(&word.to_le_bytes())?;
        }
        self.file.write_all(data)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the last of it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }
}
