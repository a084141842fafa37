//! The table of registers for programs and for people: JSON, Markdown, a C header and SystemRDL.

use std::fmt::Write;

use serde::Serialize;

use super::MODULE;
use super::register::{Access, Holder, Register};
use super::table::{commands_of, table};
use crate::config::Config;
use crate::contract::Contract;
use crate::cores::prefix::Prefix;
use crate::nic::events::{RECORD, low_bit};
use crate::nic::kinds::{KINDS, TYPED_KINDS};

/// Begins all names in the C header, behind the prefix of the modules.
const NIC: &str = "nic";

/// The files that describe the registers, each with its name: JSON, Markdown, C header, SystemRDL.
pub fn files(config: &Config, selector: &Contract, prefix: &Prefix) -> [(String, String); 4] {
    let name = |extension: &str| format!("{}.{extension}", prefix.name(MODULE));
    [
        (name("json"), json(config, selector, prefix)),
        (name("md"), markdown(config, selector)),
        (name("h"), c_header(config, selector, prefix)),
        (name("rdl"), system_rdl(config, selector, prefix)),
    ]
}

/// A register in the JSON text.
#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    /// In bytes.
    address: u32,
    access: Access,
    /// In bits.
    width: u32,
    reset: u32,
    /// Least and most of the values that may be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<[u32; 2]>,
    /// A write of any value sets it to 0, with its high half.
    is_cleared_by_write: bool,
    meaning: &'a str,
}

/// A command, or a kind of event, in the JSON text.
#[derive(Serialize)]
struct Coded {
    name: &'static str,
    code: u32,
    meaning: &'static str,
}

/// A field of an event record in the JSON text.
#[derive(Serialize)]
struct RecordField {
    name: &'static str,
    /// Its lowest bit in the record.
    low: usize,
    /// In bits.
    width: usize,
    meaning: &'static str,
}

/// The JSON text.
#[derive(Serialize)]
struct Document<'a> {
    module: String,
    registers: Vec<Entry<'a>>,
    commands: Vec<Coded>,
    event_record: Vec<RecordField>,
    event_kinds: Vec<Coded>,
}

fn bounds(register: &Register) -> Option<[u32; 2]> {
    (!register.allowed.is_empty()).then(|| [*register.allowed.start(), *register.allowed.end()])
}

fn entry(register: &Register) -> Entry<'_> {
    Entry {
        name: &register.name,
        address: register.address,
        access: register.access,
        width: register.width,
        reset: register.reset,
        allowed: bounds(register),
        is_cleared_by_write: register.holder == Holder::Counter,
        meaning: &register.meaning,
    }
}

/// The commands, from code 1 on.
fn commands(config: &Config) -> impl Iterator<Item = Coded> {
    commands_of(config).iter().zip(1..).map(|((name, meaning), code)| Coded { name, code, meaning })
}

/// The kinds of event, from code 0 on. The last one is only where the host hears of closes.
fn event_kinds(config: &Config) -> impl Iterator<Item = Coded> {
    let told = if config.nic.close.is_abrupt() { KINDS.len() - 1 } else { KINDS.len() };
    let typed = if config.has_uet_acks() { &TYPED_KINDS[..] } else { &[] };
    let typed = typed.iter().copied().zip(KINDS.len() as u32..);
    KINDS.into_iter().take(told).zip(0..).chain(typed).map(|(kind, code)| Coded {
        name: kind.name,
        code,
        meaning: kind.meaning,
    })
}

/// The fields of an event record, from bit 0 on.
fn event_record() -> impl Iterator<Item = RecordField> {
    let field = |field: crate::nic::events::RecordField| RecordField {
        name: field.name,
        low: low_bit(field.name),
        width: field.bits,
        meaning: field.meaning,
    };
    RECORD.into_iter().map(field)
}

/// The table as JSON, with the commands, and the fields and kinds of the event records.
pub fn json(config: &Config, selector: &Contract, prefix: &Prefix) -> String {
    let table = table(config, selector);
    let document = Document {
        module: prefix.name(MODULE),
        registers: table.iter().map(entry).collect(),
        commands: commands(config).collect(),
        event_record: event_record().collect(),
        event_kinds: event_kinds(config).collect(),
    };
    serde_json::to_string_pretty(&document).expect("a table has no keys but texts") + "\n"
}

