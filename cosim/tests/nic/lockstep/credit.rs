//! A block whose host grants frames: random traffic agrees, grants may be wrong, what is owed never turns into credit, and a pair whose hosts
//! grant as they take delivers each message once.

use respray_cosim::nic::Difference;
use respray_golden::hosts::frames::{self, Data};
use respray_golden::nic::{Command, Counter, MOST_OWED};
use respray_golden::paths;

use super::found::{self, Within, at_joints_are_found, instead, lossy_pair, within_are_found};
use super::{Block, config_with};
use crate::nic::joints::{Fault, faulty};

const FAULTS: [Fault; 6] = [
    // a grant is of a frame more
    ("grant", "registers_grant", "registers_grant + 16'd1"),
    // a grant does not come
    ("grant_valid", "registers_grant_valid", "1'b0"),
    // frames that were granted are not told
    ("credit_state", "receiver_credit_state", "{16'd0, receiver_credit_state[15:0]}"),
    // packets without credit, and grants without effect, are not counted
    ("count_rx_no_credit", "receiver_rx_no_credit", "1'b0"),
    ("count_rx_credit_refused", "receiver_rx_credit_refused", "1'b0"),
    // the ports of connections are others
    (
        "rss_port_base",
        "registers_rss_port_base",
        "{registers_rss_port_base[15:1], ~registers_rss_port_base[0]}",
    ),
];

/// Within the receiver: what stands in its Verilog once, and what stands there with a fault.
const WITHIN: [Within; 6] = [
    // data needs no credit, or none behind a frame that comes right before it
    ("has_credit <= !base[15] & has_room;", "has_credit <= 1'b1;"),
    ("wire has_room = takes ? |base[15:1] : |base;", "wire has_room = |base;"),
    // a frame takes none
    (".takes(judge_commit),", ".takes(1'b0),"),
    // a grant may go back, or be too far ahead
    ("wire grants = counts & !goes_back & !is_far;", "wire grants = counts & !is_far;"),
    ("wire grants = counts & !goes_back & !is_far;", "wire grants = counts & !goes_back;"),
    // what is owed is counted on and on
    ("wire owes_most = ", "wire owes_most = 1'b0 & "),
];

/// One model for this and for [`stable_port`](super::stable_port).
fn block(change: impl Fn(String) -> String) -> Block {
    Block::new(config_with(&["nic.rx_credit=frames", "nic.rss_port=stable", "bus_bits=512"]), change, false)
}

/// Random traffic with grants of every kind; new packets, those without credit, and grants without effect.
fn traffic(block: &Block, seed: u64) -> Result<[u64; 3], Difference> {
    found::traffic(
        block,
        seed,
        &["rx_credit_state"],
        [Counter::RxNew, Counter::NoCredit, Counter::CreditRefused],
    )
}

/// Other frames go on for long without a grant: nothing that is owed becomes credit. Then the host begins anew from what it reads.
fn owed(block: &Block) -> Result<(), Difference> {
    let mut end = block.end();
    end.write("sack_threshold", 0)?;
    end.write("command_psn", 0)?;
    end.write("command", Command::OpenRx as u32)?;
    let profile = end.golden().config().profile;
    let data = || Data { from: paths::End::B, bytes: 40, ..Data::default() };
    for _ in 0..2 {
        for _ in 0..MOST_OWED + 16 {
            end.receive(vec![0xff; 60].into());
            end.step()?;
            end.out = Default::default();
        }
        end.receive(frames::data(profile, &data()).into());
        (0..50).try_for_each(|_| end.step())?;
    }
    assert_eq!(end.golden().credit().map(|credit| credit.left()), Some(-MOST_OWED));
    assert_eq!(end.golden().counter(Counter::NoCredit), 2);
    end.check_register("rx_credit_state")?;
    let given = end.golden().credit().map_or(0, |credit| credit.given());
    end.write("rx_credit", given.wrapping_add(1).into())?;
    for psn in [0, 1] {
        end.receive(frames::data(profile, &Data { psn, ..data() }).into());
    }
    (0..100).try_for_each(|_| end.step())?;
    assert_eq!([Counter::RxNew, Counter::NoCredit].map(|counter| end.golden().counter(counter)), [1, 3]);
    end.check_register("rx_credit_state")?;
    end.check_counters()
}

/// The block as it is in all of this.
fn agrees(block: &Block) {
    let counts = traffic(block, 3).unwrap_or_else(|difference| panic!("{difference}"));
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
    owed(block).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn traffic_with_grants_agrees_and_faults_at_the_joints_are_found() {
    let mut block = block(|verilog| faulty(verilog, &FAULTS));
    block.fault = Some(0);
    agrees(&block);
    at_joints_are_found(&mut block, &FAULTS, |block| (3..9).find_map(|seed| traffic(block, seed).err()));
}

#[test]
#[ignore = "a model for each fault"]
fn faults_within_the_receiver_are_found() {
    within_are_found(
        &WITHIN,
        |fault| block(instead(fault)),
        |block| (3..9).find_map(|seed| traffic(block, seed).err()).or_else(|| owed(block).err()),
    );
}

/// A lossy pair whose hosts grant as they take.
fn pair(sets: &[&str]) {
    let config = config_with(&[&["nic.rx_credit=frames"], sets].concat());
    let block = Block::new(config, |verilog| verilog, false);
    lossy_pair(&block, &[], []).unwrap_or_else(|stop| panic!("{sets:?}: {stop}"));
}

#[test]
#[ignore = "models of their own"]
fn pairs_whose_hosts_grant_as_they_take_deliver_once() {
    for sets in
        [&["bus_bits=512"][..], &["wire=uet"], &["nic.selector=flowcut", "nic.window=strack", "bus_bits=128"]]
    {
        pair(sets);
    }
}
