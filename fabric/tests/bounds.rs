//! Every number of a run at its least, its greatest, one beyond, and where it is none: it is planned and runs for a moment, or is refused.

use std::fs;

use respray_fabric::engine::Kind;
use respray_fabric::parameters::{Allowed, PARAMETERS, Parameters};
use respray_fabric::request::{NUMBERS, Request, Transport};
use respray_fabric::simulation::{Simulation, Watcher};
use respray_fabric::text::Number;
use respray_fabric::topology;

use crate::{records, small};

/// A scenario of some hundred packets, some of them in three tiers.
fn tiny() -> Request {
    Request {
        bytes: Some(30_000),
        selectors: vec!["ops".into()],
        set: vec!["fabric.end_ns=2000000".into()],
        engine: Kind::Golden,
        ..Request::default()
    }
}

/// Asks for an end of the run after so many events, in place of waiting for it.
struct Impatient(u32);

impl Watcher for Impatient {
    fn look(&mut self, simulation: &mut Simulation<'_>) {
        self.0 -= 1;
        if self.0 == 0 {
            simulation.give_up();
        }
    }
}

/// Runs every selector and seed for some thousand events.
fn run_a_while(request: &Request) {
    for unit in request.plan().unwrap_or_else(|error| panic!("{request:?}: {error}")) {
        let watcher: Option<&mut dyn Watcher> = Some(&mut Impatient(5000));
        unit.scenario.run_checked(&unit.maker, None, &mut |_, _| {}, watcher).unwrap();
    }
}

fn refused(request: &Request, said: &str) {
    let sentence = request.plan().err().unwrap_or_else(|| panic!("{request:?} is taken")).to_string();
    assert!(sentence.contains(said) && !sentence.contains('\n'), "{sentence}");
}

/// What is no number of a kind that reads whole numbers.
const NO_NUMBERS: [&str; 7] = ["", "x", "-1", "1e6", "1.5", "nan", "18446744073709551616"];

#[test]
fn parameters() {
    let table = toml::Table::try_from(Parameters::default()).unwrap();
    let mut names: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    names.sort_unstable();
    assert_eq!(table.keys().map(String::as_str).collect::<Vec<_>>(), names, "every parameter has a row");
    for parameter in PARAMETERS {
        let name = parameter.name;
        let set = |value: &str| {
            let mut request = tiny();
            request.set.push(format!("fabric.{name}={value}"));
            // beside what it is held against
            for (of, more) in [
                ("packet_bytes", ["header_bytes=1", "first_window_packets=1"].as_slice()),
                ("header_bytes", &["packet_bytes=2000"]),
                ("queue_packets", &["kmin_packets=0", "kmax_packets=1"]),
                ("kmin_packets", &["queue_packets=65535", "kmax_packets=65535"]),
                ("kmax_packets", &["queue_packets=65535", "kmin_packets=0"]),
                ("first_window_packets", &["packet_bytes=1000", "bdp_packets=9"]),
            ] {
                if of == name {
                    request.set.extend(more.iter().map(|set| format!("fabric.{set}")));
                }
            }
            if parameter.is_of_nic() {
                request.transport = Transport::Nic;
            }
            for (of, more) in [
                ("cwnd_packets", ["sack.window=512"].as_slice()),
                ("walker_round_ns", &["fabric.sack_prescale=16"]),
                ("probe_timeout_ns", &["fabric.sack_prescale=16"]),
                ("wire_prescale", &["fabric.sack_prescale=16"]),
                ("sack_prescale", &["fabric.wire_prescale=0", "connections=16"]),
            ] {
                if of == name {
                    request.set.extend(more.iter().map(|set| set.to_string()));
                }
            }
            if name == "packet_bytes" {
                request.set.push("fabric.bdp_packets=9".into());
                request.bytes = Some(100);
            }
            request
        };
        match parameter.allowed {
            Allowed::Number(range) => {
                run_a_while(&set(&range.least.to_string()));
                run_a_while(&set(&range.most.to_string()));
                let said = format!("`fabric.{name}` is ");
                refused(&set(&(u128::from(range.most) + 1).to_string()), &said);
                NO_NUMBERS.iter().for_each(|value| refused(&set(value), &said));
                if let Some(below) = range.least.checked_sub(1) {
                    refused(&set(&below.to_string()), &format!("; allowed: {range}"));
                }
            }
            Allowed::Words(words) => {
                words.iter().for_each(|word| run_a_while(&set(word)));
                refused(&set("both"), &format!("`fabric.{name}` is both; allowed: {}", words.join(" or ")));
            }
        }
    }
    let all =
        |sets: &[&str]| Request { set: sets.iter().map(|set| format!("fabric.{set}")).collect(), ..tiny() };
    refused(
        &all(&["queue_packets=9"]),
        "`fabric.kmax_packets` is 80; allowed: 0 to 9, at most `fabric.queue_packets`",
    );
    refused(
        &all(&["kmin_packets=90"]),
        "`fabric.kmin_packets` is 90; allowed: 0 to 80, at most `fabric.kmax_packets`",
    );
    refused(
        &all(&["header_bytes=1000", "packet_bytes=1000"]),
        "`fabric.packet_bytes` is 1000; allowed: 1001 to 65535",
    );
    let wide = all(&["packet_bytes=65535", "first_window_packets=100000", "bdp_packets=9"]);
    refused(&wide, "`fabric.first_window_packets` is 100000; allowed: 1 to 16384");
    let watched = Request { watch: vec!["tor0".into()], ..all(&["bin_ns=1"]) };
    refused(
        &watched,
        "`fabric.bin_ns` is 1; allowed: 4769 to 1000000000, as a series has at most 1048576 bins",
    );
}

