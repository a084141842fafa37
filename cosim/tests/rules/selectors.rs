//! Rules of the selectors beside `reps`.

use respray_cosim::cores::ecmp::EcmpCore;
use respray_cosim::cores::flowlet::FlowletCore;
use respray_cosim::cores::mprdma::MprdmaCore;
use respray_cosim::cores::ops::OpsCore;
use respray_cosim::cores::plb::PlbCore;
use respray_cosim::cores::subflows::SubflowsCore;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::traffic::optrace::OpTrace;
use respray_golden::rng::Rng;

use super::{config, holds, lines, trace};

/// A connection keeps the EV of its first send until `init`, whatever comes back.
#[test]
fn ecmp_keeps_one_ev_from_the_first_send_to_init() {
    // the generator makes a step for each of the 16 connections while it starts
    let mut rng = Rng::seeded(9, 16);
    let [first, second, third] = [(); 3].map(|()| rng.step());
    let text = format!(
        "
# respray: seed=9
time_ns,op,conn,ev,ecn,expect,expect_ev
0,ack,3,7,0,,
0,send,3,,,explore,{first}
0,send,3,,,replay,{first}
0,send,4,,,explore,{second}
0,ack,3,7,1,,
0,nack,3,,,,
0,timeout,3,,,,
0,reserved5,3,,,,
0,send,3,,,replay,{first}
0,init,3,,,,
0,send,4,,,replay,{second}
0,send,3,,,explore,{third}
0,send,3,,,replay,{third}
"
    );
    holds::<EcmpCore>(&text, &[]);
}

#[test]
fn ops_random_draws_at_every_send_and_at_nothing_else() {
    let mut rng = Rng::seeded(5, 16);
    let mut text = Vec::new();
    for n in 0..40 {
        let draw = rng.step();
        text.push(format!("0,send,{},,explore,{}", n % 3, 0x4000 | draw & 0x3fff));
        text.push(format!("0,{},{},1,,", ["ack", "nack", "timeout", "init", "reserved7"][n % 5], n % 3));
    }
    let text = lines("# respray: seed=5\ntime_ns,op,conn,ev,expect,expect_ev", text);
    holds::<OpsCore>(&text, &["selector.ev_bits=14", "selector.ev_base=16384"]);
}

/// The public Ultra Ethernet simulator model: the upper bits are a connection's own, the low ones take each path once an order,
/// and the last send of an order draws the next one.
#[test]
fn ops_permuted_takes_every_path_once_an_order() {
    let mut rng = Rng::seeded(6, 16);
    let first = rng.step();
    let (upper, mut x) = (first & !15, first & 15);
    let mut text = Vec::new();
    for send in 0..64 {
        let index = send % 16;
        text.push(format!("0,send,2,,explore,{}", upper | index ^ x));
        text.push("0,ack,2,3,,".to_string());
        if index == 15 {
            x = rng.step() & 15;
        }
    }
    let text = lines("# respray: seed=6\ntime_ns,op,conn,ev,expect,expect_ev", text);
    holds::<OpsCore>(&text, &["ops.order=permuted", "ops.paths=16"]);
}

#[test]
fn a_selector_without_times_reads_the_time_of_a_trace() {
    let text = "time_ns,op,conn\n18446744073709551615,send,0\n";
    let trace: OpTrace<_> = trace::<EcmpCore>(text, &config(&[]));
    assert_eq!(trace.lines[0].time, u64::MAX);
    assert_eq!(EcmpCore::CONTRACT.clock_at(), None);
}

/// The first EVs that a core with 16 connections draws.
fn draws<const N: usize>(seed: u16) -> [u16; N] {
    let mut rng = Rng::seeded(seed, 16);
    [(); N].map(|()| rng.step())
}

