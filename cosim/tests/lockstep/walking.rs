//! The selectors that work on one op at a time: random ops, recordings, traces of public code and of the second transcription of STrack.

use respray_cosim::cores::bitmap::BitmapCore;
use respray_cosim::cores::mixed::MixedCore;
use respray_cosim::cores::selector::Knobs;
use respray_cosim::cores::strack::StrackCore;
use respray_cosim::lockstep::{Compiled, Stimulus};
use respray_cosim::traffic::random::Knobs as _;

use super::passing::{covered, is_whole, transcribed};
use super::selectors::{passes, random, recorded, replayed};
use super::{file, generated};

/// Marks on all paths but one of a connection of `strack`, so that a search looks at every word, in both places of the remaining path;
/// then on all, so that it comes back; and a window that falls below the turn, which then goes on at its remainder.
pub(super) fn storm() -> String {
    let mut text = String::from("time_ns,op,conn,ev,ecn,cwnd,expect,expect_ev,expect_all_marked\n");
    let mut mark = |but: u32| {
        text += &format!("0,ack,3,{but},0,,,,\n");
        (0..256).filter(|ev| *ev != but).for_each(|ev| text += &format!("0,ack,3,{ev},1,,,,\n"));
        // the first path in turn is forgiven, and the search goes on to the one that is left
        text += &format!("0,send,3,,,300,explore,{but},0\n");
    };
    mark(0);
    mark(255);
    mark(200);
    (0..256).for_each(|ev| text += &format!("0,nack,3,{ev},,,,,\n"));
    text += "0,send,3,,,300,explore,201,1\n0,send,3,,,5,explore,2,1\n";
    text
}

/// A run of random ops and one of a trace, which together run every line of the Verilog.
fn every_line<C: Compiled<Knobs = Knobs>>(sets: &[&str], trace: &str) {
    let sets: Vec<&str> = ["connections=16"].iter().chain(sets).copied().collect();
    let core = generated(C::CONTRACT.core, &sets);
    let (_, mut coverage) = covered::<C>(&core, random(16, 400_000));
    let folder = tempfile::tempdir().unwrap();
    let trace = file(folder.path(), "trace.csv", trace);
    let (_, of_trace) = covered::<C>(&core, Stimulus::Ops(trace));
    coverage.merge(&of_trace);
    is_whole(&core, &coverage);
}

#[test]
fn every_line_of_strack_runs() {
    every_line::<StrackCore>(&[], &storm());
}

#[test]
#[ignore = "a model for each, with the long tests"]
fn every_line_of_bitmap_and_mixed_runs() {
    // all counters above 0, so that a send goes round a whole round and gives up
    let marks: String = (0..16).map(|ev| format!("0,nack,3,{ev},,,\n")).collect();
    let trace = format!("time_ns,op,conn,ev,ecn,expect,expect_gave_up\n{marks}0,send,3,,,explore,1\n");
    for timeout in ["bitmap.timeout=ignore", "bitmap.timeout=ev"] {
        every_line::<BitmapCore>(&["bitmap.paths=16", timeout], &trace);
        every_line::<MixedCore>(&["bitmap.paths=16", timeout], &trace);
    }
}

#[test]
fn random_ops_pass_and_reach_what_there_is() {
    let strack = passes::<StrackCore>(&[], |connections| random(connections, 400_000)).counts;
    let counts = ["explore", "recycle", "paths_marked", "paths_unmarked", "marks_forgiven"];
    assert!(counts.iter().all(|count| strack.get(count) > 500), "{strack:?}");
    for counts in [
        passes::<BitmapCore>(&[], |connections| random(connections, 400_000)).counts,
        passes::<MixedCore>(&[], |connections| random(connections, 400_000)).counts,
    ] {
        let all = ["explore", "paths_penalised", "paths_forgiven"];
        assert!(all.iter().all(|count| counts.get(count) > 100), "{counts:?}");
    }
}

/// Many marks on few paths of few connections come to be on all of them.
#[test]
fn random_marks_come_to_be_on_all_paths() {
    fn of<C: Compiled<Knobs = Knobs>>(paths: &str, count: &str) {
        let knobs = |connections| Knobs { ecn_share: 0.95, ops_per_reset: 20_000, ..Knobs::new(connections) };
        let stimulus = |connections| Stimulus::Random { cycles: 100_000, knobs: knobs(connections) };
        let counts = passes::<C>(&["connections=16", paths], stimulus).counts;
        assert!(counts.get(count) > 0, "{}: {counts:?}", C::CONTRACT.core);
    }
    of::<StrackCore>("strack.paths=16", "all_marked");
    of::<BitmapCore>("bitmap.paths=16", "gave_up");
    of::<MixedCore>("bitmap.paths=16", "gave_up");
}

#[test]
fn every_send_of_a_recording_has_its_result() {
    let strack = recorded::<StrackCore>().counts;
    // the recording's EVs have 16 bits, and 256 of them are paths
    assert!(strack.get("recycle") > 0, "{strack:?}");
    assert_eq!(recorded::<BitmapCore>().counts.get("recycle"), 0);
    assert!(recorded::<MixedCore>().counts.get("recycle") > 100);
}

#[test]
fn traces_of_public_code_pass_with_every_ev_equal() {
    for (found, wanted) in [
        (replayed::<BitmapCore>("bitmap_31", &["bitmap.paths=16"], 31, &[]), 10_363),
        (replayed::<BitmapCore>("bitmap_33", &["bitmap.paths=32", "bitmap.timeout=ev"], 33, &[]), 10_505),
        (replayed::<MixedCore>("mixed_41", &["bitmap.paths=64"], 41, &[]), 10_167),
    ] {
        assert!(found.is_none_or(|found| found == wanted), "{found:?} sends, {wanted} are in the trace");
    }
}

/// Traces of somebody who wrote Algorithm 3 of 004 down by himself.
#[test]
fn traces_of_the_second_transcription_of_strack_pass_with_every_ev_equal() {
    for name in ["strack_91", "strack_92", "strack_93", "strack_94", "strack_95p16"] {
        let report = transcribed::<StrackCore>("traces", name);
        assert!(report.counts.get("sends") > 7_000, "{name}: {:?}", report.counts);
    }
}
