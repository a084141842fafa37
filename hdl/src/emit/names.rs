//! Names: from rust-hdl's paths to Verilog identifiers.

/// Keywords of Verilog-2005 and SystemVerilog-2017; the tools read a `.v` file as either.
const KEYWORDS: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before \
begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const \
constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end \
endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive \
endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect export extends extern final first_match \
for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins \
implements implies import incdir include initial inout input inside instance int integer interconnect interface intersect join \
join_any join_none large let liblist library local localparam logic longint macromodule matches medium modport module nand negedge \
nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive \
priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase \
randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always \
s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify \
specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this \
throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 \
unsigned until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire \
with within wor xnor xor";

/// Whether every tool takes `name` as an identifier.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.split_ascii_whitespace().any(|keyword| keyword == name)
}

/// `lane$3$bus$valid` as one word: `lane_3_bus_valid`.
pub(super) fn joined(path: &str) -> String {
    path.replace('$', "_")
}

/// What an index expression may name.
pub(super) struct Indices<'a> {
    pub loops: &'a [(String, usize)],
    /// Value of the constant, or of the field of one, at a path.
    pub constant: &'a dyn Fn(&str) -> Option<usize>,
}

/// Brings a name of the AST into the form in which the probe names atoms: `lane[i+1].d.next` with `i` = 2 becomes
/// `lane$3$d`. `Err` holds the identifier within brackets that is neither a loop index nor a constant.
pub(super) fn normalized(name: &str, indices: &Indices) -> Result<String, String> {
    let mut rest = name.trim_start_matches('.');
    let mut out = String::new();
    while let Some(open) = rest.find('[') {
        let close = matching_bracket(rest, open).ok_or_else(|| name.to_string())?;
        let index = evaluate(&rest[open + 1..close], indices)?;
        out.push_str(&rest[..open]);
        out.push_str(&format!("${index}"));
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
    let out = out.replace(['.'], "$").replace("::", "$");
    Ok(out.strip_suffix("$next").map(str::to_string).unwrap_or(out))
}

fn matching_bracket(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(open + at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Value of an index expression over loop indices, constants and numbers: `+ - * / %` and parentheses.
fn evaluate(text: &str, indices: &Indices) -> Result<usize, String> {
    let mut parser = IndexParser { rest: text, indices };
    let value = parser.sum()?;
    match (parser.rest.trim().is_empty(), usize::try_from(value)) {
        (true, Ok(value)) => Ok(value),
        _ => Err(text.to_string()),
    }
}

struct IndexParser<'a> {
    rest: &'a str,
    indices: &'a Indices<'a>,
}

impl IndexParser<'_> {
    fn operator(&mut self, allowed: &str) -> Option<char> {
        let trimmed = self.rest.trim_start();
        let c = trimmed.chars().next().filter(|c| allowed.contains(*c))?;
        self.rest = &trimmed[1..];
        Some(c)
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.operator("+-") {
            let right = self.product()?;
            value = if operator == '+' { value + right } else { value - right };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.atom()?;
        while let Some(operator) = self.operator("*/%") {
            let right = self.atom()?;
            let result = match operator {
                '*' => value.checked_mul(right),
                '/' => value.checked_div(right),
                _ => value.checked_rem(right),
            };
            value = result.ok_or_else(|| self.rest.to_string())?;
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<i64, String> {
        if self.operator("(").is_some() {
            let value = self.sum()?;
            return self.operator(")").map(|_| value).ok_or_else(|| self.rest.to_string());
        }
        let text = self.rest.trim_start();
        let (word, rest) = text.split_at(path_end(text));
        self.rest = rest;
        let in_loop =
            || self.indices.loops.iter().rev().find(|(name, _)| name == word).map(|(_, value)| *value);
        let constant = || word.strip_suffix("$index()").and_then(self.indices.constant);
        if let Some(value) = in_loop().or_else(constant) {
            return i64::try_from(value).map_err(|_| word.to_string());
        }
        integer(word).and_then(|v| i64::try_from(v).ok()).ok_or_else(|| word.to_string())
    }
}

/// Where a path ends that `text` begins with: identifiers and calls without arguments, with `$` between them.
fn path_end(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut end = 0;
    loop {
        end += text[end..].find(|c| !is_part(c)).unwrap_or(text.len() - end);
        match text[end..].starts_with("()") {
            true => end += 2,
            false => return end,
        }
    }
}

/// A Rust integer literal, with or without suffix and underscores.
pub(super) fn integer(text: &str) -> Option<u64> {
    let plain = text.replace('_', "");
    let digits = ["usize", "u8", "u16", "u32", "u64", "i32", "i64"]
        .iter()
        .find_map(|suffix| plain.strip_suffix(suffix))
        .unwrap_or(&plain);
    match digits.get(..2) {
        Some("0x") => u64::from_str_radix(&digits[2..], 16).ok(),
        Some("0b") => u64::from_str_radix(&digits[2..], 2).ok(),
        Some("0o") => u64::from_str_radix(&digits[2..], 8).ok(),
        _ => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_evaluated_with_loop_indices_and_constants() {
        let loops = [("i".to_string(), 2), ("j".to_string(), 5)];
        let constant = |path: &str| (path == "at$val()$word").then_some(4);
        let indices = Indices { loops: &loops, constant: &constant };
        let name = |name| normalized(name, &indices);
        assert_eq!(name("lane[i+1]$fifo[(j-1)*2]$d$next").unwrap(), "lane$3$fifo$8$d");
        assert_eq!(name("lane[0x1_0_usize % 3]").unwrap(), "lane$1");
        assert_eq!(name("lane[at$val()$word$index()-i]$d").unwrap(), "lane$2$d");
        assert_eq!(name("lane[N-1]"), Err("N".to_string()));
        assert_eq!(name("lane[of$val()$index()]"), Err("of$val()$index()".to_string()));
    }

    #[test]
    fn keywords_of_both_languages_are_no_identifiers() {
        for bad in ["reg", "priority", "bit", "3a", "a$b", ""] {
            assert!(!is_identifier(bad), "{bad}");
        }
        assert!(is_identifier("res_valid"));
    }
}