#[test]
fn subflows_takes_neighbours_in_the_set_in_turn() {
    let [first, second] = draws(8).map(|word| word & 7);
    // in a set of eight EVs from 16 on
    let [a, b, c, d] = [0, 1, 2, 3].map(|place| 16 | (first + place) & 7);
    let other = 16 | second & 7;
    let text = format!(
        "
# respray: seed=8 subflow_count=3
time_ns,op,conn,ev,subflow_count,expect,expect_ev
0,send,1,,,explore,{a}
0,ack,1,9,,,
0,send,1,,,explore,{b}
0,send,2,,,explore,{other}
0,nack,1,,,,
0,send,1,,,explore,{c}
0,send,1,,,explore,{a}
0,timeout,1,,,,
0,send,1,,4,explore,{b}
0,send,1,,4,explore,{c}
0,send,1,,4,explore,{d}
0,send,1,,4,explore,{a}
0,send,1,,4,explore,{b}
0,send,1,,1,explore,{c}
0,send,1,,0,explore,{a}
0,send,1,,0,explore,{a}
"
    );
    holds::<SubflowsCore>(&text, &["selector.ev_bits=3", "selector.ev_base=16"]);
}

#[test]
fn mprdma_sends_where_the_latest_feedback_came_from_while_there_is_room() {
    let [first, second, third, fourth] = draws(4);
    let text = format!(
        "
# respray: seed=4
time_ns,op,conn,ev,ecn,room,expect,expect_ev
0,send,3,,,,explore,{first}
0,nack,3,8,,,,
0,send,3,,,,explore,{second}
0,ack,3,9,0,1,,
0,send,3,,,,recycle,9
0,send,3,,,,recycle,9
0,nack,3,10,,,,
0,send,3,,,,recycle,10
0,ack,3,11,1,1,,
0,timeout,3,,,,,
0,send,3,,,,recycle,11
0,ack,3,12,0,0,,
0,nack,3,13,,,,
0,send,3,,,,explore,{third}
0,ack,3,14,0,1,,
0,send,3,,,,recycle,14
0,init,3,,,,,
0,send,3,,,,explore,{fourth}
"
    );
    holds::<MprdmaCore>(&text, &[]);
}

/// A gap of just `gap` ticks ends no flowlet, one of a tick more does, also across a multiple of 2^16; feedback does not matter.
#[test]
fn flowlet_draws_after_a_gap_between_sends() {
    let [first, second, third, other] = draws(2);
    let text = format!(
        "
# respray: seed=2 gap=20 hold=0
time_ns,op,conn,ev,ecn,expect,expect_ev,expect_path_moved
65500,send,3,,,explore,{first},0
65520,send,3,,,replay,{first},0
65530,ack,3,7,1,,,0
65541,send,3,,,explore,{second},1
65561,send,3,,,replay,{second},0
65561,timeout,3,,,,,0
65582,send,3,,,explore,{third},1
65582,send,4,,,explore,{other},0
65602,send,3,,,replay,{third},0
"
    );
    holds::<FlowletCore>(&text, &["selector.time_bits=16"]);
}

/// The gap begins with feedback, a NACK's as well, and who never heard any has one; but a path is held for more than `hold` ticks.
#[test]
fn flowlet_since_ack_draws_after_silence_but_holds_a_path() {
    let [first, second, third, fourth] = draws(3);
    let text = format!(
        "
# respray: seed=3 gap=20 hold=100
time_ns,op,conn,ev,ecn,expect,expect_ev,expect_path_moved
0,send,3,,,explore,{first},0
100,send,3,,,replay,{first},0
101,send,3,,,explore,{second},1
190,ack,3,1,1,,,0
205,send,3,,,replay,{second},0
210,send,3,,,replay,{second},0
211,send,3,,,explore,{third},1
300,nack,3,,,,,0
320,send,3,,,replay,{third},0
321,send,3,,,explore,{fourth},1
"
    );
    holds::<FlowletCore>(&text, &["flowlet.since=ack"]);
}

