//! Rules of the selectors that work on one op at a time.

use respray_cosim::cores::bitmap::BitmapCore;
use respray_cosim::cores::mixed::MixedCore;
use respray_cosim::cores::strack::StrackCore;
use respray_golden::rng::Rng;

use super::holds;

const STRACK: &str = "time_ns,op,conn,ev,ecn,cwnd,expect,expect_ev,expect_path_marked,expect_path_unmarked,expect_mark_forgiven,expect_all_marked";

/// 3:11-15: a good ACK names the next path, also path 0; a later one takes its place, a marked one or a NACK withdraws it.
#[test]
fn strack_recycles_the_path_of_the_latest_ack_if_that_was_good() {
    let text = format!(
        "{STRACK}
0,ack,3,9,0,,,,0,0,,
0,send,3,,,300,recycle,9,,,0,0
0,send,3,,,300,explore,10,,,0,0
0,ack,3,0,0,,,,,,,
0,send,3,,,300,recycle,0,,,,
0,ack,3,20,0,,,,,,,
0,ack,3,30,0,,,,,,,
0,send,3,,,300,recycle,30,,,,
0,send,3,,,300,explore,31,,,,
0,ack,3,20,0,,,,,,,
0,ack,3,40,1,,,,1,0,,
0,send,3,,,300,explore,32,,,,
0,ack,3,20,0,,,,,,,
0,nack,3,41,,,,,1,0,,
0,send,3,,,300,explore,33,,,,
0,ack,3,40,0,,,,0,1,,
0,send,3,,,300,recycle,40,,,,
0,send,3,,,300,explore,42,,,1,0
"
    );
    holds::<StrackCore>(&text, &["strack.paths=256"]);
}

/// EVs of no path, timeouts and reserved kinds change nothing; connections are each other's strangers, and `init` forgets all.
#[test]
fn strack_hears_of_its_own_paths_alone() {
    let text = format!(
        "{STRACK}
0,ack,3,49160,0,,,,,,,
0,ack,3,49168,0,,,,0,0,,
0,ack,3,7,1,,,,0,0,,
0,timeout,3,,,,,,,,,
0,reserved5,3,,,,,,,,,
0,send,4,,,300,explore,49153,,,,
0,send,3,,,300,recycle,49160,,,,
0,ack,3,49162,1,,,,1,0,,
0,init,3,,,,,,,,,
0,ack,3,49162,1,,,,1,0,,
0,init,3,,,,,,,,,
0,send,3,,,300,explore,49153,,,,
"
    );
    holds::<StrackCore>(
        &text,
        &["strack.paths=16", "selector.ev_base=49152", "selector.ev_bits=4", "bitmap.paths=16"],
    );
}

/// 3:17-19: twice the window, 8 at least, all at most; the turn is a true remainder, where the window fell below it.
#[test]
fn strack_explores_twice_the_window_in_paths() {
    let text = format!(
        "{STRACK}
0,ack,3,250,0,,,,,,,
0,send,3,,,300,recycle,250,,,,
0,send,3,,,10,explore,11,,,,
0,send,3,,,1,explore,4,,,,
0,send,3,,,0,explore,5,,,,
0,send,3,,,4,explore,6,,,,
0,send,3,,,4,explore,7,,,,
0,send,3,,,4,explore,0,,,,
0,ack,3,255,0,,,,,,,
0,send,3,,,4095,recycle,255,,,,
0,send,3,,,128,explore,0,,,,
0,ack,3,199,0,,,,,,,
0,send,3,,,128,recycle,199,,,,
0,send,3,,,100,explore,0,,,,
"
    );
    holds::<StrackCore>(&text, &["strack.paths=256"]);
}

/// 3:20-26: the mark of the first path is forgiven, the next path without one is taken, and a search that comes back takes the first.
#[test]
fn strack_forgives_one_mark_and_passes_over_the_others() {
    let marks: String = (1..8).map(|ev| format!("0,ack,3,{ev},1,,,,1,0,,\n")).collect();
    let text = format!(
        "{STRACK}
{marks}0,send,3,,,4,explore,0,,,1,0
0,send,3,,,4,explore,1,,,0,0
0,ack,3,1,1,,,,1,0,,
0,ack,3,0,1,,,,1,0,,
0,send,3,,,4,explore,2,,,1,1
0,send,3,,,4,explore,2,,,1,0
"
    );
    holds::<StrackCore>(&text, &["strack.paths=256"]);
}

