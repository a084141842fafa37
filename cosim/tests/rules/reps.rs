//! Rules of the entropy cache: 001 Algorithms 1 and 2, and of variant `uet`.

use respray_cosim::cores::reps::RepsCore;

use super::{holds, lines};

const PAPER: [&str; 2] = ["reps.depth=4", "reps.time_bits=16"];
const UET: [&str; 3] = ["reps.depth=4", "reps.time_bits=16", "reps.variant=uet"];

/// 001 Algorithm 1 lines 5 to 11, Algorithm 2 lines 2 to 6.
#[test]
fn cached_evs_are_recycled_once_oldest_first() {
    let text = "
time_ns,op,conn,ev,ecn,expect,expect_ev,expect_ev_cached,expect_ev_dropped
0,ack,3,10,0,,,1,0
0,ack,3,11,0,,,1,0
0,ack,3,12,1,,,0,1
0,nack,3,,,,,0,0
0,send,3,,,cached,10,,
0,ack,3,13,0,,,1,0
0,send,3,,,recycle,11,,
0,send,3,,,recycle,13,,
0,send,3,,,explore,,,
";
    holds::<RepsCore>(text, &PAPER);
    holds::<RepsCore>(text, &UET);
}

#[test]
fn a_full_ring_drops_the_oldest_ev() {
    let acks = (20..26).map(|ev| format!("0,ack,0,{ev},,,"));
    let sends = (22..26).map(|ev| format!("0,send,0,,,recycle,{ev}"));
    let last = ["0,send,0,,,explore,".to_string()];
    let text = lines("time_ns,op,conn,ev,ecn,expect,expect_ev", acks.chain(sends).chain(last));
    holds::<RepsCore>(&text, &PAPER);
}

#[test]
fn connections_do_not_see_each_other_and_init_forgets_one() {
    let text = "
time_ns,op,conn,ev,expect,expect_ev
0,ack,1,7,,
0,ack,2,8,,
0,send,3,,explore,
0,send,2,,recycle,8
0,send,1,,recycle,7
0,init,1,,,
0,ack,1,9,,
0,ack,2,5,,
0,init,2,,,
0,send,1,,recycle,9
0,send,2,,explore,
";
    holds::<RepsCore>(text, &PAPER);
}

/// What 001 leaves open: fewer EVs than slots are replayed by a pointer of their own, oldest first.
#[test]
fn paper_replays_a_ring_that_is_not_full_from_slot_0() {
    let text = "
# respray: freeze_timeout=100 bdp_packets=3
time_ns,op,conn,ev,ecn,expect,expect_ev
0,ack,5,1,,,
0,ack,5,2,,,
0,ack,5,3,,,
0,send,5,,,recycle,1
0,send,5,,,recycle,2
0,send,5,,,recycle,3
0,timeout,5,,,,
0,send,5,,,replay,1
0,send,5,,,replay,2
0,ack,5,9,1,,
0,ack,5,4,0,,
0,send,5,,,recycle,4
0,send,5,,,replay,1
0,send,5,,,replay,2
0,send,5,,,replay,3
";
    holds::<RepsCore>(text, &PAPER);
}

/// 001 Algorithm 2 lines 8 and 9.
#[test]
fn paper_replay_of_a_full_ring_moves_head() {
    let acks = (30..36).map(|ev| format!("0,ack,6,{ev},,"));
    let sends = (32..36).map(|ev| format!("0,send,6,,recycle,{ev}"));
    let rest = [
        "0,timeout,6,,,",
        "0,send,6,,replay,32",
        "0,ack,6,40,,",
        "0,send,6,,recycle,40",
        "0,send,6,,replay,34",
        "0,send,6,,replay,35",
        "0,send,6,,replay,32",
        "0,send,6,,replay,40",
    ];
    let text = lines(
        "# respray: freeze_timeout=100\ntime_ns,op,conn,ev,expect,expect_ev",
        acks.chain(sends).chain(rest.map(str::to_string)),
    );
    holds::<RepsCore>(&text, &PAPER);
}

/// 001 Algorithm 1 lines 6 to 8 and 12 to 15. The times wrap: 0xfff0 and 100 ticks are 0x0054.
#[test]
fn freezing_ends_with_an_ack_after_its_time_and_explores_one_bdp() {
    let text = "
# respray: freeze_timeout=100 bdp_packets=3
time_ns,op,conn,ev,ecn,expect,expect_ev,expect_freeze_entered,expect_freeze_left
65520,ack,7,1,,,,0,0
65520,send,7,,,recycle,1,,
65520,timeout,7,,,,,1,0
65521,timeout,7,,,,,0,0
65620,ack,7,2,,,,0,0
65632,ack,7,3,1,,,0,0
65632,nack,7,,,,,0,0
65621,ack,7,4,,,,0,1
65632,timeout,7,,,,,0,0
65632,send,7,,,explore,,,
65632,send,7,,,explore,,,
65632,send,7,,,explore,,,
65632,send,7,,,recycle,2,,
65632,send,7,,,recycle,4,,
65632,send,7,,,explore,,,
65648,timeout,7,,,,,1,0
";
    holds::<RepsCore>(text, &PAPER);
}

#[test]
fn a_frozen_connection_without_evs_explores() {
    let text = "
# respray: freeze_timeout=100
time_ns,op,conn,ev,expect,expect_ev,expect_freeze_entered
0,timeout,9,,,,1
0,send,9,,explore,,
0,ack,9,5,,,
0,send,9,,cached,5,
0,send,9,,replay,5,
";
    holds::<RepsCore>(text, &PAPER);
    holds::<RepsCore>(text, &UET);
}

#[test]
fn uet_replays_whether_valid_or_not_and_empties_the_ring_at_the_exit() {
    let text = "
# respray: freeze_timeout=100 bdp_packets=3
time_ns,op,conn,ev,expect,expect_ev,bdp_packets,expect_freeze_entered,expect_freeze_left
10,ack,4,1,,,,,
10,ack,4,2,,,,,
10,timeout,4,,,,,1,0
10,send,4,,replay,1,,,
10,send,4,,replay,2,,,
10,send,4,,replay,1,,,
200,nack,4,,,,1,0,1
200,send,4,,explore,,,,
200,send,4,,explore,,,,
200,ack,4,3,,,,,
200,send,4,,recycle,3,,,
";
    holds::<RepsCore>(text, &UET);
}

#[test]
fn reset_in_flight_loses_ops_and_clears_every_connection() {
    let acks = (0..16).map(|conn| format!("0,ack,{conn},77,"));
    let resets = ["0,ack,3,78,", "0,reset,,5,", "0,reset,,,"].map(str::to_string);
    let sends = (0..16).map(|conn| format!("0,send,{conn},,explore"));
    let text = lines("time_ns,op,conn,ev,expect", acks.chain(resets).chain(sends));
    holds::<RepsCore>(&text, &PAPER);
}