#[test]
fn numbers_of_a_request_and_of_a_suite() {
    let folder = tempfile::tempdir().unwrap();
    for (name, number) in NUMBERS {
        let Number::Whole(range) = number else { panic!("{name} is a whole number") };
        let with = |value: u64| {
            let mut request = tiny();
            match name {
                "bytes" => request.bytes = Some(value),
                "seeds" => request.seeds = value,
                "seed" => request.seed = value,
                _ => panic!("`{name}` has no row"),
            }
            request
        };
        let allowed = format!("; allowed: {range}");
        run_a_while(&with(range.least));
        // all seeds take long, and the last of them is as good
        if name != "seeds" {
            run_a_while(&with(range.most));
        }
        with(range.most).plan().unwrap();
        [range.most + 1, u64::MAX].into_iter().for_each(|value| refused(&with(value), &allowed));
        if let Some(below) = range.least.checked_sub(1) {
            refused(&with(below), &allowed);
        }
        let suite = folder.path().join("suite.toml");
        for value in [
            format!("{}", range.most + 1),
            "-1".into(),
            "1e6".into(),
            "true".into(),
            "\"x\"".into(),
            "nan".into(),
        ] {
            fs::write(&suite, format!("[[run]]\nname = \"a\"\n{name} = {value}\n")).unwrap();
            let sentence = respray_fabric::suite::plan(&suite).unwrap_err().to_string();
            let said = sentence.contains("suite.toml: run `a`: ") && sentence.ends_with(&allowed);
            assert!(said, "{name} = {value}: {sentence}");
        }
    }
    let last = Request { seed: 60_000, seeds: 1000, ..tiny() };
    assert_eq!(last.plan().unwrap().len(), 1000);
}

