//! Lines of bounded length.

use std::io;

use respray_cosim::traffic::lines::{BoundedLines, LineTooLong};

/// Lines read whole, or why not; `piece` bytes are read at a time.
fn lines(text: &[u8], piece: usize) -> Result<Vec<Vec<u8>>, LineTooLong> {
    let mut lines = BoundedLines::new(io::BufReader::with_capacity(piece, text), 5);
    let (mut line, mut all) = (Vec::new(), Vec::new());
    loop {
        match lines.next_line(&mut line) {
            Ok(true) => all.push(line.clone()),
            Ok(false) => return Ok(all),
            Err(error) => return Err(LineTooLong::of(&error).expect("nothing else fails")),
        }
    }
}

#[test]
fn a_line_may_have_so_many_bytes_and_no_more() {
    for piece in [1, 3, 64] {
        let text = b"12345\n\n123\n12345";
        assert_eq!(lines(text, piece).unwrap().concat(), text, "{piece}");
        for (text, line) in [("123456\n", 1), ("12345\n1\n123456", 3), ("\n1234567\n1", 2)] {
            assert_eq!(lines(text.as_bytes(), piece), Err(LineTooLong { line, longest: 5 }), "{piece}");
        }
    }
}
