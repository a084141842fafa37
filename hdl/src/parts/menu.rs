//! From a size of the configuration to the type that has it.

use crate::engine::Engine;

/// An engine on the heap. Not inlined, as the stack of one caller would have to hold the engines of every size.
#[inline(never)]
pub fn boxed<E: Engine + 'static>(engine: impl FnOnce() -> E) -> Box<dyn Engine> {
    Box::new(engine())
}

/// What becomes of a key that is a power of two: `by_power!("ops", "ops.paths", paths, P => with_paths::<P>(), 16 4, 32 5)`,
/// where `P` is its logarithm as a constant. A size off the menu is refused.
macro_rules! by_power {
    ($core:literal, $key:literal, $value:expr, $bits:ident => $made:expr, $($power:literal $log:literal),+) => {
        match $value {
            $($power => {
                const $bits: usize = $log;
                $made
            })+
            value => {
                let allowed = concat!($(", ", $power),+).trim_start_matches(", ");
                Err($crate::cores::GenerateError::OffMenu { core: $core, key: $key, value, allowed })
            }
        }
    };
}
pub(crate) use by_power;

/// The engine for `config.connections`: `by_connections!("ecmp", config, C => Ecmp::<C>::new(config))`, where `C` is
/// `clog2(connections)` as a constant.
macro_rules! by_connections {
    ($core:literal, $config:expr, $bits:ident => $engine:expr) => {
        $crate::parts::menu::by_power!(
            $core, "connections", $config.connections, $bits => Ok($crate::parts::menu::boxed(|| $engine)),
            16 4, 64 6, 256 8, 1024 10, 4096 12, 16384 14
        )
    };
}
pub(crate) use by_connections;
