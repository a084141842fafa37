//! `generated/` holds what the generator makes of the default configuration, so that a review shows the Verilog that a
//! change makes. `UPDATE_GENERATED=1 cargo test -p respray-hdl --release --test all generated` writes it anew.

use std::path::{Path, PathBuf};

use respray_files::entry::sha256;
use respray_hdl::catalogue;
use respray_hdl::config::{Allowed, Config, KEYS, Protect};
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::cores::{CORES, generate, generate_named};
use respray_hdl::corners;
use respray_hdl::manifest::{Direction, Generated};

use crate::differential::warnings;

fn in_project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn is_current(name: &str, text: &str) {
    let path = in_project(name);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let line = committed.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
    assert!(committed == text, "{name} is not what the generator makes, from line {line}");
}

#[test]
fn the_committed_files_are_what_the_generator_makes() {
    for name in catalogue::NAMES {
        let generated = catalogue::generate(name, &Config::default()).unwrap();
        is_current(&format!("generated/{name}.v"), &generated.verilog);
        is_current(&format!("generated/{name}.json"), &generated.manifest.json());
        for (file, text) in catalogue::beside(name, &Config::default(), &Prefix::default()) {
            is_current(&format!("generated/{file}"), &text);
        }
    }
}

/// That a line is another one says that the Verilog or the manifest of this core is, in this configuration.
#[test]
fn the_hashes_of_quick_corners_are_those_of_what_the_generator_makes() {
    let hash = |corner: &corners::Corner| {
        let text = corner.text().map_or_else(|refused| refused.to_string(), |text| sha256(text.as_bytes()));
        format!("{:.16} {} {}\n", text, corner.name, corner.sets.join(" "))
    };
    let hashes = respray_files::parallel::map(&corners::quick(), hash).concat();
    is_current("hdl/tests/cores/corners.txt", &hashes);
}

#[test]
fn each_value_of_each_menu_is_in_a_corner() {
    let corners = corners::all(&[]);
    for key in KEYS {
        let values: Vec<String> = match key.allowed {
            Allowed::Menu(values) => values.iter().map(ToString::to_string).collect(),
            Allowed::Words(words) => words.iter().map(ToString::to_string).collect(),
            Allowed::Range(..) | Allowed::Real(..) => vec![],
        };
        for value in values {
            for entry in catalogue::entries().filter(|entry| entry.keys.contains(&key.name)) {
                let holds = |corner: &corners::Corner| {
                    corner.name == entry.name && corner.config.value(key.name).as_ref() == Some(&value)
                };
                assert!(corners.iter().any(holds), "{}: {}={value}", entry.name, key.name);
            }
        }
    }
}

#[test]
fn tools_send_their_reader_to_the_file_itself() {
    for core in CORES {
        let verilog = generate(core, &Config::default()).unwrap().verilog;
        assert!(!verilog.contains("`line"), "{core}: a directive names another file");
    }
}

#[test]
fn the_corners_of_the_menu_are_clean_for_verilator_and_icarus() {
    for sets in [
        ["connections=16", "reps.depth=4", "reps.time_bits=16", "reps.variant=paper"],
        ["connections=16384", "reps.depth=32", "reps.time_bits=32", "reps.variant=uet"],
        ["connections=64", "reps.depth=16", "reps.time_bits=16", "reps.variant=uet"],
        ["connections=4096", "reps.depth=8", "reps.ev_bits=14", "reps.ev_base=49152"],
        ["connections=1024", "reps.depth=4", "reps.ev_bits=1", "reps.variant=uet"],
    ] {
        let config = Config::load(None, &sets.map(String::from)).unwrap();
        let said = warnings("reps", &generate("reps", &config).unwrap().verilog);
        assert!(said.is_empty(), "{sets:?}: {said}");
    }
}

