//! The tables of the page of `nic` that the cores' pages have not: registers, commands, events, what a packet costs.

use respray_hdl::config::Config;
use respray_hdl::nic::events::{RECORD, low_bit};
use respray_hdl::nic::kinds::KINDS;
use respray_hdl::nic::registers::table::COMMANDS;
use respray_hdl::nic::registers::texts;
use respray_hdl::nic::selector;

use super::designs::design;
use super::{PageError, code, table};

/// What a packet asks of the engines: the engine, the classes of its ops as the manifest has them, and when.
const ASKED: [(&str, &[&str], &str); 4] = [
    ("sack_tx", &["sent"], "data of the host is sent"),
    ("sack_tx", &["sack"], "an ACK is received"),
    (
        "sack_rx",
        &["new_in_order", "new_ahead", "duplicate", "outside", "probe", "packet"],
        "data or a probe is received",
    ),
    ("selector", &["op"], "a packet is sent, and an ACK received"),
];

/// The table `name`, if it is one of these.
pub(super) fn page_table(name: &str, config: &Config) -> Result<Option<String>, PageError> {
    Ok(Some(match name {
        "registers" => texts::markdown(config, selector(config)),
        "commands" => commands(),
        "record" => record(),
        "events" => events(),
        "costs" => costs(config)?,
        _ => return Ok(None),
    }))
}

fn commands() -> String {
    let row = |((name, meaning), number): ((&str, &str), u32)| {
        vec![number.to_string(), code(name), meaning.to_string()]
    };
    table(&["code", "command", "does"], COMMANDS.into_iter().zip(1..).map(row))
}

fn record() -> String {
    let row = |field: respray_hdl::nic::events::RecordField| {
        let low = low_bit(field.name);
        let bits = match field.bits {
            1 => low.to_string(),
            width => format!("{}:{low}", low + width - 1),
        };
        vec![bits, code(field.name), field.meaning.to_string()]
    };
    table(&["bits", "field", "holds"], RECORD.into_iter().map(row))
}

fn events() -> String {
    let said = |text: &str| if text.is_empty() { "0".to_string() } else { text.to_string() };
    let rows = KINDS.into_iter().enumerate().map(|(number, kind)| {
        let in_flight = if kind.has_in_flight { "yes" } else { "0" }.to_string();
        let what = kind.meaning.to_string();
        let fields = [kind.psn, kind.detail, kind.value].map(said);
        [vec![number.to_string(), code(kind.name), what], fields.to_vec(), vec![in_flight]].concat()
    });
    table(&["kind", "event", "what happened", "`psn`", "`detail`", "`value`", "`in_flight`"], rows)
}

/// The cycles that an engine is busy with a packet, from its manifest, and how many packets a second that allows.
fn costs(config: &Config) -> Result<String, PageError> {
    let mut rows = vec![];
    for (engine, classes, when) in ASKED {
        let core = if engine == "selector" { selector(config).core } else { engine };
        let design = design(core, config)?;
        let intervals = &design.manifest.initiation_interval_cycles;
        for class in classes {
            let Some(cycles) = intervals.get(*class) else { continue };
            let millions = config.clock_mhz / f64::from(cycles.base.max(1));
            let op = code(class);
            rows.push(vec![when.into(), code(core), op, cycles.to_string(), format!("{millions:.1}")]);
        }
    }
    Ok(table(&["when", "engine", "class of op", "cycles", "millions a second at most"], rows))
}
