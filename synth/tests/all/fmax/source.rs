//! The table of delays against the files that it was taken from, where they are at hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::common::root;

/// The variable that names the folder with the two files of RapidWright.
const FOLDER: &str = "RAPIDWRIGHT_TIMING";

/// Arcs of the source: by cell, from, to and configuration, in ps.
type Arcs = Vec<(String, String, String, f64, String)>;

/// The logic delays of the source, an arc a line below the `bel` that it is of.
fn arcs(text: &str) -> Arcs {
    let mut arcs = Arcs::new();
    let mut bel = None;
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["bel", name, ..] => bel = Some(name.to_string()),
            ["site", ..] => bel = None,
            [from, to, ps, ..] => {
                if let (Some(bel), Ok(ps)) = (&bel, ps.parse()) {
                    arcs.push((bel.clone(), from.into(), to.into(), ps, words[3..].join(" ")));
                }
            }
            _ => {}
        }
    }
    arcs
}

/// The only delay of the arcs of `bel` that `is_it` takes.
fn only(arcs: &Arcs, bel: &str, is_it: impl Fn(&str, &str, &str) -> bool) -> f64 {
    let found: Vec<f64> = arcs
        .iter()
        .filter(|(of, from, to, _, when)| of.starts_with(bel) && is_it(from, to, when))
        .map(|arc| arc.3)
        .collect();
    match found[..] {
        [ps] => ps,
        _ => panic!("{bel}: {found:?}"),
    }
}

