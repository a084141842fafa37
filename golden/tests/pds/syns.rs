//! SYNs at a target: properties 19 and 25.

use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::frame::{ECT_0, Outer};
use respray_golden::hosts::pds::headers::{Header, Mode};
use respray_golden::hosts::pds::{Config, Event, Fault, Refusal, Taken};

use super::receiving::target;
use super::targets::{answer, request};
use super::{A, Found, address, config_b, drain, encapsulation, endpoint, from_a, hex, s2, same};

/// SYNs: every copy is of one connection, and the same PDCID of another address is another one.
pub(super) fn syns(fault: Option<Fault>) -> Found {
    let (mut endpoint, _) = endpoint(config_b(fault));
    let mut opened = BTreeMap::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(19);
    let mut seen = BTreeSet::new();
    for _ in 0..500 {
        let (host, pdc, number) =
            (rng.random_range(1..4u8) + 2, rng.random_range(1..4u16), rng.random_range(0..30u16));
        let start = 1000 * u32::from(host) + 100 * u32::from(pdc);
        let outer = Outer { from: address(host), to: address(2), ev: 5, dscp: 0, ecn: ECT_0 };
        let psn = start + u32::from(number);
        let bytes = format!("11840001{psn:08x}{pdc:04x}{number:04x}{}", s2());
        endpoint.receive(&encapsulation().write(&outer, &hex(&bytes)), 0);
        seen.insert((host, pdc, number));
        let Some((Header::Ack(ack), _)) = answer(&mut endpoint)? else {
            return Err("a SYN is acknowledged".into());
        };
        let id = *opened.entry((host, pdc)).or_insert(ack.source);
        same("PDCID", (ack.source, ack.destination), (id, pdc))?;
    }
    let ids: BTreeSet<u16> = opened.values().copied().collect();
    same("connections", (ids.len(), endpoint.pdcs().count()), (9, 9))?;
    same("new", endpoint.counts().taken(Taken::New), seen.len() as u64)?;
    let events = drain(&mut endpoint);
    same("opened", events.iter().filter(|event| matches!(event, Event::Opened { .. })).count(), 9)
}

/// At or beyond the window: NACK 15 of a SYN, else 0B. Of a SYN with another Start_PSN 15; ROD with an offset 0D; no
/// room 04.
#[test]
fn syns_that_cannot_be_taken_get_their_nack() {
    let cases = [
        ("1184ffff0001234500070100", 0x15, Refusal::OutsideWindow),
        ("1984ffff0001234500070001", 0x0d, Refusal::Ahead),
    ];
    for (bytes, code, refusal) in cases {
        let (mut endpoint, _) = endpoint(config_b(None));
        endpoint.receive(&from_a(&format!("{bytes}{}", s2())), 0);
        let Ok(Some((Header::Nack(nack), _))) = answer(&mut endpoint) else { panic!("{bytes} gets a NACK") };
        assert_eq!((nack.code, nack.source, nack.destination), (code, 0, A));
        assert_eq!((endpoint.counts().refused(refusal), endpoint.pdcs().count()), (1, 0));
    }
    let (mut endpoint, _) = endpoint(Config { max_pdcs: 2, ..config_b(None) });
    for pdc in 1..40 {
        endpoint.receive(&from_a(&format!("118cffff00012345{pdc:04x}0000{}", s2())), 0);
        let Ok(Some((header, _))) = answer(&mut endpoint) else { panic!("each gets an answer") };
        match header {
            Header::Ack(_) => assert!(pdc < 3),
            Header::Nack(nack) => assert_eq!((nack.code, pdc >= 3), (0x04, true)),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((endpoint.counts().refused(Refusal::NoRoom), endpoint.pdcs().count()), (37, 2));
    // a bound one: far ahead, far behind, and another Start_PSN
    let mut bound = target(config_b(None), Mode::Rud, 100_000);
    for (psn, offset, code) in [(100_256u32, 256, 0x15), (100_000, 1, 0x15)] {
        bound.receive(&from_a(&format!("11840001{psn:08x}0007{offset:04x}{}", s2())), 0);
        let Ok(Some((Header::Nack(nack), _))) = answer(&mut bound) else { panic!("{psn} gets a NACK") };
        assert_eq!(nack.code, code, "{psn}");
    }
    for number in 0..32_800u32 {
        bound.receive(&from_a(&request("1180", 100_000 + number, "")), 0);
        while bound.poll(0).is_some() {}
    }
    bound.receive(&from_a(&format!("11840001{:08x}00070000{}", 100_000, s2())), 0);
    let Ok(Some((Header::Nack(nack), _))) = answer(&mut bound) else { panic!("a late SYN gets a NACK") };
    assert_eq!(nack.code, 0x0b, "which is not fatal");
}

#[test]
fn every_copy_of_a_syn_is_of_one_connection() {
    syns(None).unwrap();
}
