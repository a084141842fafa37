//! A block that gives its host ports of connections in the place of EVs: at each width of the bus, in pairs, and with faults within.

use respray_cosim::nic::Difference;
use respray_golden::nic::Counter;

use super::found::{self, Within, instead, lossy_pair, within_are_found};
use super::{Block, config_with};

/// What stands in the Verilog once, and what stands there with a fault.
const WITHIN: [Within; 8] = [
    // a connection that is not open has a port, or duplicates have none
    ("wire patch_is_written = has_data & (statuses_head != 3'd7);", "wire patch_is_written = has_data;"),
    (
        "wire patch_is_written = has_data & (statuses_head != 3'd7);",
        "wire patch_is_written = has_data & (statuses_head == 3'd0);",
    ),
    // the second tag is not seen
    ("wire is_tagged_twice = is_tagged & ", "wire is_tagged_twice = 1'b0 & "),
    // IPv6 is taken for IPv4 without options
    ("wire [3:0] length = layers_first[5] ? 4'd5 :", "wire [3:0] length = layers_first[5] ? 4'd0 :"),
    // the carry of a sum is lost, of the first one or of the second one
    ("change_3 <= change[15:0] + {15'd0, change[16]};", "change_3 <= change[15:0];"),
    ("~(sum[15:0] + {15'd0, sum[16]});", "~sum[15:0];"),
    // a checksum that was not computed is
    ("item_checksum <= came_3 == 16'd0 ? 16'd0 :", "item_checksum <= 1'b0 ? 16'd0 :"),
    // the frame behind one of many beats begins where that one ended
    ("if (is_last) begin at <= 5'd0; is_behind <= 1'b0; end", "if (is_last) begin at <= 5'd0; end"),
];

fn block(sets: &[&str], change: impl Fn(String) -> String) -> Block {
    Block::new(config_with(&[&["nic.rss_port=stable"], sets].concat()), change, false)
}

/// Random traffic: new packets, duplicates and those of connections that are not open.
fn traffic(block: &Block, seed: u64) -> Result<[u64; 3], Difference> {
    found::traffic(
        block,
        seed,
        &["rss_port_base"],
        [Counter::RxNew, Counter::RxDuplicate, Counter::RxNotOpen],
    )
}

#[test]
#[ignore = "a model for each width"]
fn traffic_agrees_at_each_width_with_either_profile() {
    for sets in [
        &["bus_bits=64"][..],
        &["bus_bits=128", "wire=uet"],
        &["bus_bits=256", "sack.engine=fast"],
        &["bus_bits=512", "wire=uet"],
        &["bus_bits=512", "nic.selector=flowcut", "nic.window=strack"],
    ] {
        let counts =
            traffic(&block(sets, |verilog| verilog), 3).unwrap_or_else(|difference| panic!("{difference}"));
        assert!(counts.iter().all(|count| *count > 10), "{sets:?}: {counts:?}");
    }
}

#[test]
#[ignore = "a model for each fault"]
fn faults_within_the_receiver_are_found() {
    let block = |fault| block(&["bus_bits=128"], instead(fault));
    within_are_found(&WITHIN, block, |block| (3..9).find_map(|seed| traffic(block, seed).err()));
}

#[test]
#[ignore = "models of their own"]
fn pairs_deliver_once() {
    for sets in [&["bus_bits=64"][..], &["wire=uet", "bus_bits=512"]] {
        let block = block(sets, |verilog| verilog);
        lossy_pair(&block, &[], []).unwrap_or_else(|stop| panic!("{sets:?}: {stop}"));
    }
}
