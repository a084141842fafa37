//! Rows of ports, and the first one that differs.

use respray_cosim::cores::{CORES, Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::rows::{Block, Layout};
use respray_hdl::config::Config;
use respray_hdl::contract::{Shown, Words};

struct EveryPort;

impl Visitor for EveryPort {
    type Output = ();

    fn visit<C: Compiled + 'static>(self) {
        let (contract, config) = (C::CONTRACT, Config::default());
        let layout = Layout::plain(contract, &config);
        let mut inputs = layout.op.clone();
        inputs.extend([layout.rst, layout.op_valid].into_iter().chain(layout.seed));
        inputs.sort_unstable();
        assert_eq!(inputs, Vec::from_iter(0..layout.words.0));
        let mut outputs = layout.shown.clone();
        outputs.push(layout.op_ready);
        outputs.sort_unstable();
        assert_eq!(outputs, Vec::from_iter(0..layout.words.1));
        // clk, rst, op_valid and op_ready stand beside the fields
        assert_eq!(inputs.len() + outputs.len() + 1, contract.ports(&config).len());
        for (at, field) in contract.op_fields().enumerate() {
            let mut op = C::Op::default();
            op.set(at, field.last(&config));
            assert_eq!(op.get(at), field.last(&config), "{}", field.port);
            op.each(|place, word| assert_eq!(word != 0, place == at, "{}", field.port));
        }
        for (at, field) in contract.shown_fields().enumerate() {
            let shown = C::Shown::seen(|place| if place == at { field.last(&config) } else { 0 });
            shown.each(|place, value, is_promised| {
                let wanted = if place == at { field.last(&config) } else { 0 };
                assert_eq!((value, is_promised), (wanted, true), "{} of {}", field.port, contract.core);
            });
        }
    }
}

#[test]
fn every_port_of_every_core_has_a_place_of_its_own() {
    CORES.iter().for_each(|core| visit(core, EveryPort).expect("a core"));
}

#[test]
fn the_first_row_that_differs_in_a_promised_bit_is_found() {
    let layout = Layout {
        words: (1, 3),
        ..Layout::plain(respray_cosim::cores::reps::RepsCore::CONTRACT, &Config::default())
    };
    let mut block = Block::new(&layout, 4);
    block.care = vec![0xf0; 12];
    let mut outputs = vec![0; 12];
    assert_eq!(block.first_difference(&outputs, 3, 4), None);
    outputs[2] = 0x0f;
    assert_eq!(block.first_difference(&outputs, 3, 4), None, "bits that are not promised");
    outputs[11] = 0x10;
    assert_eq!(block.first_difference(&outputs, 3, 4), Some(3));
    assert_eq!(block.first_difference(&outputs, 3, 3), None, "a row that was not run");
    block.expected[6] = 0x80;
    assert_eq!(block.first_difference(&outputs, 3, 4), Some(2));
}
