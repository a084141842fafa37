//! The block of Ultra Ethernet, which has the receiver and the scoreboard of that: random traffic with frames of every type, and faults.

use respray_cosim::nic::Difference;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::nic::Counter;

use super::found::{self, at_joints_are_found};
use super::pairs::{options, passes};
use super::{Block, config_with};
use crate::nic::joints::{Fault, faulty};

const UET: [&str; 3] = ["wire=uet", "sack.acks=uet", "sack.window=128"];

/// What is counted in a few rounds of random traffic, each at least this often.
const COUNTED: [Counter; 24] = [
    Counter::TxData,
    Counter::TxAgain,
    Counter::TxProbes,
    Counter::TxOther,
    Counter::TxRefused,
    Counter::TxSacks,
    Counter::TxNacks,
    Counter::RxNew,
    Counter::RxDuplicate,
    Counter::RxOutside,
    Counter::RxNotOpen,
    Counter::RxMarked,
    Counter::RxProbes,
    Counter::RxUnbound,
    Counter::RxOtherPeer,
    Counter::RxTrimmed,
    Counter::RxControl,
    Counter::RxAcks,
    Counter::RxAcksOld,
    Counter::RxAcksBad,
    Counter::RxNacks,
    Counter::RxNacksBad,
    Counter::LossTimeout,
    Counter::Dead,
];

/// What drives a port, and what does so with a fault.
const JOINTS: [Fault; 31] = [
    // an ACK without a bitmap says an MPR; no setting says the first one
    ("sack_tx.op_has_sack", "receiver_heard_typed_has_sack", "1'b1"),
    ("scoreboard.default_mpr", "registers_default_mpr", "8'd1"),
    // a probe leaves where none is to, or to nobody; it names other PSNs
    ("prober.own_probes", "registers_probe", "1'b1"),
    ("prober.looked_is_bound", "timing_probe_is_bound", "1'b1"),
    ("prober.due_psns", "due_head_psn", "64'd0"),
    ("answer.job_typed_from", "prober_job_from", "32'd0"),
    // a control packet of the host is taken for data
    ("scoreboard.req_is_probe", "sender_req_is_probe", "1'b0"),
    // a packet of another PDC than the peer's is taken in; one of the other kind of delivery is; one that was trimmed with SYN is looked up
    ("receiver.refused", "timing_refused", "1'b0"),
    ("timing.look_has_order", "receiver_look_has_order", "1'b0"),
    ("timing.look_is_exempt", "receiver_look_is_exempt", "1'b0"),
    // an ACK of another PDC is believed; no ACK says who the peer is
    ("scoreboard.ack_is_refused", "timing_heard_is_refused", "1'b0"),
    ("timing.bind_takes", "scoreboard_bind_takes", "1'b0"),
    // a command for receiving is taken for one for sending
    ("timing.tx_changed", "scoreboard_renewed", "1'b0"),
    // a trimmed packet, a control packet, RETX are not seen
    ("sack_rx.op_last_hop", "receiver_rx_op_typed_last_hop", "1'b0"),
    ("sack_rx.op_control", "receiver_rx_op_typed_control", "1'b0"),
    ("sack_rx.op_retransmit", "receiver_rx_op_typed_retransmit", "1'b0"),
    ("receiver.rx_sack_timestamp", "sack_rx_res_echo", "16'd0"),
    // a NACK is sent as an ACK, or with another code; what an ACK repeats is another thing
    ("answer.job_typed_is_nack", "receiver_answer_typed_is_nack", "1'b0"),
    ("answer.job_typed_code", "receiver_answer_typed_code", "8'd1"),
    ("answer.job_typed_says", "receiver_answer_typed_says", "2'd0"),
    ("answer.dscp", "registers_dscp_control", "6'd46"),
    // a NACK is heard as an ACK; its code, its payload are not heard
    ("scoreboard.ack_typed_is_nack", "receiver_heard_typed_is_nack", "1'b0"),
    ("sack_tx.op_code", "timing_heard_code", "8'd0"),
    ("scoreboard.ack_typed_payload", "receiver_heard_bytes", "32'd0"),
    // too many ACKs go to the host, or with a status that they do not have
    ("receiver.rx_acks", "registers_rx_acks", "2'd2"),
    ("receiver.ack_told_status", "scoreboard_ack_told_status", "3'd0"),
    // a connection in order sends or is received as one that is not
    ("scoreboard.opens_in_order", "registers_command_mode[0]", "1'b0"),
    ("sack_rx.op_ordered", "registers_command_mode[0]", "1'b0"),
    ("sack_tx.op_ordered", "registers_command_mode[0]", "1'b0"),
    // an event of an upper kind is told as one of the lower; the sizes of packets lack their headers
    ("events.event0_kind_high", "scoreboard_event_kind_high", "1'b0"),
    ("sender.nominal_extra", "registers_nominal_extra", "8'd60"),
];

