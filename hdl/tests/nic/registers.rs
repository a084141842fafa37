//! `nic_registers`: its Verilog without a warning, and its C header and SystemRDL as the tools of the field read them.

use std::fs;
use std::path::Path;
use std::process::Command;

use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::find;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::nic::registers::{Access, Register, generate, table, texts};
use serde_json::Value;

use crate::differential::warnings;

fn selector(name: &str) -> &'static Contract {
    find(name).and_then(|core| core.contract).expect("a selector has a contract")
}

fn config(sets: &[&str]) -> Config {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Config::load(None, &sets).expect("a valid configuration")
}

fn registers() -> Vec<Register> {
    table(&config(&[]), selector("reps"))
}

#[test]
fn the_verilog_has_no_warning_with_any_kind_of_selector() {
    for (name, sets) in [
        ("reps", ["connections=256"]),
        ("ecmp", ["selector.time_bits=16"]),
        ("subflows", ["connections=16"]),
        ("flowlet", ["selector.time_bits=16"]),
        ("plb", ["connections=256"]),
        ("strack", ["connections=256"]),
        ("bitmap", ["connections=256"]),
    ] {
        let verilog = generate(&config(&sets), selector(name)).expect("it is generated");
        let said = warnings("nic_registers", &verilog);
        assert!(said.is_empty(), "{name}: {said}");
    }
}

/// Compiles a program that has `body` behind the header, and says what it printed.
fn printed(header: &str, body: &str) -> Result<String, String> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("nic_registers.h"), header).unwrap();
    let program = format!(
        "#include \"nic_registers.h\"\n#include <inttypes.h>\n#include <stdio.h>\nint main(void) {{\n{body}return 0;\n}}\n"
    );
    fs::write(dir.path().join("main.c"), program).unwrap();
    let flags = ["-std=c99", "-Wall", "-Werror", "-pedantic", "-o", "main", "main.c"];
    let compiled = Command::new("cc").args(flags).current_dir(dir.path()).output().unwrap();
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let output = Command::new(dir.path().join("main")).output().unwrap();
    Ok(String::from_utf8(output.stdout).unwrap())
}

/// A line of C that prints a number of the header.
fn print(name: &str) -> String {
    format!("printf(\"%\" PRIu32 \"\\n\", NIC_{});\n", name.to_uppercase())
}

#[test]
fn the_c_header_compiles_and_has_the_numbers_of_the_table() {
    let mut body = String::new();
    let mut expected = String::new();
    for register in registers() {
        body += &print(&register.name);
        expected += &format!("{}\n", register.address);
        body += &print(&format!("{}_reset", register.name));
        expected += &format!("{}\n", register.reset);
        if !register.allowed.is_empty() {
            body += &print(&format!("{}_most", register.name));
            expected += &format!("{}\n", register.allowed.end());
        }
    }
    for (name, number) in [
        ("command_code_reset", 5),
        ("event_kind_bad_ack", 9),
        ("record_psn_low", 32),
        ("record_psn_width", 32),
    ] {
        body += &print(name);
        expected += &format!("{number}\n");
    }
    let header = texts::c_header(&config(&[]), selector("reps"), &Prefix::default());
    assert_eq!(printed(&header, &body).as_deref(), Ok(expected.as_str()));
    let twice = header.replace("#define NIC_RTO ", "#define NIC_IDENTITY ");
    assert!(printed(&twice, &body).is_err(), "a name that stands twice is found");
}

/// What `elaborate.py` makes of a SystemRDL text; `None` where the compiler is not installed.
fn elaborated(text: &str) -> Option<Result<Value, String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("../.venv/bin/python");
    let is_installed = Command::new(&python).args(["-c", "import systemrdl"]).output();
    if !is_installed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: systemrdl-compiler is not installed in .venv");
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("nic_registers.rdl");
    fs::write(&path, text).unwrap();
    let output = Command::new(&python).arg(root.join("tests/nic/elaborate.py")).arg(&path).output().unwrap();
    Some(match output.status.success() {
        true => Ok(serde_json::from_slice(&output.stdout).unwrap()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    })
}

/// The registers of the JSON text as `elaborate.py` says them.
fn in_json(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).unwrap();
    let registers = document["registers"].as_array().unwrap().iter().map(|register| {
        let access = register["access"].as_str().unwrap();
        serde_json::json!({
            "name": register["name"],
            "address": register["address"],
            "readable": access != "write-only",
            "writable": access != "read-only",
            "width": register["width"],
            "reset": register["reset"],
        })
    });
    registers.collect()
}

#[test]
fn the_system_rdl_elaborates_to_the_registers_of_the_json() {
    for (name, sets) in [("reps", ["connections=256"]), ("ecmp", ["wire=uet"])] {
        let (config, selector) = (config(&sets), selector(name));
        let plain = Prefix::default();
        let (rdl, json) =
            (texts::system_rdl(&config, selector, &plain), texts::json(&config, selector, &plain));
        let Some(found) = elaborated(&rdl) else { return };
        assert_eq!(found, Ok(in_json(&json)), "{name}");
    }
    let [json, _, _, rdl] = texts::files(&config(&[]), selector("reps"), &Prefix::default());
    let wrong = rdl.1.replace("value[15:0]", "value[14:0]");
    assert_ne!(elaborated(&wrong), Some(Ok(in_json(&json.1))));
}

#[test]
fn the_page_has_a_line_for_each_register() {
    let page = texts::markdown(&config(&[]), selector("reps"));
    for register in registers() {
        let line = page.lines().find(|line| line.contains(&format!("| `{}` |", register.name)));
        let line = line.unwrap_or_else(|| panic!("{} is not on the page", register.name));
        assert!(line.starts_with(&format!("| `{:#05x}` |", register.address)), "{line}");
        assert_eq!(
            line.contains("write"),
            register.access != Access::ReadOnly && !line.contains("clear"),
            "{line}"
        );
    }
}
