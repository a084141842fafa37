//! Blocks of the `nic` in Verilator, each by itself against what the golden side or a plain model says of it.

mod answer;
mod axi_lite;
mod bench;
mod events;
mod last_requests;
mod outlet;
mod probes;
mod receiver;
mod register_table;
mod registers;
mod sender;
mod timing;
mod whole;
