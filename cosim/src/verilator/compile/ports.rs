//! The ports of a verilated model, read from the header that Verilator writes.

use super::CompileError;

/// Direction of a port, seen from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Input,
    Output,
}

/// A port as Verilator declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderPort {
    /// Member of the C++ class.
    pub member: String,
    /// Name in the Verilog.
    pub name: String,
    /// Width in bits, at least 1.
    pub width: u32,
    /// Seen from the model.
    pub direction: Direction,
}

/// Reads the declarations `VL_IN8(&clk,0,0);`, `VL_OUTW(&q,511,0,16);` and their like, in the order of the header.
///
/// # Errors
/// [`CompileError::Port`] for ports that have no plain address: `inout` and unpacked arrays.
pub fn read(header: &str) -> Result<Vec<HeaderPort>, CompileError> {
    let mut ports = Vec::new();
    for line in header.lines().map(str::trim) {
        let Some((macro_name, arguments)) = line.split_once("((&").or_else(|| line.split_once("(&")) else {
            continue;
        };
        let direction = match macro_name.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'W') {
            "VL_IN" => Direction::Input,
            "VL_OUT" => Direction::Output,
            "VL_INOUT" => return Err(refused(arguments, "is an inout; only input and output are supported")),
            _ => continue,
        };
        let mut fields = arguments.trim_end_matches([')', ';']).split(',');
        let member = fields.next().unwrap_or_default();
        let mut bound = || fields.next().and_then(|text| text.parse::<i64>().ok());
        let (Some(msb), Some(lsb)) = (bound(), bound()) else {
            return Err(refused(arguments, "is declared in a way that is not understood"));
        };
        if !member.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(refused(arguments, "is an unpacked array; only packed vectors are supported"));
        }
        ports.push(HeaderPort {
            member: member.to_string(),
            name: verilog_name(member),
            width: msb.abs_diff(lsb) as u32 + 1,
            direction,
        });
    }
    Ok(ports)
}

fn refused(arguments: &str, why: &'static str) -> CompileError {
    let member: String = arguments.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    CompileError::Port { port: verilog_name(&member), why }
}

/// Undoes Verilator's renaming: `__SYM__float` is `float`, and `__05F` a `_` that followed another.
fn verilog_name(member: &str) -> String {
    let mut rest = member.strip_prefix("__SYM__").unwrap_or(member);
    let mut name = String::new();
    while let Some(found) = rest.find("__0") {
        let code = rest.get(found + 3..found + 5).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        name.push_str(&rest[..found]);
        match code {
            Some(code) => name.push(char::from(code)),
            None => name.push_str("__0"),
        }
        rest = &rest[found + if code.is_some() { 5 } else { 3 }..];
    }
    name + rest
}
