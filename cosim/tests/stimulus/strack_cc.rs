//! Random ACKs of a window.

use respray_cosim::cores::strack_cc::{Knobs, RandomOps};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::{Entry, Event};
use respray_hdl::config::Config;
use respray_hdl::cores::strack_cc::contract::Op;

const OPS: usize = 400_000;

fn ops(knobs: &Knobs) -> Vec<(u32, Op)> {
    let entries = RandomOps::new(1, knobs, &Config::default()).take(OPS);
    let op = |entry: Entry<Op>| if let Event::Op(op) = entry.event { Some((entry.idle, op)) } else { None };
    entries.filter_map(op).collect()
}

fn share(ops: &[(u32, Op)], of: impl Fn(&Op) -> bool) -> f64 {
    ops.iter().filter(|(_, op)| of(op)).count() as f64 / ops.len() as f64
}

#[test]
fn one_seed_gives_one_stream() {
    let stream =
        |seed| RandomOps::new(seed, &Knobs::new(64), &Config::default()).take(5000).collect::<Vec<_>>();
    assert_eq!(stream(9), stream(9));
    assert_ne!(stream(9), stream(10));
}

#[test]
fn every_field_takes_its_whole_range_and_no_more() {
    for connections in [16, 16384] {
        // all connections, which deep phases keep away from
        let ops = ops(&Knobs { deep_share: 0.0, ..Knobs::new(connections) });
        let range = |field: &dyn Fn(&Op) -> u32| {
            ops.iter()
                .fold((u32::MAX, 0), |(least, most), (_, op)| (least.min(field(op)), most.max(field(op))))
        };
        assert_eq!(range(&|op| op.kind.into()), (0, 7));
        assert_eq!(range(&|op| op.conn.into()), (0, connections - 1));
        assert_eq!(range(&|op| op.bytes), (0, 0xf_ffff));
        assert_eq!(range(&|op| op.max_cwnd.into()), (0, 1023));
        assert_eq!(range(&|op| op.mtu_log2.into()), (0, 15));
        for word in [
            (|op: &Op| op.timestamp) as fn(&Op) -> u16,
            |op| op.now,
            |op| op.net_base_rtt,
            |op| op.min_base_rtt,
            |op| op.target_qdelay,
            |op| op.target_qhigh,
            |op| op.alpha,
            |op| op.beta,
            |op| op.eta,
            |op| op.gamma,
        ] {
            assert_eq!(range(&|op| word(op).into()), (0, 0xffff));
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
    for (knob, kind) in [("read", 0), ("nack", 2), ("timeout", 3), ("init", 4)] {
        let of = |value: &str| share(&knobs(&[&format!("{knob}_share={value}")]), |op| op.kind == kind);
        assert!(of("0") == 0.0 && (0.24..0.26).contains(&of("0.25")), "{knob}: {}", of("0.25"));
    }
    let reserved = share(&knobs(&["reserved_share=0.3"]), |op| op.kind > 4);
    assert!((0.28..0.32).contains(&reserved), "{reserved}");
    assert_eq!(share(&knobs(&["probe_share=0"]), |op| op.probe), 0.0);
    assert_eq!(share(&knobs(&["probe_share=1"]), |op| op.probe), 1.0);
    // a phase in four marks all
    assert!((0.15..0.35).contains(&share(&knobs(&["ecn_share=0"]), |op| op.ecn)));
    assert!((0.65..0.85).contains(&share(&knobs(&["ecn_share=1"]), |op| op.ecn)));
    assert_eq!(share(&knobs(&["wild_share=0"]), |op| op.mtu_log2 < 8 || op.mtu_log2 > 13), 0.0);
    assert!(share(&knobs(&["wild_share=1"]), |op| op.mtu_log2 < 8 || op.mtu_log2 > 13) > 0.05);
}
