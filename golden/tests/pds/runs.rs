//! Runs of two endpoints over a bad path.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{
    AckRequests, AckType, Base, Carrier, ClearForm, Config, Fault, Refusal, Taken,
};

use super::network::{Path, Report, Run, run};
use super::{Found, config_a, config_b, holds, same};

/// A fifth is lost both ways, and the rest comes in any order.
fn lossy() -> Path {
    Path { loss: 20, doubled: 3, marked: 5, trimmed: 0, delay: 1000, reorder: 8000 }
}

/// Two connections of A, one of each mode; random Start_PSNs. Nothing is ever given up.
fn base(fault: Option<Fault>, seed: u64) -> Run {
    let ends = |config: Config| Config {
        seed,
        start_psn: None,
        max_rto_retx: 15,
        rto: 40_000,
        payload: 100,
        cwnd: 32,
        // 10 packets
        ack_gen_trigger: 10_240,
        linger: 1 << 40,
        ..config
    };
    Run {
        configs: [ends(config_a(fault)), ends(Config { seed: seed + 1000, ..config_b(fault) })],
        path: lossy(),
        seed,
        modes: vec![Mode::Rud, Mode::Rod],
        messages: [40, 0],
        bytes: 600,
        held: 0,
        back: 0,
        limit: 1 << 42,
        turns: 50_000,
    }
}

fn both(mut run: Run, change: impl Fn(&mut Config)) -> Run {
    run.configs.iter_mut().for_each(change);
    run
}

/// Over a fifth of loss: all kinds of bases and ACKs, both ends initiators, and data back over the same connections.
pub(super) fn loss(fault: Option<Fault>) -> Found {
    for (at, base_of_bitmaps) in Base::ALL.into_iter().enumerate() {
        let changed = both(base(fault, at as u64), |config| config.base = base_of_bitmaps);
        let report = run(&Run { messages: [40, 20], back: if at == 1 { 15 } else { 0 }, ..changed })?;
        holds("packets are lost", report.timeouts > 0)?;
        same("opened", report.opened, 4)?;
    }
    for (at, ack_type) in [AckType::Plain, AckType::Ccx].into_iter().enumerate() {
        run(&both(base(fault, 10 + at as u64), |config| config.ack_type = ack_type))?;
    }
    run(&both(base(fault, 12), |config| config.ack_requests = AckRequests::Every))?;
    run(&both(base(fault, 13), |config| config.ack_requests = AckRequests::Never))?;
    run(&both(base(fault, 14), |config| config.probe = Some(15_000)))?;
    run(&both(base(fault, 15), |config| config.sack_cack_align = 8)).map(|_| ())
}

/// PSNs wrap in the middle.
pub(super) fn wrap(fault: Option<Fault>) -> Found {
    for seed in 20..24 {
        run(&both(base(fault, seed), |config| config.start_psn = Some(0u32.wrapping_sub(seed as u32))))?;
    }
    Ok(())
}

/// Many connections are opened while most first ACKs are lost, some of them with one SYN alone.
pub(super) fn syns(fault: Option<Fault>) -> Found {
    for seed in 30..33 {
        let mut many = base(fault, seed);
        many.modes = [Mode::Rud, Mode::Rod].repeat(8);
        many.messages = [3, 3];
        many.path.loss = 40;
        many.configs[1].syn_packets = 1;
        let report = run(&many)?;
        same("opened", report.opened, 32)?;
        holds("copies of SYNs came", report.ends[1].counts().taken(Taken::Duplicate) > 0)?;
    }
    Ok(())
}

/// Responses are held, and cleared late; Clears, Clear Requests, and ACKs that bring responses are lost.
pub(super) fn guaranteed(fault: Option<Fault>) -> Found {
    for (seed, held, clear_delay) in [(40, 1, 0), (41, 2, 30_000), (42, 3, 90_000), (43, 1, 10_000)] {
        let changed = both(base(fault, seed), |config| {
            config.clear_delay = clear_delay;
            config.clear_request = (seed % 2 == 0).then_some(25_000);
            config.clear_form = if seed % 2 == 0 { ClearForm::Payload } else { ClearForm::Psn };
        });
        let report = run(&Run { held, back: if held == 2 { 10 } else { 0 }, ..changed })?;
        holds("clears are asked for", report.clears_asked > 0)?;
    }
    Ok(())
}

/// Packets are trimmed, those of the last hop, too; and lost.
pub(super) fn trimming(fault: Option<Fault>) -> Found {
    for (seed, loss) in [(50, 0), (51, 20)] {
        let mut trimmed = base(fault, seed);
        trimmed.path = Path { trimmed: 30, loss, ..lossy() };
        let Report { ends, .. } = run(&trimmed)?;
        holds("packets are trimmed", ends[1].counts().taken(Taken::Trimmed) > 20)?;
        holds("NACKs come", ends[0].counts().taken(Taken::Nack) > 20)?;
    }
    Ok(())
}

/// Windows of both ends are smaller than what is sent, and the receiver's is the smaller one.
pub(super) fn windows(fault: Option<Fault>) -> Found {
    let mut narrow = base(fault, 60);
    narrow.modes = vec![Mode::Rud];
    narrow.messages = [300, 0];
    narrow.configs[0].cwnd = 300;
    narrow.configs[0].window = 300;
    // plain ACKs say no MPR, and of a SYN NACK 15 is the end
    narrow.configs[0].default_mpr = 4;
    narrow.configs[0].syn_packets = 100;
    narrow.configs[1].ack_type = AckType::Plain;
    narrow.configs[1].receive_window = 128;
    let report = run(&narrow)?;
    holds("PSNs are outside", report.ends[1].counts().refused(Refusal::OutsideWindow) > 0)
}

