//! Flips in memories whose words have parity: each is told where it is read, of cores as they are, and faults that hide one are found.

use std::path::Path;

use respray_cosim::report::{config_arguments, label_and_hash};
use respray_cosim::upset::Wrong;
use respray_files::made_from::MadeFrom;
use respray_hdl::config::Config;
use respray_hdl::cores;
use respray_hdl::manifest::Generated;
use respray_mutate::upset::campaign::{Campaign, campaign};
use respray_mutate::upset::kind::Kind;

fn generated(core: &str, sets: &[&str]) -> Generated {
    let sets = [&["protect=parity"], sets].concat();
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    cores::generate(core, &Config::load(None, &sets).unwrap()).unwrap()
}

/// A core, in which this text stands once, with another in its place.
fn faulty(core: &str, before: &str, after: &str) -> Generated {
    faulty_with(core, &[], before, after)
}

fn faulty_with(core: &str, sets: &[&str], before: &str, after: &str) -> Generated {
    let mut generated = generated(core, sets);
    assert_eq!(generated.verilog.matches(before).count(), 1, "{core}: {before}");
    generated.verilog = generated.verilog.replace(before, after);
    generated
}

fn run(generated: &Generated, runs: u64) -> Campaign {
    campaign(generated, Kind::Flip, runs, 1, &|_| ()).unwrap()
}

/// Nothing is found, and flips of each memory are read.
fn passes(generated: &Generated, runs: u64) -> Campaign {
    let core = &generated.manifest.module;
    let found = run(generated, runs);
    let config = config_arguments(&generated.manifest.config);
    assert_eq!((found.runs, found.found), (runs, 0), "{core}, {config:?}: {:?}", found.findings);
    assert_eq!(found.differed, 0);
    for (memory, hit) in &found.memories {
        assert!(hit.met * 20 > hit.flips, "{core}: of {} flips in {memory} {} are read", hit.flips, hit.met);
    }
    found
}

/// A core with a fault does not stop, and something of this kind is found of it.
fn finds(core: &Generated, runs: u64, wrong: Wrong) {
    let found = run(core, runs);
    let is_found = |wrong| found.findings.iter().any(|found| found.finding.wrong == wrong);
    assert!(is_found(wrong) && !is_found(Wrong::Wedge), "{:?}", found.findings);
}

/// Few connections with few words, so that many ops are about each word.
const FEW_LISTED: &[&str] = &["connections=16", "bitmap.paths=16", "mixed.depth=8"];
const FEW_COUNTED: &[&str] = &["connections=16", "bitmap.paths=32", "bitmap.timeout=ev"];
const FEW_BITS: &[&str] = &["connections=16", "sack.window=128"];
const FEW_MARKED: &[&str] = &["connections=16", "strack.paths=64"];

#[test]
fn every_flip_that_is_read_is_told_and_nothing_else_changes() {
    passes(&generated("ecmp", &[]), 1000);
    passes(&generated("reps", &[]), 2000);
    passes(&generated("flowlet", &["flowlet.since=ack"]), 1000);
    passes(&generated("mixed", FEW_LISTED), 1000);
}

/// The configurations of the page's table. `protect=parity` comes with each.
const ON_THE_PAGE: &[(&str, &[&str])] = &[
    ("reps", &[]),
    ("reps", &["reps.variant=uet"]),
    ("reps", &["connections=16", "reps.depth=4", "reps.time_bits=16"]),
    ("reps", &["connections=16", "reps.depth=32", "reps.variant=uet", "selector.ev_bits=9"]),
    ("sack_rx", &[]),
    ("sack_rx", FEW_BITS),
    ("sack_rx", &["connections=16", "sack.window=64"]),
    ("ops", &["ops.order=permuted"]),
    ("ops", &["ops.order=permuted", "ops.paths=16"]),
    ("ecmp", &[]),
    ("subflows", &[]),
    ("mprdma", &[]),
    ("flowlet", &[]),
    ("flowlet", &["flowlet.since=ack"]),
    ("plb", &[]),
    ("plb", &["connections=16", "selector.time_bits=16"]),
    ("strack", &[]),
    ("strack", FEW_MARKED),
    ("strack", &["connections=16", "strack.paths=32"]),
    ("bitmap", &[]),
    ("bitmap", FEW_COUNTED),
    ("bitmap", &["connections=16", "bitmap.paths=16"]),
    ("mixed", &[]),
    ("mixed", FEW_LISTED),
];