#[test]
fn numbers_of_a_topology() {
    let folder = tempfile::tempdir().unwrap();
    let least = "hosts = 2\npods = 1\nlinks_per_pair = 1\n[tor]\ndown = 1\nup = 1\n[t1]\ndown = 2\nup = 0\n\
                 [host_links]\ngbps = 400.0\ndelay_ns = 1000\n[tor_links]\ngbps = 400.0\ndelay_ns = 1000\n\
                 [core_links]\ngbps = 400.0\ndelay_ns = 1000\n";
    let of = |text: &str| {
        fs::write(folder.path().join("tree.toml"), text).unwrap();
        Request {
            folder: folder.path().into(),
            topology: "tree.toml".into(),
            workload: "tornado".into(),
            ..tiny()
        }
    };
    run_a_while(&of(least));
    let put = |name: &str, value: &str| {
        let mut table: toml::Table = toml::from_str(least).unwrap();
        let value: toml::Table = toml::from_str(&format!("value = {value}")).unwrap();
        let words: Vec<&str> = name.split('.').collect();
        match words.as_slice() {
            [key] => table.insert(key.to_string(), value["value"].clone()),
            [section, key] => {
                table[*section].as_table_mut().unwrap().insert(key.to_string(), value["value"].clone())
            }
            _ => unreachable!("a name has one dot at most"),
        };
        of(&toml::to_string(&table).unwrap())
    };
    for (name, number) in topology::NUMBERS {
        let allowed = format!("`{name}` is ");
        let beyond = match number {
            Number::Whole(range) => [range.most + 1, i64::MAX as u64].map(|value| value.to_string()).to_vec(),
            Number::Real(range) => [range.most * 1.01, range.least * 0.99, 1e-12, f64::MAX, 5e-324]
                .map(|value| format!("{value:e}"))
                .to_vec(),
        };
        let none = ["-1", "\"x\"", "true", "nan", "inf"].map(String::from);
        for value in beyond.iter().chain(&none) {
            refused(&put(name, value), &allowed);
        }
        if let Number::Real(range) = number {
            run_a_while(&put(name, &range.least.to_string()));
            if !name.starts_with("host") {
                run_a_while(&put(name, &range.most.to_string()));
            }
        }
        if name.ends_with("delay_ns") {
            run_a_while(&put(name, "1"));
            if !name.starts_with("host") && !name.starts_with("tor") {
                run_a_while(&put(name, "100000"));
            }
        }
    }
    // what is too much together, though each by itself is not
    refused(&put("host_links.gbps", "100000"), "`fabric.bdp_packets` is ");
    let together = |text: &str, said: &str| refused(&of(text), said);
    together(
        "hosts = 65536\npods = 65536\n[tor]\ndown = 65536\nup = 1\n[t1]\ndown = 1\nup = 1\n",
        "`hosts` is 65536; allowed: a multiple of `tor.down` times `pods`, 4294967296",
    );
    together(
        "hosts = 65536\n[tor]\ndown = 1\nup = 65536\n[t1]\ndown = 65536\n",
        "its hosts and switches have 8590065664 ports; allowed: 1048576 at most",
    );
    together("hosts = 64\n[tor]\ndown = 8\nup = 8\n[t1]\ndown = 9\n", "`t1.down` is 9; allowed: 8");
    let mut far = put("host_links.delay_ns", "100000");
    refused(&far, "`fabric.bdp_packets` is ");
    far.set.push("fabric.bdp_packets=9".into());
    run_a_while(&far);
    let mut fast =
        of(&least.replace("gbps = 400.0", "gbps = 100000.0").replace("delay_ns = 1000", "delay_ns = 100000"));
    fast.set.push("fabric.bdp_packets=9".into());
    refused(&fast, "the largest window in bytes, one and a half times the bandwidth-delay product, is ");
    let near =
        of(&least.replace("gbps = 400.0", "gbps = 100000.0").replace("delay_ns = 1000", "delay_ns = 1"));
    run_a_while(&near);
    let mut many =
        of(&least.replace("gbps = 400.0", "gbps = 40000.0").replace("delay_ns = 1000", "delay_ns = 10000"));
    many.set
        .extend(["fabric.bdp_packets=9", "fabric.header_bytes=1", "fabric.packet_bytes=2"].map(String::from));
    many.bytes = Some(100);
    run_a_while(&many);
    let slow = of(&least.replace("gbps = 400.0", "gbps = 0.001"));
    run_a_while(&slow);
}

#[test]
fn links_that_hold_more_packets_than_answers_are_kept_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tree = "hosts = 4096\n[tor]\ndown = 64\nup = 1\n[t1]\ndown = 64\n[host_links]\ngbps = 40000.0\ndelay_ns = 10000\n";
    fs::write(folder.path().join("tree.toml"), tree).unwrap();
    let mut request = Request { folder: folder.path().into(), topology: "tree.toml".into(), ..tiny() };
    request
        .set
        .extend(["fabric.bdp_packets=9", "fabric.header_bytes=1", "fabric.packet_bytes=2"].map(String::from));
    refused(
        &request,
        "packets at once; allowed: up to 67108864, by shorter delays, slower hosts or larger packets",
    );
}

