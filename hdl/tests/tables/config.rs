//! What the configuration takes, and the sentences with which it refuses.

use std::path::Path;

use respray_hdl::config::{Config, Found, KEYS, PathSelector, Selector, Variant};
use respray_hdl::cores::{Core, REGISTRY};

fn set(sets: &[&str]) -> Result<Config, String> {
    Config::load(None, &sets.iter().map(|s| s.to_string()).collect::<Vec<_>>()).map_err(|e| e.to_string())
}

#[test]
fn no_file_and_no_set_is_the_default() {
    assert_eq!(set(&[]).unwrap(), Config::default());
}

#[test]
fn set_reaches_every_section() {
    let config = set(&["connections=1024", "reps.depth=16", "reps.variant=uet", "clock_mhz=250"]).unwrap();
    assert_eq!((config.connections, config.reps.depth), (1024, 16));
    assert_eq!(config.reps.variant, Variant::Uet);
    assert_eq!(config.clock_mhz, 250.0);
}

#[test]
fn every_refusal_names_key_value_and_menu() {
    for (given, said) in [
        ("reps.depth=7", "--set reps.depth=7: `reps.depth` is 7; allowed: 4, 8, 16, 32"),
        ("reps.variant=no", "--set reps.variant=no: `reps.variant` is \"no\"; allowed: paper, uet"),
        (
            "reps.dept=8",
            "--set reps.dept=8: unknown key `reps.dept`; the keys are connections, selector.ev_base",
        ),
        ("reps=8", "--set reps=8: unknown key `reps`"),
        ("depth", "--set depth: expected KEY=VALUE"),
        ("reps.ev_base=3", "`reps.ev_base` is 3; allowed: a multiple of 2^reps.ev_bits = 65536"),
        ("selector.ev_base=3", "`selector.ev_base` is 3; allowed: a multiple of 2^selector.ev_bits = 65536"),
        ("reps.time_bits=8", "--set reps.time_bits=8: `reps.time_bits` is 8; allowed: 16, 32"),
        ("ops.paths=8", "`ops.paths` is 8; allowed: 16, 32, 64"),
        ("connections=-1", "`connections` is -1; allowed: 16, 64"),
    ] {
        let error = set(&[given]).unwrap_err();
        assert!(error.contains(said), "{given}: {error}");
    }
}

/// The scoreboard of Ultra Ethernet is one engine, for one wire.
#[test]
fn acks_of_ultra_ethernet_need_their_wire_and_have_one_engine() {
    let uet = ["wire=uet", "sack.acks=uet"];
    assert!(set(&uet).is_ok());
    for (given, said) in [
        (&["sack.acks=uet"][..], "`sack.acks` is \"uet\"; allowed: strack with `wire` = strack"),
        (&["sack.acks=no"], "--set sack.acks=no: `sack.acks` is \"no\"; allowed: strack, uet"),
        (
            &["wire=uet", "sack.acks=uet", "sack.engine=fast"],
            "`sack.engine` is \"fast\"; allowed: small with `sack.acks` = uet",
        ),
        (
            &["wire=uet", "sack.acks=uet", "sack.window=64"],
            "`sack.window` is 64; allowed: 128, 256, 512 with `sack.acks` = uet",
        ),
        (
            &["wire=uet", "sack.acks=uet", "sack.psn_bits=24"],
            "`sack.psn_bits` is 24; allowed: 32 with `sack.acks` = uet",
        ),
    ] {
        let error = set(given).unwrap_err();
        assert!(error.contains(said), "{given:?}: {error}");
    }
    assert_eq!(set(&uet).unwrap().value("sack.acks").as_deref(), Some("uet"));
    assert_eq!(Config::default().value("sack.acks").as_deref(), Some("strack"));
}

