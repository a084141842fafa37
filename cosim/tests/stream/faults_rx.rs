//! Faults in `rewrite_rx`.

use super::faults::text_is_found;

/// At 64 bits.
fn rx(text: &str, wrong: &str, most: usize) {
    text_is_found("rewrite_rx", &["bus_bits=64"], text, wrong, most);
}

#[test]
fn a_frame_cut_before_its_ip_header_is_whole() {
    rx("is_cut_in_ip = last_3 && present[17];", "is_cut_in_ip = 1'b0;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_udp_header_may_lack_four_bytes() {
    rx("localparam [16:0] UDP_BYTES = 17'd8;", "localparam [16:0] UDP_BYTES = 17'd4;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn lengths_of_ip_and_udp_are_not_compared() {
    rx("findings_is_contradiction <= is_contradiction;", "findings_is_contradiction <= 1'b0;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn padding_is_let_through_a_byte_too_long() {
    rx("is_above_64 <= (end_2 >> 3'd6) != 17'd0;", "is_above_64 <= end_2 > 17'd64;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_may_be_short() {
    rx("ip_length_complement > 17'h1ffd3", "ip_length_complement > 17'h1ffe3", 1);
}

#[test]
fn no_ack_answers_a_probe() {
    rx("assign record_ack_probe = ack[90];", "assign record_ack_probe = 1'b0;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn fragments_are_taken_for_whole_packets() {
    rx("is_foreign = is_fragment_0 || is_other_4_0;", "is_foreign = is_other_4_0;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_header_sum_is_not_restarted() {
    rx("low_kept = first_4 ?", "low_kept = 1'b0 ?", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn opcodes_of_others_are_data() {
    rx("found_is_data = kind == 16'hc000;", "found_is_data = kind[12:8] == 5'd0;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn unsupported_traffic_is_called_malformed() {
    rx(
        "pkt_malformed <= judge_5 && mark_error != 3'd0 && mark_error != 3'd4;",
        "pkt_malformed <= judge_5 && mark_error != 3'd0;",
        1,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn tuser_is_lost() {
    rx("assign m_axis_tuser = beats_head[72];", "assign m_axis_tuser = 1'b0;", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn bytes_behind_the_last_are_kept() {
    rx("assign m_axis_tkeep = {kept[7:1], 1'b1};", "assign m_axis_tkeep = 8'hff;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_second_tag_is_not_counted() {
    rx("found_tags = 2'd2;", "found_tags = 2'd1;", 1);
}
