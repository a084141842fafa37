//! Designs around the block `nic` that run by themselves on a board.

pub mod ecpix5;
