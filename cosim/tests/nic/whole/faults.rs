//! Faults at the joints of the joined block that the profile `uet` alone has, each of which the comparison has to find.

use respray_golden::wire::Profile;

use super::{Pair, probes_and_timeouts, run};
use crate::nic::joints::{Fault, faulty};

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

#[test]
#[ignore = "a model of its own"]
fn faults_at_the_joints_of_uet_are_found() {
    let with = |fault: usize| {
        let mut pair = Pair::new(Profile::Uet, "small", |verilog| faulty(verilog, &UET_FAULTS));
        pair.device.set("fault", fault as u64);
        pair
    };
    run(with(0), 1, 300).unwrap_or_else(|error| panic!("{error}"));
    for fault in 1..=UET_FAULTS.len() {
        let found = run(with(fault), 1, 600).is_err() || probes_and_timeouts(with(fault)).is_err();
        assert!(found, "fault {fault} is not found: {:?}", UET_FAULTS[fault - 1]);
    }
}
