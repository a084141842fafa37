//! What is plainer than an op, and than a whole trace.

use respray_cosim::lockstep::plain::Plainness;
use respray_cosim::traffic::stimulus::{Entry, Event};
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Words};
use respray_hdl::cores::reps::contract::CONTRACT as REPS;
use respray_hdl::cores::sack_rx::contract as rx;
use respray_hdl::cores::sack_tx::contract as tx;
use respray_hdl::cores::selector::SelectorOp;

/// One more than the largest PSN of the default configuration.
const MODULUS: u32 = 1 << 24;

fn plainness(contract: &Contract) -> Plainness {
    Plainness::new(contract, &Config::default())
}

/// All traces that are plainer than this one.
fn traces<O: Words>(contract: &Contract, ops: &[O]) -> Vec<Vec<O>> {
    let plainness = plainness(contract);
    let entries: Vec<_> = ops.iter().copied().map(Entry::op).collect();
    let ways = (0..).map_while(|way| plainness.plainer_trace(way, &entries));
    ways.map(|entries| entries.iter().filter_map(|entry| entry.event.as_op().copied()).collect()).collect()
}

/// An op whose every field has all its bits set.
fn full<O: Words>(contract: &Contract) -> O {
    let mut op = O::default();
    let fields = contract.op_fields().enumerate();
    fields.for_each(|(place, field)| op.set(place, field.last(&Config::default())));
    op
}

fn every_change_stays_in_its_ports<O: Words>(contract: &Contract) {
    let config = Config::default();
    let fits =
        |op: &O| contract.op_fields().enumerate().all(|(place, field)| op.get(place) <= field.last(&config));
    for kind in 0..1 << contract.ops[0].fields[0].width.bits(&config) {
        let mut ops = [full::<O>(contract), O::default(), full(contract)];
        ops.iter_mut().for_each(|op| op.set(0, kind));
        for op in ops {
            for plainer in plainness(contract).plainer(&op) {
                assert!(fits(&plainer), "{plainer:?}");
                assert_eq!((plainer.code(), plainer.connection()), (op.code(), op.connection()));
            }
        }
        for changed in traces(contract, &ops) {
            assert!(changed.iter().all(fits), "{changed:?}");
            let kept = |op: &O| (op.code(), op.connection());
            assert!(changed.iter().map(kept).eq(ops.iter().map(kept)));
        }
    }
}

#[test]
fn plainer_ops_keep_kind_connection_and_widths() {
    every_change_stays_in_its_ports::<SelectorOp>(&REPS);
    every_change_stays_in_its_ports::<rx::Op>(&rx::CONTRACT);
    every_change_stays_in_its_ports::<tx::Op>(&tx::CONTRACT);
}

#[test]
fn an_op_of_zeros_weighs_nothing_and_every_other_value_something() {
    fn of<O: Words>(contract: &Contract) {
        let plainness = plainness(contract);
        assert_eq!(plainness.weight(&O::default()), 0);
        for (place, field) in contract.op_fields().enumerate().skip(1) {
            for value in [1, field.last(&Config::default()) / 2, field.last(&Config::default())] {
                let mut op = O::default();
                op.set(place, value);
                assert_eq!(plainness.weight(&op) > 0, value > 0, "{} {value}", field.name);
            }
        }
    }
    of::<SelectorOp>(&REPS);
    of::<rx::Op>(&rx::CONTRACT);
    of::<tx::Op>(&tx::CONTRACT);
}

#[test]
fn limits_that_nothing_reaches_and_psns_just_below_zero_are_plain() {
    let plainness = plainness(&tx::CONTRACT);
    let weight = |op| plainness.weight(&op);
    let op = tx::Op::default();
    assert_eq!(weight(tx::Op { rto: 0xffff, ..op }), 1);
    assert_eq!(weight(tx::Op { cwnd_packets: 0xfff, ..op }), 1);
    assert_eq!(weight(tx::Op { rto: 0x8000, ..op }), 16);
    assert_eq!(weight(tx::Op { now: 0xffff, ..op }), 16);
    assert_eq!(weight(tx::Op { psn: MODULUS - 1, ..op }), 13);
    assert_eq!(weight(tx::Op { epsn: MODULUS - 64, ..op }), 19);
    assert_eq!(weight(tx::Op { psn: MODULUS / 2, ..op }), 24);
    assert_eq!(weight(tx::Op { bitmap: 0b101 << 60, ..op }), 63 + 4);
    assert_eq!(weight(tx::Op { conn: 255, ..op }), 8);
}

#[test]
fn each_kind_of_value_has_its_own_steps() {
    let op = tx::Op {
        kind: 1,
        psn: 100,
        epsn: 200,
        base: 192,
        bitmap: 0xf0,
        rto: 77,
        now: 50,
        ..tx::Op::default()
    };
    let plainer = plainness(&tx::CONTRACT).plainer(&op);
    let has = |change: &dyn Fn(&mut tx::Op)| {
        let mut wanted = op;
        change(&mut wanted);
        assert!(plainer.contains(&wanted), "{wanted:?}");
    };
    has(&|op| *op = tx::Op { kind: 1, ..tx::Op::default() });
    for psn in [0, 50, 64, 99] {
        has(&|op| op.psn = psn);
    }
    for epsn in [0, 100, 192, 199] {
        has(&|op| op.epsn = epsn);
    }
    for base in [0, 64, 96] {
        has(&|op| op.base = base);
    }
    for bitmap in [0, 0x10, 0xe0, 0x50] {
        has(&|op| op.bitmap = bitmap);
    }
    for rto in [0, 1, 0xffff, 38] {
        has(&|op| op.rto = rto);
    }
    for now in [0, 1, 25] {
        has(&|op| op.now = now);
    }
    // nothing ever happens
    has(&|op| {
        (op.now, op.rto, op.cwnd_packets) = (0, 0xffff, 0xfff);
        (op.probe_timeout, op.probe_rtt) = (0xffff, 0xffff);
    });
}

