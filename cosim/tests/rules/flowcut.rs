//! Rules of Flowcut in a NIC: 002 section II-D, and what its page settles.

use respray_cosim::cores::flowcut::FlowcutCore;

use super::holds;

const COLUMNS: &str = "now,op,conn,bytes,rtx,recvd,timestamp,class,serial,expect,expect_draining,expect_drain_started,expect_drain_done,\
                       expect_drain_given_up,expect_order_risk,expect_ack_refused";

/// The rule holds in each variant with these settings. A line may end before its last columns.
fn rule(variants: &[&str], settings: &str, lines: &str) {
    let width = COLUMNS.split(',').count();
    let lines: Vec<String> = lines
        .trim()
        .lines()
        .map(|line| line.to_string() + &",".repeat(width - line.split(',').count()))
        .collect();
    for variant in variants {
        let text = format!("# respray: {settings}\n{COLUMNS}\n{}\n", lines.join("\n"));
        holds::<FlowcutCore>(&text, &[&format!("flowcut.variant={variant}")]);
    }
}

const BOTH: &[&str] = &["paper", "sticky"];

#[test]
fn packets_go_one_way_while_bytes_are_on_their_way() {
    let lines = |after: &str| {
        format!(
            "
0,send,3,1000,,,,,,new,0,0,0,0,0,0
1,send,3,500,,,,,,same,0,0,0,0,0,0
2,ack,3,,,1000,1,,,,,0,0,0,0,0
3,send,3,500,,,,,,same,0,0,0,0,0,0
4,ack,3,,,2000,3,,,,,0,0,0,0,0
5,send,3,1,,,,,,{after},0,0,0,0,0,0
6,send,4,1,,,,,,new,0,0,0,0,0,0"
        )
    };
    rule(&["paper"], "ratio=63", &lines("new"));
    rule(&["sticky"], "ratio=63", &lines("same"));
}

/// The average of one sample is that sample; a limit that is just met is not hot.
#[test]
fn a_hot_average_starts_a_drain_and_the_last_byte_ends_it() {
    rule(
        BOTH,
        "ratio=8",
        "
0,set_min,0,,,,100,,,
0,send,5,1000,,,,,,new,0
1,send,5,1000,,,,,,same,0
2,send,5,1000,,,,,,same,0
400,ack,5,,,1000,0,,,,,0,0,0,0,0
401,send,5,10,,,,,,same,0
402,ack,5,,,2000,2,,,,,0,0,0,0,0
403,init,6,,,0,,,,,,0,0,0,0,0
403,send,6,100,,,,,,new,0
404,send,6,100,,,,,,same,0
405,ack,6,,,100,4,,,,,1,0,0,0,0
406,send,6,10,,,,,,wait,1
407,send,6,10,1,,,,,same,1
408,send,5,10,,,,,,same,0
409,ack,6,,,200,9,,,,,0,1,0,0,0
410,send,6,10,,,,,,new,0,0,0,0,0,0
",
    );
}

#[test]
fn the_limit_goes_by_class_and_by_what_the_packet_itself_takes() {
    rule(
        BOTH,
        "ratio=4",
        "
0,set_min,0,,,,100,3,
0,set_min,0,,,,200,4,
0,send,1,10,,,,,,new,0
0,send,1,10,,,,,,same,0
0,send,2,10,,,,,,new,0
0,send,2,10,,,,,,same,0
0,send,3,10,,,,,,new,0
0,send,3,10,,,,,,same,0
400,ack,1,,,10,100,4,,,,0,0,0,0,0
400,ack,2,,,10,100,3,,,,1,0,0,0,0
400,ack,3,,,10,100,3,50,,,0,0,0,0,0
401,send,3,10,,,,,,same,0
402,ack,3,,,11,102,3,50,,,0,0,0,0,0
403,ack,3,,,12,102,3,50,,,1,0,0,0,0
",
    );
}

#[test]
fn an_rtt_below_the_floor_is_no_sample_and_the_least_one_is() {
    rule(
        BOTH,
        "ratio=2 rtt_floor=100",
        "
0,send,1,10,,,,,,new,0
0,send,1,10,,,,,,same,0
0,send,1,10,,,,,,same,0
1000,ack,1,,,1,921,,20,,,0,0,0,0,0
1000,ack,1,,,2,880,,20,,,0,0,0,0,0
1000,ack,1,,,3,879,,20,,,1,0,0,0,0
",
    );
}

