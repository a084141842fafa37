//! A field of an op or of a result: the port that carries it, and what is known of its value.

use crate::config::Config;

/// A field of an op or of what the outputs show.
#[derive(Clone, Copy)]
pub struct Field {
    /// Name of the port in the Verilog, e.g. `op_conn`.
    pub port: &'static str,
    /// Name of the field, e.g. `conn`: its column in op traces.
    pub name: &'static str,
    /// Width of the port.
    pub width: Width,
    /// What it carries, with unit and range. `{}` stands for [`Field::number`].
    meaning: &'static str,
    /// The number in the meaning.
    number: Option<fn(&Config) -> u32>,
    /// What kind of number it is.
    pub value: Value,
    /// How traces spell the number.
    pub base: Base,
    /// Kinds of op, a bit for each code, whose lines in a trace must give it.
    pub needed_by: u8,
    /// Kinds of op, a bit for each code, that use it: it is written for them even where it is 0.
    pub used_by: u8,
    /// What a driver chooses: an option of the command line, and of a trace as a whole.
    pub setting: Option<Setting>,
    /// Of an output: the column of op traces that expects a value of it, without `expect_`.
    pub expect: Option<&'static str>,
    /// How a sentence about a result tells its value, for which `{}` stands; `None`: the column and the value.
    pub phrase: Option<&'static str>,
}

/// Width of a port in bits: 1 to 64, or 0 where a configuration does not have the port. Such a port is an output, behind all others.
#[derive(Clone, Copy)]
pub enum Width {
    /// The same in every configuration.
    Fixed(u32),
    /// By the configuration.
    Sized(fn(&Config) -> u32),
}

/// What kind of number a field is. The shrinker and the generators of random ops go by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, an echoed label or a flag: 0 is the plainest value.
    Number,
    /// What an op is about, and keeps a state: a connection, or what takes its place in a switch.
    Connection,
    /// A packet sequence number. All of an op's move together.
    Psn,
    /// A PSN that is a multiple of 64.
    SegmentBase,
    /// A set of packets or ports, a bit for each.
    Bitmap,
    /// The time of the op.
    Now,
    /// A time that lies before that of the op and moves with it.
    Timestamp,
    /// A limit, of a time or of a count: one that nothing reaches is as plain as one that everything does.
    Limit,
}

/// How traces spell a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `42`
    Decimal,
    /// `0x2a`
    Hexadecimal,
}

/// A setting that a driver chooses.
#[derive(Clone, Copy)]
pub struct Setting {
    /// What the option's value is called in the help, e.g. `TICKS`.
    pub unit: &'static str,
    /// What it sets, for the help.
    pub help: &'static str,
    /// Its value where neither the command line nor the trace gives one.
    pub default: Default,
    /// A recording that stands beside a capture can give it.
    pub is_recorded: bool,
}

/// Value of a setting that is not given.
#[derive(Clone, Copy)]
pub enum Default {
    /// The same in every configuration.
    Fixed(u64),
    /// By the configuration.
    Sized(fn(&Config) -> u64),
}

impl Width {
    /// Bits in a configuration.
    pub fn bits(&self, config: &Config) -> u32 {
        match self {
            Width::Fixed(bits) => *bits,
            Width::Sized(bits) => bits(config),
        }
    }

    /// Bits, for a field that has the same number in every configuration.
    ///
    /// # Panics
    /// On a width that the configuration sets: the contract's error.
    pub(crate) fn fixed(&self) -> u32 {
        match self {
            Width::Fixed(bits) => *bits,
            Width::Sized(_) => panic!("a width that the configuration sets"),
        }
    }
}

impl Default {
    /// The value in a configuration.
    pub fn of(&self, config: &Config) -> u64 {
        match self {
            Default::Fixed(value) => *value,
            Default::Sized(value) => value(config),
        }
    }
}

