//! Registers that a pair is given: the hosts follow each value, or it is refused.

use respray_cosim::nic::{Feed, NicOptions, PairOf, cosim, golden};
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::hosts::{Hooks, Setup, run};
use respray_golden::nic::{Access, Kind, Nic, Register, Target};

use super::config_with;

/// The least and the greatest value of each setting that a host may write, but for those of which a test is made below.
fn ends(setup: &Setup) -> Vec<(&'static str, u32)> {
    let nic = Nic::new(setup.nic.clone());
    let names = nic.names_of_settings();
    let of = |register: &Register| {
        let is_setting =
            matches!(register.target, Target::Setting(_)) && register.access == Access::ReadWrite;
        let name = names.iter().find(|name| **name == register.name).filter(|_| is_setting)?;
        Some([(*name, *register.allowed.start()), (*name, *register.allowed.end())])
    };
    nic.registers().iter().filter_map(of).flatten().collect()
}

/// A golden pair delivers everything with whatever a register may hold, so the hosts follow it. Times that are too long for a test are left
/// out, since they say nothing of the hosts.
#[test]
fn hosts_follow_every_value_of_every_register() {
    for sets in [&[][..], &["wire=uet"], &["nic.window=strack"], &["nic.selector=flowcut"]] {
        let config = config_with(sets);
        let usual = Scenario::Equal.setup(golden(&config), 20_000, 3);
        let mut seen = 0;
        for (name, value) in ends(&usual) {
            let is_long =
                ["prescale", "timeout", "rto", "event_enable"].iter().any(|part| name.contains(part));
            let mut setup = usual.clone();
            setup.settings.push((name, value));
            let mut nic = Nic::new(setup.nic.clone());
            let taken = setup.settings.iter().try_for_each(|(name, value)| {
                let address = nic.address(name).expect("a setting has a register");
                nic.write(address, *value)
            });
            if is_long || taken.is_err() {
                continue;
            }
            setup.limit_ps = 1_000_000_000_000;
            let done = run(&setup, Hooks::default());
            assert!(done.is_ok(), "{sets:?}, {name}={value}: {:?}", done.err());
            seen += 1;
        }
        assert!(seen > 10, "{sets:?}: {seen} values");
    }
}

/// Of the events that a host may go without, each is missing in one run; without one that it needs a pair does not come to an end, and
/// is refused.
#[test]
fn a_host_without_the_events_that_it_needs_is_refused() {
    for sets in [&[][..], &["nic.window=strack"], &["nic.selector=flowcut"]] {
        let config = config_with(sets);
        let feed = |value| {
            let registers = vec![("event_enable".to_string(), value)];
            Feed::Pair(PairOf { scenario: Scenario::Lossy, bytes: 6_000, registers })
        };
        let all: u32 = (1 << Kind::ENABLE_BITS) - 1;
        for kind in Kind::ALL.into_iter().take(Kind::ENABLE_BITS) {
            let value = all & !(1 << kind.code());
            let mut setup = Scenario::Lossy.setup(golden(&config), 6_000, 3);
            setup.settings.push(("event_enable", value));
            setup.limit_ps = 100_000_000_000;
            let is_done = run(&setup, Hooks::default()).is_ok();
            let is_needed = match kind {
                Kind::Acknowledged | Kind::Retransmit => true,
                Kind::Window => sets.contains(&"nic.window=strack"),
                Kind::Xon => sets.contains(&"nic.selector=flowcut"),
                _ => false,
            };
            assert!(is_done || is_needed, "{sets:?}: without {kind:?} a pair does not come to an end");
            if is_needed {
                let said =
                    cosim(&config, &NicOptions::new(feed(value)), &mut |_| {}).expect_err("it is refused");
                let said = said.to_string();
                assert!(
                    said.starts_with(&format!("`--register event_enable={value}`: the hosts learn ")),
                    "{said}"
                );
                assert!(said.contains("; allowed: a value with all bits of 0x"), "{said}");
            }
        }
    }
}

/// Frames of the hosts go to the port that the blocks are told of, in the Verilog, too.
#[test]
fn the_hosts_of_a_pair_send_to_the_port_of_their_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let registers = vec![("udp_port".to_string(), 53)];
    let mut options = super::pairs::options_of(
        Feed::Pair(PairOf { scenario: Scenario::Equal, bytes: 9_000, registers }),
        folder.path(),
    );
    let capture = folder.path().join("pair.pcap");
    options.own.pcap_out = Some(capture);
    super::pairs::passes(&super::config(), &options);
    for end in ["pair_a.pcap", "pair_b.pcap"] {
        let bytes = std::fs::read(folder.path().join(end)).unwrap();
        assert!(bytes.len() > 100, "{end}");
        // of the first frame, over IPv4 and without a tag: behind the heads of the file and of the record
        assert_eq!(bytes[24 + 16 + 36..][..2], 53u16.to_be_bytes(), "{end}");
    }
}
