//! What the interface does with what it must not be given: a code and a sentence, and no crash.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use std::sync::mpsc::channel;
use std::thread;

use respray_golden_c::border::*;
use respray_golden_c::{Code, Failure, with};

/// The sentence of the last failure of this thread.
fn sentence() -> String {
    // SAFETY: it is a text that stays until the next failure
    unsafe { CStr::from_ptr(respray_error()) }.to_str().unwrap().to_string()
}

fn open(core: &str, config: &str) -> Result<u64, Code> {
    let [core, config] = [core, config].map(|text| CString::new(text).unwrap());
    let mut model = 0;
    // SAFETY: texts and a number
    match unsafe { respray_open(core.as_ptr(), config.as_ptr(), &mut model) } {
        Code::Ok => Ok(model),
        code => Err(code),
    }
}

/// The code is that, and the sentence has all of these words.
fn refused(code: Code, expected: Code, words: &[&str]) {
    assert_eq!(code, expected, "{}", sentence());
    for word in words {
        assert!(sentence().contains(word), "`{word}` is not in: {}", sentence());
    }
}

fn words(model: u64, rows: i32) -> u64 {
    let mut words = 0;
    // SAFETY: a number
    assert_eq!(unsafe { respray_words(model, rows, 0, &mut words) }, Code::Ok);
    words.into()
}

#[test]
fn a_configuration_and_a_core_that_are_wrong_are_refused() {
    for (core, config, code, said) in [
        ("rips", "", Code::Core, &["`rips`", "reps", "rewrite_rx", "nic"][..]),
        ("reps", "reps.dept = 8", Code::Config, &["unknown key", "dept"]),
        ("reps", "reps.depth = 5", Code::Config, &["`reps.depth` is 5", "4, 8, 16"]),
        ("reps", "reps.depth", Code::Config, &["configuration:1", "TOML"]),
    ] {
        refused(open(core, config).unwrap_err(), code, said);
    }
    // SAFETY: null is allowed, and refused
    unsafe {
        let mut model = 7;
        refused(respray_open(null(), c"".as_ptr(), &mut model), Code::Argument, &["`core`"]);
        refused(respray_open(c"reps".as_ptr(), c"".as_ptr(), null_mut()), Code::Argument, &["`model`"]);
        let bytes = [0xffu8, 0];
        refused(respray_open(bytes.as_ptr().cast(), c"".as_ptr(), &mut model), Code::Argument, &["UTF-8"]);
        assert_eq!(model, 7, "no number is given for a model that was not opened");
    }
}

#[test]
fn sizes_values_and_names_that_are_wrong_are_refused() {
    let model = open("reps", "connections = 16").unwrap();
    let [op, result] = [words(model, 0), words(model, 1)];
    let mut ops = vec![0; op as usize];
    let mut results = vec![0; result as usize];
    // SAFETY: rows of these sizes, or null
    unsafe {
        let apply = |ops: &[u64], op, results: &mut [u64], result| {
            respray_apply(model, 1, ops.as_ptr(), op, results.as_mut_ptr(), result)
        };
        refused(apply(&ops, op + 1, &mut results, result), Code::Size, &["an op has", &op.to_string()]);
        refused(apply(&ops, op, &mut results, 0), Code::Size, &["a result has 0 words"]);
        ops[1] = 16;
        refused(apply(&ops, op, &mut results, result), Code::Value, &["op 0", "`conn` is 16", "0 to 15"]);
        ops[1] = 3;
        assert_eq!(apply(&ops, op, &mut results, result), Code::Ok);
        refused(
            respray_apply(model, 1, null(), op, results.as_mut_ptr(), result),
            Code::Argument,
            &["`ops`"],
        );
        refused(
            respray_apply(model, u64::MAX / 8, ops.as_ptr(), op, results.as_mut_ptr(), result),
            Code::Size,
            &["memory"],
        );
        assert_eq!(respray_apply(model, 0, null(), op, null_mut(), result), Code::Ok, "no op is no error");
        let mut at = 0;
        refused(respray_place(model, 0, 0, c"cnn".as_ptr(), &mut at), Code::Missing, &["`cnn`", "conn"]);
        refused(respray_place(model, 2, 0, c"conn".as_ptr(), &mut at), Code::Value, &["`rows` is 2"]);
        refused(respray_words(model, 1, 1, &mut at), Code::Missing, &["0 result"]);
        refused(
            respray_visit(model, 0, ops.as_ptr(), op, results.as_mut_ptr(), result),
            Code::Missing,
            &["sack_tx"],
        );
        refused(
            respray_loaded(model, 0, 1, vec![0; op as usize + 1].as_mut_ptr(), op + 1),
            Code::Value,
            &["0 are loaded"],
        );
        let (mut count, mut seed) = (0, 0);
        refused(
            respray_load(model, c"no/such.csv".as_ptr(), &mut count, &mut seed),
            Code::File,
            &["no/such.csv"],
        );
        refused(respray_set(model, c"udp_port".as_ptr(), 1), Code::Missing, &["words of an op"]);
        refused(
            respray_push(model, 0, ops.as_ptr().cast(), 8, ops.as_ptr(), op),
            Code::Size,
            &["8 bytes", "takes ops"],
        );
    }
    refused(respray_reset(model, 65_536), Code::Value, &["`seed` is 65536"]);
    refused(respray_advance(model, 1), Code::Missing, &["`nic` has"]);
    refused(respray_stage(0, 9), Code::Value, &["1 to 8"]);
    assert_eq!(respray_close(model), Code::Ok);
}

