//! From the sizes of a configuration to the widths of a core.
//!
//! rust-hdl's widths are types, so an engine is compiled once for each combination of the menus that it takes.
//! [`by_sizes!`] makes the `match` that chooses one of them. The menus themselves stand in [`config::KEYS`], and how a width follows
//! from them stands here, so that a core only lists the widths that it takes.

mod nic;
mod selectors;

pub(super) use nic::of_sack;
pub use nic::{
    BusSizes, ListSizes, ParkSizes, PeerSizes, RegisterSizes, SackSizes, UetRxSizes, UetTxSizes, place_beats,
};
use rust_hdl::prelude::Block;
pub use selectors::{
    CaverSizes, FlowcutSizes, FlowcutSwitchSizes, OpsSizes, RepsSizes, SelectorSizes, TimedSizes, WordSizes,
};

use super::GenerateError;
use crate::config::{self, Allowed};
use crate::engine::Engine;

pub(crate) const CONNECTIONS: [u32; 6] = menu("connections");
pub(crate) const DEPTH: [u32; 4] = menu("reps.depth");
pub(crate) const TIME_BITS: [u32; 2] = menu("selector.time_bits");
pub(crate) const FLOWCUT_TIME_BITS: [u32; 2] = menu("flowcut.time_bits");
pub(crate) const BUCKETS: [u32; 4] = menu("flowcut_switch.buckets");
pub(crate) const UPLINKS: [u32; 4] = menu("flowcut_switch.uplinks");
pub(crate) const DESTINATIONS: [u32; 4] = menu("caver.destinations");
pub(crate) const FLOWS: [u32; 3] = menu("caver.flows");
pub(crate) const PORTS: [u32; 3] = menu("caver.ports");
pub(crate) const PATHS: [u32; 13] = menu("ops.paths");
pub(crate) const WINDOW: [u32; 4] = menu("sack.window");
pub(crate) const PSN_BITS: [u32; 2] = menu("sack.psn_bits");
pub(crate) const BUS_BITS: [u32; 4] = menu("bus_bits");
pub(crate) const PARK: [u32; 4] = menu("nic.park");

/// Width of a number below `count`, which is a power of two.
const fn address(count: u32) -> usize {
    assert!(count.is_power_of_two());
    count.trailing_zeros() as usize
}

/// The menu of a key. That it has `N` values, as many as [`by_sizes!`] has branches for the key, is checked by the compiler.
const fn menu<const N: usize>(key: &str) -> [u32; N] {
    let Allowed::Menu(values) = config::key(key).allowed else { panic!("the key has no menu") };
    assert!(values.len() == N, "by_sizes! has as many branches for a key as its menu has values");
    let mut menu = [0; N];
    let mut position = 0;
    while position < N {
        menu[position] = values[position];
        position += 1;
    }
    menu
}

/// Where `value` stands in the `menu` of `key`.
pub(crate) fn position(
    core: &'static str,
    key: &'static str,
    menu: &[u32],
    value: u32,
) -> Result<usize, GenerateError> {
    let position = menu.iter().position(|&known| known == value);
    position.ok_or(GenerateError::OffMenu { core, key, value })
}

/// An engine on the heap, made in a stack frame of its own: one of all sizes together would be many times as large.
pub(crate) fn boxed<B: Block + 'static>(make: impl FnOnce() -> B) -> Box<dyn Block> {
    Box::new(make())
}

/// The same for the engine of a core that takes ops.
pub(super) fn boxed_engine<E: Engine + 'static>(make: impl FnOnce() -> E) -> Box<dyn Engine> {
    Box::new(make())
}

/// The engine whose sizes are those of a configuration.
///
/// `by_sizes!("sack_tx", config, S: SackSizes(connections, sack.window) => boxed(Engine::<{ S.conn }, { S.place }>::new))` is that
/// expression with the constant `S` for the values of the two keys in `config`. A value off its menu is returned as
/// [`GenerateError::OffMenu`].
macro_rules! by_sizes {
    ($core:literal, $config:ident, $name:ident: $sizes:ident($($keys:tt)+) => $engine:expr) => {
        by_sizes!(@choose $core $config ($name: $sizes => $engine) [] $($keys)+)
    };

    // One branch for each position in the menu of the first key that is left.
    (@choose $core:literal $config:ident $then:tt $chosen:tt connections $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (connections) CONNECTIONS (0 1 2 3 4 5) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt reps.depth $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (reps.depth) DEPTH (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt selector.time_bits $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (selector.time_bits) TIME_BITS (0 1) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt flowcut.time_bits $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (flowcut.time_bits) FLOWCUT_TIME_BITS (0 1) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt flowcut_switch.buckets $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (flowcut_switch.buckets) BUCKETS (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt flowcut_switch.uplinks $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (flowcut_switch.uplinks) UPLINKS (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt caver.destinations $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (caver.destinations) DESTINATIONS (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt caver.flows $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (caver.flows) FLOWS (0 1 2) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt caver.ports $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (caver.ports) PORTS (0 1 2) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt ops.paths $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (ops.paths) PATHS (0 1 2 3 4 5 6 7 8 9 10 11 12) $then $chosen
            [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt sack.window $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (sack.window) WINDOW (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt sack.psn_bits $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (sack.psn_bits) PSN_BITS (0 1) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt nic.park $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (nic.park) PARK (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@choose $core:literal $config:ident $then:tt $chosen:tt bus_bits $(, $($rest:tt)+)?) => {
        by_sizes!(@branches $core $config (bus_bits) BUS_BITS (0 1 2 3) $then $chosen [$($($rest)+)?])
    };
    (@branches $core:literal $config:ident ($($field:ident).+) $menu:ident ($($position:literal)+)
        $then:tt $chosen:tt $rest:tt
    ) => {
        match $crate::cores::sizes::position(
            $core,
            stringify!($($field).+),
            &$crate::cores::sizes::$menu,
            $config.$($field).+,
        )? {
            $($position => by_sizes!(@chosen $core $config $then $chosen ($menu[$position]) $rest),)+
            _ => unreachable!("a position is within its menu"),
        }
    };
    (@chosen $core:literal $config:ident $then:tt [$($chosen:tt)*] $value:tt [$($rest:tt)*]) => {
        by_sizes!(@choose $core $config $then [$($chosen)* $value] $($rest)*)
    };

    // Every key has its value.
    (@choose $core:literal $config:ident ($name:ident: $sizes:ident => $engine:expr)
        [$(($menu:ident[$position:literal]))+]
    ) => {{
        const $name: $sizes = $sizes::of($($crate::cores::sizes::$menu[$position]),+);
        $engine
    }};
}
pub(crate) use by_sizes;
