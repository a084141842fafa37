//! Rules of the selectors that hear no feedback: `ecmp` and `ops`.

use respray_cosim::cores::ecmp::EcmpCore;
use respray_cosim::cores::ops::OpsCore;
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
