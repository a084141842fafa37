//! The sender's scoreboard: which packets of a connection are acknowledged, which are lost, and when to ask. 004 section 3.3.2.
//!
//! [`engine`] works on one op at a time and visits a connection when there is none. What it keeps per connection is in [`state`].

mod accounts;
mod bounds;
pub mod contract;
mod count;
mod distance;
mod encode;
pub mod engine;
mod order;
mod pick;
mod renew;
mod rules;
pub mod state;
mod steps;
mod taken;
mod tally;
mod verdict;
mod walk;
mod word;

pub use self::contract::CONTRACT;
use self::engine::SackTx;
use super::GenerateError;
use crate::config::Config;
use crate::engine::Engine;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    macro_rules! with_sizes {
        ($($connections:literal $c:literal $b:literal $t:literal: $a6:literal $a7:literal $a8:literal $a9:literal;)+) => {
            match (config.connections, config.sack.window) {
                $(
                    ($connections, 64) => Box::new(SackTx::<$c, $a6, $b, $t, 7, 8, 1, 3>::new()),
                    ($connections, 128) => Box::new(SackTx::<$c, $a7, $b, $t, 8, 9, 2, 4>::new()),
                    ($connections, 256) => Box::new(SackTx::<$c, $a8, $b, $t, 9, 10, 3, 5>::new()),
                    ($connections, 512) => Box::new(SackTx::<$c, $a9, $b, $t, 10, 11, 4, 6>::new()),
                )+
                (_, 64 | 128 | 256 | 512) => {
                    return Err(off_menu("connections", config.connections, "16, 64, 256, 1024, 4096, 16384"));
                }
                (_, window) => return Err(off_menu("sack.window", window, "64, 128, 256, 512")),
            }
        };
    }
    Ok(with_sizes! {
        16 4 6 5: 6 7 8 9;
        64 6 8 7: 8 9 10 11;
        256 8 10 9: 10 11 12 13;
        1024 10 12 11: 12 13 14 15;
        4096 12 14 13: 14 15 16 17;
        16384 14 16 15: 16 17 18 19;
    })
}

fn off_menu(key: &'static str, value: u32, allowed: &'static str) -> GenerateError {
    GenerateError::OffMenu { core: "sack_tx", key, value, allowed }
}
