//! Faults in `rewrite_rx`.

use super::faults::text_is_found;

/// At 64 bits.
fn rx(text: &str, wrong: &str, most: usize) {
    text_is_found("rewrite_rx", &["bus_bits=64"], text, wrong, most);
}

#[test]
fn a_frame_cut_before_its_ip_header_is_whole() {
    rx("wire is_cut_in_ip = gap[7] || gap == 8'd0;", "wire is_cut_in_ip = gap[7];", 1);
}

#[test]
fn a_udp_header_may_lack_four_bytes() {
    rx("found_is_cut_in_udp = gap < 8'd3;", "found_is_cut_in_udp = gap < 8'd2;", 1);
}

#[test]
fn lengths_of_ip_and_udp_are_not_compared() {
    rx("wire found_is_contradiction = in_ip != {1'b0, ip_length};", "wire found_is_contradiction = 1'b0;", 1);
}

#[test]
fn padding_is_let_through_a_byte_too_long() {
    rx("frame_bytes > 17'h40", "frame_bytes > 17'h41", 1);
}

#[test]
fn an_ack_may_be_short() {
    rx("udp_length < 16'h2c", "udp_length < 16'h1c", 1);
}

#[test]
fn fragments_are_taken_for_whole_packets() {
    rx("ip_fragment != 14'd0 || ", "", 1);
}

#[test]
fn the_header_sum_is_not_restarted() {
    rx("wire [20:0] start = first_c ? 21'd0 : sum;", "wire [20:0] start = sum;", 2);
}

#[test]
fn opcodes_of_others_are_data() {
    rx("wire found_is_data = kind == 5'd0 && lead[15:13] == 3'd6;", "wire found_is_data = kind == 5'd0;", 1);
}

#[test]
fn unsupported_traffic_is_called_malformed() {
    rx(
        "pkt_malformed <= judge_4 && record_error != 3'd0 && record_error != 3'd4;",
        "pkt_malformed <= judge_4 && record_error != 3'd0;",
        1,
    );
}

#[test]
fn tuser_is_lost() {
    rx("assign m_axis_tuser = beats_head[72];", "assign m_axis_tuser = 1'b0;", 2);
}

#[test]
fn bytes_behind_the_last_are_kept() {
    rx("assign m_axis_tkeep = {kept[7:1], 1'b1};", "assign m_axis_tkeep = 8'hff;", 1);
}

#[test]
fn the_second_tag_is_not_counted() {
    rx("tags = 5'd5;", "tags = 5'd4;", 1);
}