#[test]
fn psns_of_a_trace_move_together() {
    let sent = |psn| tx::Op { psn, ..tx::Op::default() };
    let sack = |epsn, base| tx::Op { kind: 1, epsn, base, ..tx::Op::default() };
    let psns = |ops: &[tx::Op]| -> Vec<u32> {
        ops.iter().map(|op| if op.kind == 0 { op.psn } else { op.epsn }).collect()
    };
    let moved = |ops: &[tx::Op]| -> Vec<(Vec<u32>, u32)> {
        let last = |ops: &[tx::Op]| ops.last().map_or(0, |op| op.base);
        traces(&tx::CONTRACT, ops).iter().map(|ops| (psns(ops), last(ops))).collect()
    };
    let ops = [sent(1000), sent(1001), sack(1002, 960)];
    let moved_ops = moved(&ops);
    for wanted in [
        // by the first PSN, by its part that is a multiple of 512 and of 64, and so that a segment lies below it
        (vec![0, 1, 2], MODULUS - 40),
        (vec![488, 489, 490], 448),
        (vec![40, 41, 42], 0),
        (vec![104, 105, 106], 64),
        (vec![936, 937, 938], 896),
        (vec![999, 1000, 1001], 959),
    ] {
        assert!(moved_ops.contains(&wanted), "{wanted:?} is not in {moved_ops:?}");
    }
    // over the wrap they stay as far from each other
    let over = moved(&[sent(MODULUS - 1), sack(1, MODULUS - 64)]);
    assert!(over.contains(&(vec![0, 2], MODULUS - 63)), "{over:?}");
}

#[test]
fn times_of_a_trace_move_count_and_vanish_together() {
    let op = |now, timestamp| tx::Op { kind: 1, now, timestamp, rto: 9, ..tx::Op::default() };
    let ops = [op(0xfff0, 0xffe0), op(5, 1), op(7, 0xfff0)];
    let times: Vec<Vec<(u16, u16, u16)>> = traces(&tx::CONTRACT, &ops)
        .iter()
        .map(|ops| ops.iter().map(|op| (op.now, op.timestamp, op.rto)).collect())
        .collect();
    for wanted in [
        vec![(0, 0xfff0, 9), (21, 17, 9), (23, 0, 9)],
        vec![(0, 0, 9); 3],
        vec![(0, 0, 0); 3],
        vec![(0, 0, 0xffff); 3],
        vec![(0, 0xffe0, 9), (1, 1, 9), (2, 0xfff0, 9)],
    ] {
        assert!(times.contains(&wanted), "{wanted:?} is not in {times:?}");
    }
    // times of fewer bits wrap at their own width
    let config = Config::load(None, &["reps.time_bits=16".to_string()]).unwrap();
    let op = |now| Entry::op(SelectorOp { more: [now, 3, 0, 0, 0], ..SelectorOp::default() });
    let plainness = Plainness::new(&REPS, &config);
    let ways = (0..).map_while(|way| plainness.plainer_trace(way, &[op(0xffff), op(4)]));
    assert!(ways.into_iter().any(|entries| entries == [op(0), op(5)]));
}

#[test]
fn what_an_op_does_not_use_becomes_zero_in_all_of_them() {
    let filled = |kind| tx::Op { kind, psn: 5, bytes: 6, epsn: 7, ooo: 8, probe: true, ..tx::Op::default() };
    let changed = traces(&tx::CONTRACT, &[filled(0), filled(1), filled(2), filled(3)]);
    let field = |of: fn(&tx::Op) -> u32| -> Vec<Vec<u32>> {
        changed.iter().map(|ops| ops.iter().map(of).collect()).collect()
    };
    assert!(field(|op| op.psn).contains(&vec![5, 0, 0, 5]));
    assert!(field(|op| op.bytes.into()).contains(&vec![6, 0, 0, 0]));
    assert!(field(|op| op.epsn).contains(&vec![0, 7, 0, 0]));
    assert!(field(|op| op.ooo.into()).contains(&vec![0, 8, 0, 0]));
    assert!(field(|op| op.probe.into()).contains(&vec![0, 1, 0, 0]));
}

#[test]
fn a_number_of_a_trace_may_count_its_ops() {
    let ack = |ev| SelectorOp { kind: 1, conn: 3, ev, ..SelectorOp::default() };
    let changed = traces(&REPS, &[ack(900), ack(7), ack(7)]);
    for wanted in [[0, 0, 0], [1, 1, 1], [1, 2, 3]] {
        assert!(changed.contains(&wanted.map(ack).to_vec()), "{wanted:?}");
    }
    // resets among the ops stay where they are
    let reset = Entry::after(2, Event::Reset { seed: Some(3) });
    let plainness = plainness(&REPS);
    let entries = [Entry::op(ack(900)), reset, Entry::op(ack(7))];
    let ways: Vec<_> = (0..).map_while(|way| plainness.plainer_trace(way, &entries)).collect();
    assert!(ways.iter().all(|entries| entries[1] == reset));
    assert!(ways.contains(&vec![Entry::op(ack(1)), reset, Entry::op(ack(2))]));
}