#[test]
fn the_table_is_as_its_source_has_it() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        println!("skipped: {FOLDER} does not name the folder timing/ultrascaleplus of RapidWright");
        return;
    };
    let text = fs::read_to_string(folder.join("intrasite_delay_terms.txt")).unwrap();
    let between = fs::read_to_string(folder.join("intersite_delay_terms.txt")).unwrap();
    let site_pins: BTreeMap<&str, f64> = between
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?.parse().ok()?))
        })
        .collect();
    let arcs = arcs(&text);
    let table = fs::read_to_string(root().join("synth/delays/ultrascale.toml")).unwrap();
    let table: toml::Value = toml::from_str(&table).unwrap();
    let number = |value: &toml::Value| value.as_integer().unwrap() as f64;
    let of = |section: &str, key: &str| table[section][key].clone();
    let list = |section: &str, key: &str| -> Vec<f64> {
        of(section, key).as_array().unwrap().iter().map(number).collect()
    };

    // LUTs and flip-flops.
    for pin in 0..6 {
        let name = format!("A{}", pin + 1);
        let to_o6 = only(&arcs, "A6LUT", |from, to, _| (from, to) == (&name, "O6"));
        assert_eq!(list("lut", "to_o6")[pin], to_o6, "{name}");
        assert_eq!(
            list("lut", "site_pin")[pin],
            site_pins[format!("SITEPIN_{name}_DELAY").as_str()],
            "{name}"
        );
        let write = format!("WA{}", pin + 1);
        let setup = only(&arcs, "A6LUT", |from, to, _| (from, to) == ("CLK", &write));
        assert_eq!(list("lut_ram", "setup_address")[pin], setup, "{write}");
        if pin < 5 {
            let to_o5 = only(&arcs, "A5LUT", |from, to, _| (from, to) == (&name, "O5"));
            assert_eq!(list("lut", "to_o5")[pin], to_o5, "{name}");
        }
    }
    let clocked = |to: &str| only(&arcs, "A6LUT", |from, at, _| (from, at) == ("CLK", to));
    assert_eq!(number(&of("lut_ram", "clock_to_o6")), clocked("O6"));
    assert_eq!(number(&of("lut_ram", "setup_we")), clocked("WE"));
    assert_eq!(list("lut_ram", "setup_data"), [clocked("DI1"), clocked("DI2")]);
    assert_eq!(number(&of("flip_flop", "clock_to_q")), only(&arcs, "AFF", |_, to, _| to == "Q"));
    assert_eq!(number(&of("flip_flop", "setup")), -only(&arcs, "AFF", |_, to, _| to == "D"));
    assert_eq!(number(&of("mux", "select")), only(&arcs, "F7MUX", |from, _, _| from == "S0"));
    assert_eq!(number(&of("mux", "data")), only(&arcs, "F7MUX", |from, _, _| from == "0"));
    for (section, key, pin) in [
        ("flip_flop", "site_pin", "SITEPIN_AX_DELAY"),
        ("flip_flop", "control_site_pin", "SITEPIN_CKEN1_DELAY"),
        ("flip_flop", "control_site_pin", "SITEPIN_SRST1_DELAY"),
        ("flip_flop", "site_pin_to_d", "INTRASITE_DELAY_SITEPIN_TO_FF_INPUT"),
        ("lut", "to_flip_flop", "INTRASITE_DELAY_LUT_OUTPUT_TO_FF_INPUT"),
        ("mux", "select_site_pin", "SITEPIN_AX_DELAY"),
        ("carry", "site_pin", "SITEPIN_AX_DELAY"),
        ("lut_ram", "data_site_pin", "SITEPIN_AX_DELAY"),
        ("lut_ram", "we_site_pin", "SITEPIN_WCKEN_DELAY"),
    ] {
        assert_eq!(number(&of(section, key)), site_pins[pin], "{section}.{key}");
    }

    // CARRY8 as one chain: arcs of two halves are others, and CYINIT comes in at AX.
    let is_one = |when: &str| !when.contains("DUAL_CY4") && !when.contains("CYINIT_TOP");
    let carry = |pin: &str, to: &str| {
        only(&arcs, "CARRY8", |from, at, when| {
            let is_cyinit = when.contains("CYINIT_BOT: AX");
            let is_pin = match pin {
                "CYINIT" => from == "AX" && is_cyinit,
                _ => from.split(',').any(|name| name == pin),
            };
            is_pin && at == to && is_one(when)
        })
    };
    for (key, from, to, first) in [
        ("s_to_o", "S", "O", 0),
        ("s_to_co", "S", "CO", 0),
        ("di_to_o", "DI", "O", 1),
        ("di_to_co", "DI", "CO", 0),
    ] {
        for (bit, row) in of("carry", key).as_array().unwrap().iter().enumerate() {
            let row: Vec<f64> = row.as_array().unwrap().iter().map(number).collect();
            let source: Vec<f64> =
                (bit + first..8).map(|at| carry(&format!("{from}{bit}"), &format!("{to}{at}"))).collect();
            assert_eq!(row, source, "{key} of bit {bit}");
        }
    }
    for (key, from, to) in [
        ("cin_to_o", "CIN", "O"),
        ("cin_to_co", "CIN", "CO"),
        ("cyinit_to_o", "CYINIT", "O"),
        ("cyinit_to_co", "CYINIT", "CO"),
    ] {
        let source: Vec<f64> = (0..8).map(|at| carry(from, &format!("{to}{at}"))).collect();
        assert_eq!(list("carry", key), source, "{key}");
    }

    // RAMB36.
    let pins = |key: &str| list("block_ram", key).into_iter().enumerate();
    for (port, register, data, parity) in
        [("a", "DOA_REG", "DOUTADOUT", "DOUTPADOUTP"), ("b", "DOB_REG", "DOUTBDOUT", "DOUTPBDOUTP")]
    {
        for (prefix, is_registered) in [("", 0), ("registered_", 1)] {
            for (kind, name) in [("data", data), ("parity", parity)] {
                for (bit, ps) in pins(&format!("{prefix}{kind}_out_{port}")) {
                    let mode = format!("{register}: {is_registered}");
                    let source = only(&arcs, "RAMB36E2", |_, to, when| {
                        to == format!("{name}[{bit}]") && when.ends_with(&mode)
                    });
                    assert_eq!(ps, source, "{name}[{bit}] with {mode}");
                }
            }
        }
    }
    for (key, name) in [
        ("address_a", "ADDRARDADDR"),
        ("address_b", "ADDRBWRADDR"),
        ("data_in_a", "DINADIN"),
        ("parity_in_a", "DINPADINP"),
        ("data_in_b", "DINBDIN"),
        ("parity_in_b", "DINPBDINP"),
    ] {
        for (bit, ps) in pins(key) {
            let pin = format!("{name}[{bit}]");
            assert_eq!(ps, only(&arcs, "RAMB36E2", |from, to, _| from == pin || to == pin), "{pin}");
        }
    }
    for (key, pin) in [
        ("setup_we", "WEA[i]"),
        ("setup_we", "WEBWE[i]"),
        ("setup_en", "ENARDEN"),
        ("setup_regce", "REGCEAREGCE"),
        ("setup_rstreg", "RSTREGARSTREG"),
    ] {
        assert_eq!(number(&of("block_ram", key)), only(&arcs, "RAMB36E2", |from, _, _| from == pin), "{pin}");
    }
}
