//! The glue of the block that joins the cores.

pub mod answer;
pub mod closing;
pub mod commands;
pub mod event_frames;
pub mod events;
pub mod flows;
pub mod hear;
pub mod kinds;
pub mod last_requests;
pub mod ordered;
pub mod outlet;
pub mod park;
pub mod part;
pub mod peer_table;
pub mod peers;
pub mod prober;
pub mod probes;
pub mod pulses;
pub mod receiver;
pub mod registers;
pub mod scoreboard;
pub mod sender;
pub mod spray;
pub mod timing;
pub mod top;
pub mod window;

pub use closing::Closing;
pub use commands::Commands;
pub use flows::Flows;
pub use last_requests::LastRequests;
pub use part::parts;
pub use peer_table::PeerTable;
pub use peers::Peers;
pub use prober::Prober;
pub use pulses::Pulses;
pub use scoreboard::Scoreboard;
pub use sender::Sender;
pub use spray::Spray;
pub use timing::Timing;
pub use window::{SendWindow, Window};

use crate::config::Config;
use crate::contract::Contract;
use crate::cores::find;

/// What the path selector promises that `config` names.
///
/// # Panics
/// If it is no core that takes ops: an error of this project.
pub fn selector(config: &Config) -> &'static Contract {
    find(config.nic.selector.name()).and_then(|core| core.contract).expect("a path selector takes ops")
}
