//! The receiver's bitmap: which packets of a connection arrived, and the SACKs that say so. 004 section 3.3.1, Figure 7.
//!
//! [`small`] works on one packet at a time, in a few cycles. [`fast`] is a pipeline: a packet a cycle on distinct
//! connections. Both do the same, packet for packet. What they keep per connection is in [`state`].

pub mod contract;
pub mod fast;
pub mod first_clear;
pub mod octet;
pub mod small;
pub mod state;
pub mod taken;
pub mod verdict;

pub use self::contract::CONTRACT;
use self::fast::Fast;
use self::small::Small;
use super::GenerateError;
use crate::config::{Config, SackEngine};
use crate::engine::Engine;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    macro_rules! with_sizes {
        ($($connections:literal $c:literal: $a6:literal $a7:literal $a8:literal $a9:literal, $b6:literal $b7:literal $b8:literal $b9:literal;)+) => {
            match (config.sack.engine, config.connections, config.sack.window) {
                $(
                    (SackEngine::Small, $connections, 64) => boxed(Small::<$c, $a6, $b6, 6, 7, 1>::new),
                    (SackEngine::Small, $connections, 128) => boxed(Small::<$c, $a7, $b7, 7, 8, 2>::new),
                    (SackEngine::Small, $connections, 256) => boxed(Small::<$c, $a8, $b8, 8, 9, 3>::new),
                    (SackEngine::Small, $connections, 512) => boxed(Small::<$c, $a9, $b9, 9, 10, 4>::new),
                    (SackEngine::Fast, $connections, 64) => boxed(Fast::<$c, $a6, $b6, 6, 7, 1, 1>::new),
                    (SackEngine::Fast, $connections, 128) => boxed(Fast::<$c, $a7, $b7, 7, 8, 2, 1>::new),
                    (SackEngine::Fast, $connections, 256) => boxed(Fast::<$c, $a8, $b8, 8, 9, 3, 3>::new),
                    (SackEngine::Fast, $connections, 512) => boxed(Fast::<$c, $a9, $b9, 9, 10, 4, 7>::new),
                )+
                (_, _, 64 | 128 | 256 | 512) => {
                    return Err(off_menu("connections", config.connections, "16, 64, 256, 1024, 4096, 16384"));
                }
                (_, _, window) => return Err(off_menu("sack.window", window, "64, 128, 256, 512")),
            }
        };
    }
    Ok(with_sizes! {
        16 4: 4 5 6 7, 10 11 12 13;
        64 6: 6 7 8 9, 12 13 14 15;
        256 8: 8 9 10 11, 14 15 16 17;
        1024 10: 10 11 12 13, 16 17 18 19;
        4096 12: 12 13 14 15, 18 19 20 21;
        16384 14: 14 15 16 17, 20 21 22 23;
    })
}

/// The engine on the heap, in a stack frame of its own: one of all sizes together would be many times as large.
fn boxed<E: Engine + 'static>(make: fn() -> E) -> Box<dyn Engine> {
    Box::new(make())
}

fn off_menu(key: &'static str, value: u32, allowed: &'static str) -> GenerateError {
    GenerateError::OffMenu { core: "sack_rx", key, value, allowed }
}
