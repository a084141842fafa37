//! The files of a recording.

use std::io::Write;

use flate2::{Compression, GzBuilder};

/// Gzip without name and time, so that the same capture gives the same file.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory")
}
