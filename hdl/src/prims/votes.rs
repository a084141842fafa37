//! Bits of a word that a memory stores three times.

use std::ops::Range;

use rust_hdl::prelude::*;

/// Which bits of a word of `width` bits are stored three times, so that one that flips does no harm: two of three say what is read.
///
/// That is for what keeps queues in step with each other. Were such a bit to flip, all words behind it would go where their neighbours
/// belong, until a reset. The second and the third copy stand above the word.
#[derive(Clone, Debug, Default)]
pub(super) struct Votes {
    bits: Range<usize>,
    width: usize,
}

impl Votes {
    /// # Panics
    /// If there are no such bits in a word.
    pub fn new(bits: Range<usize>, width: usize) -> Votes {
        assert!(!bits.is_empty() && bits.end <= width, "a word of {width} bits has no bits {bits:?}");
        Votes { bits, width }
    }

    /// Bits of a stored word.
    fn stored_bits(&self) -> usize {
        self.width + 2 * self.bits.len()
    }

    /// A comment above the memory.
    fn comment(&self) -> String {
        let bits = match (self.bits.start, self.bits.end - 1) {
            (low, high) if self.bits.len() == self.width && low == high => "The bit".to_string(),
            (low, high) if low == high => format!("Bit {low}"),
            (low, high) => format!("Each of the bits {high} to {low}"),
        };
        format!("// {bits} of a word is stored three times, and two of three say what is read.\n")
    }

    /// What is written for `write_data`.
    fn written(&self) -> String {
        let copy = self.slice("write_data");
        format!("{{{copy}, {copy}, write_data}}")
    }

    /// The assignment of `read_data`, from the stored word in the signal `stored`.
    fn read(&self) -> String {
        let (count, width) = (self.bits.len(), self.width);
        let bits = if count == 1 { String::new() } else { format!("[{}:0] ", count - 1) };
        let copies = [self.bits.start, width, width + count].map(|low| range("stored", low, count));
        let [first, second, third] = copies;
        let above = (self.bits.end < width).then(|| range("stored", self.bits.end, width - self.bits.end));
        let below = (self.bits.start > 0).then(|| range("stored", 0, self.bits.start));
        let parts: Vec<String> = [above, Some("voted".to_string()), below].into_iter().flatten().collect();
        let word = if parts.len() == 1 { parts.concat() } else { format!("{{{}}}", parts.join(", ")) };
        format!(
            "wire {bits}voted = ({first} & {second}) | ({third} & ({first} | {second}));
assign read_data = {word};
"
        )
    }

    /// The bits in a signal of the word's width.
    fn slice(&self, signal: &str) -> String {
        if self.bits.len() == self.width {
            return signal.to_string();
        }
        range(signal, self.bits.start, self.bits.len())
    }
}

/// What stands in the Verilog of a memory for its word as it is stored.
pub(super) struct Stored {
    /// Bits of it.
    pub bits: usize,
    /// What is written for `write_data`.
    pub written: String,
    /// A comment above the memory, or nothing.
    pub comment: String,
    /// Gives `read_data`, unless it is `output` itself.
    pub read: String,
    /// The register that takes the word which is read.
    pub output: &'static str,
}

impl Stored {
    /// Of a word of `width` bits, which goes into a register as it is read, or is what the expression `from` says.
    pub fn new(votes: Option<&Votes>, width: usize, from: Option<&str>) -> Stored {
        let Some(votes) = votes else {
            return Stored {
                bits: width,
                written: "write_data".to_string(),
                comment: String::new(),
                read: from.map_or_else(String::new, |from| format!("assign read_data = {from};\n")),
                output: "read_data",
            };
        };
        let bits = votes.stored_bits();
        let stored = match from {
            None => format!("reg [{}:0] stored;\n", bits - 1),
            Some(from) => format!("wire [{}:0] stored = {from};\n", bits - 1),
        };
        Stored {
            bits,
            written: votes.written(),
            comment: votes.comment(),
            read: stored + &votes.read(),
            output: "stored",
        }
    }

    /// Of a word of `width` bits with its parity bit above it, which is read into registers.
    pub fn with_parity(width: usize) -> Stored {
        Stored {
            bits: width + 1,
            written: "{^write_data, write_data}".to_string(),
            comment: "// The highest bit of a word is its parity bit.\n".to_string(),
            read: String::new(),
            output: "{read_parity, read_data}",
        }
    }
}

/// The bits of a struct's fields from one to another.
///
/// # Panics
/// If it is no struct with such fields in this order.
pub fn bits_of<D: Synth>(first: &str, last: &str) -> Range<usize> {
    let descriptor = D::descriptor();
    let TypeKind::Composite(fields) = descriptor.kind else { panic!("{} has no fields", descriptor.name) };
    let mut end = 0;
    let places: Vec<(String, Range<usize>)> = fields
        .into_iter()
        .map(|field| {
            let start = end;
            end += bits(&field.kind.kind);
            (field.fieldname, start..end)
        })
        .collect();
    let of = |name| match places.iter().find(|(field, _)| field.trim_end_matches('=') == name) {
        Some((_, place)) => place.clone(),
        None => panic!("{} has no field `{name}`", descriptor.name),
    };
    of(first).start..of(last).end
}

/// Bits of a field.
fn bits(kind: &TypeKind) -> usize {
    match kind {
        TypeKind::Bits(bits) | TypeKind::Signed(bits) => *bits,
        TypeKind::Composite(fields) => fields.iter().map(|field| bits(&field.kind.kind)).sum(),
        TypeKind::Enum(_) => panic!("an enum among the fields"),
    }
}

/// So many bits of a signal.
fn range(signal: &str, low: usize, count: usize) -> String {
    match count {
        1 => format!("{signal}[{low}]"),
        _ => format!("{signal}[{}:{low}]", low + count - 1),
    }
}