#[test]
fn the_corners_of_the_menus_of_selectors_and_switches_are_clean_for_verilator_and_icarus() {
    for (core, sets) in [
        ("ecmp", ["connections=16", "selector.ev_bits=16", "selector.ev_base=0"]),
        ("ecmp", ["connections=16384", "selector.ev_bits=1", "selector.ev_base=6"]),
        ("ops", ["connections=16", "selector.ev_bits=16", "selector.ev_base=0"]),
        ("ops", ["connections=16384", "selector.ev_bits=5", "selector.ev_base=32"]),
        ("ops", ["connections=64", "ops.order=permuted", "ops.paths=16"]),
        ("ops", ["selector.ev_bits=8", "ops.order=permuted", "ops.paths=256"]),
        ("ops", ["connections=4096", "ops.order=permuted", "ops.paths=65536"]),
        ("subflows", ["connections=16", "selector.ev_bits=1", "selector.ev_base=6"]),
        ("subflows", ["connections=16384", "selector.ev_bits=16", "selector.ev_base=0"]),
        ("mprdma", ["connections=16", "selector.ev_bits=16", "selector.ev_base=0"]),
        ("mprdma", ["connections=16384", "selector.ev_bits=5", "selector.ev_base=32"]),
        ("flowlet", ["connections=16", "flowlet.since=send", "selector.time_bits=16"]),
        ("flowlet", ["connections=16384", "flowlet.since=ack", "selector.time_bits=16"]),
        ("flowlet", ["connections=64", "flowlet.since=ack", "selector.ev_bits=3"]),
        ("flowcut", ["connections=16", "flowcut.variant=sticky", "flowcut.time_bits=24"]),
        ("flowcut", ["connections=16384", "flowcut.variant=paper", "flowcut.time_bits=24"]),
        ("flowcut", ["connections=64", "flowcut.variant=sticky", "selector.ev_bits=3"]),
        (
            "flowcut_switch",
            ["flowcut_switch.buckets=512", "flowcut_switch.uplinks=8", "flowcut_switch.pick=all"],
        ),
        (
            "flowcut_switch",
            ["flowcut_switch.buckets=512", "flowcut_switch.uplinks=64", "flowcut_switch.pick=two"],
        ),
        (
            "flowcut_switch",
            ["flowcut_switch.buckets=16384", "flowcut_switch.uplinks=64", "flowcut_switch.pick=all"],
        ),
        (
            "flowcut_switch",
            ["flowcut_switch.buckets=16384", "flowcut_switch.uplinks=8", "flowcut_switch.pick=two"],
        ),
        ("caver", ["caver.destinations=64", "caver.ports=16", "caver.flows=16384"]),
        ("caver", ["caver.destinations=4096", "caver.ports=64", "caver.flows=1024"]),
        ("caver", ["caver.destinations=4096", "caver.ports=32", "caver.flows=16384"]),
        ("caver", ["caver.destinations=64", "caver.ports=16", "caver.advertise=round_robin"]),
        ("caver", ["caver.destinations=4096", "caver.ports=64", "caver.advertise=round_robin"]),
        ("caver", ["caver.destinations=64", "caver.ports=16", "caver.table=per_port"]),
        ("caver", ["caver.ports=64", "caver.advertise=round_robin", "caver.table=per_port"]),
        ("plb", ["connections=16", "selector.time_bits=16", "selector.ev_bits=1"]),
        ("plb", ["connections=16384", "selector.time_bits=32", "selector.ev_bits=9"]),
        ("strack", ["connections=16", "strack.paths=16", "selector.ev_bits=9"]),
        ("strack", ["connections=16384", "strack.paths=256", "selector.ev_bits=16"]),
        ("strack", ["connections=64", "selector.ev_bits=3", "selector.ev_base=8"]),
        ("bitmap", ["connections=16", "bitmap.paths=16", "bitmap.timeout=ev"]),
        ("bitmap", ["connections=1024", "bitmap.paths=256", "bitmap.timeout=ignore"]),
        ("mixed", ["connections=16", "bitmap.paths=16", "mixed.depth=8"]),
        ("mixed", ["connections=64", "selector.ev_bits=3", "mixed.depth=64"]),
    ] {
        let config = Config::load(None, &sets.map(String::from)).unwrap();
        let said = warnings(core, &generate(core, &config).unwrap().verilog);
        assert!(said.is_empty(), "{core}, {sets:?}: {said}");
    }
}

#[test]
fn words_with_parity_are_clean_for_verilator_and_icarus() {
    for (core, sets) in [
        ("reps", ["connections=16", "reps.depth=4", "reps.time_bits=16"]),
        ("reps", ["connections=16384", "reps.depth=32", "reps.variant=uet"]),
        ("ecmp", ["connections=256", "selector.ev_bits=16", "selector.ev_base=0"]),
        ("ops", ["connections=64", "ops.order=permuted", "ops.paths=16"]),
        ("ops", ["connections=64", "ops.order=random", "ops.paths=16"]),
        ("subflows", ["connections=16", "selector.ev_bits=1", "selector.ev_base=6"]),
        ("mprdma", ["connections=4096", "selector.ev_bits=5", "selector.ev_base=32"]),
        ("flowlet", ["connections=16384", "flowlet.since=ack", "selector.time_bits=32"]),
        ("flowlet", ["connections=64", "flowlet.since=send", "selector.time_bits=16"]),
        ("plb", ["connections=16", "selector.ev_bits=1", "selector.time_bits=16"]),
        ("sack_rx", ["sack.window=64", "wire=uet", "sack.psn_bits=32"]),
        ("sack_rx", ["connections=4096", "sack.window=512", "sack.psn_bits=24"]),
        ("strack", ["connections=16", "strack.paths=16", "selector.ev_base=16"]),
        ("strack", ["connections=4096", "strack.paths=256", "selector.ev_bits=16"]),
        ("bitmap", ["connections=64", "bitmap.paths=16", "bitmap.timeout=ev"]),
        ("mixed", ["connections=16", "bitmap.paths=256", "mixed.depth=8"]),
    ] {
        let sets = [&sets.map(String::from)[..], &["protect=parity".to_string()]].concat();
        let config = Config::load(None, &sets).unwrap();
        let with = generate(core, &config).unwrap();
        let said = warnings(core, &with.verilog);
        assert!(said.is_empty(), "{core}, {sets:?}: {said}");
        let without = generate(core, &Config { protect: Protect::None, ..config }).unwrap();
        let bits = |core: &Generated| core.manifest.memories.iter().map(|memory| memory.bits).sum::<u32>();
        let memories = without.manifest.memories.len() as u32;
        assert_eq!(bits(&with), bits(&without) + memories, "a bit a word");
        let tells = |core: &Generated| core.manifest.ports.iter().any(|port| port.name == "state_lost");
        assert_eq!((tells(&with), tells(&without)), (memories > 0, false));
        assert!(!without.manifest.json().contains("protect") && !without.verilog.contains("parity"));
    }
}

