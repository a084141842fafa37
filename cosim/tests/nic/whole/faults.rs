//! The joined block with faults at its joints, each of which the comparison has to find.

use respray_golden::wire::Profile;

use super::{Pair, probes_and_timeouts, run};

/// A port of a part, what drives it, and what drives it while the fault is there.
type Fault = (&'static str, &'static str, &'static str);

const STRACK_FAULTS: [Fault; 8] = [
    // a timestamp that is a tick late
    ("grant_timestamp", "registers_wire_time", "registers_wire_time + 16'd1"),
    // the mark of an ACK is not told to the selector
    ("ack_ecn", "receiver_heard_ecn", "1'b0"),
    // a connection in recovery is forgotten
    ("add_valid", "scoreboard_recovery_add", "1'b0"),
    // a probe goes the way of another connection
    ("conn", "sender_m_conn[3:0]", "sender_m_conn[3:0] ^ 4'd1"),
    // an ACK is taken for that of another connection
    ("ack_conn", "receiver_heard_conn", "receiver_heard_conn ^ 24'd1"),
    // an ACK returns an EV that no packet had
    ("ack_ev", "receiver_heard_ev", "receiver_heard_ev ^ 16'd1"),
    // what passes unchanged is not counted
    ("passed", "sender_pkt_passed", "1'b0"),
    // an event has the PSN of the packet behind
    ("event0_psn", "scoreboard_event_psn", "scoreboard_event_psn + 32'd1"),
];

const UET_FAULTS: [Fault; 7] = [
    // an ACK that gives no round trip has one
    ("ack_untimed", "timing_heard_untimed", "1'b0"),
    // an ACK is taken for that of the packet up to which all came
    ("ack_offset", "receiver_heard_offset", "16'd0"),
    // probes are not timed
    ("probed", "prober_count_tx_probes", "1'b0"),
    // a SACK goes to a connection that the packet did not come from
    ("job_source_pdc", "last_requests_source_pdc", "last_requests_source_pdc ^ 16'd1"),
    // a PSN has but the bits that the engines have
    ("job_wire_psn", "last_requests_wire_psn", "last_requests_wire_psn & 32'h00ffffff"),
    // the SACK of a retransmission does not say so
    ("job_retransmit", "receiver_answer_retransmit", "1'b0"),
    // the probe of an ordered connection is not
    ("job_ordered", "last_requests_ordered", "1'b0"),
];

/// The joined block with all faults, and an input that says which of them is there.
fn faulty(verilog: String, faults: &[Fault]) -> String {
    let (parts, top) = verilog.split_once("\nmodule nic (\n").expect("the top");
    let mut lines: Vec<String> = top.lines().map(String::from).collect();
    for (at, (port, right, wrong)) in (1..).zip(faults) {
        let is_it = |line: &&mut String| {
            line.trim_start()
                .strip_prefix(&format!(".{port} "))
                .is_some_and(|rest| rest.trim_start().trim_end_matches(',') == format!("({right})"))
        };
        let mut found: Vec<&mut String> = lines.iter_mut().filter(is_it).collect();
        assert_eq!(found.len(), 1, "{port} of {right}");
        *found[0] = found[0].replace(right, &format!("fault == 4'd{at} ? {wrong} : {right}"));
    }
    format!("{parts}\nmodule nic (\n    input  wire [3:0] fault,\n{}\n", lines.join("\n"))
}

#[test]
#[ignore = "a model of its own"]
fn faults_at_the_joints_are_found() {
    for (profile, faults) in [(Profile::Strack, &STRACK_FAULTS[..]), (Profile::Uet, &UET_FAULTS)] {
        let with = |fault: usize| {
            let mut pair = Pair::new(profile, |verilog| faulty(verilog, faults));
            pair.device.set("fault", fault as u64);
            pair
        };
        run(with(0), 1, 300).unwrap_or_else(|error| panic!("{error}"));
        for fault in 1..=faults.len() {
            let found = run(with(fault), 1, 600).is_err() || probes_and_timeouts(with(fault)).is_err();
            assert!(found, "fault {fault} is not found: {:?}", faults[fault - 1]);
        }
    }
}
