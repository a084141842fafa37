//! A device of `sack_tx` with faults: what is found, and how small it becomes.

use std::convert::Infallible;

use respray_cosim::cores::sack_rx::params;
use respray_cosim::cores::sack_tx::{Knobs, RandomOps, SackTxCore, set_sack};
use respray_cosim::lockstep::compare::Against;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::reproduce::reproduce;
use respray_cosim::lockstep::run::{Given, RESET_EDGES, Run, run};
use respray_cosim::report::Counts;
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::{Entries, Entry};
use respray_golden::sack_tx::SackFields;
use respray_hdl::config::Config;
use respray_hdl::cores::sack_tx::contract::Op;

use crate::device::sack_tx::{CLEARING, Fault, device, manifest};
use crate::device::{Flip, outputs};

fn config(connections: u32, window: u32) -> Config {
    Config::load(None, &[format!("connections={connections}"), format!("sack.window={window}")]).unwrap()
}

fn random(config: &Config, seed: u64) -> RandomOps {
    // closes are rare where a run is long; here they are to come as often as all else
    let knobs = Knobs { ops_per_reset: 20_000, close_share: 0.002, ..Knobs::new(config.connections) };
    RandomOps::new(seed, &knobs, params(config))
}

fn given<'a>(entries: impl Iterator<Item = Entry<Op>> + Clone + Send + 'a) -> Given<'a, Op> {
    Given { entries: Entries::new(entries), expectations: &[], seed: 7 }
}

fn run_fake(
    config: &Config,
    fault: Fault,
    stimulus: impl Iterator<Item = Entry<Op>> + Clone + Send,
    cycles: u64,
) -> Run<SackTxCore> {
    run(&manifest(config), &mut device(config, fault), given(stimulus), cycles, &mut |_| {})
}

#[test]
fn a_right_device_passes_and_every_behaviour_is_reached() {
    for (connections, window) in [(16, 64), (16, 512), (64, 128), (256, 256), (1024, 512)] {
        let config = config(connections, window);
        let run = run_fake(&config, Fault::None, random(&config, 3), 3_000_000);
        assert_eq!(run.difference, None, "{connections} x {window}");
        let counts = run.core.counts(&run.taken);
        let seldom: Vec<_> =
            counts.iter().filter(|(name, count)| *name != "reset_edges" && *count < 100).collect();
        println!("{connections} x {window}: {counts:?}");
        assert!(seldom.is_empty(), "{connections} x {window}: {seldom:?}");
    }
}

#[test]
fn streams_of_one_seed_are_the_same_and_of_two_differ() {
    let config = config(16, 64);
    let ops = |seed| random(&config, seed).take(5000).collect::<Vec<_>>();
    assert_eq!(ops(1), ops(1));
    assert_ne!(ops(1), ops(2));
}

#[test]
fn a_wrong_bit_is_found_in_every_output_and_only_where_it_is_promised() {
    let config = config(16, 64);
    let op = |kind, now| Op {
        kind,
        conn: 5,
        psn: 100,
        bytes: 9,
        now,
        rto: 100,
        probe_timeout: 50,
        ..Op::default()
    };
    // sent, then idle until the walker asks for a probe, then a SACK, then a read
    let mut sack = op(1, 60);
    set_sack(&mut sack, &SackFields { epsn: 101, base: 64, bytes_recvd: 9, ..SackFields::default() });
    let trace = [
        Entry::op(op(3, 0)),
        Entry::op(op(0, 0)),
        Entry { idle: 70, ..Entry::op(op(2, 60)) },
        Entry::op(sack),
        Entry::op(op(4, 60)),
    ];
    let wrong = |flip| run_fake(&config, Fault::Bit(flip), trace.into_iter(), u64::MAX);
    let start = RESET_EDGES + u64::from(CLEARING);
    // results leave 5, 6 and 10 cycles after their ops; the fifth connection is visited as the sixth from the sent on
    let (sent, probe, next_rtx) = (start + 70 + 5, start + 70 + 4 + 5 * 5 + 6, start + 70 + 4 + 70 + 6);
    let sack = next_rtx - 6 + 5 + 10;
    // the SACK takes 9 cycles, and the read shows after 4
    let read = sack - 10 + 9 + 4;
    let of_result = ["res_conn", "res_status", "res_in_flight", "res_bytes_in_flight", "res_in_recovery"];
    for (place, (port, width)) in outputs(SackTxCore::CONTRACT, &config).into_iter().enumerate() {
        let fields = of_result.contains(&port);
        let of_sack = ["res_acked", "res_bytes_acked", "res_rtt"].contains(&port);
        let always = !fields && !of_sack && !["res_psn", "res_snd_nxt"].contains(&port);
        for bit in 0..width {
            for (cycle, promised) in [
                (0, false),
                (1, always),
                (sent - 1, always),
                (sent, always || fields),
                (probe, always || ["res_conn", "res_psn"].contains(&port)),
                (next_rtx, always || fields),
                (sack, always || fields || of_sack),
                (sack + 1, always),
                (read, always || fields || ["res_psn", "res_snd_nxt"].contains(&port)),
            ] {
                let found = wrong(Flip { cycle, place, bit }).difference;
                assert_eq!(found.is_some(), promised, "{port} at {cycle}: {found:?}");
                if let Some(found) = found {
                    assert_eq!((found.cycle, found.port.as_str()), (cycle, port));
                }
            }
        }
    }
    let passed = run_fake(&config, Fault::None, trace.into_iter(), u64::MAX);
    let counts = Counts(passed.core.counts(&passed.taken));
    assert_eq!((passed.difference, counts.get("probes_due"), counts.get("acked")), (None, 1, 1));
}

#[test]
fn what_the_walker_does_is_predicted_to_the_edge() {
    for fault in [
        Fault::OpsInARow(15),
        Fault::OpsInARow(17),
        Fault::ForcedReady,
        Fault::WalkerStays,
        Fault::WalkerKept,
        Fault::StaleSettings,
    ] {
        let config = config(16, 64);
        let found = run_fake(&config, fault, random(&config, 1), 3_000_000).difference;
        assert!(found.is_some(), "{fault:?}");
    }
}

#[test]
fn faults_shrink_to_a_few_ops() {
    for (fault, most) in [
        (Fault::EarlySack, 17),
        (Fault::NoWrap, 8),
        (Fault::InitKeepsBytes, 5),
        (Fault::ForcedReady, 17),
        (Fault::WalkerStays, 40),
    ] {
        let config = config(16, 64);
        let failed = run_fake(&config, fault, random(&config, 2), 3_000_000);
        assert!(failed.difference.is_some(), "{fault:?}");
        let fresh = || Ok::<_, Infallible>(device(&config, fault));
        let found = reproduce(&manifest(&config), &failed, given(random(&config, 2)), fresh).unwrap();
        let entries = found.shrunken.expect("an end of the run fails from reset");
        let again = run_fake(&config, fault, entries.iter().copied(), u64::MAX);
        assert_eq!(again.difference.expect("fails again").against, Against::Golden);
        assert_eq!(run_fake(&config, Fault::None, entries.iter().copied(), u64::MAX).difference, None);
        println!("{fault:?}: {} entries", entries.len());
        assert!(entries.len() <= most, "{fault:?}: {} entries, {entries:#?}", entries.len());
    }
}