#[test]
fn parity_is_refused_of_what_does_not_have_it() {
    let config = Config::load(None, &["protect=parity".to_string()]).unwrap();
    for name in catalogue::NAMES {
        let error = catalogue::generate(name, &config).err().map(|error| error.to_string());
        let expected = match respray_hdl::cores::with_parity().contains(name) {
            true => None,
            false => Some(format!(
                "`protect` is parity, which `{name}` does not have; allowed: none, or of the cores {}",
                respray_hdl::cores::with_parity().join(", ")
            )),
        };
        assert_eq!(error, expected);
    }
    assert!(respray_hdl::cores::engine("sack_tx", &config).unwrap().is_err());
    let fast = Config::load(None, &["protect=parity", "sack.engine=fast"].map(String::from)).unwrap();
    let error = respray_hdl::cores::engine("sack_rx", &fast).unwrap().err().unwrap();
    let says = "`protect` is parity, which `sack_rx` does not have with `sack.engine` = fast; allowed: none, or `sack.engine` = small";
    assert_eq!(error.to_string(), says);
}

#[test]
fn the_corners_of_the_menu_of_the_window_are_clean_for_verilator_and_icarus() {
    for connections in ["connections=16", "connections=16384"] {
        let config = Config::load(None, &[connections.to_string()]).unwrap();
        let said = warnings("strack_cc", &generate("strack_cc", &config).unwrap().verilog);
        assert!(said.is_empty(), "{connections}: {said}");
    }
}

#[test]
fn the_corners_of_the_sack_menu_are_clean_for_verilator_and_icarus() {
    let sizes = [
        ["connections=16", "sack.window=64", "wire=strack"],
        ["connections=16", "sack.window=512", "wire=uet"],
        ["connections=64", "sack.window=128", "wire=strack"],
        ["connections=4096", "sack.window=256", "wire=uet"],
        ["connections=16384", "sack.window=64", "wire=uet"],
        ["connections=16384", "sack.window=512", "wire=strack"],
    ];
    // the fast engine is another `sack_rx`; of `sack_tx` there is one
    for (core, engine) in
        [("sack_rx", "sack.engine=small"), ("sack_rx", "sack.engine=fast"), ("sack_tx", "sack.engine=small")]
    {
        for [connections, window, wire] in sizes {
            let sets = [engine, connections, window, wire];
            let config = Config::load(None, &sets.map(String::from)).unwrap();
            let said = warnings(core, &generate(core, &config).unwrap().verilog);
            assert!(said.is_empty(), "{core}, {sets:?}: {said}");
        }
    }
}

#[test]
fn every_width_and_profile_of_the_rewriters_is_clean_for_verilator_and_icarus() {
    for core in ["rewrite_tx", "rewrite_rx"] {
        for bus in ["bus_bits=64", "bus_bits=128", "bus_bits=256", "bus_bits=512"] {
            for wire in ["wire=strack", "wire=uet"] {
                let config = Config::load(None, &[bus.into(), wire.into()]).unwrap();
                let said = warnings(core, &generate(core, &config).unwrap().verilog);
                assert!(said.is_empty(), "{core} {bus} {wire}: {said}");
            }
        }
    }
}

#[test]
fn every_width_of_the_cores_of_shims_is_clean_for_verilator_and_icarus() {
    for core in ["shim_push", "shim_pop"] {
        for bus in ["bus_bits=64", "bus_bits=128", "bus_bits=256", "bus_bits=512"] {
            let config = Config::load(None, &[bus.into()]).unwrap();
            let said = warnings(core, &generate(core, &config).unwrap().verilog);
            assert!(said.is_empty(), "{core} {bus}: {said}");
        }
    }
}

