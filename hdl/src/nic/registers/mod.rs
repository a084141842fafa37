//! The registers of the `nic`, on AXI4-Lite: 32-bit words at byte addresses of 12 bits.
//!
//! ```text
//!  s_axil_* ──► bus ──► check ──► settings ──► ports
//!                         │  └──► command_* ──► result_*
//!                         ▼
//!  count_* ──► tally: 64-bit counters, and what is read back ──► s_axil_r*
//!  cycle_count ──► ticks ──► wire_time, sack_time, selector_time
//! ```
//!
//! [`table`] is the one table: the [`block`] and the texts in [`texts`] follow from it, and what it says of settings and counters stands
//! in [`rows`].
//!
//! # Accesses
//! One at a time, in rounds of [`round_cycles`]: an access is answered at the end of the round in which it began, a command
//! at the end of that in which it was done. SLVERR answers an access to an address without a register, a write to what is
//! read-only or out of range, a read of what is write-only, a write of fewer than four bytes, and a prescaler that would make a
//! tick of `sack_tx` shorter than one of the wire; it changes nothing and is counted.
//!
//! # Counters
//! Any number of them may be pulsed in one cycle. A read is exact: it counts all pulses up to the fourth cycle after the one in which
//! its address was taken, and none of later ones; so does a write, which sets the counter to 0 as of then.
//!
//! # Times
//! They lag behind the count of clock cycles by three cycles, and a prescaler takes as long to show.

pub mod block;
pub mod bus;
pub mod control;
mod given;
mod register;
mod rows;
pub mod table;
pub mod tally;
pub mod texts;
pub mod ticks;
mod typed;
pub mod words;

use rust_hdl::prelude::Block;

pub use self::register::{Access, Holder, Register};
pub use self::table::{commands_of, own_name, table};
use crate::config::{Config, PeerTable, RxCredit, WindowEngine};
use crate::contract::Contract;
use crate::cores::GenerateError;
use crate::cores::sizes::{RegisterSizes, boxed, by_sizes};
use crate::emit::{EmitOptions, verilog};
use crate::prims::paste;

/// Name of the module.
pub const MODULE: &str = "nic_registers";

/// Clock cycles of a round of the registers.
pub fn round_cycles(config: &Config) -> u64 {
    let table = table(config, super::selector(config));
    control::round_cycles(table.iter().filter(|register| register.holder == Holder::Counter).count() as u64)
}

/// The block of a configuration with `selector` as its EV engine.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn registers(config: &Config, selector: &Contract) -> Result<Box<dyn Block>, GenerateError> {
    let table = table(config, selector);
    let mut config = config.clone();
    config.selector.time_bits = table::time_bits(&config);
    let config = &config;
    macro_rules! of {
        ($plain:ident, $windowed:ident) => {
            match config.nic.window {
                WindowEngine::Fixed => of!($plain),
                WindowEngine::Strack => of!($windowed),
            }
        };
        ($block:ident) => {
            // the counters of grants, those of peers, and those of Ultra Ethernet
            match (config.nic.rx_credit, config.nic.peer_table) {
                _ if config.has_uet_acks() => of!($block, 10),
                (RxCredit::Off, PeerTable::Off) => of!($block, 0),
                (RxCredit::Frames, PeerTable::Off) | (RxCredit::Off, PeerTable::On) => of!($block, 2),
                (RxCredit::Frames, PeerTable::On) => of!($block, 4),
            }
        };
        ($block:ident, $counts:literal) => {
            paste! {
                by_sizes!("nic", config, S: RegisterSizes(selector.time_bits) => boxed(|| {
                    block::$block::<
                        { S.time },
                        { S.time_coarse },
                        { S.cycles },
                        // a grant, the ports of connections, how sending ends, frames of events, and peers
                        { block::[<$block:snake:upper>].0 + 3 + table::FRAME_SETTINGS + table::PEER_REGISTERS + typed::TYPED_REGISTERS },
                        { block::[<$block:snake:upper>].1 + $counts },
                    >::new(&table)
                }))
            }
        };
    }
    Ok(match selector.core {
        "reps" => of!(OfReps, OfRepsWithWindow),
        "subflows" => of!(OfSubflows, OfSubflowsWithWindow),
        "flowlet" => of!(OfFlowlet, OfFlowletWithWindow),
        "plb" => of!(OfPlb, OfPlbWithWindow),
        "strack" => of!(OfStrack, OfStrackWithWindow),
        "bitmap" | "mixed" => of!(OfBitmap, OfBitmapWithWindow),
        "flowcut" => of!(OfFlowcut, OfFlowcutWithWindow),
        _ => of!(OfPlain, OfPlainWithWindow),
    })
}

/// Its Verilog.
///
/// # Errors
/// As [`registers`] has them.
pub fn generate(config: &Config, selector: &Contract) -> Result<String, GenerateError> {
    let block = registers(config, selector)?;
    let header = format!("{MODULE} - settings, commands, counters and times of the nic, on AXI4-Lite.");
    let options = EmitOptions { module: MODULE, header: &header, ..EmitOptions::default() };
    Ok(verilog(block.as_ref(), &options)?)
}