/// 001 ran it with a threshold of 0: any mark makes a round congested, and the second congested round in a row is one too many.
#[test]
fn plb_moves_after_two_congested_rounds_in_a_row() {
    let [first, second] = draws(7);
    let text = format!(
        "
# respray: seed=7 round_ticks=100 rto=500 mark_threshold=0 congested_rounds=1
time_ns,op,conn,ev,ecn,expect,expect_ev,expect_path_moved,expect_round_congested
0,send,3,,,explore,{first},0,0
10,ack,3,1,1,,,0,1
20,send,3,,,replay,{first},0,0
30,ack,3,1,1,,,0,0
110,ack,3,1,0,,,0,0
111,ack,3,1,0,,,0,1
112,send,3,,,explore,{second},1,0
120,nack,3,,,,,0,0
212,ack,3,1,0,,,0,1
213,send,3,,,replay,{second},0,0
313,ack,3,1,0,,,0,0
414,ack,3,1,1,,,0,1
415,send,3,,,replay,{second},0,0
"
    );
    holds::<PlbCore>(&text, &[]);
}

/// K = 64 of 256: a quarter of marks is not above it. A timeout draws, a second one within the RTO does not.
#[test]
fn plb_counts_marks_against_its_threshold_and_moves_at_a_timeout() {
    let [first, second, third] = draws(7);
    let text = format!(
        "
# respray: seed=7 round_ticks=100 rto=500 mark_threshold=64 congested_rounds=0
time_ns,op,conn,ev,ecn,expect,expect_ev,expect_path_moved,expect_round_congested
0,send,3,,,explore,{first},0,0
10,ack,3,1,0,,,0,0
20,ack,3,1,1,,,0,0
30,ack,3,1,0,,,0,0
40,ack,3,1,0,,,0,0
111,ack,3,1,0,,,0,0
112,ack,3,1,1,,,0,0
113,ack,3,1,0,,,0,0
212,ack,3,1,0,,,0,1
213,timeout,3,,,,,1,0
214,send,3,,,replay,{second},0,0
713,timeout,3,,,,,0,0
714,timeout,3,,,,,1,0
715,send,3,,,replay,{third},0,0
"
    );
    holds::<PlbCore>(&text, &[]);
}

/// The sum holds 17 bits with sign and the row 4 bits: 300 marks count as 65535 / 256, and 40 congested rounds as 15.
#[test]
fn plb_saturates() {
    let head = "# respray: seed=7 round_ticks=100 rto=500\n\
        time_ns,op,conn,ev,ecn,mark_threshold,congested_rounds,expect,expect_round_congested,expect_path_moved";
    let acks = |count: usize, ecn: u8, threshold: u8| {
        std::iter::repeat_n(format!("50,ack,3,1,{ecn},{threshold},,,0,0"), count)
    };
    for (first, then, is_congested) in [
        ((255, 1, 0), (256, 0, 255), 0),
        ((300, 1, 0), (256, 0, 255), 1),
        ((300, 1, 0), (257, 0, 255), 0),
        ((300, 0, 255), (256, 1, 0), 0),
        ((300, 0, 255), (257, 1, 0), 1),
    ] {
        let mut text = vec!["0,ack,3,1,0,0,,,0,0".to_string()];
        text.extend(acks(first.0, first.1, first.2));
        text.extend(acks(then.0, then.1, then.2));
        text.push(format!("101,ack,3,1,0,0,,,{is_congested},0"));
        text.push("102,send,3,,,,,explore,0,0".to_string());
        holds::<PlbCore>(&lines(head, text), &[]);
    }
    for (congested_rounds, kind, moves) in [(14, "explore", 1), (15, "replay", 0)] {
        let mut text = vec!["0,send,3,,,,,explore,0,0".to_string()];
        text.extend((1..=40).map(|round| format!("{},ack,3,1,1,0,,,1,0", round * 200)));
        // a replay's EV is the first one drawn
        let [first, second] = draws(7);
        let ev = if moves == 1 { second } else { first };
        text.push(format!("9000,send,3,,,0,{congested_rounds},{kind},0,{moves}"));
        let head = head.replace(",expect_round", ",expect_ev,expect_round");
        let with_ev = |line: String| {
            let mut fields: Vec<&str> = line.split(',').collect();
            let ev = ev.to_string();
            fields.insert(8, if line.starts_with("9000") { &ev } else { "" });
            fields.join(",")
        };
        holds::<PlbCore>(&lines(&head, text.into_iter().map(with_ev)), &[]);
    }
}
