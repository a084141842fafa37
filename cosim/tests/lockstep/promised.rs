//! Which outputs a result promises.

use respray_cosim::cores::sack_rx::SackRxCore;
use respray_cosim::lockstep::op_core::OpCore as _;
use respray_hdl::config::Config;
use respray_hdl::contract::Shown as _;
use respray_hdl::cores::sack_rx::contract::{CONTRACT, Op, Shown};

#[test]
fn a_packet_with_a_sack_promises_every_output_and_one_without_its_result_alone() {
    let promised = |shown: Option<Shown>| {
        let mut ports = Vec::new();
        let fields: Vec<_> = CONTRACT.shown_fields().collect();
        shown.expect("a packet has a result").each(|place, _, is_promised| {
            ports.extend(is_promised.then_some(fields[place].port));
        });
        ports
    };
    let mut core = SackRxCore::new(&Config::default());
    let packet = Op { conn: 3, psn: 9, ..Op::default() };
    assert_eq!(core.apply(&Op { kind: 1, ..packet }).shown, None, "an init shows nothing");
    let all: Vec<_> = CONTRACT.shown_fields().map(|field| field.port).collect();
    assert_eq!(promised(core.apply(&packet).shown), all);
    let outside = core.apply(&Op { psn: 9000, ..packet }).shown;
    // the last of them is there where words have parity
    assert_eq!(promised(outside), ["res_valid", "res_conn", "res_status", "sack_valid", "state_lost"]);
}
