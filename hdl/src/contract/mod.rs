//! What a core is given and what it shows, said once.
//!
//! A [`Contract`] is a table of the ports of a core that takes ops, with their widths, meanings and what else is known of
//! their values. The manifest, the ports of the Verilog, the columns of op traces, the options of the command line, the
//! tables of the core's page, the comparison of every cycle and the shrinker all read this one table.
//!
//! [`contract!`](crate::contract!) makes a table together with two structs: an op as it stands at the inputs, and what the
//! outputs show of it. [`values`] says how a field of such a struct becomes the word of a port. [`field`] holds the fields
//! themselves, and [`describe`] makes of a contract what is given out beside the Verilog.

mod describe;
pub use describe::SEED_BITS;
pub mod field;
mod macros;
pub mod values;

use crate::config::Config;
use crate::cycles::Cycles;
use crate::manifest::Memory;

pub use field::{Base, Default, Field, Setting, Value, Width, bits, flag, sized};
pub use values::{Scalar, Shown, ShownValue, Words};

/// All that a core which takes ops promises to who drives it.
pub struct Contract {
    /// The core's one word, e.g. `reps`.
    pub core: &'static str,
    /// What the core is and does: the rest of the first line of its Verilog.
    pub about: &'static str,
    /// Source of the algorithm, e.g. `001 (REPS) Algorithms 1 and 2, Table 1`.
    pub source: fn(&Config) -> &'static str,
    /// The sizes of a configuration and how long the core takes, in lines for the head of the Verilog.
    pub sizes: fn(&Config) -> String,
    /// Configuration keys that change the core.
    pub keys: &'static [&'static str],
    /// What `rst` does besides what every reset does.
    pub reset: &'static str,
    /// When `op_ready` is high or low.
    pub ready: &'static str,
    /// Kinds of op by their code on the port `op_kind`. A code without a name is reserved.
    pub kinds: &'static [&'static str],
    /// Fields of an op, under their headings: the first one is its kind, the second one its connection.
    pub ops: &'static [Group],
    /// What is sampled with every op: times and what a driver sets.
    pub settings: Group,
    /// Meaning of the port `seed`, which stands behind the settings, if there is one.
    pub seed: Option<&'static str>,
    /// What the outputs show, under their headings.
    pub shown: &'static [Group],
    /// Classes of op that take the same number of cycles.
    pub classes: &'static [&'static str],
    /// What the formulas of these cycles may count.
    pub counts: &'static [&'static str],
    /// Cycles of each class.
    pub timing: fn(&Config) -> Timing,
    /// Memories in the order of the data path.
    pub memories: fn(&Config) -> Vec<Memory>,
    /// How an op trace spells the core's ops.
    pub trace: TraceForm,
}

/// Ports that stand under one heading.
#[derive(Clone, Copy)]
pub struct Group {
    /// The heading, e.g. `Settings, sampled with the op`.
    pub heading: &'static str,
    /// The ports below it, in order.
    pub fields: &'static [Field],
}

