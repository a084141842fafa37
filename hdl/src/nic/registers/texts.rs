//! The table of registers for programs and for people: JSON, Markdown, a C header and SystemRDL.

use std::fmt::Write;

use serde::Serialize;

use super::MODULE;
use super::table::{Access, COMMANDS, Holder, Register, table};
use crate::config::Config;
use crate::contract::Contract;

/// Prefix of all names in the C header.
const PREFIX: &str = "NIC";

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

/// A command in the JSON text.
#[derive(Serialize)]
struct Command {
    name: &'static str,
    code: u32,
    meaning: &'static str,
}

/// The JSON text.
#[derive(Serialize)]
struct Document<'a> {
    module: &'static str,
    registers: Vec<Entry<'a>>,
    commands: Vec<Command>,
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

/// The table as JSON, with the commands.
pub fn json(config: &Config, selector: &Contract) -> String {
    let table = table(config, selector);
    let commands = COMMANDS.iter().zip(1..).map(|((name, meaning), code)| Command { name, code, meaning });
    let registers = table.iter().map(entry).collect();
    let document = Document { module: MODULE, registers, commands: commands.collect() };
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
/// and the codes of the commands.
pub fn c_header(config: &Config, selector: &Contract) -> String {
    let guard = format!("{PREFIX}_REGISTERS_H");
    let mut text = format!(
        "/* Registers of the nic: byte addresses, values after reset, and values that may be written.\n   \
         32-bit accesses only. */\n#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n"
    );
    let mut define = |name: &str, part: &str, value: u32| {
        let name = format!("{PREFIX}_{}{part}", name.to_uppercase());
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
    for ((name, _), code) in COMMANDS.iter().zip(1..) {
        define(&format!("command_code_{name}"), "", code);
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
pub fn system_rdl(config: &Config, selector: &Contract) -> String {
    let mut text = format!(
        "addrmap {MODULE} {{\n    name = \"Registers of the nic\";\n    default regwidth = 32;\n    \
         default accesswidth = 32;\n\n"
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
