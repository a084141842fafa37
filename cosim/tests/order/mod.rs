//! Order, packet by packet, with Verilog at the senders.

mod nic;
mod switch;