/// When results come and when the next op is taken.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Cycles from the clock edge that takes an op to the edge at which its result can be sampled, per class with a result.
    pub latency: Vec<(&'static str, Cycles)>,
    /// Cycles between two ops that the core takes, per class of the earlier one.
    pub interval: Vec<(&'static str, Cycles)>,
    /// Cycles between the starts of two ops of one connection, per class of the earlier one, where that makes an op wait.
    pub same_connection: Vec<(&'static str, Cycles)>,
    /// What can make `op_ready` low, and why.
    pub stalls: Vec<&'static str>,
    /// Clock edges with `rst` low until `op_ready` is high.
    pub reset_cycles: u32,
}

/// How an op trace spells the ops of a core: its columns are the clock, `op`, `conn`, the fields of an op, what is expected
/// of the result, `idle` and the settings, in this order.
#[derive(Clone, Copy)]
pub struct TraceForm {
    /// The column of the time, which is the op's clock or, where it has another name, the time that the clock is the end of.
    pub time: Option<&'static str>,
    /// A column with a time that is there for the reader alone, for a core whose clock is a column.
    pub beside: Option<&'static str>,
    /// The column in which a line of `reset` carries the seed from there on.
    pub seed: Option<&'static str>,
    /// So many columns, from the first on, must be in a file.
    pub needed: usize,
    /// So many columns, from the first on, are always written; the others are written where a line uses them.
    pub written: usize,
    /// What a line may expect, e.g. `a send`.
    pub expects_of: &'static str,
    /// Kinds of op, a bit for each code, whose lines may hold a word in the column `expect`.
    pub expecting_kinds: u8,
    /// The words that may stand there.
    pub words: &'static [ExpectWord],
}

/// A word in the column `expect`: what a port of the result must show.
#[derive(Clone, Copy)]
pub struct ExpectWord {
    /// The word.
    pub word: &'static str,
    /// What a sentence calls a result to which it applies, e.g. `a SACK of`.
    pub phrase: &'static str,
    /// Name of the port, e.g. `res_kind`.
    pub port: &'static str,
    /// The values that are right, a bit for each.
    pub allowed: u16,
    /// Columns beside it that a line with this word must fill, without their `expect_`.
    pub needs: &'static [&'static str],
    /// The word does not demand the result: the run counts how often it comes.
    pub only_counted: bool,
}

impl Contract {
    /// The fields of an op in the order of its words: kind, connection, the others, settings.
    pub fn op_fields(&self) -> impl Iterator<Item = &'static Field> {
        let settings = self.settings.fields;
        self.ops.iter().flat_map(|group| group.fields).chain(settings)
    }

    /// Places of the settings among the words of an op, times included.
    pub fn settings_at(&self) -> std::ops::Range<usize> {
        let first = self.ops.iter().map(|group| group.fields.len()).sum();
        first..first + self.settings.fields.len()
    }

    /// Place of a setting among the settings.
    ///
    /// # Panics
    /// If there is none of this name.
    pub fn setting_at(&self, name: &str) -> usize {
        let place = self.settings.fields.iter().position(|field| field.name == name);
        place.unwrap_or_else(|| panic!("`{}` has no setting `{name}`", self.core))
    }

    /// The settings that a driver chooses, with their places among the words of an op.
    pub fn driver_settings(&self) -> impl Iterator<Item = (usize, &'static Field, &'static Setting)> {
        let first = self.settings_at().start;
        let fields = self.settings.fields.iter().enumerate();
        fields.filter_map(move |(place, field)| Some((first + place, field, field.setting.as_ref()?)))
    }

    /// So many connections, or whatever takes their place, have a state of their own: the second field of an op is below it.
    pub fn connections(&self, config: &Config) -> u32 {
        1 + self.op_fields().nth(1).map_or(0, |field| field.last(config)) as u32
    }

    /// Place of the clock among the words of an op, if the core has one.
    pub fn clock_at(&self) -> Option<usize> {
        self.op_fields().position(|field| field.value == Value::Now)
    }

    /// What the outputs show, in the order of their words; `op_ready` is not among them.
    pub fn shown_fields(&self) -> impl Iterator<Item = &'static Field> {
        self.shown.iter().flat_map(|group| group.fields)
    }

    /// Those of them that a configuration has, with the same places.
    pub fn shown_in(&self, config: &Config) -> impl Iterator<Item = &'static Field> {
        self.shown_fields().take_while(|field| field.is_there(config))
    }

    /// Name of a kind of op, e.g. `send` or `reserved5`.
    pub fn kind_name(&self, code: u8) -> String {
        self.kinds.get(usize::from(code)).map_or_else(|| format!("reserved{code}"), |name| name.to_string())
    }

    /// All kinds of op by name, the reserved codes last.
    pub fn kind_names(&self) -> Vec<String> {
        let bits = self.ops[0].fields[0].width.fixed();
        (0..1_u8 << bits).map(|code| self.kind_name(code)).collect()
    }
}
