//! Counters of what feedback said of each path.

use respray_golden::bitmap::{Bitmap, Keys, TimeoutRule};
use respray_hdl::config::{Config, Timeout};
use respray_hdl::contract::Contract;
use respray_hdl::cores::bitmap::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `bitmap`.
pub type BitmapCore = SelectorCore<Bitmap>;

/// What its events are called where they are counted.
pub(super) const EVENT_COUNTS: &[&str] = &["paths_penalised", "paths_forgiven", "gave_up"];
/// Events whose counts the terminal is told.
pub(super) const TOLD: &[(usize, &str)] = &[(0, "penalties"), (1, "forgiven")];

impl Binding for Bitmap {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] = EVENT_COUNTS;
    const TOLD: &'static [(usize, &'static str)] = TOLD;

    fn keys(config: &Config) -> Keys {
        Keys { paths: config.bitmap.paths as u16, timeout: timeout(config) }
    }

    fn paths(config: &Config) -> Option<u32> {
        Some(config.bitmap.paths)
    }
}

/// What a timeout does.
pub(super) fn timeout(config: &Config) -> TimeoutRule {
    match config.bitmap.timeout {
        Timeout::Ignore => TimeoutRule::Ignore,
        Timeout::Ev => TimeoutRule::Ev,
    }
}
