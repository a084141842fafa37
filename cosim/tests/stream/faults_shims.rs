//! Faults in `shim_push` and `shim_pop`.

use super::faults::{limit_is_kept, text_is_found};

fn narrow(core: &str, text: &str, wrong: &str) {
    text_is_found(core, &["bus_bits=64"], text, wrong, 4);
}

fn wide(core: &str, text: &str, wrong: &str) {
    text_is_found(core, &["bus_bits=512"], text, wrong, 4);
}

#[test]
fn a_queue_of_shim_pop_that_holds_one_more_is_found() {
    limit_is_kept("shim_pop", "6'h14", "6'h15");
    limit_is_kept("shim_pop", "6'h10", "6'h11");
}

#[test]
fn a_queue_of_shim_push_that_holds_one_more_is_found() {
    limit_is_kept("shim_push", "6'h14", "6'h15");
}

#[test]
fn bytes_of_the_next_packet_are_found() {
    narrow(
        "shim_pop",
        "keep_1 = window_is_last_at_0 ? 8'd0 : window_keep_at_1;",
        "keep_1 = window_keep_at_1;",
    );
}

#[test]
fn a_shim_that_is_cut_off_and_taken_out_is_found() {
    narrow("shim_pop", "!has_short || (found_is_long && !has_long)", "!has_short");
}

#[test]
fn a_hop_that_wraps_is_found() {
    narrow("shim_pop", "(wide_hop[2] ?", "(1'b0 ?");
}

#[test]
fn a_length_with_part_of_the_shim_is_found() {
    wide("shim_pop", "ended_is_long ? 16'hb : 16'd7", "16'd7");
}

#[test]
fn a_tuser_that_is_lost_with_its_beat_is_found() {
    // which tuser a beat has follows from the frame's number, so more frames are left before it
    let text = "is_last && !window_is_last_at_0 ? window_user_at_1 : window_user_at_0;";
    text_is_found("shim_pop", &["bus_bits=512"], text, "window_user_at_0;", 30);
}

#[test]
fn a_third_beat_that_is_lost_is_found() {
    narrow("shim_push", "is_tail ? keep_before >> WITHOUT_THREE_BYTES : keep_0;", "is_tail ? 8'd0 : keep_0;");
}

#[test]
fn a_pause_that_is_too_short_is_found() {
    narrow("shim_push", "beats_is_held_up = pauses || pauses_again;", "beats_is_held_up = pauses;");
}

#[test]
fn a_shim_of_another_kind_that_is_patched_is_found() {
    narrow(
        "shim_push",
        "is_same_kind = finder_found_kind == {1'b0, window_side_1_kind};",
        "is_same_kind = 1'b1;",
    );
}

#[test]
fn a_shim_before_what_is_not_ip_is_found() {
    wide(
        "shim_push",
        "can_insert = !finder_found_is_cut && finder_found_is_ip &&",
        "can_insert = !finder_found_is_cut &&",
    );
}

#[test]
fn a_beat_too_few_is_found() {
    wide("shim_push", "is_long_now ? over_3[0] : over_2[0]", "over_2[0]");
}
