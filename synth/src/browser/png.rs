//! A PNG, cut to its upper rows and packed as small as it gets.

use std::io::{Read, Write};

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The first `height` rows. None of what is no PNG, or has fewer rows.
pub(super) fn cut(png: &[u8], height: u32) -> Option<Vec<u8>> {
    let mut rest = png.strip_prefix(SIGNATURE)?;
    let (mut header, mut packed) = (None, Vec::new());
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let (kind, data) = (behind.get(..4)?, behind.get(4..4 + length)?);
        match kind {
            b"IHDR" => header = Some(data.to_vec()),
            b"IDAT" => packed.extend_from_slice(data),
            _ => {}
        }
        rest = behind.get(8 + length..)?;
    }
    let mut header = header.filter(|header| header.len() == 13)?;
    let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let (width, rows) = (number(0)?, number(4)?);
    // 8 bits a channel, RGB or RGBA, not interlaced: what a browser writes
    let bytes = match (header[8], header[9], header[12]) {
        (8, 2, 0) => 3,
        (8, 6, 0) => 4,
        _ => return None,
    };
    let mut pixels = Vec::new();
    ZlibDecoder::new(packed.as_slice()).read_to_end(&mut pixels).ok()?;
    // a row has a byte in front, and is told from the row above, so that the last ones can be left out
    let row = 1 + bytes * width as usize;
    if rows < height || pixels.len() != row * rows as usize {
        return None;
    }
    pixels.truncate(row * height as usize);
    header[4..8].copy_from_slice(&height.to_be_bytes());
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(&pixels).ok()?;
    let mut cut = SIGNATURE.to_vec();
    for (kind, data) in [(b"IHDR", header), (b"IDAT", packer.finish().ok()?), (b"IEND", Vec::new())] {
        let mut crc = Crc::new();
        crc.update(kind);
        crc.update(&data);
        cut.extend((data.len() as u32).to_be_bytes());
        cut.extend(kind);
        cut.extend(&data);
        cut.extend(crc.sum().to_be_bytes());
    }
    Some(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey RGB picture of 2 columns, in which each row has its number.
    fn picture(rows: u8) -> Vec<u8> {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
        for row in 0..rows {
            packer.write_all(&[0, row, row, row, row, row, row]).unwrap();
        }
        let mut png = SIGNATURE.to_vec();
        let header = [0, 0, 0, 2, 0, 0, 0, rows, 8, 2, 0, 0, 0].to_vec();
        for (kind, data) in [(b"IHDR", header), (b"IDAT", packer.finish().unwrap()), (b"IEND", Vec::new())] {
            png.extend((data.len() as u32).to_be_bytes());
            png.extend(kind);
            png.extend(data);
            png.extend([0; 4]);
        }
        png
    }

    #[test]
    fn the_upper_rows_stay_and_what_is_no_picture_or_too_small_is_none() {
        let two = cut(&picture(5), 2).unwrap();
        assert_eq!(two[16..24], [0, 0, 0, 2, 0, 0, 0, 2]);
        // what was cut can be cut once more, so it is a PNG
        let all = cut(&two, 2).unwrap();
        assert_eq!(all, two);
        let packed = &two[41..];
        let mut pixels = Vec::new();
        ZlibDecoder::new(packed).read_to_end(&mut pixels).unwrap();
        assert_eq!(pixels, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
        assert_eq!(cut(&two, 3), None);
        assert_eq!(cut(b"GIF89a", 1), None);
        assert_eq!(cut(&picture(5)[..40], 1), None);
    }
}
