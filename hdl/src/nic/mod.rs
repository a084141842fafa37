//! The glue of the block that joins the cores.

pub mod answer;
pub mod commands;
pub mod events;
pub mod hear;
pub mod outlet;
pub mod part;
pub mod peers;
pub mod prober;
pub mod probes;
pub mod pulses;
pub mod receiver;
pub mod registers;
pub mod scoreboard;
pub mod sender;
pub mod spray;
pub mod top;

pub use commands::Commands;
pub use part::parts;
pub use peers::Peers;
pub use prober::Prober;
pub use pulses::Pulses;
pub use scoreboard::Scoreboard;
pub use sender::Sender;
pub use spray::Spray;
