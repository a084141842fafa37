//! The first difference: where it is, and in words.

use serde::Serialize;

use super::core::{Core, Expected, Field, Word};

/// The first cycle in which the core was not what it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Clock edge before which the outputs were sampled; the run's first edge, with `rst` high, is 0.
    pub cycle: u64,
    /// Who says what was expected.
    pub against: Against,
    /// What the op trace has a wish of, e.g. `a send`.
    #[serde(skip)]
    pub wished: &'static str,
    /// First output port that differs, in the order of the module's header.
    pub port: String,
    /// What it had to show.
    pub expected: String,
    /// What it showed.
    pub seen: String,
    /// All further ports that differ in this cycle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<PortDifference>,
    /// Connection of the op that leaves the core in this cycle, or that the outputs name.
    pub connection: Option<u32>,
    /// Entry of the stimulus whose op leaves the core in this cycle; entries count from 0.
    pub entry: Option<u64>,
}

/// Who says what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    /// The golden model and the manifest.
    Golden,
    /// The `expect` columns of the op trace, where golden model and core agree.
    Trace,
}

/// One port that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PortDifference {
    pub port: String,
    pub expected: String,
    pub seen: String,
}

/// Holds one cycle's outputs against what they must be.
#[inline(always)]
pub fn compare<C: Core>(core: &C, seen: &C::Word, cycle: u64) -> Option<Box<Difference>> {
    let expected = core.expected();
    if seen.differs(&expected.value, &expected.care) {
        return Some(Box::new(against_golden(core, &expected, seen, cycle)));
    }
    if expected.wished { against_trace(core, &expected, seen, cycle) } else { None }
}

#[cold]
fn against_golden<C: Core>(core: &C, expected: &Expected<C::Word>, seen: &C::Word, cycle: u64) -> Difference {
    let differs = |field: &&Field| {
        let bits = |word: &C::Word| word.bits(field.offset, field.width);
        let care = bits(&expected.care);
        bits(seen).iter().zip(&bits(&expected.value)).zip(&care).any(|((s, e), care)| (s ^ e) & care != 0)
    };
    let mut ports = core.layout().iter().filter(differs).map(|field| PortDifference {
        port: field.port.to_string(),
        expected: literal(&expected.value, field),
        seen: literal(seen, field),
    });
    let first = ports.next().expect("a word that differs differs in a field of the layout");
    Difference {
        cycle,
        against: Against::Golden,
        wished: C::WISHED,
        port: first.port,
        expected: first.expected,
        seen: first.seen,
        also: ports.collect(),
        // what was expected names the connection more reliably than a core that is wrong
        connection: expected.entry.and_then(|_| core.connection(&expected.value)).or(core.connection(seen)),
        entry: expected.entry,
    }
}

#[cold]
fn against_trace<C: Core>(
    core: &C,
    expected: &Expected<C::Word>,
    seen: &C::Word,
    cycle: u64,
) -> Option<Box<Difference>> {
    let (wanted, seen_words) = core.unmet(seen)?;
    Some(Box::new(Difference {
        cycle,
        against: Against::Trace,
        wished: C::WISHED,
        port: "expect".to_string(),
        expected: wanted,
        seen: seen_words,
        also: Vec::new(),
        connection: core.connection(seen),
        entry: expected.entry,
    }))
}

/// A value as Verilog writes it: `16'h0b1d`.
fn literal<W: Word>(word: &W, field: &Field) -> String {
    let limbs = word.bits(field.offset, field.width);
    let hex: String = limbs.iter().rev().map(|limb| format!("{limb:016x}")).collect();
    format!("{}'h{}", field.width, &hex[hex.len() - field.width.div_ceil(4) as usize..])
}
