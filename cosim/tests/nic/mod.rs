//! Blocks of the `nic` in Verilator, each by itself against what the golden side or a plain model says of it.

mod answer;
mod axi_lite;
mod bench;
mod event_kinds;
mod events;
pub mod joints;
mod last_requests;
mod library;
mod lockstep;
mod outlet;
mod pick;
mod probes;
mod rates;
mod receiver;
mod register_table;
mod registers;
mod robust;
mod sender;
mod timing;
mod whole;
