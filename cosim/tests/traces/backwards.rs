//! Times that go back are told, with the line and what they mean to the core.

use respray_cosim::cores::ecmp::EcmpCore;
use respray_cosim::cores::flowcut::FlowcutCore;

use super::*;

fn warned<C: OpCore>(text: &str) -> Vec<String> {
    parse::<C>(text).unwrap().warnings
}

#[test]
fn a_time_that_goes_back_is_told_with_what_it_means_to_the_core() {
    let reps = |times: &[u64]| {
        let lines: String = times.iter().map(|time| format!("{time},send,0\n")).collect();
        warned::<RepsCore>(&format!("# a note\ntime_ns,op,conn\n{lines}"))
    };
    assert_eq!(reps(&[1, 1, 2, 1 << 32, 1 << 40]), [""; 0]);
    let wraps = "; to the core, whose `now` wraps behind 4294967295, ";
    assert_eq!(
        reps(&[100, 90]),
        [format!("t.csv:4: `time_ns` goes back from 100 to 90{wraps}4294967286 ticks pass")]
    );
    assert_eq!(
        reps(&[3_000_000_000, 0, 5, 4, 4, 3]),
        [format!(
            "t.csv:4: `time_ns` goes back from 3000000000 to 0{wraps}1294967296 ticks pass; so do 2 lines behind it"
        )]
    );
    // nothing is timed there
    assert_eq!(
        warned::<EcmpCore>("time_ns,op,conn\n7,send,0\n6,send,0\n"),
        ["t.csv:3: `time_ns` goes back from 7 to 6, which the core does not look at"]
    );
    // behind a reset time begins anew; the time of its line is none
    assert_eq!(warned::<RepsCore>("op,conn,time_ns\nsend,0,9\nreset,,0\nsend,0,1\nsend,0,2\n"), [""; 0]);
}

#[test]
fn a_clock_that_wraps_does_not_go_back() {
    let sack_tx = |times: &[u64]| {
        let lines: String = times.iter().map(|time| format!("{time},read,0\n")).collect();
        warned::<SackTxCore>(&format!("now,op,conn\n{lines}"))
    };
    assert_eq!(sack_tx(&[0, 32_767, 65_534, 10, 10]), [""; 0]);
    assert_eq!(
        sack_tx(&[100, 90, 32_858]),
        [
            "t.csv:3: `now` goes back from 100 to 90; to the core, whose `now` wraps behind 65535, 65526 ticks pass; so does 1 line \
          behind it"
        ]
    );
    // the time beside it is for the reader alone
    assert_eq!(warned::<FlowcutCore>("now,op,conn,time_ns\n1,send,0,9\n2,send,0,8\n"), [""; 0]);
}
