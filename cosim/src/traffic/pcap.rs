//! Writes captures: pcap, little-endian, nanoseconds, Ethernet; what Wireshark opens.

use std::io::{self, Write};
use std::path::Path;

use respray_files::output::{Output, OutputError};

/// Magic number of pcap with times in nanoseconds.
const MAGIC: u32 = 0xa1b2_3c4d;
const SNAP_LEN: u32 = 262_144;
const ETHERNET: u32 = 1;

/// An open capture.
pub struct PcapWriter(Output);

impl PcapWriter {
    /// Begins a capture that is to stand at `path`. What is not finished leaves nothing there.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path) -> Result<PcapWriter, OutputError> {
        let mut file = Output::create(path)?;
        let mut header = MAGIC.to_le_bytes().to_vec();
        header.extend([2_u16, 4].map(u16::to_le_bytes).as_flattened());
        header.extend([0, 0, SNAP_LEN, ETHERNET].map(u32::to_le_bytes).as_flattened());
        file.write_all(&header).map_err(|source| OutputError { path: path.to_path_buf(), source })?;
        Ok(PcapWriter(file))
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, time_ns: u64, data: &[u8]) -> io::Result<()> {
        let length = data.len() as u32;
        for word in [(time_ns / 1_000_000_000) as u32, (time_ns % 1_000_000_000) as u32, length, length] {
            self.0.write_all(&word.to_le_bytes())?;
        }
        self.0.write_all(data)
    }

    /// Ends the capture and puts it in its place.
    ///
    /// # Errors
    /// If the last of it cannot be written.
    pub fn finish(self) -> Result<(), OutputError> {
        self.0.finish()
    }
}
