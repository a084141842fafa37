//! Writes captures: pcap, little-endian, nanoseconds, Ethernet; what Wireshark opens.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// Magic number of pcap with times in nanoseconds.
const MAGIC: u32 = 0xa1b2_3c4d;
const SNAP_LEN: u32 = 262_144;
const ETHERNET: u32 = 1;

/// An open capture: it has a temporary name beside its own until it is whole.
pub struct PcapWriter {
    file: BufWriter<File>,
    /// The temporary name and the one to come; none where the bytes go straight to a pipe or a device.
    staged: Option<(TempPath, PathBuf)>,
}

impl PcapWriter {
    /// Begins a capture that is to stand at `path`. What is not finished leaves nothing there.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path) -> io::Result<PcapWriter> {
        let (file, staged) = match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => (File::create(path)?, None),
            _ => {
                let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let (file, temporary) = tempfile::Builder::new()
                    .prefix(".respray-")
                    .permissions(Permissions::from_mode(0o666)) // less the umask, as for any file
                    .tempfile_in(directory.unwrap_or(Path::new(".")))?
                    .into_parts();
                (file, Some((temporary, path.to_path_buf())))
            }
        };
        let mut file = BufWriter::new(file);
        file.write_all(&MAGIC.to_le_bytes())?;
        for half in [2_u16, 4] {
            file.write_all(&half.to_le_bytes())?;
        }
        for word in [0, 0, SNAP_LEN, ETHERNET] {
            file.write_all(&word.to_le_bytes())?;
        }
        Ok(PcapWriter { file, staged })
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

    /// Ends the capture and puts it in its place.
    ///
    /// # Errors
    /// If the last of it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        match self.staged {
            Some((temporary, path)) => temporary.persist(path).map_err(|error| error.error),
            None => Ok(()),
        }
    }
}
