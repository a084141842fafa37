//! Rules of STrack's window: 004 Algorithms 1, 2 and 4.
//!
//! Delays are those of round-trip times above a base of 100 ticks; a window of a packet is 65536.

use respray_cosim::cores::strack_cc::StrackCcCore;

use super::holds;

/// The rule holds with these settings on top of a base RTT of 100 ticks, targets of 100 and 300, and no increase for fairness.
fn rule(settings: &str, columns: &str, lines: &str) {
    let usual = "net_base_rtt=100 target_qdelay=100 target_qhigh=300 alpha=4096 beta=1024 eta=0 gamma=16384 max_cwnd=10";
    holds::<StrackCcCore>(&format!("# respray: {usual} {settings}\n{columns}\n{}\n", lines.trim()), &[]);
}

#[test]
fn what_is_not_initialised_or_has_no_mtu_is_refused_and_shows_nothing() {
    rule(
        "",
        "now,op,conn,ecn,timestamp,mtu_log2,max_cwnd,expect_status,expect_cwnd,expect_cwnd_packets,expect_delay,expect_action,expect_fair",
        "
1000,read,3,,,,,7,0,0,0,0,0
1000,ack,3,,900,,,7,0,0,0,0,0
1000,init,3,,,,,,,,,,
1500,read,3,,,,,0,655360,10,0,0,0
1500,read,3,,,7,,7,0,0,0,0,0
1500,read,3,,,14,,7,0,0,0,0,0
1500,ack,3,,900,7,,7,0,0,0,0,0
1500,ack,3,1,1400,8,,0,655360,10,0,0,1
1500,ack,3,1,1400,13,,0,655360,10,0,0,0
1500,read,4,,,,,7,0,0,0,0,0
1500,init,4,,,14,0,,,,,,
1500,read,4,,,,,0,65536,1,0,0,0
",
    );
}

#[test]
fn an_unmarked_ack_below_the_target_increases_in_proportion_and_one_with_a_high_delay_by_addition() {
    rule(
        "",
        "now,op,conn,ecn,timestamp,max_cwnd,expect_cwnd,expect_delay,expect_action,expect_fair",
        "
1000,init,0,,,4,,,,
1050,ack,0,,910,,277504,40,1,0
1000,init,0,,,4,,,,
1050,ack,0,,600,,327680,350,2,0
1000,init,0,,,4,,,,
1050,ack,0,,650,,262144,300,0,0
1050,ack,0,,649,,327680,301,2,0
1000,init,0,,,4,,,,
1050,ack,0,,850,,262144,100,0,0
1050,ack,0,,851,,262400,99,1,0
1000,init,0,,,4,,,,
1050,ack,0,1,910,,262144,40,0,0
1050,ack,0,1,600,,262144,350,0,0
",
    );
}

#[test]
fn an_increase_stops_at_256_packets_squared_and_a_full_window_stays() {
    rule(
        "alpha=65535 target_qdelay=65535 target_qhigh=65535 max_cwnd=1023",
        "now,op,conn,timestamp,max_cwnd,expect_cwnd,expect_delay,expect_action",
        "
1000,init,0,,1,,,
1050,ack,0,950,,16842751,0,1
1050,ack,0,950,257,16842752,0,1
1050,ack,0,950,257,16842752,0,1
1050,ack,0,950,9,589824,0,1
",
    );
}

#[test]
fn fairness_is_due_when_more_than_a_base_rtt_is_over() {
    rule(
        "eta=256",
        "now,op,conn,ecn,timestamp,max_cwnd,expect_cwnd,expect_action,expect_fair",
        "
65500,init,0,,,4,,,
64,ack,0,1,65500,,262144,0,0
65,ack,0,1,65501,,266240,0,1
165,ack,0,1,65,,266240,0,0
166,ack,0,1,66,,270336,0,1
",
    );
}

#[test]
fn a_marked_ack_cuts_once_a_base_rtt_by_what_the_average_is_above_the_target() {
    rule(
        "target_qdelay=10",
        "now,op,conn,ecn,timestamp,gamma,expect_cwnd,expect_delay,expect_action,expect_fair",
        "
1000,init,0,,,,,,,
1100,ack,0,1,600,,655360,400,0,0
1000,init,0,,,,,,,
1101,ack,0,1,601,,524290,400,3,1
1201,ack,0,1,701,,524290,400,0,0
1202,ack,0,1,702,65535,262145,400,3,1
1000,init,0,,,,,,,
1101,ack,0,1,981,,655360,20,0,1
",
    );
}

#[test]
fn an_unmarked_ack_between_the_targets_cuts_while_the_average_is_above() {
    rule(
        "target_qdelay=10",
        "now,op,conn,ecn,timestamp,expect_cwnd,expect_delay,expect_action",
        "
1000,init,0,,,,,
1101,ack,0,0,981,655360,20,0
1101,ack,0,0,901,602600,100,3
",
    );
}

/// A period is 110 ticks; an eighth of the largest window is 5120 bytes.
#[test]
fn a_high_delay_cuts_to_the_bytes_of_the_last_whole_period_if_they_are_few() {
    let achieved = |bytes: &str, probe: &str, second: u32, expect: &str| {
        format!(
            "
1000,init,0,,,,,,,
1010,ack,0,1,{probe},{bytes},910,655360,0,0
{second},ack,0,1,,0,{},{expect}
",
            second - 500
        )
    };
    let columns = "now,op,conn,ecn,probe,bytes,timestamp,expect_cwnd,expect_delay,expect_action";
    for (bytes, probe, second, expect) in [
        ("4096", "", 1121, "65536,400,4"),
        ("5119", "", 1121, "81904,400,4"),
        ("5120", "", 1121, "524290,400,3"),
        // the period is not over
        ("4096", "", 1120, "524290,400,3"),
        // nothing but a probe was answered: a packet at least
        ("5120", "1", 1121, "65536,400,4"),
    ] {
        rule("target_qdelay=10", columns, &achieved(bytes, probe, second, expect));
    }
}

#[test]
fn bytes_of_a_period_stop_at_20_bits() {
    rule(
        "target_qdelay=10",
        "now,op,conn,ecn,bytes,timestamp,expect_cwnd,expect_action",
        "
1000,init,0,,,,,
1010,ack,0,1,1048575,910,655360,0
1010,ack,0,1,4097,910,655360,0
1121,ack,0,1,0,621,524290,3
",
    );
}

#[test]
fn the_base_rtt_falls_with_the_rtt_but_not_below_what_is_believed() {
    rule(
        "",
        "now,op,conn,ecn,timestamp,min_base_rtt,expect_delay,expect_action",
        "
1000,init,0,,,,,
1050,ack,0,1,990,,0,0
1050,ack,0,1,950,,40,0
1000,init,0,,,,,
1050,ack,0,0,990,61,65496,2
1050,ack,0,1,950,61,0,0
1050,ack,0,1,990,60,0,0
1050,ack,0,1,950,60,40,0
",
    );
}

#[test]
fn what_is_no_ack_changes_nothing_and_a_read_shows_what_is_stored() {
    rule(
        "",
        "now,op,conn,ecn,timestamp,max_cwnd,expect_status,expect_cwnd",
        "
1000,init,0,,,,,
5000,nack,0,1,900,,,
5000,timeout,0,1,900,,,
5000,reserved5,0,1,900,,,
5000,reserved6,0,1,900,,,
5000,reserved7,0,1,900,,,
5000,read,0,,,5,0,655360
5000,ack,0,1,4900,5,0,327680
",
    );
}
