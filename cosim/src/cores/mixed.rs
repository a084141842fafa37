//! A list of good EVs before counters.

use respray_golden::mixed::{Keys, Mixed};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::mixed::CONTRACT;

use super::bitmap::{EVENT_COUNTS, TOLD, timeout};
use super::selector::{Binding, SelectorCore};

/// The golden side of the core `mixed`.
pub type MixedCore = SelectorCore<Mixed>;

impl Binding for Mixed {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] = EVENT_COUNTS;
    const TOLD: &'static [(usize, &'static str)] = TOLD;

    fn keys(config: &Config) -> Keys {
        Keys { paths: config.bitmap.paths as u16, depth: config.mixed.depth as u8, timeout: timeout(config) }
    }

    fn paths(config: &Config) -> Option<u32> {
        Some(config.bitmap.paths)
    }
}