/// Packets of one wire end with a trailer, which the block does not have.
#[test]
fn a_trailer_needs_its_wire_and_is_not_in_the_block() {
    let uet = ["wire=uet", "uet.crc=on"];
    assert_eq!(set(&uet).unwrap().value("uet.crc").as_deref(), Some("on"));
    assert_eq!(Config::default().value("uet.crc").as_deref(), Some("off"));
    for (given, said) in [
        (["wire=strack", "uet.crc=on"], "`uet.crc` is \"on\"; allowed: off with `wire` = strack"),
        (["wire=uet", "uet.crc=1"], "`uet.crc` is 1; allowed: off, on"),
        (["wire=uet", "uet.crcs=on"], "unknown key `uet.crcs`"),
    ] {
        let error = set(&given).unwrap_err();
        assert!(error.contains(said), "{given:?}: {error}");
    }
    let refused = respray_hdl::catalogue::generate("nic", &set(&uet).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("`uet.crc` is on, which `nic` does not have; allowed: off"), "{refused}");
}

/// The block of Ultra Ethernet has no other value of these keys.
#[test]
fn the_block_of_ultra_ethernet_refuses_what_it_lacks() {
    let uet = ["wire=uet", "sack.acks=uet"];
    for (key, value, allowed) in [
        ("nic.rx_credit", "frames", "off"),
        ("nic.rss_port", "stable", "off"),
        ("nic.events", "frames", "port"),
        ("nic.peer_table", "on", "off"),
        ("nic.close", "graceful", "abrupt"),
    ] {
        let one = format!("{key}={value}");
        let refused = set(&[uet[0], uet[1], &one]).unwrap_err().to_string();
        let said = format!(
            "`{key}` is \"{value}\"; allowed: {allowed} with `sack.acks` = uet, whose block has no other"
        );
        assert!(refused.contains(&said), "{refused}");
    }
    assert!(set(&uet).is_ok());
}

#[test]
fn with_a_key_all_else_stays() {
    let config = set(&["connections=1024", "selector.ev_bits=14"]).unwrap();
    let other = config.with("reps.depth=32").unwrap();
    assert_eq!(other, set(&["connections=1024", "selector.ev_bits=14", "reps.depth=32"]).unwrap());
    assert_eq!(config.with("reps.ev_bits=13").unwrap().selector.ev_bits, 13);
    let error = config.with("reps.depth=33").unwrap_err().to_string();
    assert_eq!(error, "--set reps.depth=33: `reps.depth` is 33; allowed: 4, 8, 16, 32");
}

#[test]
fn a_file_is_refused_with_its_name_and_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("nic.toml");
    std::fs::write(&path, "connections = 64\n[reps\n").unwrap();
    let error = Config::load(Some(&path), &[]).unwrap_err().to_string();
    assert!(error.contains("nic.toml:2: not TOML"), "{error}");
    std::fs::write(&path, "[reps]\ndepth = 16\nev_base = 49152\nev_bits = 14\n").unwrap();
    let config = Config::load(Some(&path), &["reps.depth=32".into()]).unwrap();
    assert_eq!((config.reps.depth, config.selector.ev_base), (32, 49152));
}

#[test]
fn the_names_of_reps_and_of_every_selector_are_one_key() {
    let config = set(&["reps.ev_bits=14", "reps.ev_base=49152", "reps.time_bits=16"]).unwrap();
    assert_eq!(config.selector, Selector { ev_base: 49152, ev_bits: 14, time_bits: 16 });
    let same =
        set(&["selector.ev_bits=14", "reps.ev_base=49152", "selector.time_bits=16", "reps.ev_bits=14"]);
    assert_eq!(same.unwrap(), config);
    let error = set(&["reps.ev_bits=14", "selector.ev_bits=13"]).unwrap_err();
    assert_eq!(
        error,
        "configuration: `reps.ev_bits` is 14 and `selector.ev_bits` is 13, but they are names of one thing; give one"
    );
}

#[test]
fn a_permutation_has_at_most_as_many_paths_as_there_are_evs() {
    assert_eq!(set(&["ops.order=permuted", "ops.paths=65536"]).unwrap().ops.paths, 65536);
    let error = set(&["ops.order=permuted", "ops.paths=32", "reps.ev_bits=4"]).unwrap_err();
    assert_eq!(error, "configuration: `ops.paths` is 32; allowed: at most 2^selector.ev_bits = 16");
    // With random order there is no permutation, so that a small set needs no other key.
    assert!(set(&["selector.ev_bits=4"]).is_ok());
}

