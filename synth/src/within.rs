//! Names that reach into instances (`instance.signal`), by which outputs for a simulation show what parts do.
//!
//! Yosys takes such a name for a wire of its own that nothing drives. Where the wire is marked, it becomes the one that is meant once
//! the modules are dissolved.

/// What Yosys is told between reading `verilog` and dissolving its modules, so that such names mean what they say: nothing where there
/// are none.
pub(crate) fn followed(verilog: &str) -> &'static str {
    if verilog.lines().any(reaches_within) { "setattr -set hierconn 1 w:*.*\n" } else { "" }
}

/// Whether a line has a point between two names, outside its comment.
fn reaches_within(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default().as_bytes();
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    code.windows(3).any(|three| three[1] == b'.' && is_of_name(&three[0]) && is_of_name(&three[2]))
}