/// The runs of each configuration on the page.
const RUNS_ON_THE_PAGE: u64 = 10_000;

/// Writes the page's table anew where UPDATE_PAGES is set, else compares it. The table is of the designs that the page names.
#[test]
#[ignore = "10,000 runs of each core with parity, with the long tests"]
fn the_page_of_parity_has_what_is_found_in_every_configuration() {
    let mut table = String::from(
        "| core | configuration | runs | times that a flip was read and told | findings |\n| --- | --- | ---: | ---: | ---: |\n",
    );
    let mut made_from = MadeFrom::default();
    for (core, sets) in ON_THE_PAGE {
        let generated = generated(core, sets);
        let found = passes(&generated, RUNS_ON_THE_PAGE);
        let sets: Vec<String> = sets.iter().map(|set| format!("`{}`", set.replace('=', " = "))).collect();
        let configuration = if sets.is_empty() { "default".to_string() } else { sets.join(", ") };
        let met = found.met;
        table += &format!("| `{core}` | {configuration} | {RUNS_ON_THE_PAGE} | {met} | {} |\n", found.found);
        made_from.0.extend([label_and_hash(&generated)]);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/parity.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("| core | configuration | runs |").unwrap();
    let (_, behind) = rest.split_once("\n\n").unwrap();
    let now = format!("{before}{table}\n{behind}");
    let (_, place) = MadeFrom::read(&now).unwrap();
    let now = [&now[..place.start], &made_from.block(&[]), &now[place.end..]].concat();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), now, "`make parity` writes docs/parity.md anew");
}

#[test]
fn a_parity_that_leaves_a_bit_out_is_found() {
    let parts = "assign parts = all[15:0] ^ {14'd0, all[17:16]};";
    let fewer = "assign parts = all[15:0] ^ {15'd0, all[16]};";
    assert!(run(&faulty("ecmp", parts, fewer), 400).found > 0);
    let parts = "assign parts = all[15:0] ^ {9'd0, all[22:16]};";
    let fewer = "assign parts = all[15:0] ^ {9'd0, all[22:19], 1'b0, all[17:16]};";
    assert!(run(&faulty("reps", parts, fewer), 100).found > 10, "words without a flip are told, too");
    let fewer = "{^write_data[16:1], write_data}";
    assert!(run(&faulty("ecmp", "{^write_data, write_data}", fewer), 20).found > 10);
}

