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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_declaration_is_read() {
        let header = "
    // The application code writes and reads these signals to
    VL_IN8(&clk,0,0);
    VL_IN8(&a,15,8);
    VL_OUT8(&__SYM__float,7,0);
    VL_OUT16(&foo___05Fbar,0,9);
    VL_OUT(&sum,31,0);
    VL_IN64(&c,63,0);
    VL_OUTW(&r,64,0,3);
    CData/*0:0*/ internal;";
        let ports = read(header).unwrap();
        let seen: Vec<_> = ports.iter().map(|p| (p.name.as_str(), p.width, p.direction)).collect();
        use Direction::{Input, Output};
        let expected = [
            ("clk", 1, Input),
            ("a", 8, Input),
            ("float", 8, Output),
            ("foo__bar", 10, Output),
            ("sum", 32, Output),
            ("c", 64, Input),
            ("r", 65, Output),
        ];
        assert_eq!(seen, expected);
        assert_eq!((ports[2].member.as_str(), ports[3].member.as_str()), ("__SYM__float", "foo___05Fbar"));
    }

    #[test]
    fn ports_without_a_plain_address_are_refused_by_name() {
        let error = read("    VL_INOUT8(&pad,0,0);").unwrap_err().to_string();
        assert_eq!(error, "port `pad` is an inout; only input and output are supported");
        let error = read("    VL_IN8((&lanes)[4],7,0);").unwrap_err().to_string();
        assert_eq!(error, "port `lanes` is an unpacked array; only packed vectors are supported");
    }
}