#[test]
fn what_a_block_refuses_is_told_in_a_sentence() {
    let nic = open("nic", "connections = 16").unwrap();
    let mut value = 0;
    // SAFETY: numbers, frames and rows of these sizes
    unsafe {
        refused(respray_read(nic, 2, &mut value), Code::Refused, &["no register at 0x2"]);
        refused(respray_write(nic, 0, 1), Code::Refused, &["read-only"]);
        refused(respray_set(nic, c"cwnd".as_ptr(), 1), Code::Missing, &["`cwnd`"]);
        refused(respray_set(nic, c"cwnd_packets".as_ptr(), 1 << 40), Code::Value, &["`cwnd_packets`"]);
        let frame = [0u8; 60];
        let push = |input, bytes, beside: &[u64]| {
            respray_push(nic, input, frame.as_ptr(), bytes, beside.as_ptr(), beside.len() as u64)
        };
        refused(push(2, 60, &[0]), Code::Missing, &["0 tx_in, 1 rx_in"]);
        refused(push(0, 0, &[0]), Code::Size, &["0 bytes", "65535"]);
        refused(push(0, 60, &[]), Code::Size, &["0 words"]);
        refused(push(0, 60, &[2]), Code::Value, &["`user` is 2"]);
        while push(0, 60, &[1]) == Code::Ok {}
        refused(push(0, 60, &[1]), Code::Full, &["tx_out"]);
        let (mut room, mut bytes, mut beside) = ([0u8; 60], 0, [0u64; 3]);
        let pop = |output, room: &mut [u8], bytes: &mut u64, beside: &mut [u64]| {
            let (capacity, words) = (room.len() as u64, beside.len() as u64);
            respray_pop(nic, output, room.as_mut_ptr(), capacity, bytes, beside.as_mut_ptr(), words)
        };
        refused(pop(0, &mut room[..59], &mut bytes, &mut beside), Code::Size, &["60 bytes", "room for 59"]);
        refused(pop(0, &mut room, &mut bytes, &mut beside[..2]), Code::Size, &["2 words", "3"]);
        assert_eq!(pop(0, &mut room, &mut bytes, &mut beside), Code::Ok, "what was too long stays");
        assert_eq!((bytes, beside), (60, [1, 0, 3]));
        refused(pop(2, &mut room, &mut bytes, &mut [0; 7]), Code::Empty, &["`event`"]);
    }
    assert_eq!(respray_advance(nic, 100), Code::Ok);
    refused(respray_advance(nic, 99), Code::Value, &["100"]);
    assert_eq!(respray_close(nic), Code::Ok);
}

#[test]
fn a_frame_is_handed_over_and_taken_word_by_word() {
    let nic = open("nic", "connections = 16").unwrap();
    for first in [1_u8, 101] {
        // 60 bytes: seven words and a half
        let bytes: Vec<u8> = (first..first + 60).collect();
        for word in bytes.chunks(8) {
            let mut whole = [0; 8];
            whole[..word.len()].copy_from_slice(word);
            assert_eq!(respray_stage(u64::from_le_bytes(whole), word.len() as u32), Code::Ok);
        }
        let (mut beside, mut count) = ([1, 0, 0], 0);
        // SAFETY: a row each, and a number
        unsafe {
            assert_eq!(respray_push_staged(nic, 0, beside.as_ptr(), 1), Code::Ok, "{}", sentence());
            assert_eq!(respray_due(nic, 0, &mut count), Code::Ok);
            assert_eq!(count, 1);
            assert_eq!(respray_pop_staged(nic, 0, &mut count, beside.as_mut_ptr(), 3), Code::Ok);
        }
        let taken: Vec<u8> = (0..8).flat_map(|at| respray_staged(8 * at).to_le_bytes()).collect();
        assert_eq!((count, &taken[..60], &taken[60..]), (60, &bytes[..], &[0; 4][..]));
    }
    assert_eq!(respray_staged(u64::MAX), 0);
}

