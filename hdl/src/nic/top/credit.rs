//! The wires of frames that the host grants.

use super::layer::Layer;
use crate::config::RxCredit;

/// That of a word of the configuration.
pub fn of_credit(credit: RxCredit) -> &'static Layer {
    match credit {
        RxCredit::Off => &Layer::NONE,
        RxCredit::Frames => &FRAMES,
    }
}

const FRAMES: Layer = Layer {
    wires: &[
        ("receiver.grant_valid", "registers.grant_valid"),
        ("receiver.grant", "registers.grant"),
        ("registers.credit_state", "receiver.credit_state"),
        ("registers.count_rx_no_credit", "receiver.rx_no_credit"),
        ("registers.count_rx_credit_refused", "receiver.rx_credit_refused"),
    ],
    open: &["receiver.rx_held_back"],
    ..Layer::NONE
};