#[test]
fn a_bit_without_parity_is_found() {
    // neither the parity of the word that is written nor that of the word that is read has the bit
    let mut core = faulty(
        "ecmp",
        "assign parts = all[15:0] ^ {14'd0, all[17:16]};",
        "assign parts = {all[15:6], 1'b0, all[4:0]} ^ {14'd0, all[17:16]};",
    );
    let odd = "{^write_data, write_data}";
    assert_eq!(core.verilog.matches(odd).count(), 1);
    core.verilog = core.verilog.replace(odd, "{^{write_data[16:6], write_data[4:0]}, write_data}");
    finds(&core, 1000, Wrong::Untold);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ev_with_a_flipped_bit_that_is_sent_is_found() {
    let cached = "is_cached <= fetch_recycle | fetch_replay;";
    // a replay with another kind and EV than it had to have
    finds(&faulty("reps", cached, "is_cached <= fetch_recycle;"), 6000, Wrong::Leak);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_flip_that_is_told_by_an_op_that_does_not_read_it_is_found() {
    let of_all = "in_update <= forward_keeps & is_odd;";
    finds(&faulty("ecmp", of_all, "in_update <= is_odd;"), 1000, Wrong::Leak);
}

#[test]
fn a_connection_that_does_not_start_anew_is_found() {
    let keeps = "assign keeps = forward_keeps & !is_odd;";
    finds(&faulty("ecmp", keeps, "assign keeps = forward_keeps | is_odd & 1'b0;"), 400, Wrong::Leak);
    let anew = "        read_valid <= take | starts_anew;";
    assert!(run(&faulty("reps", anew, "        read_valid <= take;"), 4000).found > 0);
}

#[test]
fn an_ev_of_a_list_with_a_flipped_bit_that_is_sent_is_found() {
    let of_list = "rounds_lost | (list_recycles & oldest_has_flip);";
    finds(&faulty_with("mixed", FEW_LISTED, of_list, "rounds_lost;"), 1000, Wrong::Untold);
}

#[test]
#[ignore = "models of their own, with the long tests"]
fn what_a_walk_makes_of_a_flipped_bit_is_found_where_it_is_wrong() {
    // the mark of a word with a flipped bit counts, and the search does not end there
    let marked = "assign is_marked = kept[path[4:0]] & !own_has_flip;";
    let core = faulty_with("strack", FEW_MARKED, marked, "assign is_marked = kept[path[4:0]];");
    finds(&core, 4000, Wrong::Leak);
    let busy = "searched_has_flip ? 16'd0 : is_busy & ~freed;";
    assert!(run(&faulty_with("bitmap", FEW_COUNTED, busy, "is_busy & ~freed;"), 4000).found > 0);
    // a timeout finds the flip, and leaves the word as it is
    let written = "done & (writes | is_init | is_lost);";
    finds(&faulty("strack", written, "done & (writes | is_init);"), 1000, Wrong::Leak);
    // an op of the connection that is taken where the state is written has that of the memory
    let takes = "if (in_read & takes_late) begin";
    assert!(run(&faulty_with("strack", FEW_MARKED, takes, "if (1'b0) begin"), 100).found > 10);
    // the connection goes on behind a word of counters with a flipped bit
    let anew = "if (is_init | beside | !writes) begin";
    finds(&faulty_with("bitmap", FEW_COUNTED, anew, "if (is_init | !writes) begin"), 4000, Wrong::Leak);
}

#[test]
#[ignore = "models of their own, with the long tests"]
fn what_a_receiver_makes_of_a_flipped_bit_is_found_where_it_is_wrong() {
    // an advance takes a word with a flipped bit as it is
    let core = faulty_with("sack_rx", FEW_BITS, "advances <= finish & goes_on;", "advances <= 1'b0;");
    assert!(run(&core, 10_000).found > 0);
    // a SACK shows a word with a flipped bit
    let shown = "(ends | (shows & sack & of_word_has_flip));";
    finds(&faulty_with("sack_rx", FEW_BITS, shown, "ends;"), 4000, Wrong::Leak);
    // a packet that comes once more turns the parity of its word
    let core = faulty_with("sack_rx", FEW_BITS, "parity ^ is_new;", "!parity;");
    assert!(run(&core, 1000).found > 10);
}

#[test]
#[ignore = "models of their own, with the long tests"]
fn a_time_with_a_flipped_bit_that_is_used_or_is_not_looked_at_is_found() {
    let flips = "assign has_flip = looks & !one_sets & of_stored_has_flip;";
    // of a time that the op one place ahead set anew, and of none
    finds(&faulty("plb", flips, "assign has_flip = looks & of_stored_has_flip;"), 4000, Wrong::Leak);
    finds(&faulty("plb", flips, "assign has_flip = 1'b0;"), 1000, Wrong::Untold);
    // of a time that was never set
    let is_set = "pipeline_beside = since_has_flip & update_has_time;";
    finds(&faulty("plb", is_set, "pipeline_beside = since_has_flip;"), 1000, Wrong::Leak);
    // the op that finds it does not draw
    let moves = "forward_op_send & (is_gap | !arriving_drawn | lost)";
    finds(&faulty("flowlet", moves, "forward_op_send & (is_gap | !arriving_drawn)"), 1000, Wrong::Leak);
}

#[test]
#[ignore = "models of their own, with the long tests"]
fn what_becomes_of_a_flipped_bit_of_a_freeze_time_is_found_where_it_is_wrong() {
    let flips = "assign has_flip = looks & !one_sets & of_stored_has_flip;";
    finds(&faulty("reps", flips, "assign has_flip = looks & of_stored_has_flip;"), 4000, Wrong::Leak);
    finds(&faulty("reps", flips, "assign has_flip = !one_sets & of_stored_has_flip;"), 4000, Wrong::Leak);
    finds(&faulty("reps", flips, "assign has_flip = 1'b0;"), 1000, Wrong::Untold);
    // of a connection that does not freeze
    let freezes = "freeze_has_flip & states_forward_freezing;";
    finds(&faulty("reps", freezes, "freeze_has_flip;"), 1000, Wrong::Leak);
}
