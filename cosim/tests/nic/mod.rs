//! The glue of the `nic` in Verilator, against the golden `nic`.

mod receiver;