#[test]
fn the_same_configuration_gives_the_same_bytes() {
    let once = generate("reps", &Config::default()).unwrap();
    let again = generate("reps", &Config::default()).unwrap();
    assert_eq!(once.verilog, again.verilog);
}

#[test]
fn an_unknown_core_and_a_size_off_the_menu_are_refused() {
    let error = generate("nic", &Config::default()).unwrap_err().to_string();
    assert_eq!(error, format!("there is no core `nic`; the cores are {}", CORES.join(", ")));
    let error = catalogue::generate("mac", &Config::default()).unwrap_err().to_string();
    assert_eq!(error, format!("there is no core `mac`; the cores are {}, nic", CORES.join(", ")));
    type Change = fn(&mut Config);
    let refusals: [(&str, Change, &str); 11] = [
        ("reps", |c| c.connections = 32, "`connections` is 32; allowed: 16, 64, 256, 1024, 4096, 16384"),
        ("reps", |c| c.reps.depth = 6, "`reps.depth` is 6; allowed: 4, 8, 16, 32"),
        ("reps", |c| c.selector.time_bits = 24, "`selector.time_bits` is 24; allowed: 16, 32"),
        ("sack_rx", |c| c.connections = 0, "`connections` is 0; allowed: 16, 64, 256, 1024, 4096, 16384"),
        ("sack_rx", |c| c.sack.window = 32, "`sack.window` is 32; allowed: 64, 128, 256, 512"),
        ("sack_tx", |c| c.connections = 17, "`connections` is 17; allowed: 16, 64, 256, 1024, 4096, 16384"),
        ("sack_tx", |c| c.sack.window = 1024, "`sack.window` is 1024; allowed: 64, 128, 256, 512"),
        ("sack_tx", |c| c.sack.psn_bits = 16, "`sack.psn_bits` is 16; allowed: 24, 32"),
        (
            "strack_cc",
            |c| c.connections = 512,
            "`connections` is 512; allowed: 16, 64, 256, 1024, 4096, 16384",
        ),
        ("rewrite_tx", |c| c.bus_bits = 1024, "`bus_bits` is 1024; allowed: 64, 128, 256, 512"),
        ("rewrite_rx", |c| c.bus_bits = 32, "`bus_bits` is 32; allowed: 64, 128, 256, 512"),
    ];
    for (core, change, said) in refusals {
        let mut config = Config::default();
        change(&mut config);
        let error = generate(core, &config).unwrap_err().to_string();
        assert_eq!(error, format!("core `{core}`: {said}"));
    }
}

/// A design that holds `cores` side by side, with ports of its own for each.
fn side_by_side(cores: &[Generated]) -> String {
    let (mut ports, mut instances) = (vec![], String::new());
    for (at, core) in cores.iter().enumerate() {
        let of = |name: &str| format!("at{at}_{name}");
        for port in &core.manifest.ports {
            let direction = if port.direction == Direction::Input { "input" } else { "output" };
            ports.push(format!("{direction} wire [{}:0] {}", port.width - 1, of(&port.name)));
        }
        let pins: Vec<String> =
            core.manifest.ports.iter().map(|port| format!(".{}({})", port.name, of(&port.name))).collect();
        instances += &format!("{} one{at} ({});\n", core.manifest.module, pins.join(", "));
    }
    let sources: String = cores.iter().map(|core| core.verilog.as_str()).collect();
    format!("{sources}\nmodule pair (\n{}\n);\n{instances}endmodule\n", ports.join(",\n"))
}

#[test]
fn two_configurations_of_a_core_live_in_one_design_if_their_modules_have_prefixes() {
    let default = Config::default();
    let small = default.with("connections=16").unwrap();
    for core in ["sack_rx", "rewrite_rx"] {
        let named = |config, prefix: &str| generate_named(core, config, &prefix.parse().unwrap()).unwrap();
        let pair = [named(&default, "wide"), named(&small, "nic1")];
        assert_eq!(warnings("pair", &side_by_side(&pair)), "", "{core}");
        for Generated { verilog, manifest } in &pair {
            for name in manifest.memories.iter().map(|memory| &memory.name).chain([&manifest.module]) {
                assert!(verilog.contains(&format!("\nmodule {name} (")), "{core}: no module {name}");
            }
        }
        let alike = [generate(core, &default).unwrap(), generate(core, &small).unwrap()];
        assert!(warnings("pair", &side_by_side(&alike)).contains(core), "modules of one name are told");
    }
}

#[test]
fn a_prefix_is_an_identifier() {
    assert_eq!("nic_0".parse::<Prefix>().unwrap().name("reps"), "nic_0_reps");
    for text in ["", "0nic", "nic-0", "a/b", "module", &"n".repeat(41)] {
        assert!(text.parse::<Prefix>().is_err(), "{text}");
    }
}