/// How a table for people says the access.
fn access(register: &Register) -> &'static str {
    match (register.access, register.holder) {
        (Access::ReadOnly, _) => "read",
        (Access::ReadWrite, Holder::Counter) => "read, clear",
        (Access::ReadWrite, _) => "read, write",
        (Access::WriteOnly, _) => "write",
    }
}

/// The table for a page.
pub fn markdown(config: &Config, selector: &Contract) -> String {
    let mut text =
        String::from("| address | register | access | bits | after `rst` | may be written | meaning |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
    for register in table(config, selector) {
        let allowed = match (register.holder, bounds(&register)) {
            (Holder::Counter, _) => "anything, which clears it".to_string(),
            (_, Some([least, most])) => format!("{least} to {most}"),
            (_, None) => "-".to_string(),
        };
        let Register { name, address, width, reset, meaning, .. } = &register;
        let access = access(&register);
        writeln!(
            text,
            "| `{address:#05x}` | `{name}` | {access} | {width} | {reset} | {allowed} | {meaning} |"
        )
        .expect("a string takes all");
    }
    text
}

/// A header for C99: of each register its address and its reset value, of each that can be written its least and largest value,
/// the codes of the commands and of the kinds of event, and where the fields of an event record stand.
pub fn c_header(config: &Config, selector: &Contract, prefix: &Prefix) -> String {
    let begin = prefix.name(NIC).to_uppercase();
    let guard = format!("{begin}_REGISTERS_H");
    let mut text = format!(
        "/* Registers of the nic: byte addresses, values after reset, and values that may be written.\n   \
         32-bit accesses only. An event record has 128 bits: of each field its lowest bit and its width. */\n\
         #ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n"
    );
    let mut define = |name: &str, part: &str, value: u32| {
        let name = format!("{begin}_{name}{part}").to_uppercase();
        writeln!(text, "#define {name:<40} UINT32_C({value:#x})").expect("a string takes all");
    };
    for register in table(config, selector) {
        define(&register.name, "", register.address);
        define(&register.name, "_RESET", register.reset);
        if let Some([least, most]) = bounds(&register) {
            define(&register.name, "_LEAST", least);
            define(&register.name, "_MOST", most);
        }
    }
    commands(config).for_each(|command| define("command_code_", command.name, command.code));
    event_kinds(config).for_each(|kind| define("event_kind_", kind.name, kind.code));
    for field in event_record() {
        define("record_", &format!("{}_low", field.name), field.low as u32);
        define("record_", &format!("{}_width", field.name), field.width as u32);
    }
    text + "\n#endif\n"
}

/// How SystemRDL says who may do what: software, then hardware.
fn rights(register: &Register) -> &'static str {
    match (register.access, register.holder) {
        (Access::ReadOnly, Holder::Constant) => "sw = r; hw = na;",
        (Access::ReadOnly, _) => "sw = r; hw = w;",
        (Access::ReadWrite, Holder::Counter) => "sw = rw; onwrite = wclr; hw = w;",
        (Access::ReadWrite, _) => "sw = rw; hw = r;",
        (Access::WriteOnly, _) => "sw = w; hw = r;",
    }
}

/// A SystemRDL 2.0 description. Each register has one field, `value`.
pub fn system_rdl(config: &Config, selector: &Contract, prefix: &Prefix) -> String {
    let mut text = format!(
        "addrmap {} {{\n    name = \"Registers of the nic\";\n    default regwidth = 32;\n    \
         default accesswidth = 32;\n\n",
        prefix.name(MODULE)
    );
    for register in table(config, selector) {
        let Register { name, address, width, reset, meaning, .. } = &register;
        let (rights, msb, meaning) = (rights(&register), width - 1, meaning.replace('"', "'"));
        writeln!(
            text,
            "    reg {{\n        desc = \"{meaning}\";\n        field {{ {rights} }} value[{msb}:0] = {width}'h{reset:x};\n    \
             }} {name} @ {address:#05x};"
        )
        .expect("a string takes all");
    }
    text + "};\n"
}
