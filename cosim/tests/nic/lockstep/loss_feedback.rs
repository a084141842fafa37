//! What the path selector hears of losses: random traffic and pairs with each policy, and faults where it is told.

use respray_cosim::nic::Difference;
use respray_golden::nic::Counter;

use super::found::{self, Within, instead, lossy_pair, within_are_found};
use super::{Block, config_with};

/// What stands in the Verilog once, and what stands there with a fault.
const FAULTS: [Within; 3] = [
    // the loss is told in the place of the ACK
    ("spray_valid <= 1'b1; spray_kind <= 3'd3;", "spray_valid <= 1'b0; spray_kind <= 3'd3;"),
    // one of a probe is not told
    ("(work_loss_ooo | work_loss_probe)", "work_loss_ooo"),
    // each ACK is a loss
    ("(spray_kind == 3'd1) & (work_loss_ooo", "(spray_kind == 3'd1) | (work_loss_ooo"),
];

fn block(sets: &[&str], change: impl Fn(String) -> String) -> Block {
    Block::new(config_with(&[&["bus_bits=64"], sets].concat()), change, false)
}

/// Losses by each rule, and EVs that the selector replayed, which it does while it freezes.
fn pair(block: &Block) -> Result<[u64; 4], String> {
    // few packets out of order are a loss then
    let counters = [Counter::LossOoo, Counter::LossProbe, Counter::LossTimeout, Counter::Replay];
    lossy_pair(block, &[("cwnd_packets", 6)], counters)
}

fn traffic(block: &Block, seed: u64) -> Result<(), Difference> {
    found::traffic(block, seed, &[], []).map(|_| ())
}

#[test]
#[ignore = "models of their own"]
fn the_selector_hears_of_what_the_key_says() {
    let replayed = ["stalled", "any", "none"].map(|losses| {
        let block = block(&[&format!("nic.loss_feedback={losses}")], |verilog| verilog);
        traffic(&block, 3).unwrap_or_else(|difference| panic!("{losses}: {difference}"));
        let [ooo, probe, timeout, replayed] =
            pair(&block).unwrap_or_else(|error| panic!("{losses}: {error}"));
        assert!(ooo > 3 && probe > 0 && timeout > 0, "{losses}: {ooo} {probe} {timeout}");
        replayed
    });
    let [stalled, any, none] = replayed;
    assert!(any > stalled && stalled > 0 && none == 0, "{replayed:?}");
}

#[test]
#[ignore = "models of their own"]
fn every_policy_agrees_with_other_selectors_engines_and_profiles() {
    for sets in [
        &["nic.loss_feedback=any", "wire=uet", "sack.engine=fast"][..],
        &["nic.loss_feedback=any", "nic.selector=flowcut"],
        &["nic.loss_feedback=any", "nic.selector=plb", "nic.window=strack"],
        &["nic.loss_feedback=none", "nic.selector=strack"],
    ] {
        let block = block(sets, |verilog| verilog);
        traffic(&block, 4).unwrap_or_else(|difference| panic!("{sets:?}: {difference}"));
        pair(&block).unwrap_or_else(|error| panic!("{sets:?}: {error}"));
    }
}

#[test]
#[ignore = "a model for each fault"]
fn a_loss_that_is_told_where_it_is_not_to_be_or_not_told_is_found() {
    let block = |fault| block(&["nic.loss_feedback=any"], instead(fault));
    within_are_found(&FAULTS, block, |block| {
        traffic(block, 3).map_err(|difference| difference.to_string()).err().or_else(|| pair(block).err())
    });
}