#[test]
fn numbers_of_workloads_and_failures() {
    let folder = tempfile::tempdir().unwrap();
    let of = |workload: &str| Request { workload: workload.into(), bytes: None, ..tiny() };
    for (workload, most) in [("tornado", 128), ("incast", 64), ("alltoall", 127)] {
        for hosts in [1, most] {
            run_a_while(&Request { bytes: Some(1000), ..of(&format!("{workload}:{hosts}")) });
        }
        refused(&of(&format!("{workload}:{}", most + 1)), &format!("; allowed: 1 to {most}"));
        for none in NO_NUMBERS.iter().chain(&["0", "65537", "4294967296"]) {
            refused(&of(&format!("{workload}:{none}")), "HOSTS and AT_ONCE of 1 to 65536");
        }
    }
    run_a_while(&of("trace:100"));
    refused(&of("trace:0.001"), "draws no message; allowed: a greater load");
    for none in ["", "x", "0", "0.0009", "1e-320", "100.1", "-1", "nan", "inf"] {
        refused(&of(&format!("trace:{none}")), "PERCENT of 0.001 to 100");
    }
    let tree = "hosts = 4096\n[tor]\ndown = 64\nup = 1\n[t1]\ndown = 64\n";
    fs::write(folder.path().join("tree.toml"), tree).unwrap();
    for workload in ["ring", "alltoall:1"] {
        let large = Request { folder: folder.path().into(), topology: "tree.toml".into(), ..of(workload) };
        refused(&large, "it has more than 4194304 flows, the most that a run has");
    }
    let bytes =
        Request { set: vec!["fabric.packet_bytes=65".into(), "fabric.bdp_packets=9".into()], ..tiny() };
    refused(
        &Request { bytes: Some(4_000_000_001), ..bytes },
        "host 0 sends host 64 more than 4000000000 packets",
    );
    let fail = |text: &str| Request { fail: vec![text.into()], ..tiny() };
    for taken in [
        "tor0.up0=rate=0.001",
        "tor0.up0=rate=1",
        "tor0.up0=p=1e-320",
        "tor0.up0=p=1",
        "tor0.up0=p=1e-3@0ns..3600s",
        "1e-320%=down",
        "100%=rate=0.001",
        "t1_7=down@0.5us..1us:all",
    ] {
        run_a_while(&fail(taken));
    }
    for (given, said) in [
        ("tor0.up0=rate=1e-320", "`rate` is `1e-320`; allowed: 0.001 to 1"),
        ("tor0.up0=rate=1.01", "`rate` is `1.01`; allowed: 0.001 to 1"),
        ("tor0.up0=rate=nan", "`rate` is `nan`; allowed: 0.001 to 1"),
        ("tor0.up0=p=0", "`p` is `0`; allowed: above 0 to 1"),
        ("tor0.up0=p=inf", "`p` is `inf`; allowed: above 0 to 1"),
        ("tor0.up0=p=", "`p` is ``; allowed: above 0 to 1"),
        ("0%=down", "the share is `0%`; allowed: above 0 to 100"),
        ("-5%=down", "the share is `-5%`; allowed: above 0 to 100"),
        (
            "tor0.up0=down@3600.1s",
            "`3600.1s` is no time; allowed: a number with ns, us, ms or s, such as 100us, from 0 to 3600s",
        ),
        ("tor0.up0=down@1e3us", "`1e3us` is no time"),
        ("tor0.up0=down@-1us", "`-1us` is no time"),
        ("tor0.up0=down@1us..1e400s", "`1e400s` is no time"),
        ("tor16.up0=down", "allowed: tor0 to tor15 with"),
        ("tor4294967296.up0=down", "allowed: tor0 to tor15 with"),
    ] {
        refused(&fail(given), said);
    }
    let many = Request { fail: vec!["5%=p=0.1".into(); 1001], ..tiny() };
    refused(&many, "the number of failures is 1001; allowed: 0 to 1000");
}

#[test]
fn flows_that_start_late_run_and_those_that_did_not_begin_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let head = "id,src,dst,bytes,start_ns,after_id\n";
    let of = |lines: &str| {
        fs::write(folder.path().join("flows.csv"), format!("{head}{lines}")).unwrap();
        Request {
            folder: folder.path().into(),
            workload: "flows.csv".into(),
            bytes: None,
            set: Vec::new(),
            ..tiny()
        }
    };
    let late = "1,0,9,5000,0,\n2,0,9,5000,10000000000,\n3,4,9,5000,3600000000000,\n4,4,9,5000,0,3\n";
    let record = &records(&of(late))[0];
    assert_eq!((record.times.unfinished, record.not_begun, record.counters.delivered), (0, 0, 8));
    assert!(record.end_us >= 3.6e9 && record.left_out().is_none());
    let chain = Request {
        set: vec!["fabric.end_ns=1000".into()],
        ..of("1,0,9,5000,0,\n2,0,9,5000,0,1\n3,0,9,5000,0,2\n")
    };
    let record = &records(&chain)[0];
    assert_eq!((record.times.unfinished, record.not_begun), (3, 2));
    let said = record.left_out().unwrap();
    assert!(said.starts_with("ops seed 1: 2 flows had not begun when the run ended, at "), "{said}");
}

#[test]
fn a_short_packet_that_is_sent_again_and_again_finds_its_answer() {
    for bytes in [1, 4087] {
        let request = Request { bytes: Some(bytes), set: vec!["fabric.rto_ns=1".into()], ..small() };
        let record = &records(&request)[0];
        assert!(record.times.unfinished == 0 && record.counters.retransmitted > 1000, "{record:?}");
    }
}

#[test]
fn a_slow_port_has_room_for_a_packet() {
    // 0.001 of a queue of 100 packets is none
    let request = Request {
        workload: "incast:1".into(),
        bytes: Some(4086),
        fail: vec!["tor0.down0=rate=0.001".into()],
        set: vec!["fabric.rto_ns=10000000".into()],
        ..small()
    };
    assert_eq!(records(&request)[0].times.unfinished, 0);
}