/// A field of so many bits.
pub const fn bits(bits: u32, meaning: &'static str) -> Field {
    of_width(Width::Fixed(bits), meaning)
}

/// A field of one bit.
pub const fn flag(meaning: &'static str) -> Field {
    bits(1, meaning)
}

/// A field whose width the configuration sets.
pub const fn sized(bits: fn(&Config) -> u32, meaning: &'static str) -> Field {
    of_width(Width::Sized(bits), meaning)
}

/// The connection of an op.
pub const fn connection() -> Field {
    sized(Config::connection_bits, "connection, 0 to {}")
        .number(|config| config.connections - 1)
        .is(Value::Connection)
}

/// The connection that an output speaks of.
pub const fn of_connection(meaning: &'static str) -> Field {
    sized(Config::connection_bits, meaning).is(Value::Connection)
}

/// A packet sequence number of a SACK engine.
pub const fn psn(meaning: &'static str) -> Field {
    sized(|config| config.sack.psn_bits, meaning).is(Value::Psn)
}

const fn of_width(width: Width, meaning: &'static str) -> Field {
    Field {
        port: "",
        name: "",
        width,
        meaning,
        number: None,
        value: Value::Number,
        base: Base::Decimal,
        needed_by: 0,
        used_by: 0,
        setting: None,
        expect: None,
        phrase: None,
    }
}

impl Field {
    /// Under this name, at the port of the same name.
    pub const fn at(self, port: &'static str) -> Field {
        Field { port, name: port, ..self }
    }

    /// Under this name, at another port.
    pub const fn named(self, port: &'static str, name: &'static str) -> Field {
        Field { port, name, ..self }
    }

    /// With this number in its meaning.
    pub const fn number(self, number: fn(&Config) -> u32) -> Field {
        Field { number: Some(number), ..self }
    }

    /// What kind of number it is.
    pub const fn is(self, value: Value) -> Field {
        Field { value, ..self }
    }

    /// How traces spell it.
    pub const fn spelt(self, base: Base) -> Field {
        Field { base, ..self }
    }

    /// Ops of these kinds use it; a bit for each code.
    pub const fn used_by(self, kinds: u8) -> Field {
        Field { used_by: kinds, ..self }
    }

    /// Lines of these kinds of op must give it; a bit for each code.
    pub const fn needed_by(self, kinds: u8) -> Field {
        Field { needed_by: kinds, used_by: kinds | self.used_by, ..self }
    }

    /// A driver chooses it: `help` says what it sets, in the unit `unit`.
    pub const fn set_by_driver(self, unit: &'static str, help: &'static str, default: Default) -> Field {
        Field { setting: Some(Setting { unit, help, default, is_recorded: false }), ..self }
    }

    /// The recording beside a capture may give it, too.
    pub const fn recorded(self) -> Field {
        match self.setting {
            Some(setting) => Field { setting: Some(Setting { is_recorded: true, ..setting }), ..self },
            None => self,
        }
    }

    /// An op trace may expect a value of it, in the column `expect_` and this.
    pub const fn expected_as(self, column: &'static str) -> Field {
        Field { expect: Some(column), ..self }
    }

    /// A sentence about a result tells its value by this phrase, in which `{}` stands for the value.
    pub const fn told_as(self, phrase: &'static str) -> Field {
        Field { phrase: Some(phrase), ..self }
    }

    /// What it carries in a configuration.
    pub fn meaning(&self, config: &Config) -> String {
        match self.number {
            Some(number) => self.meaning.replace("{}", &number(config).to_string()),
            None => self.meaning.to_string(),
        }
    }

    /// The configuration has the port.
    pub fn is_there(&self, config: &Config) -> bool {
        self.width.bits(config) > 0
    }

    /// Largest value that its port holds.
    pub fn last(&self, config: &Config) -> u64 {
        u64::MAX.checked_shr(64 - self.width.bits(config)).unwrap_or(0)
    }
}
