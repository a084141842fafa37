//! Faults in `sack_tx`, engine `small`: each is found by random ops, or by an op trace where it says so, and shrunk to a few.

use respray_cosim::cores::sack_tx::SackTxCore;
use respray_cosim::lockstep::Stimulus;
use respray_hdl::manifest::Generated;

use super::faults::{found, found_of_seed};
use super::pass_sack_tx::random;
use super::{file, generated};

/// Edges of random ops within which every fault is found.
pub const CYCLES: u64 = 4_000_000;

fn is_found(text: &str, wrong: &str, most: usize) {
    let core = generated("sack_tx", &[]);
    found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

/// The same with random ops of a seed of which few are left: of the usual one a probe is due, or a bit is forgotten, only far behind what
/// it is about.
fn is_found_of_seed(seed: u64, text: &str, wrong: &str, most: usize) {
    let core = generated("sack_tx", &[]);
    found_of_seed(Some(seed), &core, random(&core, CYCLES, &[]), text, wrong, most);
}

/// By these ops after PSN 0 was sent at time 0. A SACK among them says that it arrived. Timers that strike several times in a row
/// need the whole past of an engine, so that random ops find such a fault but do not shrink to a few.
fn is_found_by_ops(text: &str, wrong: &str, ops: &str) {
    is_found_by_trace(text, wrong, &timers(ops));
}

/// A trace of these ops after PSN 0 was sent.
pub fn timers(ops: &str) -> String {
    let columns = "# respray: probe_timeout=65535\nnow,op,conn,psn,rto,rto_backoff_max,idle,epsn";
    let lines: String = ops.lines().map(|op| format!("{op},{}\n", u8::from(op.contains("sack")))).collect();
    format!("{columns}\n0,init,3,0,100,7,0,\n0,sent,3,0,100,7,0,\n{lines}")
}

/// By this op trace.
fn is_found_by_trace(text: &str, wrong: &str, trace: &str) {
    found_by_trace(&generated("sack_tx", &["connections=16"]), text, wrong, trace);
}

/// A fault of this core is found by an op trace.
pub fn found_by_trace(core: &Generated, text: &str, wrong: &str, trace: &str) {
    let dir = tempfile::tempdir().unwrap();
    let ops = Stimulus::<SackTxCore>::Ops(file(dir.path(), "ops.csv", trace));
    found(core, ops, text, wrong, 8);
}

/// PSN 3 was received, and the SACK of PSN 9, which was never sent, must not forget it.
pub fn refused_sack() -> String {
    let sent: String = (0..4).map(|psn| format!("0,sent,3,{psn},,,\n")).collect();
    let sacks = "0,sack,3,,0,0,0x8\n0,sack,3,,4,0,0x200\n0,sack,3,,4,0,0x0\n";
    format!("now,op,conn,psn,epsn,base,bitmap\n0,init,3,0,,,\n{sent}{sacks}")
}

/// PSN 1 was received, and the next SACK has it as EPSN, with many packets out of order.
pub fn lacks_what_it_had() -> String {
    let sent: String = (0..2).map(|psn| format!("0,sent,3,{psn},,,,\n")).collect();
    let sacks = "0,sack,3,,0,0,0x2,1\n0,sack,3,,1,0,0x0,99\n";
    format!("now,op,conn,psn,epsn,base,bitmap,ooo\n0,init,3,0,,,,\n{sent}{sacks}")
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn psns_are_compared_by_their_segments_alone() {
    is_found("assign below = whole[17] ^ (borrows & lower_part);", "assign below = whole[17];", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_close_leaves_the_connection_as_it_was() {
    let text = "wire control_ram_write_data_initialised = !(steps_clearing | steps_is_close);";
    is_found(text, "wire control_ram_write_data_initialised = !steps_clearing;", 3);
}

#[test]
fn five_packets_out_of_order_are_enough() {
    let text = "exceeds <= (ooo > cwnd_packets) & (ooo > 12'd5);";
    let trace = "now,op,conn,psn,epsn,base,bitmap,ooo,cwnd_packets\n0,init,3,0,,,,,\n0,sent,3,0,,,,,\n0,sent,3,1,,,,,\n\
                 0,sack,3,,0,0,0x2,5,4\n";
    is_found_by_trace(text, "exceeds <= (ooo > cwnd_packets);", trace);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn epsn_itself_counts_as_received() {
    is_found_by_trace("if (keep & reached & is_more)", "if (keep & reached & !equal)", &lacks_what_it_had());
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_probe_proves_the_loss_of_nothing_but_what_others_overtook() {
    is_found("enters_probe <= proves & (ahead | lasts);", "enters_probe <= proves & ahead;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn recovery_is_left_one_packet_late() {
    is_found("ends <= is_sack & recovering & !later;", "ends <= is_sack & recovering & !reached;", 30);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_sack_that_nobody_asked_for_proves_loss() {
    let text = "assign proves = probe & probe_out & !is_slow;";
    is_found(text, "assign proves = probe & !is_slow;", 6);
}

#[test]
fn a_slow_probe_proves_loss() {
    let text = "assign proves = probe & probe_out & !is_slow;";
    // a probe is asked for in the idle edges, and its SACK comes back 200 ticks later
    let trace = "# respray: probe_timeout=300 probe_rtt=150\nnow,op,conn,psn,epsn,base,bitmap,timestamp,probe,idle\n\
                 0,init,3,64,,,,,,0\n0,sent,3,64,,,,,,0\n0,sent,3,65,,,,,,0\n300,next_rtx,3,,,,,,,3000\n\
                 500,sack,3,,64,64,0x0,300,1,0\n";
    is_found_by_trace(text, "assign proves = probe & probe_out;", trace);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_probe_stays_out_when_a_sack_came() {
    let text = "& !rules_timeout & !steps_is_sack & !steps_is_init;";
    is_found_of_seed(3, text, "& !rules_timeout & !steps_is_init;", 20);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_probe_does_not_note_what_was_sent() {
    let text = "if (timeout | (probe_due & !recovering))";
    is_found_of_seed(3, text, "if (timeout)", 30);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_psn_to_retransmit_is_in_the_first_segment() {
    let text = "wire [17:0] psn_segment = una[23:6] + {15'd0, offset};";
    // everything is lost, and the second PSN lies in the next segment
    let sent = "0,init,3,63,,\n0,sent,3,63,,\n0,sent,3,64,,\n";
    let trace = format!("now,op,conn,psn,rto,idle\n{sent}50,next_rtx,3,,50,200\n50,next_rtx,3,,50,0\n");
    is_found_by_trace(text, "wire [17:0] psn_segment = una[23:6];", &trace);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_sacks_bits_below_epsn_are_set() {
    is_found("touched = sack & epsn_above;", "touched = sack;", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn bits_of_earlier_sacks_are_forgotten() {
    // Every seed finds it, but a trace holds all packets from EPSN to the bit that is forgotten, and of the usual seed that bit
    // is far away.
    is_found_of_seed(5, "stores_next = stored | touched;", "stores_next = touched;", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn what_is_claimed_counts_as_in_flight() {
    is_found("missing & claimed : missing & ~claimed;", "missing & claimed : missing;", 20);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_base_beyond_the_window_is_taken() {
    let text = "base_bad <= !near | beyond_window | (|base[5:0]);";
    is_found(text, "base_bad <= !near | (|base[5:0]);", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_sack_that_shows_its_epsn_is_taken() {
    is_found("if (contradicts)", "if (1'b0)", 20);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_doubling_that_does_not_fit_cuts_the_timeout_off() {
    let ops = "1,read,3,,1,0,200\n9000,read,3,,32769,1,200\n";
    is_found_by_ops("if (by_1 & !limit[15])", "if (by_1)", ops);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn four_doublings_that_do_not_fit_cut_the_timeout_off() {
    let in_a_row: String = (1..5).map(|now| format!("{now},read,3,,1,0,200\n")).collect();
    is_found_by_ops("if (by_4 & !upper_4)", "if (by_4)", &format!("{in_a_row}9000,read,3,,16384,7,200\n"));
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_timeout_is_doubled_beyond_its_limit() {
    let text = "wire [2:0] doublings = timeouts > most ? most : timeouts;";
    let ops = "100,read,3,,100,1,200\n300,read,3,,100,1,200\n500,read,3,,100,1,200\n";
    is_found_by_ops(text, "wire [2:0] doublings = timeouts;", ops);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn progress_does_not_end_the_row_of_timeouts() {
    let text = "assign time_data_timeouts = timeout ? timeouts_after : 3'd0;";
    let kept =
        "assign time_data_timeouts = timeout ? timeouts_after : is_sack ? timeouts_after - 3'd1 : 3'd0;";
    let ops = "0,sent,3,1,100,7,0\n100,read,3,,100,7,200\n150,sack,3,,100,7,0\n250,read,3,,100,7,200\n";
    is_found_by_ops(text, kept, ops);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_upper_byte_of_a_distance_of_32_bits_is_dropped() {
    let core = generated("sack_tx", &["wire=uet", "sack.window=128", "connections=64"]);
    let text = "wire [25:0] upper = whole >> PLACE_SEGMENTS;";
    found(&core, random(&core, CYCLES, &[]), text, "wire [25:0] upper = whole[17:0] >> PLACE_SEGMENTS;", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_read_is_taken_for_a_packet_sent_too() {
    is_found("is_sent <= take & (op_kind == 3'd0);", "is_sent <= take & (op_kind[1:0] == 2'd0);", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_read_shows_the_psn_to_retransmit() {
    is_found("pick_of_una = steps_is_visit | steps_is_read;", "pick_of_una = steps_is_visit;", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_read_has_the_status_of_a_packet_sent() {
    is_found("if (is_read)", "if (1'b0)", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_refused_sack_measures_a_round_trip_time() {
    let text = "res_rtt_valid = steps_done & steps_is_sack & op_status_ok;";
    is_found(text, "res_rtt_valid = steps_done & steps_is_sack;", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_round_trip_time_is_that_of_another_step() {
    let text = "if (step[10]) rtt <= sum;";
    is_found(text, "if (step[11]) rtt <= sum;", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn timers_start_anew_with_every_packet() {
    let text = "(is_sent & ok & empty & (step[3] | step[4]))";
    let ops = "60,sent,3,1,100,0,0\n120,read,3,,100,0,200\n";
    is_found_by_ops(text, "(is_sent & ok & (step[3] | step[4]))", ops);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_lower_count_of_received_bytes_raises_what_is_in_flight() {
    is_found("reads_flight = is_stuck | !ok;", "reads_flight = !ok;", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn visits_in_between_do_not_restart_the_count_of_ops() {
    let text = "ops <= 4'd0; visit_due <= 1'b0;\n            walker <= walker + 8'd1;";
    is_found(text, "walker <= walker + 8'd1;", 20);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_init_leaves_the_bytes() {
    is_found("last <= is_init ? 16'd0 : sum;", "last <= sum;", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_refused_sack_writes_its_first_word() {
    let text = "(steps_is_init | (steps_is_sack & op_status_ok));";
    is_found_by_trace(text, "(steps_is_init | steps_is_sack);", &refused_sack());
}
