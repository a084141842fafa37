//! The block with a window for each connection.

use respray_cosim::nic::{Difference, End};

use super::{Block, config_with, run};
use crate::nic::joints::{Fault, faulty};

/// Settings of `strack_cc` with which its windows move in these short round trips, in ticks of 16 cycles.
const SETTINGS: [(&str, u32); 7] = [
    ("net_base_rtt", 40),
    ("target_qdelay", 2),
    ("target_qhigh", 6),
    ("alpha", 20_000),
    ("max_cwnd", 32),
    ("mtu_log2", 8),
    ("probe_timeout", 40),
];

const FAULTS: [Fault; 12] = [
    // a round trip that is a tick longer
    ("ack_rtt", "scoreboard_ack_rtt", "scoreboard_ack_rtt + 16'd1"),
    // a time that is not the present one
    ("now", "registers_wire_time", "registers_wire_time + 16'd1"),
    // the mark of an ACK is not told
    ("op_ecn", "window_op_ecn", "1'b0"),
    // an ACK of data is taken for one of a probe
    ("ack_probe", "receiver_heard_probe", "1'b1"),
    // a byte too many is acknowledged
    ("answer_bytes", "sack_tx_res_bytes_acked", "sack_tx_res_bytes_acked + 20'd1"),
    // an ACK that cannot be true is believed
    ("answer_status", "sack_tx_res_status", "3'd0"),
    // an init is forgotten
    ("sack_op_kind", "scoreboard_op_kind", "scoreboard_op_kind & 3'd5"),
    // a window is written with one packet less
    ("res_packets", "congestion_res_cwnd_packets", "congestion_res_cwnd_packets - 12'd1"),
    // rule 1 goes by the window of another connection
    ("ack_conn", "receiver_heard_conn[3:0]", "receiver_heard_conn[3:0] ^ 4'd1"),
    // what may be sent again goes by the window of another connection
    ("look_conn", "recovery_head_conn", "recovery_head_conn ^ 4'd1"),
    // a send goes by the window of another connection
    ("wanted_conn", "spray_op_conn[3:0]", "spray_op_conn[3:0] ^ 4'd1"),
    // the host is told of a window that is too large
    ("event2_detail", "window_event_detail", "window_event_detail + 16'd1"),
];

fn block(change: impl Fn(String) -> String) -> Block {
    Block::new(config_with(&["nic.window=strack", "nic.selector=strack"]), change, false)
}

fn traffic(block: &Block, cycles: u64) -> Result<End, Difference> {
    run(block, (2, 0.02), cycles, &SETTINGS)
}

#[test]
fn the_block_with_windows_agrees_in_every_cycle() {
    let end = traffic(&block(|text| text), 30_000).unwrap_or_else(|difference| panic!("{difference}"));
    let windows = [0, 1, 2, 3].map(|conn| end.golden().cwnd_packets(conn));
    assert!(windows.iter().any(|window| (1..32).contains(window)), "{windows:?}");
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn faults_of_the_window_are_found() {
    let mut block = block(|text| faulty(text, &FAULTS));
    let mut wrong = Vec::new();
    for (number, fault) in (0..).zip([None].into_iter().chain(FAULTS.iter().map(Some))) {
        block.fault = Some(number);
        let found = traffic(&block, 300_000).err();
        println!("{fault:?}: {found:?}");
        if found.is_some() != fault.is_some() {
            wrong.push(fault);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
