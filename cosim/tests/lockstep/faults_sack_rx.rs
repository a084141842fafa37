//! Faults made by hand in the generated Verilog of `sack_rx`, engine `small`: each is found by random ops and shrunk to a
//! few.

use super::faults;
use super::pass_sack_rx::{random, sack_rx};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 2_000_000;

fn found(sets: &[&str], text: &str, wrong: &str, most: usize) {
    let core = sack_rx(sets);
    faults::found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_packet_held_beyond_epsn_is_new_again() {
    found(&[], "(below | (in_window & arrived))", "below", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn bits_of_an_odd_lap_are_not_inverted() {
    found(&[], "wire [7:0] arrived = lap ? ~stored : stored;", "wire [7:0] arrived = stored;", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_close_leaves_the_connection_as_it_was() {
    let text = "control_ram_write_data_initialised = !(steps_clearing | steps_close);";
    found(&[], text, "control_ram_write_data_initialised = !steps_clearing;", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn init_writes_the_lap_of_its_own_psn_everywhere() {
    found(&[], "assign write_data = write[8] ^ !fill;", "assign write_data = psn[8] ^ !fill;", 40);
}

#[test]
fn psns_are_compared_without_their_wrap() {
    found(&[], "below = ahead[23];", "below = psn < epsn;", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_upper_byte_of_a_distance_of_32_bits_is_dropped() {
    let text = "wire in_window = !(|(ahead >> WINDOW_BITS));";
    found(
        &["wire=uet", "sack.window=128", "connections=64"],
        text,
        "wire in_window = !(|(ahead[23:0] >> WINDOW_BITS));",
        8,
    );
}

#[test]
fn a_sack_is_due_one_byte_late() {
    let text = "assign reached = since_sack >= {1'b0, threshold};";
    found(&[], text, "assign reached = since_sack > {1'b0, threshold};", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_request_goes_unheard() {
    let text = "(arrived | is_first)) | ack_request | reached";
    found(&[], text, "(arrived | is_first)) | reached", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_duplicate_gets_no_sack() {
    let text = "probe | below | (in_window & (arrived | is_first)) |";
    found(&[], text, "probe | (in_window & is_first) |", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_lowest_segment_outlives_its_sack() {
    let text = "if ((decide & due) | fill) since_sack";
    found(&[], text, "if (fill) since_sack", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_sack_shows_the_segment_of_its_packet() {
    let text = "probe | (own <= stored_lowest) ? own : stored_lowest;";
    found(&[], text, "own;", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_probe_beyond_the_window_asks_for_its_own_segment() {
    found(&[], "wire [2:0] own = in_window ? own_segment : 3'd0;", "wire [2:0] own = own_segment;", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn bits_beyond_the_window_are_shown() {
    // they are those of the segment of EPSN, one lap later
    found(&[], "masks_high <= look & is_last;", "masks_high <= 1'b0;", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn epsn_stops_at_the_end_of_its_segment() {
    found(&[], "assign again = in_order & full;", "assign again = 1'b0;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_advance_forgets_how_many_were_held() {
    found(&[], "ooo_start <= stored_ooo + started", "ooo_start <= started", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_refused_packet_is_written_back() {
    let text = "changed <= (done & !refused) | fill_done;";
    found(&[], text, "changed <= done | fill_done;", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn init_leaves_the_bytes() {
    let text = "        if (fill) bytes_recvd <= 32'd0;\n";
    found(&[], text, "", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_last_connection_is_not_cleared() {
    let text = "wire clear_done = clearing & (&conn);";
    found(&[], text, "wire clear_done = clearing & (&conn[7:1]);", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_packet_changes_while_it_is_worked_on() {
    let text = "        if (ready) begin\n            packet_psn <= op_psn;";
    found(&[], text, "        if (1'b1) begin\n            packet_psn <= op_psn;", 2);
}