const BITMAP: &str =
    "time_ns,op,conn,ev,ecn,expect,expect_ev,expect_path_penalised,expect_path_forgiven,expect_gave_up";

/// The words of the generator with seed 9 on 16 connections.
fn words() -> Rng {
    Rng::seeded(9, 16)
}

/// Marked ACKs count 1, NACKs 4, timeouts of a known EV 15; a counter stays at 15, and a good ACK takes nothing away. Each send that
/// meets a path with a count lowers it by 1 and goes on.
#[test]
fn bitmap_lowers_a_counter_as_often_as_it_was_raised() {
    for (feedback, count) in [("ack,3,{},1", 1), ("nack,3,{},", 4), ("timeout,3,{},", 15)] {
        // one path of 16 is in question: a round in which it is passed over has 15 sends
        let mut rng = words();
        let word = rng.step();
        let (upper, mut x) = (word & 0xfff0, word & 15);
        let path = 5;
        let feedback = feedback.replace("{}", &path.to_string());
        let mut text =
            format!("# respray: seed=9\n{BITMAP}\n0,{feedback},,,1,0,0\n0,ack,3,{path},0,,,0,0,0\n");
        for round in 0..count + 1 {
            let mut place = 0;
            while place < 16 {
                let met = (place ^ x) == path && round < count;
                if met && place == 15 {
                    // the search goes on in the next round
                    x = rng.step() & 15;
                    let ev = upper | x;
                    if x == path && round + 1 < count {
                        break;
                    }
                    text += &format!("0,send,3,,,explore,{ev},0,1,0\n");
                    place = 16;
                    continue;
                }
                let taken = if met { place + 1 } else { place };
                text += &format!("0,send,3,,,explore,{},0,{},0\n", upper | (taken ^ x), u8::from(met));
                place = taken + 1;
            }
            // what follows a search across rounds is shown by random ops and by traces of public code
            if place != 16 || text.ends_with("0,1,0\n") {
                break;
            }
            x = rng.step() & 15;
        }
        holds::<BitmapCore>(&text, &["bitmap.paths=16", "bitmap.timeout=ev"]);
    }
}

/// All counters above 0: after as many as there are paths and one the send takes the path at which it stands.
#[test]
fn bitmap_gives_up_after_one_path_more_than_there_are() {
    let mut rng = words();
    let word = rng.step();
    let (upper, next) = (word & 0xfff0, rng.step() & 15);
    let marks: String = (0..16).map(|ev| format!("0,nack,3,{ev},,,,1,0,0\n")).collect();
    let text = format!("# respray: seed=9\n{BITMAP}\n{marks}0,send,3,,,explore,{},0,1,1\n", upper | next);
    holds::<BitmapCore>(&text, &["bitmap.paths=16"]);
}

/// A timeout says nothing by default.
#[test]
fn bitmap_ignores_timeouts_unless_it_is_told_their_evs() {
    let word = words().step();
    let text = format!(
        "# respray: seed=9\n{BITMAP}\n0,timeout,3,{0},,,,0,0,0\n0,send,3,,,explore,{word},0,0,0\n",
        word & 15
    );
    holds::<BitmapCore>(&text, &["bitmap.paths=16"]);
}

/// Good EVs leave in the order in which they came, the oldest is lost where eight are in the list already, and counters are not asked.
#[test]
fn mixed_takes_the_oldest_good_ev() {
    let acks: String = (100..109).map(|ev| format!("0,ack,3,{ev},0,,,0,0,0\n")).collect();
    let sends: String = (101..109).map(|ev| format!("0,send,3,,,recycle,{ev},0,0,0\n")).collect();
    let word = words().step();
    let text = format!(
        "# respray: seed=9
{BITMAP}
{acks}0,nack,3,101,,,,1,0,0
0,ack,3,102,1,,,1,0,0
{sends}0,send,4,,,explore,{word},0,0,0
"
    );
    holds::<MixedCore>(&text, &["bitmap.paths=16", "mixed.depth=8"]);
}
