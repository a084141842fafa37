//! `nic_scoreboard_pick`: ACKs, packets of the host and looks at connections in recovery have their turns.

use super::bench::{Bench, ensure};

/// Ops of traffic between two looks at a connection in recovery, at most.
const MOST_BETWEEN: u32 = 7;
/// Cycles from the answer that a window is full to the next look, at least; and at most, while nothing else is done.
const PAUSE: std::ops::RangeInclusive<u32> = 32..=36;
/// Cycles from an op to its answer.
const ANSWER: u32 = 3;

/// What an op is for, as its tag says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Ack,
    Request,
    Look,
    Again,
}

impl Turn {
    fn of(class: u64) -> Turn {
        match class {
            0 => Turn::Ack,
            1 => Turn::Request,
            3 => Turn::Look,
            4 => Turn::Again,
            class => panic!("no op of class {class} was given"),
        }
    }
}

/// The ops that are chosen in so many cycles, with the cycles in which they are taken. Everything that waits does so without a pause, and
/// each look finds a window that is full, or a PSN to send again.
fn turns(instance: &str, cycles: u32, has_traffic: bool, is_full: bool) -> Vec<(u32, Turn)> {
    let mut bench = Bench::new(instance);
    for name in ["has_room", "may_hand_out", "op_ready", "recovery_valid"] {
        bench.set(name, true);
    }
    for name in ["ack_valid", "req_valid"] {
        bench.set(name, has_traffic);
    }
    for name in
        ["answered", "allowed", "is_full", "found", "closed", "open_valid", "close_valid", "read_valid"]
    {
        bench.set(name, false);
    }
    // what was chosen while the inputs held anything is forgotten
    let rst = bench.model.port("rst").expect("a reset");
    for value in [1, 0] {
        bench.model.set(rst, value);
        bench.model.tick();
    }
    let mut turns: Vec<(u32, Turn)> = Vec::new();
    for cycle in 0..cycles {
        let answered = turns.iter().find(|(at, _)| at + ANSWER == cycle).map(|(_, turn)| *turn);
        bench.set("answered", answered.is_some());
        bench.set("allowed", answered == Some(Turn::Look) && !is_full);
        bench.set("is_full", answered == Some(Turn::Look) && is_full);
        bench.model.settle();
        if bench.is_high("op_valid") {
            turns.push((cycle, Turn::of(bench.get("tag_class"))));
        }
        bench.model.rise();
    }
    turns
}

fn run(instance: &str) -> Result<(), String> {
    let beside_traffic = turns(instance, 400, true, false);
    let mut since = 0;
    let mut before = None;
    for (cycle, turn) in &beside_traffic {
        match turn {
            Turn::Look => since = 0,
            Turn::Again => {}
            Turn::Ack | Turn::Request => {
                since += 1;
                ensure(before != Some(*turn), || format!("{turn:?} twice at cycle {cycle}"))?;
                ensure(since <= MOST_BETWEEN, || format!("no look in {since} ops up to cycle {cycle}"))?;
                before = Some(*turn);
            }
        }
    }
    let looks = |turns: &[(u32, Turn)]| -> Vec<u32> {
        turns.iter().filter(|(_, turn)| *turn == Turn::Look).map(|(cycle, _)| *cycle).collect()
    };
    let again = beside_traffic.iter().filter(|(_, turn)| *turn == Turn::Again).count();
    let (looked, ops) = (looks(&beside_traffic).len(), beside_traffic.len());
    ensure(looked.abs_diff(again) <= 1, || format!("{looked} looks, {again} PSNs sent again"))?;
    ensure(looked * (MOST_BETWEEN as usize + 2) <= ops + 2 * MOST_BETWEEN as usize, || {
        format!("{looked} looks in {ops} ops: traffic gives way too often")
    })?;
    let alone = looks(&turns(instance, 400, false, true));
    ensure(alone.len() > 5, || format!("looks alone at {alone:?}"))?;
    alone.windows(2).try_for_each(|pair| {
        let apart = pair[1] - pair[0] - ANSWER;
        ensure(PAUSE.contains(&apart), || format!("{apart} cycles from a full window to the next look"))
    })
}

#[test]
fn acks_and_packets_take_turns_and_a_connection_in_recovery_is_looked_at_after_seven_of_them() {
    run("pick").unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_choice_that_is_one_sided_starves_a_recovery_or_does_not_pause_is_found() {
    for instance in ["pick_one_sided", "pick_starving", "pick_eager", "pick_restless"] {
        assert!(run(instance).is_err(), "{instance}");
    }
}
