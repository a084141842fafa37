//! The glue of the block that joins the cores.

pub mod answer;
