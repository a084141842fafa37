//! Faults in `rewrite_tx`.

use respray_hdl::manifest::Direction;

use super::faults::{found, text_is_found};
use super::generated;

/// At 64 bits.
fn tx(text: &str, wrong: &str, most: usize) {
    text_is_found("rewrite_tx", &["bus_bits=64"], text, wrong, most);
}

fn tx_512(text: &str, wrong: &str, most: usize) {
    text_is_found("rewrite_tx", &["bus_bits=512"], text, wrong, most);
}

fn uet(text: &str, wrong: &str, most: usize) {
    text_is_found("rewrite_tx", &["bus_bits=64", "wire=uet"], text, wrong, most);
}

#[test]
fn the_second_tag_moves_nothing() {
    tx("place_tags = 2'd2;", "place_tags = 2'd1;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn ihl_does_not_move_the_udp_length() {
    tx("header_held <= place_is_ip4 ? place_udp - front :", "header_held <= place_is_ip4 ? 5'd5 :", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_packet_by_ipv6_counts_its_header() {
    tx("place_udp - front : 5'd0;", "place_udp - front : 5'd10;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_traffic_class_gets_ce() {
    tx("(second & 8'hcf) | 8'h20", "(second & 8'hcf) | 8'h30", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn more_fragments_are_no_fragments() {
    tx("(even_5 & 16'h3fff)", "(even_5 & 16'h1fff)", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_frame_cut_before_its_ip_header_is_whole() {
    tx("is_cut_in_ip = last_3 && present[8];", "is_cut_in_ip = 1'b0;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn ports_are_compared_by_their_low_bytes() {
    tx("captured_even_half_odd_step == udp_port", "captured_even_half_odd_step[7:0] == udp_port[7:0]", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn padding_is_refused() {
    tx("is_above_64 <= (end_2 >> 3'd6) != 8'd0;", "is_above_64 <= 1'b1;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_may_be_a_byte_short() {
    tx("ip_length_complement > 17'h1ffd3", "ip_length_complement > 17'h1ffd4", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn opcodes_of_others_are_ours() {
    tx("found_is_ack = kind == 16'hc100;", "found_is_ack = kind == 16'hc100 || kind[15:9] == 7'h61;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_bad_checksum_is_passed_as_well() {
    tx("&& !malformed_5 && !is_bad_sum;", "&& !malformed_5;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_carry_of_the_udp_checksum_falls_off() {
    tx("around_1 = {most_1[14:0], most_1[15]};", "around_1 = {most_1[14:0], 1'b0};", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_last_carry_does_not_go_around() {
    tx("second_term = {sum, is_over};", "second_term = {sum, 1'b0};", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_udp_checksum_of_zero_is_updated() {
    tx("plan_is_summed <= checksum != 16'd0;", "plan_is_summed <= 1'b1;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn ev_and_timestamp_add_without_their_carry() {
    tx("{15'd0, both_2[16]}", "16'd0", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_ipv4_checksum_adds_without_its_carry() {
    tx("{15'd0, marked_sum[16]}", "16'd0", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_ipv4_sum_runs_on_from_packet_to_packet() {
    tx("low_kept = first_4 ?", "low_kept = 1'b0 ?", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn ev_and_timestamp_are_exchanged() {
    tx("held_ev_in_even <= ev;", "held_ev_in_even <= timestamp;", 1);
}

#[test]
fn a_right_checksum_is_known_too_late() {
    tx_512("judge_5 && plan_read == newest ? !is_bad_sum : checksums_read_data", "checksums_read_data", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn half_of_a_port_is_written() {
    tx("enables_0 = enables_0 | 4'hc;", "enables_0 = enables_0 | 4'd4;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn beats_are_counted_on_into_the_next_packet() {
    tx("beat_0 <= 5'd0;", "beat_0 <= 5'd1;", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn bytes_behind_the_last_are_kept() {
    tx("assign m_keep = {keep_held[7:1], 1'b1};", "assign m_keep = 8'hff;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn one_beat_more_goes_in() {
    tx("localparam [5:0] LIMIT = 6'h18;", "localparam [5:0] LIMIT = 6'h19;", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_beat_is_not_held_under_backpressure() {
    tx("m_valid <= takes || (m_valid && !is_free);", "m_valid <= takes;", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_beat_is_read_before_it_is_written() {
    tx(": |filled;", ": |(filled + {5'd0, push});", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_pair_that_both_beats_can_add_is_lost() {
    tx_512("{1'b0, pair_5} | {1'b0, pair_0}", "{1'b0, pair_5}", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_timestamp_is_looked_for_a_beat_late() {
    tx_512(
        "(udp_lane == 5'hc && (is_stamp & 4'd2) != 4'd0)",
        "(udp_lane == 5'hc && (is_stamp & 4'd4) != 4'd0)",
        1,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_timestamp_behind_two_tags_and_all_options_is_not_found() {
    tx_512(
        "late_any_1 = late_held_1 | late_held_3 | late_held_5 | late_held_7 | late_held_9",
        "late_any_1 = late_held_1 | late_held_3 | late_held_5 | late_held_7",
        2,
    );
}

#[test]
fn an_ack_cc_may_be_a_byte_short() {
    uet("ip_length_complement > 17'h1ffd7", "ip_length_complement > 17'h1ffd8", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn acks_are_not_ours() {
    uet("kind == 16'h3800 || kind == 16'h4000", "kind == 16'h4000", 1);
}

/// At 64 bits, from outside: the core is wrapped, with one of its connections wrong.
fn outside(port: &str, wrong: &str) {
    let core = generated("rewrite_tx", &["bus_bits=64"]);
    let inside = core.verilog.replace("module rewrite_tx (", "module rewrite_tx_own (");
    assert_ne!(inside, core.verilog);
    let (mut header, mut connections) = (Vec::new(), Vec::new());
    for info in &core.manifest.ports {
        let name = &info.name;
        let direction = if info.direction == Direction::Input { "input" } else { "output" };
        header.push(format!("{direction} [{}:0] {name}", info.width - 1));
        connections.push(format!(".{name}({})", if name == port { wrong } else { name }));
    }
    let wrapper = format!(
        "module rewrite_tx ({});\nreg [15:0] ev_before; wire spoilt; reg [6:0] edges;\n\
         always @(posedge clk) begin ev_before <= s_ev; edges <= rst ? 7'd0 : edges + 7'd1; end\n\
         {}rewrite_tx_own own ({});\nendmodule\n",
        header.join(", "),
        match port {
            "m_axis_tvalid" => "assign m_axis_tvalid = spoilt & (edges != 7'd20);\n",
            "m_axis_tlast" => "assign m_axis_tlast = spoilt & !m_axis_tuser;\n",
            "pkt_malformed" => "assign pkt_malformed = spoilt & m_axis_tready;\n",
            _ => "assign spoilt = 1'b0;\n",
        },
        connections.join(", ")
    );
    found(&core, &format!("{inside}\n{wrapper}"), 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_ev_is_sampled_an_edge_late() {
    outside("s_ev", "ev_before");
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_beat_is_withdrawn_once() {
    outside("m_axis_tvalid", "spoilt");
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_last_beat_goes_missing_where_tuser_is_set() {
    outside("m_axis_tlast", "spoilt");
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_event_is_lost_under_backpressure() {
    outside("pkt_malformed", "spoilt");
}
