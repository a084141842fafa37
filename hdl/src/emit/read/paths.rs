//! From the names of the AST to those under which the probe knows a block's signals.

/// What an index expression may name.
pub struct Indices<'a> {
    pub loops: &'a [(String, usize)],
    /// Value of the constant, or of the field of one, at a path.
    pub constant: &'a dyn Fn(&str) -> Option<usize>,
}

/// Brings a name of the AST into the form in which the probe names atoms: `lane[i+1].d.next` with `i` = 2 becomes
/// `lane$3$d`. `Err` holds the identifier within brackets that is neither a loop index nor a constant.
pub fn normalized(name: &str, indices: &Indices) -> Result<String, String> {
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
pub fn integer(text: &str) -> Option<u64> {
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