/// As P carries packets, behind an entropy header with a trailer; as K does, by another port, with plain ACKs and one
/// SYN.
#[test]
fn every_message_comes_once_as_p_and_k_carry_it() {
    let p = both(base(None, 90), |config| {
        config.encapsulation.carrier = Carrier::Native { protocol: 253 };
        config.encapsulation.crc = true;
        config.base = Base::LowestHeld;
    });
    run(&Run { path: Path { trimmed: 10, ..lossy() }, held: 2, ..p }).unwrap();
    let k = both(base(None, 91), |config| {
        config.encapsulation.carrier = Carrier::Udp { port: 5432, checksum: true };
        config.ack_type = AckType::Plain;
        config.syn_packets = 1;
    });
    run(&k).unwrap();
}

/// Any settings and paths.
fn any(seed: u64) -> Run {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut one_of = |all: &[u64]| all[rng.random_range(0..all.len())];
    let mut run = Run { turns: 1_000_000, ..base(None, seed) };
    for config in &mut run.configs {
        config.base = Base::ALL[one_of(&[0, 1, 2, 3]) as usize];
        config.ack_type =
            [AckType::Cc, AckType::Cc, AckType::Plain, AckType::Ccx][one_of(&[0, 1, 2, 3]) as usize];
        config.ack_requests =
            [AckRequests::Sparse, AckRequests::Every, AckRequests::Never][one_of(&[0, 1, 2]) as usize];
        config.start_psn =
            [None, Some(0u32.wrapping_sub(one_of(&[0, 1, 20, 100]) as u32))][one_of(&[0, 1]) as usize];
        config.cwnd = one_of(&[1, 4, 32, 200]) as u32;
        config.window = one_of(&[1, 16, 128, 1000]) as u32;
        config.syn_packets = one_of(&[1, 3, 100]) as u16;
        config.rto = one_of(&[15_000, 40_000, 200_000]);
        config.probe = [None, Some(12_000)][one_of(&[0, 1]) as usize];
        config.clear_delay = one_of(&[0, 20_000, 100_000]);
        config.clear_request = [None, Some(30_000)][one_of(&[0, 1]) as usize];
        config.clear_form = [ClearForm::Payload, ClearForm::Psn][one_of(&[0, 1]) as usize];
        config.receive_window = one_of(&[128, 256, 1024]) as u32;
        config.ack_gen_trigger = one_of(&[0, 4096, 16384]) as u32;
        config.ack_on_ecn = one_of(&[0, 1]) == 1;
        config.payload = one_of(&[1, 100, 1000]) as usize;
    }
    // of both ends
    let (align, crc, native) = (one_of(&[1, 8]) as u32, one_of(&[0, 1]) == 1, one_of(&[0, 0, 1]) == 1);
    for config in &mut run.configs {
        config.sack_cack_align = align;
        config.encapsulation.crc = crc;
        if native {
            config.encapsulation.carrier = Carrier::Native { protocol: 253 };
        }
    }
    run.path = Path {
        loss: one_of(&[0, 5, 20, 30]) as u32,
        doubled: one_of(&[0, 5, 30]) as u32,
        marked: one_of(&[0, 20]) as u32,
        trimmed: one_of(&[0, 0, 10, 30]) as u32,
        delay: one_of(&[100, 1000, 5000]),
        reorder: one_of(&[0, 1000, 20_000]),
    };
    run.modes = [vec![Mode::Rud], vec![Mode::Rod], vec![Mode::Rud, Mode::Rod, Mode::Rud]]
        [one_of(&[0, 1, 2]) as usize]
        .clone();
    run.messages = [one_of(&[5, 20]) as usize, one_of(&[0, 10]) as usize];
    run.bytes = one_of(&[0, 10, 150, 700]) as usize;
    if run.configs[0].payload == 1 || run.configs[1].payload == 1 {
        run.bytes = run.bytes.min(10);
    }
    run.held = one_of(&[0, 1, 3]) as usize;
    run.back = one_of(&[0, 0, 6]) as usize;
    run
}

#[test]
fn every_message_comes_once_whatever_is_set() {
    for seed in 1000..1030 {
        run(&any(seed)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
#[ignore = "half a minute of runs"]
fn every_message_comes_once_in_many_runs() {
    for seed in 2000..10_000 {
        run(&any(seed)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

/// In order and without loss nothing is sent twice, and nothing is refused.
#[test]
fn a_good_path_needs_no_packet_twice() {
    let mut good = base(None, 70);
    good.path = Path { delay: 1000, ..Path::default() };
    let Report { ends, timeouts, .. } = run(&good).unwrap();
    assert_eq!(timeouts, 0);
    for end in ends {
        assert_eq!((end.counts().retransmissions, end.counts().refused.len()), (0, 0), "{:?}", end.counts());
    }
}

/// Two runs of one seed are the same, two of different seeds are not.
#[test]
fn runs_follow_from_their_seed() {
    let counts = |seed| run(&base(None, seed)).unwrap().ends.map(|end| end.counts().clone());
    assert_eq!(counts(80), counts(80));
    assert_ne!(counts(80), counts(81));
}

#[test]
fn every_message_comes_once_over_loss() {
    loss(None).unwrap();
}

#[test]
fn every_message_comes_once_across_the_wrap() {
    wrap(None).unwrap();
}

#[test]
fn every_message_comes_once_while_connections_open() {
    syns(None).unwrap();
}

#[test]
fn every_response_comes_once_and_is_cleared() {
    guaranteed(None).unwrap();
}

#[test]
fn every_message_comes_once_over_trimming() {
    trimming(None).unwrap();
}

#[test]
fn every_message_comes_once_through_a_narrow_window() {
    windows(None).unwrap();
}