#[test]
fn psns_are_as_wide_as_those_of_the_wire_or_less() {
    let psn_bits = |sets: &[&str]| set(sets).map(|config| config.sack.psn_bits);
    assert_eq!(psn_bits(&["wire=strack"]), Ok(24));
    assert_eq!(psn_bits(&["wire=uet"]), Ok(32));
    assert_eq!(psn_bits(&["wire=uet", "sack.psn_bits=24", "sack.window=64"]), Ok(24));
    assert_eq!(psn_bits(&["wire=uet", "sack.window=64"]), Ok(32));
    assert_eq!(
        psn_bits(&["sack.psn_bits=32"]).unwrap_err(),
        "configuration: `sack.psn_bits` is 32; allowed: 24 with `wire` = strack, whose packets carry PSNs of 24 bits"
    );
    let error = psn_bits(&["wire=uet", "sack.psn_bits=16"]).unwrap_err();
    assert_eq!(error, "--set sack.psn_bits=16: `sack.psn_bits` is 16; allowed: 24, 32");
}

#[test]
fn the_width_of_psns_follows_another_wire_unless_it_is_a_choice() {
    let psn_bits = |sets: &[&str], with: &str| set(sets).unwrap().with(with).unwrap().sack.psn_bits;
    assert_eq!(psn_bits(&[], "wire=uet"), 32);
    assert_eq!(psn_bits(&["wire=uet"], "wire=strack"), 24);
    assert_eq!(psn_bits(&["wire=uet"], "sack.window=64"), 32);
    assert_eq!(psn_bits(&["wire=uet", "sack.psn_bits=24"], "sack.window=64"), 24);
    let error = set(&[]).unwrap().with("sack.psn_bits=32").unwrap_err().to_string();
    assert!(error.contains("`sack.psn_bits` is 32; allowed: 24 with `wire` = strack"), "{error}");
}

#[test]
fn paths_follow_the_ev_set_unless_they_are_a_choice() {
    let paths = |sets: &[&str], with: &[&str]| {
        let config = with.iter().try_fold(set(sets)?, |config, with| config.with(with));
        config
            .map_err(|error| error.to_string())
            .map(|config| (config.selector.ev_bits, config.strack.paths, config.bitmap.paths))
    };
    for (sets, with, found) in [
        (&[][..], &[][..], (16, 256, 256)),
        (&["selector.ev_bits=5"], &[], (5, 32, 32)),
        (&["selector.ev_bits=5"], &["connections=16"], (5, 32, 32)),
        (&["selector.ev_bits=5"], &["selector.ev_bits=7"], (7, 128, 128)),
        (&["selector.ev_bits=7", "strack.paths=16"], &["selector.ev_bits=6"], (6, 16, 64)),
        // the paths are the EV set where it does not begin at 0
        (&["selector.ev_base=4096", "strack.paths=64"], &[], (6, 64, 64)),
        (&["selector.ev_base=4096", "strack.paths=64"], &["connections=16"], (6, 64, 64)),
        (&["selector.ev_base=6", "selector.ev_bits=1"], &["connections=16"], (1, 2, 2)),
        (&["selector.ev_base=8", "selector.ev_bits=1"], &["selector.ev_bits=3"], (3, 8, 8)),
        (&["selector.ev_base=4096", "strack.paths=64", "selector.ev_bits=8"], &[], (8, 64, 256)),
    ] {
        assert_eq!(paths(sets, with), Ok(found), "{sets:?}, then {with:?}");
    }
    for (sets, said) in [
        (&["selector.ev_bits=5", "strack.paths=64"][..], "`strack.paths` is 64; allowed: "),
        (&["selector.ev_bits=5", "bitmap.paths=64"], "`bitmap.paths` is 64; allowed: "),
        (&["nic.selector=bitmap", "bitmap.timeout=ev"], "`bitmap.timeout` is \"ev\"; allowed: "),
        (&["nic.selector=mixed", "bitmap.timeout=ev"], "`bitmap.timeout` is \"ev\"; allowed: "),
    ] {
        let error = paths(sets, &[]).unwrap_err();
        assert!(error.contains(said), "{sets:?}: {error}");
    }
}