#[test]
fn every_core_can_be_opened_and_does_what_it_does_by_itself() {
    for core in respray_hdl::catalogue::NAMES {
        let model = open(core, "").unwrap_or_else(|_| panic!("{core}: {}", sentence()));
        assert_eq!(respray_close(model), Code::Ok);
    }
    let caver = open("caver", "caver.ports = 16").unwrap();
    let [op, result] = [words(caver, 0), words(caver, 1)];
    let place = |rows, name: &std::ffi::CStr| {
        let mut at = 0;
        // SAFETY: a text and a number
        assert_eq!(
            unsafe { respray_place(caver, rows, 0, name.as_ptr(), &mut at) },
            Code::Ok,
            "{}",
            sentence()
        );
        at as usize
    };
    // packets of a host: the first one begins a flow, which the walker forgets when it is over
    let mut row = vec![0; op as usize];
    row[place(0, c"is_host")] = 1;
    row[place(0, c"up")] = 0xffff;
    row[place(0, c"fib_port")] = 9;
    row[place(0, c"bytes")] = 1000;
    row[place(0, c"dre_alpha")] = 1;
    row[place(0, c"path_age")] = 100;
    row[place(0, c"flow_timeout")] = 10;
    let send = |row: &[u64]| {
        let mut shown = vec![0; result as usize];
        // SAFETY: rows of these sizes
        let done = unsafe { respray_apply(caver, 1, row.as_ptr(), op, shown.as_mut_ptr(), result) };
        assert_eq!(done, Code::Ok, "{}", sentence());
        shown
    };
    let kind = place(1, c"res_kind");
    let kinds = [send(&row)[kind], send(&row)[kind]];
    assert_ne!(kinds[0], kinds[1], "the second packet of a flow is of a flow that is known");
    row[place(0, c"now")] = 100;
    let own = |lane, times| {
        for _ in 0..times {
            // SAFETY: a row
            let done = unsafe { respray_push(caver, lane, null(), 0, row.as_ptr(), op) };
            assert_eq!(done, Code::Ok, "{}", sentence());
        }
    };
    own(2, 20);
    own(1, 4096);
    row[place(0, c"now")] = 0;
    assert_eq!(send(&row)[kind], kinds[0], "the walker came to its place and forgot the flow");
    assert_eq!(respray_close(caver), Code::Ok);
}

#[test]
fn a_model_that_was_closed_is_known_to_be_closed() {
    let model = open("ecmp", "").unwrap();
    assert_eq!(respray_close(model), Code::Ok);
    refused(respray_close(model), Code::Closed, &[&format!("no open model {model}")]);
    refused(respray_reset(model, 1), Code::Closed, &["no open model"]);
    refused(respray_close(0), Code::Closed, &["no open model 0"]);
    // SAFETY: it is an empty text
    assert_eq!(unsafe { CStr::from_ptr(respray_describe(model)) }, c"");
    assert_ne!(open("ecmp", "").unwrap(), model, "a number is never used again");
}

#[test]
fn two_threads_do_not_meet_in_a_model() {
    let model = open("ecmp", "").unwrap();
    let ((inside, is_inside), (leave, may_leave)) = (channel(), channel());
    let other = thread::spawn(move || {
        with(model, |_| {
            inside.send(()).unwrap();
            may_leave.recv().unwrap();
            Ok(())
        })
    });
    is_inside.recv().unwrap();
    refused(respray_reset(model, 1), Code::Busy, &["another thread"]);
    leave.send(()).unwrap();
    assert_eq!(other.join().unwrap(), Ok(()));
    assert_eq!(respray_reset(model, 1), Code::Ok);
    // a sentence is of its thread
    refused(respray_reset(0, 1), Code::Closed, &["model 0"]);
    thread::spawn(|| assert_eq!(sentence(), "")).join().unwrap();
    assert!(sentence().contains("model 0"));
}

#[test]
fn a_model_that_breaks_down_takes_no_one_with_it() {
    let model = open("ecmp", "").unwrap();
    let broken: Result<(), Failure> = with(model, |_| panic!("on purpose"));
    let failure = broken.unwrap_err();
    assert_eq!(failure.code, Code::Broken);
    assert!(failure.sentence.contains("on purpose"), "{failure}");
    refused(respray_reset(model, 1), Code::Broken, &["only be closed"]);
    assert_eq!(respray_close(model), Code::Ok);
}
