//! Random ops of path selectors.

use respray_cosim::cores::selector::{Knobs, RandomOps};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::{Entry, Event};
use respray_hdl::config::Config;
use respray_hdl::cores::reps::contract::CONTRACT;
use respray_hdl::cores::selector::SelectorOp;

const OPS: usize = 400_000;

/// Places among the words of an op that are the selector's own.
const NOW: usize = 0;
const FREEZE_TIMEOUT: usize = 1;
const BDP_PACKETS: usize = 2;

fn stream(seed: u64, knobs: &Knobs, time_bits: u32) -> RandomOps {
    let mut config = Config::default();
    config.selector.time_bits = time_bits;
    RandomOps::new(seed, knobs, &CONTRACT, None, &config)
}

fn ops(knobs: &Knobs, time_bits: u32) -> Vec<(u32, SelectorOp)> {
    let entries = stream(1, knobs, time_bits).take(OPS);
    let op = |entry: Entry<SelectorOp>| {
        if let Event::Op(op) = entry.event { Some((entry.idle, op)) } else { None }
    };
    entries.filter_map(op).collect()
}

fn share(ops: &[(u32, SelectorOp)], of: impl Fn(&(u32, SelectorOp)) -> bool) -> f64 {
    ops.iter().filter(|op| of(op)).count() as f64 / ops.len() as f64
}

#[test]
fn one_seed_gives_one_stream() {
    let ops = |seed| stream(seed, &Knobs::new(64), 32).take(5000).collect::<Vec<_>>();
    assert_eq!(ops(9), ops(9));
    assert_ne!(ops(9), ops(10));
}

#[test]
fn every_field_takes_its_whole_range_and_no_more() {
    for (connections, time_bits) in [(16, 16), (16384, 32)] {
        let ops = ops(&Knobs::new(connections), time_bits);
        let bits = |field: &dyn Fn(&SelectorOp) -> u32| {
            ops.iter().fold((u32::MAX, 0), |(and, or), (_, op)| (and & field(op), or | field(op)))
        };
        let times = ((1_u64 << time_bits) - 1) as u32;
        assert_eq!(bits(&|op| op.kind.into()), (0, 7));
        assert_eq!(bits(&|op| op.conn.into()), (0, connections - 1));
        assert_eq!(bits(&|op| op.ev.into()), (0, 0xffff));
        assert_eq!(bits(&|op| op.more[BDP_PACKETS]), (0, 0xff));
        assert_eq!(bits(&|op| op.more[NOW]), (0, times));
        assert_eq!(bits(&|op| op.more[FREEZE_TIMEOUT]), (0, times));
        assert!((0..8).all(|kind| ops.iter().any(|(_, op)| op.kind == kind)));
        assert!((0..=8).all(|idle| ops.iter().any(|(before, _)| *before == idle)));
        let wraps = ops.windows(2).filter(|pair| pair[1].1.more[NOW] < pair[0].1.more[NOW]).count();
        assert!(wraps > 100, "time wrapped {wraps} times");
    }
}

#[test]
fn knobs_do_what_they_say() {
    let knobs = |given: &[&str]| {
        let mut knobs = Knobs { deep_share: 0.0, ..Knobs::new(256) };
        given.iter().for_each(|given| knobs.set(given, 256).unwrap());
        ops(&knobs, 32)
    };
    let hot = knobs(&["hot_set=2", "hot_share=1", "idle_share=0"]);
    assert!(hot.iter().all(|(idle, _)| *idle == 0));
    let same = hot.windows(2).filter(|pair| pair[0].1.conn == pair[1].1.conn).count() as f64 / OPS as f64;
    assert!((0.45..0.6).contains(&same), "{same} of the ops follow one of their own connection");
    let spread = knobs(&["hot_share=0"]);
    let same = spread.windows(2).filter(|pair| pair[0].1.conn == pair[1].1.conn).count() as f64 / OPS as f64;
    assert!((0.002..0.008).contains(&same), "{same} of the ops follow one of their own connection");
    assert!(knobs(&["connections=3"]).iter().all(|(_, op)| op.conn < 3));
    let ecn = share(&knobs(&["ecn_share=0.5"]), |(_, op)| op.ecn);
    assert!((0.5..0.58).contains(&ecn), "{ecn}: half, and in a sixteenth of the phases all");
    for (knob, kind) in [("timeout_share", 3), ("nack_share", 2), ("init_share", 4)] {
        assert_eq!(share(&knobs(&[&format!("{knob}=0")]), |(_, op)| op.kind == kind), 0.0, "{knob}");
        let some = share(&knobs(&[&format!("{knob}=0.1")]), |(_, op)| op.kind == kind);
        let expected = if kind == 3 { 0.2..0.35 } else { 0.09..0.11 };
        assert!(expected.contains(&some), "{knob}: {some}");
    }
    assert_eq!(share(&knobs(&["reserved_share=0"]), |(_, op)| op.kind > 4), 0.0);
}