#[test]
fn the_sample_configuration_names_every_key_and_is_the_default() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nic.toml");
    assert_eq!(Config::load(Some(&sample), &[]).unwrap(), Config::default());
    let text = std::fs::read_to_string(&sample).unwrap();
    for key in KEYS {
        let name = key.name.rsplit('.').next().unwrap();
        assert!(text.lines().any(|line| line.starts_with(&format!("{name} ="))), "{} is not in it", key.name);
    }
}

#[test]
fn every_core_that_draws_evs_can_be_the_path_selector_of_the_nic() {
    let draws = |core: &&Core| {
        let has = |port: &str| {
            core.contract.is_some_and(|contract| {
                contract.shown_fields().chain(contract.op_fields()).any(|field| field.port == port)
            })
        };
        has("res_ev")
    };
    let mut names: Vec<&str> = REGISTRY.iter().filter(draws).map(|core| core.name).collect();
    let mut selectors = PathSelector::NAMES;
    names.sort_unstable();
    selectors.sort_unstable();
    assert_eq!(names, selectors);
    for name in PathSelector::NAMES {
        let config = Config::default().with(&format!("nic.selector={name}")).unwrap();
        assert_eq!(config.nic.selector.name(), name);
    }
    let error = Config::default().with("nic.selector=sack_tx").unwrap_err().to_string();
    let allowed = format!("`nic.selector` is \"sack_tx\"; allowed: {}", PathSelector::NAMES.join(", "));
    assert!(error.ends_with(&allowed), "{error}");
}

#[test]
fn what_is_found_beside_holds_where_neither_file_nor_set_gives_a_key() {
    let found =
        |key: &str, value: &str| Found { place: "t.csv:2".into(), key: key.into(), value: value.into() };
    let over = |beneath: &[Found], sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        Config::load_over(beneath, None, &sets).map_err(|error| error.to_string())
    };
    let beneath = [found("connections", "64"), found("reps.ev_bits", "8"), found("sack.window", "128")];
    assert_eq!(over(&beneath, &[]), set(&["connections=64", "reps.ev_bits=8", "sack.window=128"]));
    assert_eq!(
        over(&beneath, &["connections=16", "selector.ev_bits=9"]),
        set(&["connections=16", "reps.ev_bits=9", "sack.window=128"])
    );
    // the width of PSNs follows the wire, wherever that is given
    assert_eq!(over(&[found("wire", "uet")], &[]).unwrap().sack.psn_bits, 32);
    let error = over(&[found("connections", "65")], &[]).unwrap_err();
    assert_eq!(error, "t.csv:2: `connections` is 65; allowed: 16, 64, 256, 1024, 4096, 16384");
    let error = over(&[found("conections", "64")], &[]).unwrap_err();
    assert!(error.starts_with("t.csv:2: unknown key `conections`; the keys are "), "{error}");
}

#[test]
fn flowcut_in_the_nic_needs_echoed_timestamps_of_16_bits() {
    let refused = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        Config::load(None, &sets).unwrap_err().to_string()
    };
    let said = refused(&["nic.selector=flowcut", "wire=uet"]);
    assert!(said.ends_with("`nic.selector` is \"flowcut\"; allowed: another one with `wire` = uet, whose ACKs echo no timestamp"), "{said}");
    let said = refused(&["nic.selector=flowcut", "flowcut.time_bits=24"]);
    assert!(said.contains("`flowcut.time_bits` is 24; allowed: 16 with `nic.selector` = flowcut"), "{said}");
    let said = refused(&["nic.selector=flowcut", "nic.peer_table=on"]);
    assert!(said.ends_with("`nic.peer_table` is \"on\"; allowed: off with `nic.selector` = flowcut, whose parked packets carry no number of a peer"), "{said}");
    let said = refused(&["nic.selector=flowcut", "nic.close=graceful"]);
    assert!(said.ends_with("`nic.close` is \"graceful\"; allowed: abrupt with `nic.selector` = flowcut, which takes the class and the RTT of a connection that ends from the host"), "{said}");
    let said = refused(&["nic.park=5"]);
    assert!(said.ends_with("`nic.park` is 5; allowed: 4, 8, 16, 32"), "{said}");
}
