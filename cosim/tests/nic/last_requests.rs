//! `nic_last_requests` beside a plain list of what each connection sent last.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::bench::{Bench, ensure};

const CONNECTIONS: usize = 16;
const CYCLES: u32 = 12_000;
/// Cycles from the one in which an EV is asked for to the one in which what was read stands there.
const READS: u32 = 4;
/// Ports of what the packet said that a SACK answers, with their bits.
const ANSWER: [(&str, u32); 3] = [("answer_conn", 16), ("answer_source_pdc", 16), ("answer_wire_psn", 32)];

/// Destination PDC, PSN and whether it is ordered.
type Last = (u64, u64, bool);

/// A probe whose EV was asked for.
struct Drawn {
    since: u32,
    conn: usize,
    /// What may have been read: of several, because the connection sent meanwhile.
    may_be: Vec<Last>,
    is: Option<Last>,
}

/// What the outputs show.
fn shown(bench: &Bench) -> (Last, u64) {
    let last = (bench.get("destination_pdc"), bench.get("wire_psn"), bench.is_high("ordered"));
    (last, bench.get("source_pdc"))
}

/// One cycle's probe; how many of the checked ones met a packet of their connection.
fn check_probe(bench: &mut Bench, drawn: &mut Drawn, cycle: u32) -> Result<(), String> {
    bench.set("is_probe", true);
    bench.set("probe_conn", drawn.conn as u64);
    bench.model.settle();
    let (last, source) = shown(bench);
    ensure(source == drawn.conn as u64, || format!("source PDC {source:x}, not {:x}", drawn.conn))?;
    if cycle < drawn.since + READS {
        return Ok(());
    }
    ensure(drawn.may_be.contains(&last), || format!("{last:x?}, not {:x?}", drawn.may_be))?;
    let is = *drawn.is.get_or_insert(last);
    ensure(is == last, || format!("{last:x?} after {is:x?}"))
}

fn check_sack(bench: &mut Bench, rng: &mut StdRng) -> Result<(), String> {
    let values = ANSWER.map(|(_, bits)| rng.random::<u64>() & ((1 << bits) - 1));
    for ((name, _), value) in ANSWER.iter().zip(values) {
        bench.set(name, value);
    }
    bench.set("is_probe", false);
    bench.model.settle();
    let ((destination, psn, _), source) = shown(bench);
    ensure([destination, source, psn] == values, || {
        format!("{destination:x} {source:x} {psn:x}, not {values:x?}")
    })
}

/// Requests, decisions and probes at random; how many probes were drawn while their connection sent.
fn run(instance: &'static str) -> Result<[u32; 2], String> {
    let (mut bench, mut rng) = (Bench::new(instance), StdRng::seed_from_u64(31));
    let mut requests: VecDeque<(u32, u64, bool)> = VecDeque::new();
    let mut lasts: Vec<Option<Last>> = vec![None; CONNECTIONS];
    let (mut drawn, mut counts, mut next_decision): (Option<Drawn>, _, _) = (None, [0; 2], 0);
    for cycle in 0..CYCLES {
        let at = |text: String| format!("cycle {cycle}: {text}");
        let (pdc, ordered): (u16, bool) = (rng.random(), rng.random());
        let (is_valid, is_ready) = (rng.random::<bool>() && requests.len() < 8, rng.random_ratio(1, 3));
        bench.set("req_valid", is_valid);
        bench.set("req_ready", is_ready);
        bench.set("req_destination_pdc", pdc);
        bench.set("req_is_ordered", ordered);

        let decides = cycle >= next_decision && requests.front().is_some_and(|(since, ..)| cycle > since + 3);
        let leaves = decides && rng.random_ratio(5, 6);
        let again = rng.random::<bool>();
        // often the connection of the probe
        let near = drawn.as_ref().map_or(0, |drawn: &Drawn| drawn.conn);
        let conn = if rng.random() { near } else { rng.random_range(0..CONNECTIONS) };
        let psn = u64::from(rng.random::<u32>());
        bench.set("decide_valid", decides);
        bench.set("sent", leaves && !again);
        bench.set("again", leaves && again);
        bench.set("conn", conn as u64);
        bench.set("psn", psn);

        // between two probes nobody asks for an EV
        let asks = drawn.is_none() && rng.random_ratio(1, 4);
        let draw = rng.random_range(0..CONNECTIONS);
        if drawn.as_ref().is_some_and(|drawn| cycle > drawn.since + 12) {
            bench.set("draw_valid", false);
            drawn = None;
        }
        if let (true, Some(last)) = (asks, lasts[draw]) {
            bench.set("draw_valid", true);
            bench.set("draw_conn", draw as u64);
            drawn = Some(Drawn { since: cycle, conn: draw, may_be: vec![last], is: None });
        } else if rng.random() {
            // the selector has taken the op
            bench.set("draw_valid", false);
        }
        if decides {
            let (_, pdc, ordered) = requests.pop_front().expect("one waits");
            next_decision = cycle + 2 + 5 * u32::from(rng.random::<bool>());
            if leaves {
                lasts[conn] = Some((pdc, psn, ordered));
                if let Some(drawn) = drawn.as_mut().filter(|drawn| drawn.conn == conn && drawn.is.is_none()) {
                    drawn.may_be.push((pdc, psn, ordered));
                    counts[1] += u32::from(cycle < drawn.since + 2);
                }
            }
        }
        if is_valid && is_ready {
            requests.push_back((cycle, pdc.into(), ordered));
        }
        match drawn.as_mut().filter(|_| rng.random()) {
            Some(drawn) => {
                counts[0] += u32::from(cycle == drawn.since + READS);
                check_probe(&mut bench, drawn, cycle).map_err(at)?;
            }
            None => check_sack(&mut bench, &mut rng).map_err(at)?,
        }
        bench.model.rise();
    }
    Ok(counts)
}

#[test]
fn a_probe_says_what_the_last_request_of_its_connection_said() {
    let [probes, met] = run("last_requests").unwrap_or_else(|error| panic!("{error}"));
    assert!(probes > 100 && met > 30, "{probes} probes, {met} of them while their connection sent");
}

#[test]
fn a_request_that_is_read_while_it_is_written_or_is_another_s_is_found() {
    for instance in ["last_requests_torn", "last_requests_of_refused"] {
        assert!(run(instance).is_err(), "{instance}");
    }
}