/// A deep phase stays with one connection, which does not start anew, for hundreds of ops; others have some of the ops
/// beside it.
#[test]
fn deep_phases_stay_with_one_connection() {
    let ops = |deep_share| {
        let knobs = Knobs { deep_share, init_share: 0.1, ops_per_reset: 0, ..Knobs::new(256) };
        ops(&knobs, 32)
    };
    // ops of the connection that most of so many are about, and those that start it anew
    let most = |ops: &[(u32, SelectorOp)]| {
        let of = |conn| ops.iter().filter(move |(_, op)| op.conn == conn);
        let (count, conn) = (0..256).map(|conn| (of(conn).count(), conn)).max().unwrap();
        (count, of(conn).filter(|(_, op)| op.kind == 4).count())
    };
    let chunks = |deep_share| ops(deep_share).chunks(256).map(most).collect::<Vec<_>>();
    let deep = chunks(1.0);
    let whole = deep.iter().filter(|(count, inits)| *count > 220 && *inits == 0).count();
    assert!(whole * 2 > deep.len(), "{whole} of {}", deep.len());
    assert!(chunks(0.0).iter().all(|(count, _)| *count < 128));
}

#[test]
fn resets_come_as_often_as_asked() {
    let resets = |per_reset| {
        let knobs = Knobs { ops_per_reset: per_reset, ..Knobs::new(16) };
        let entries: Vec<_> = stream(2, &knobs, 32).take(OPS).collect();
        let is_reset = |entry: &Entry<SelectorOp>| matches!(entry.event, Event::Reset { .. });
        let first = |pair: &&[Entry<SelectorOp>]| !is_reset(&pair[0]) && is_reset(&pair[1]);
        entries.windows(2).filter(first).count()
    };
    assert_eq!(resets(0), 0);
    assert!((350..450).contains(&resets(1000)), "{}", resets(1000));
}

#[test]
fn a_wrong_knob_is_refused_in_one_sentence() {
    let mut knobs = Knobs::new(64);
    for (given, said) in [
        ("hot", "`hot`: expected KNOB=VALUE; the knobs are connections, hot_set, hot_share"),
        ("heat=1", "`heat=1`: expected KNOB=VALUE"),
        ("connections=65", "`connections` is 65; allowed: 1 to 64"),
        ("connections=0", "`connections` is 0; allowed: 1 to 64"),
        ("hot_set=65", "`hot_set` is 65; allowed: 1 to 64"),
        ("ecn_share=1.5", "`ecn_share` is 1.5; allowed: 0 to 1"),
        ("idle_share=x", "`idle_share` is x; allowed: 0 to 1"),
    ] {
        let error = knobs.set(given, 64).unwrap_err().to_string();
        assert!(error.contains(said), "{given}: {error}");
    }
    assert_eq!(knobs, Knobs::new(64));
}

#[test]
fn settings_lead_back_to_the_knobs() {
    let settings = ["connections=9", "hot_set=2", "hot_share=1", "ops_per_reset=0", "idle_share=0.125"];
    let mut knobs = Knobs::new(256);
    assert!(knobs.settings(256).is_empty());
    settings.iter().for_each(|given| knobs.set(given, 256).unwrap());
    let found = knobs.settings(256);
    assert_eq!(found, ["connections=9", "hot_set=2", "hot_share=1", "idle_share=0.125", "ops_per_reset=0"]);
}