pub(super) fn block(sets: &[&str], change: impl Fn(String) -> String) -> Block {
    let sets = [&UET[..], sets].concat();
    Block::new(config_with(&sets), change, false)
}

/// Random traffic: what these counters have come to.
fn traffic(block: &Block, seed: u64) -> Result<[u64; COUNTED.len()], Difference> {
    found::traffic(block, seed, &["ack_type", "command_peer", "event_enable", "rx_acks"], COUNTED)
}

/// Rounds of it with these seeds; what the counters have come to.
fn rounds(sets: &[&str], seeds: std::ops::Range<u64>) -> [u64; COUNTED.len()] {
    let block = block(sets, |verilog| verilog);
    let mut sums = [0; COUNTED.len()];
    for seed in seeds {
        let counts =
            traffic(&block, seed).unwrap_or_else(|difference| panic!("{sets:?}, seed {seed}: {difference}"));
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    sums
}

#[test]
fn random_traffic_agrees() {
    for (counter, sum) in COUNTED.iter().zip(rounds(&["bus_bits=64"], 0..8)) {
        assert!(sum > 0, "{} is never counted", counter.name());
    }
}

#[test]
#[ignore = "a model for each width"]
fn random_traffic_agrees_at_each_width() {
    for sets in [
        &["bus_bits=128", "connections=256", "sack.window=256"][..],
        &["bus_bits=256", "nic.selector=ops", "sack.window=512"],
        &["bus_bits=512", "nic.loss_feedback=any"],
        &["bus_bits=512", "nic.selector=plb", "nic.loss_feedback=none", "selector.time_bits=16"],
    ] {
        rounds(sets, 0..16);
    }
}

/// Each of these faults is found, in one model that has them all. Not among them is an ACK without a state that is taken for one with it: no
/// bytes then are older than any count below 2^31.
#[test]
#[ignore = "a model of its own, and many rounds"]
fn faults_at_joints_are_found() {
    let mut block = block(&["bus_bits=64", "sack.window=256"], |verilog| faulty(verilog, &JOINTS));
    at_joints_are_found(&mut block, &JOINTS, |block| (0..40).find_map(|seed| traffic(block, seed).err()));
}

/// Hosts of two blocks, whose messages arrive once through loss and reordering.
#[test]
fn a_lossy_pair_delivers_once() {
    let folder = tempfile::tempdir().unwrap();
    let report = passes(&config_with(&UET), &options(Scenario::Lossy, 40_000, folder.path()));
    let count = |name| report.run.counts.get(name);
    assert!(count("data_packets") > 100 && count("data_packets_again") > 10, "{:?}", report.run.counts);
    assert!(count("sacks") > 50, "{:?}", report.run.counts);
}

#[test]
#[ignore = "a model for each configuration"]
fn lossy_pairs_pass_in_every_kind_of_configuration() {
    for sets in [
        &["bus_bits=512"][..],
        &["bus_bits=256", "sack.window=512", "connections=256", "nic.selector=ops"],
        &["bus_bits=128", "nic.selector=plb", "nic.loss_feedback=any"],
        &["nic.selector=ecmp", "sack.window=256"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = config_with(&[&UET[..], sets].concat());
        let report = passes(&config, &options(Scenario::Lossy, 1_000_000, folder.path()));
        assert!(report.run.counts.get("data_packets_again") > 500, "{sets:?}: {:?}", report.run.counts);
    }
}
