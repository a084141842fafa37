//! Random packets of a receiver.

use respray_cosim::cores::sack_rx::{Knobs, RandomOps};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::{Entry, Event};
use respray_golden::psn::PsnSpace;
use respray_golden::sack_rx::Params;
use respray_hdl::cores::sack_rx::contract::Op;

const OPS: usize = 400_000;
const WINDOW: u32 = 256;
const PSNS: PsnSpace = PsnSpace::new(24);
/// All that the stream takes of the engine but for its connections.
const PARAMS: Params = Params { connections: 16, window: WINDOW, psns: PSNS };

fn ops(knobs: &Knobs) -> Vec<(u32, Op)> {
    let entries = RandomOps::new(1, knobs, PARAMS).take(OPS);
    let op = |entry: Entry<Op>| if let Event::Op(op) = entry.event { Some((entry.idle, op)) } else { None };
    entries.filter_map(op).collect()
}

fn share(ops: &[(u32, Op)], of: impl Fn(&Op) -> bool) -> f64 {
    ops.iter().filter(|(_, op)| of(op)).count() as f64 / ops.len() as f64
}

#[test]
fn one_seed_gives_one_stream() {
    let stream = |seed| RandomOps::new(seed, &Knobs::new(64), PARAMS).take(5000).collect::<Vec<_>>();
    assert_eq!(stream(9), stream(9));
    assert_ne!(stream(9), stream(10));
}

#[test]
fn every_field_takes_its_whole_range_and_no_more() {
    for connections in [16, 16384] {
        let ops = ops(&Knobs::new(connections));
        let bits = |field: &dyn Fn(&Op) -> u32| {
            ops.iter().fold((u32::MAX, 0), |(and, or), (_, op)| (and & field(op), or | field(op)))
        };
        assert_eq!(bits(&|op| op.kind.into()), (0, 3));
        assert!((0..4).all(|kind| ops.iter().any(|(_, op)| op.kind == kind)));
        assert_eq!(bits(&|op| op.conn.into()), (0, connections - 1));
        assert_eq!(bits(&|op| op.psn), (0, PSNS.last()));
        for word in
            [(|op: &Op| op.bytes) as fn(&Op) -> u16, |op| op.ev, |op| op.timestamp, |op| op.sack_threshold]
        {
            assert_eq!(bits(&|op| word(op).into()), (0, 0xffff));
        }
        for flag in [(|op: &Op| op.ecn) as fn(&Op) -> bool, |op| op.ack_request, |op| op.probe] {
            assert_eq!(bits(&|op| flag(op).into()), (0, 1));
        }
        assert!((0..=8).all(|idle| ops.iter().any(|(before, _)| *before == idle)));
    }
}

#[test]
fn knobs_do_what_they_say() {
    let knobs = |given: &[&str]| {
        let mut knobs = Knobs { deep_share: 0.0, ..Knobs::new(256) };
        given.iter().for_each(|given| knobs.set(given, 256).unwrap());
        ops(&knobs)
    };
    let hot = knobs(&["hot_set=1", "hot_share=1", "idle_share=0"]);
    assert!(hot.iter().all(|(idle, _)| *idle == 0));
    let same = hot.windows(2).filter(|pair| pair[0].1.conn == pair[1].1.conn).count() as f64 / OPS as f64;
    assert!(same > 0.99, "{same} of the ops follow one of their own connection");
    assert!(knobs(&["connections=3"]).iter().all(|(_, op)| op.conn < 3));
    let ecn = share(&knobs(&["ecn_share=0.5"]), |op| op.ecn);
    assert!((0.49..0.51).contains(&ecn), "{ecn}");
    let no_resets = "ops_per_reset=0";
    let inits = |share_of| {
        let ops = knobs(&[no_resets, &format!("init_share={share_of}")]);
        share(&ops, |op| op.kind == 1)
    };
    assert_eq!(inits(0.0), 0.0);
    assert!((0.09..0.11).contains(&inits(0.1)), "{}", inits(0.1));
    let closes = |share_of| {
        let ops = knobs(&[no_resets, "init_share=0", &format!("close_share={share_of}")]);
        share(&ops, |op| op.kind > 1)
    };
    assert_eq!(closes(0.0), 0.0);
    assert!((0.09..0.11).contains(&closes(0.1)), "{}", closes(0.1));
    // the bit of a probe means nothing of a close, where it is random
    let probes = |share_of| {
        let ops = knobs(&[no_resets, "init_share=0", "close_share=0", &format!("probe_share={share_of}")]);
        share(&ops, |op| op.probe)
    };
    assert_eq!(probes(0.0), 0.0);
    assert!((0.19..0.21).contains(&probes(0.2)), "{}", probes(0.2));
    let near_wrap = |share_of| {
        let ops = knobs(&["init_share=0.2", &format!("wrap_share={share_of}")]);
        let inits: Vec<_> = ops.into_iter().filter(|(_, op)| op.kind == 1).collect();
        share(&inits, |op| op.psn > PSNS.last() - 2 * WINDOW)
    };
    assert!(near_wrap(0.0) < 0.01 && near_wrap(1.0) > 0.99);
    let none = ["duplicate_share=0", "outside_share=0", "probe_share=0", "ack_request_share=0"];
    let requests = share(&knobs(&none), |op| op.ack_request);
    assert!((0.05..0.25).contains(&requests), "{requests}: all, in a phase in eight");
}

#[test]
fn without_duplicates_and_garbage_each_psn_is_sent_once_and_within_reach() {
    let mut knobs = Knobs::new(1);
    let none = ["duplicate_share=0", "outside_share=0", "probe_share=0", "init_share=0", "close_share=0"];
    for given in none.into_iter().chain(["ops_per_reset=0"]) {
        knobs.set(given, 1).unwrap();
    }
    let psns: Vec<u32> = ops(&knobs).iter().map(|(_, op)| op.psn).collect();
    let mut seen = std::collections::HashSet::new();
    assert!(psns.iter().all(|psn| seen.insert(*psn)));
    let behind = psns.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(behind > OPS / 100, "{behind} fill holes");
    let farthest = psns
        .iter()
        .scan(0, |last, &psn| {
            *last = psn.max(*last);
            Some(*last - psn)
        })
        .max();
    assert_eq!(farthest, Some(WINDOW - 1));
}

#[test]
fn settings_lead_back_to_the_knobs() {
    let settings = ["connections=9", "hot_share=1", "wrap_share=0.25", "ops_per_reset=0"];
    let mut knobs = Knobs::new(256);
    assert!(knobs.settings(256).is_empty());
    settings.iter().for_each(|given| knobs.set(given, 256).unwrap());
    assert_eq!(knobs.settings(256), settings);
    let error = knobs.set("timeout_share=1", 256).unwrap_err().to_string();
    assert!(error.contains("`timeout_share=1`: expected KNOB=VALUE; the knobs are connections"), "{error}");
    let error = knobs.set("probe_share=2", 256).unwrap_err().to_string();
    assert_eq!(error, "`probe_share` is 2; allowed: 0 to 1");
}
