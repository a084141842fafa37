//! The columns of a core's op traces, from its contract.

use respray_hdl::config::Config;
use respray_hdl::contract::{Base, Contract, Field, Value};

/// A column of op traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in the first line.
    pub name: String,
    /// What stands in it.
    pub content: Content,
}

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The time of the op.
    Time,
    /// A time for the reader alone.
    Beside,
    /// The kind of op, or `reset`.
    Op,
    /// The connection.
    Connection,
    /// A field of the op, by its place among the op's words.
    Field(usize),
    /// A word for the result.
    Expect,
    /// The value of a field of the result, by its place.
    ExpectField(usize),
    /// Idle edges before the op.
    Idle,
    /// A setting, by its place among the op's words and its number among the settings.
    Setting(usize, usize),
}

/// The columns of a core's op traces, in the order in which they are written.
pub fn columns(contract: &Contract) -> Vec<Column> {
    let column = |name: &str, content| Column { name: name.to_string(), content };
    let mut columns = Vec::new();
    columns.extend(contract.trace.time.map(|name| column(name, Content::Time)));
    columns.extend([column("op", Content::Op), column("conn", Content::Connection)]);
    let operands = contract.op_fields().enumerate().take(contract.settings_at().start).skip(2);
    columns.extend(operands.map(|(place, field)| column(field.name, Content::Field(place))));
    columns.push(column("expect", Content::Expect));
    let shown = contract.shown_fields().enumerate();
    let expected = shown.filter_map(|(place, field)| Some((place, field.expect?)));
    columns
        .extend(expected.map(|(place, name)| column(&format!("expect_{name}"), Content::ExpectField(place))));
    columns.push(column("idle", Content::Idle));
    let settings = contract.driver_settings().enumerate();
    columns.extend(
        settings.map(|(number, (place, field, _))| column(field.name, Content::Setting(place, number))),
    );
    columns.extend(contract.trace.beside.map(|name| column(name, Content::Beside)));
    columns
}

/// The clock of the core, where the column of times holds all of it.
pub(super) fn clock(contract: &Contract) -> Option<&'static Field> {
    contract.op_fields().find(|field| field.value == Value::Now && contract.trace.time == Some(field.name))
}

impl Column {
    /// Whether it is an input that only a line with an op changes: a setting, or `now` itself. During a `reset` and its idle edges
    /// the ports keep what the op before showed, and a line that says otherwise is refused.
    pub(super) fn is_of_ops_only(&self, contract: &Contract) -> bool {
        match self.content {
            Content::Setting(..) => true,
            Content::Time => clock(contract).is_some(),
            _ => false,
        }
    }

    /// What it holds, for the core's page.
    pub fn meaning(&self, contract: &Contract, config: &Config) -> String {
        let field = |place| contract.op_fields().nth(place).expect("a place of the contract");
        let shown = |place| contract.shown_fields().nth(place).expect("a place of the contract");
        match self.content {
            Content::Time => match contract.op_fields().find(|field| field.value == Value::Now) {
                Some(now) if now.name == self.name => {
                    format!("input `now` of the op, {}; empty for `reset`", range(now, config))
                }
                Some(now) => format!("time of the op; `now` is this modulo 2^{}", now.width.bits(config)),
                None => "time of the op; the core does not look at it".to_string(),
            },
            Content::Beside => "time of the op in ns, for the reader: nothing looks at it".to_string(),
            Content::Op => {
                let names = contract.kind_names();
                format!("{}, or `reset` for a clock edge with `rst` high", quoted(&names))
            }
            Content::Connection => {
                format!("{}; empty for `reset`", field(1).meaning(config))
            }
            Content::Field(place) => {
                let field = field(place);
                let mut text = format!("{}; {}", field.meaning(config), range(field, config));
                if contract.trace.seed == Some(field.name) {
                    text += ". Of a `reset`: the seed from here on";
                }
                text
            }
            Content::Expect => {
                let words: Vec<String> =
                    contract.trace.words.iter().map(|word| word.word.to_string()).collect();
                format!("of {}: {} or nothing", contract.trace.expects_of, quoted(&words))
            }
            Content::ExpectField(place) => {
                format!("value that `{}` must have, or nothing", shown(place).port)
            }
            Content::Idle => "clock edges without an op before this line's; 0 if empty".to_string(),
            Content::Setting(place, _) => {
                let field = field(place);
                format!(
                    "{}; {}; if empty, the run's setting; empty for `reset`",
                    field.meaning(config),
                    range(field, config)
                )
            }
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The values of a field, as a refusal names them.
pub(super) fn range(field: &Field, config: &Config) -> String {
    let last = field.last(config);
    match field.base {
        Base::Decimal => format!("0 to {last}"),
        Base::Hexadecimal => format!("0x0 to {last:#x}"),
    }
}
