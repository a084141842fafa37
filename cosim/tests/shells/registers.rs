//! Accesses of registers that the streams' clock does not answer: it stands still, or the block is in reset.

use super::bench::{Given, Out, Place, Step, beats};
use super::devices::opennic_322mhz;
use super::{CWND, FRAMES_LOST, IDENTITY, WINDOW, other, sound};

/// Edges after which an access is refused, and a few for the way.
const LIMIT: std::ops::RangeInclusive<u32> = 8192..=8200;
/// Edges within which an access is refused in a reset.
const SOON: u32 = 40;
/// Edges after which a reset cuts an access, which takes more than a thousand edges where it is the first one of the block.
const CUT_AFTER: u32 = 200;
/// Value of the register after a reset.
const CWND_RESET: u32 = 64;
const IDENTITIES: [u32; 2] = [0x5253_504e, 0x5253_5053];

fn run(clock_runs: bool, script: &[Step], change: impl Fn(String) -> String) -> Result<Out, String> {
    let place = Place { clock_runs, limit_us: 2000, ..opennic_322mhz() };
    let out = place.run(&[], &[], script, change);
    sound(&out)?;
    Ok(out)
}

/// What each access of the script gives: a value that was read, a write that was done, or a refusal: soon, when a reset cut it, or late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Value(u32),
    Done,
    Refused,
    Cut,
    Late,
}

fn answers(out: &Out) -> Vec<Answer> {
    let one = |((value, is_refused), took): (&(Option<u32>, bool), &u32)| match (value, is_refused) {
        (_, true) if LIMIT.contains(took) => Answer::Late,
        (_, true) if *took < SOON => Answer::Refused,
        (_, true) if (CUT_AFTER..CUT_AFTER + SOON).contains(took) => Answer::Cut,
        (Some(value), false) => Answer::Value(*value),
        (None, false) => Answer::Done,
        other => panic!("{other:?} after {took} edges"),
    };
    out.registers.iter().zip(&out.took).map(one).collect()
}

#[test]
fn an_access_while_the_clock_of_the_streams_stands_still_is_refused() {
    use Answer::{Late, Value};
    let script = [
        // the clock has not run yet
        Step::Read(IDENTITY),
        Step::Clock(true),
        Step::Read(IDENTITY),
        Step::Clock(false),
        Step::Write(CWND, 17),
        Step::Read(CWND),
        // the write is done now, and its answer is not that of the read
        Step::Clock(true),
        Step::Read(IDENTITY),
        Step::Read(CWND),
        Step::Clock(false),
        Step::Read(CWND),
        Step::Clock(true),
        Step::Read(WINDOW),
        Step::Read(CWND),
    ];
    let out = run(false, &script, |text| text).unwrap();
    let [block, shell] = IDENTITIES.map(Value);
    assert_eq!(answers(&out), [Late, block, Late, Late, block, Value(17), Late, shell, Value(17)]);
}

#[test]
fn an_access_in_a_reset_of_the_user_block_is_refused_at_once() {
    use Answer::{Cut, Done, Late, Refused, Value};
    let script = [
        Step::Read(IDENTITY),
        Step::Write(CWND, 18),
        // an access before the end of the reset
        Step::UserReset(1),
        Step::Read(IDENTITY),
        Step::Write(CWND, 19),
        Step::ResetDone,
        // and one that is under way when the reset comes
        Step::Both(Box::new(Step::Read(CWND)), vec![Step::WaitAxil(CUT_AFTER), Step::UserReset(3)]),
        Step::ResetDone,
        Step::Read(CWND),
        // a reset while the clock stands still: the block gets it when the clock runs
        Step::Write(CWND, 20),
        Step::Clock(false),
        Step::UserReset(1),
        Step::ResetDone,
        Step::Read(CWND),
        Step::Clock(true),
        Step::WaitAxil(100),
        Step::Read(CWND),
    ];
    let out = run(true, &script, |text| text).unwrap();
    let reset = Value(CWND_RESET);
    let expected = [Value(IDENTITIES[0]), Done, Refused, Refused, Cut, reset, Done, Late, reset];
    assert_eq!(answers(&out), expected);
}

#[test]
#[ignore = "seconds for lanes that nobody has"]
fn a_lane_that_hangs_the_bus_or_mistakes_an_answer_is_found() {
    let change = |from: &'static str, to: &'static str| {
        move |text: String| {
            assert!(text.contains(from), "the sources have no {from}");
            text.replace(from, to)
        }
    };
    let stopped = [Step::Clock(false), Step::Read(IDENTITY)];
    let hangs = run(true, &stopped, change("is_late <= left == 17'd0;", "is_late <= 1'b0;"));
    assert!(hangs.unwrap_err().contains("it takes too long"));
    // a new access goes on before the one that was late is answered
    let script = [
        Step::Read(IDENTITY),
        Step::Clock(false),
        Step::Write(CWND, 17),
        Step::Clock(true),
        Step::Read(CWND),
    ];
    let early = change("wire may_begin = is_idle || is_late;", "wire may_begin = 1'b1;");
    let out = run(true, &script, early).unwrap();
    assert_ne!(out.registers[2], (Some(17), false));
    // an access in a reset is forgotten at the block's end
    let script = [Step::Read(IDENTITY), Step::UserReset(1), Step::Read(IDENTITY)];
    let forgets = change("done <= request_2; done_refused <= 1'b1;", "done_refused <= 1'b1;");
    let out = run(true, &script, forgets).unwrap();
    assert!(!out.registers[1].1 || out.took[1] > SOON, "after {} edges", out.took[1]);
}

#[test]
#[ignore = "the frames of a shell never have the mark"]
fn a_frame_that_the_shell_marks_as_bad_goes_no_further_and_is_counted() {
    let given = |number, bytes, side| Given { frame: other(number, bytes), side, gap: 0 };
    // one beat, two and many
    let host = [given(1, 60, 1), given(2, 100, 0), given(3, 100, 1), given(4, 60, 0), given(5, 1500, 1)];
    let script = [Step::Host(beats(&host)), Step::Wait(300), Step::Read(FRAMES_LOST)];
    let out = opennic_322mhz().run(&host, &[], &script, |text| text);
    sound(&out).unwrap();
    let sent: Vec<&[u8]> = out.to_mac.iter().map(|came| &came.frame[..]).collect();
    assert_eq!(sent, [&host[1].frame[..], &host[3].frame[..]]);
    assert_eq!(out.registers[0], (Some(3), false));
}
