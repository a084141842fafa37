//! STrack's load balancing.

use respray_golden::strack::{Keys, Strack};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::strack::CONTRACT;

use super::selector::{Binding, SelectorCore};

/// The golden side of the core `strack`.
pub type StrackCore = SelectorCore<Strack>;

impl Binding for Strack {
    const CONTRACT: &'static Contract = &CONTRACT;
    const EVENT_COUNTS: &'static [&'static str] =
        &["paths_marked", "paths_unmarked", "marks_forgiven", "all_marked"];
    const TOLD: &'static [(usize, &'static str)] = &[(0, "marks"), (2, "forgiven")];

    fn keys(config: &Config) -> Keys {
        Keys { paths: config.strack.paths as u16 }
    }

    fn paths(config: &Config) -> Option<u32> {
        Some(config.strack.paths)
    }
}