#[test]
fn an_ack_of_nothing_new_or_of_bytes_never_sent_is_refused() {
    rule(
        BOTH,
        "ratio=63",
        "
0,ack,1,,,0,,,,,,0,0,0,0,1
0,ack,1,,,1,,,,,,0,0,0,0,1
0,init,1,,,16777200,,,,,,0,0,0,0,0
1,send,1,100,,,,,,new,0
2,ack,1,,,16777200,,,,,,0,0,0,0,1
3,ack,1,,,85,,,,,,0,0,0,0,1
4,ack,1,,,16777199,,,,,,0,0,0,0,1
5,ack,1,,,10,5,,,,,0,0,0,0,0
6,ack,1,,,16777210,,,,,,0,0,0,0,1
7,ack,1,,,10,,,,,,0,0,0,0,1
8,ack,1,,,84,8,,,,,0,0,0,0,0
9,ack,1,,,84,,,,,,0,0,0,0,1
",
    );
}

#[test]
fn half_the_circle_of_counts_is_never_on_its_way() {
    let mut lines = "0,init,9,,,8388600,,,,,,0\n0,send,9,16383,,,,,,new,0\n".to_string();
    lines.push_str(&"0,send,9,16383,,,,,,same,0\n".repeat(511));
    lines.push_str(
        "0,send,9,512,,,,,,wait,0
0,send,9,511,,,,,,same,0
0,send,9,1,,,,,,wait,0
0,send,9,1,1,,,,,same,0
0,ack,9,,,8388601,0,,,,,0,0,0,0,0
0,send,9,1,,,,,,same,0
0,send,9,1,,,,,,wait,0
0,ack,9,,,8388600,0,,,,,0,0,0,0,1
0,ack,9,,,16777208,0,,,,,0,0,0,0,0",
    );
    rule(BOTH, "ratio=63", &lines);
}

#[test]
fn a_timeout_ends_a_drain_and_takes_the_ev_away_only_where_it_is_told_to() {
    let lines = |again: &str, risk: u8| {
        format!(
            "
0,set_min,0,,,,10,,,
0,send,1,10,,,,,,new,0
0,send,1,10,,,,,,same,0
100,ack,1,,,10,0,,,,,1,0,0,0,0
101,send,1,10,,,,,,wait,1
102,timeout,1,,,,,,,,,0,0,1,0,0
103,timeout,1,,,,,,,,,0,0,0,0,0
104,send,1,10,,,,,,{again},0,0,0,0,{risk},0
105,send,1,10,,,,,,same,0,0,0,0,0,0"
        )
    };
    rule(BOTH, "ratio=4 timeout_reroutes=0", &lines("same", 0));
    rule(BOTH, "ratio=4 timeout_reroutes=1", &lines("new", 1));
}

#[test]
fn what_does_not_hold_lets_a_draining_connection_send() {
    rule(
        BOTH,
        "ratio=4 hold=0",
        "
0,set_min,0,,,,10,,,
0,send,1,10,,,,,,new,0
0,send,1,10,,,,,,same,0
100,ack,1,,,10,0,,,,,1,0,0,0,0
101,send,1,10,,,,,,same,1
102,ack,1,,,20,0,,,,,0,0,0,0,0
103,ack,1,,,30,0,,,,,0,1,0,0,0
104,send,1,10,,,,,,new,0
",
    );
}

/// The average goes on from the value that `init` gives, and a flowcut that empties hot ends.
#[test]
fn sticky_keeps_the_average_and_leaves_a_hot_path_when_it_empties() {
    rule(
        &["sticky"],
        "ratio=4 alpha=1",
        "
0,set_min,0,,,,100,,,
0,init,1,,,0,300,,,,,0,0,0,0,0
0,send,1,10,,,,,,new,0
100,ack,1,,,10,0,,,,,0,0,0,0,0
101,send,1,10,,,,,,same,0
301,ack,1,,,20,101,,,,,0,0,0,0,0
302,send,1,10,,,,,,same,0
504,ack,1,,,30,302,,,,,0,0,0,0,0
505,send,1,10,,,,,,new,0
",
    );
}

#[test]
fn an_init_with_bytes_on_their_way_is_a_risk() {
    rule(
        BOTH,
        "ratio=63",
        "
0,send,1,10,,,,,,new,0,0,0,0,0,0
0,init,1,,,5,,,,,,0,0,0,1,0
0,send,1,10,,,,,,new,0,0,0,0,0,0
0,ack,1,,,15,,,,,,0,0,0,0,0
0,init,1,,,5,,,,,,0,0,0,0,0
",
    );
}
