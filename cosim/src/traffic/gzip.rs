//! Files that gzip packed.

use std::io::{BufRead, Error, ErrorKind, Read, Result};

use flate2::bufread::GzDecoder;

/// The first bytes of such a file.
pub const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What is in a file of one gzip member or of several in a row, one behind the other.
///
/// Zeros at the end of the file are passed over, as `gzip` does, since tapes and block devices fill their last block with them. All
/// else behind a member must be another member.
pub struct Unpacked<R> {
    /// The member that is being read; none behind the last one.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Unpacked<R> {
    /// Unpacks what `packed` gives, from its first member on.
    pub fn new(packed: R) -> Self {
        Unpacked { member: Some(GzDecoder::new(packed)) }
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            // its end: the decoder has compared the check sum and the length
            if next_is_member(member.get_mut())? {
                self.member = self.member.take().map(|member| GzDecoder::new(member.into_inner()));
            } else {
                self.member = None;
            }
        }
        Ok(0)
    }
}

/// Whether something follows, which is then a member. Zeros up to the end are nothing.
fn next_is_member(packed: &mut impl BufRead) -> Result<bool> {
    let mut zeros = false;
    loop {
        let bytes = match packed.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        match bytes.iter().position(|&byte| byte != 0) {
            _ if bytes.is_empty() => return Ok(false),
            None => {
                zeros = true;
                let length = bytes.len();
                packed.consume(length);
            }
            Some(0) if !zeros => return Ok(true),
            Some(_) => {
                return Err(Error::new(
                    ErrorKind::InvalidData,
                    "zeros stand behind a gzip member and something else behind them; allowed: zeros up to the end, or another \
                     member at once",
                ));
            }
        }
    }
}
