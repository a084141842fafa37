//! The glue of the block that joins the cores, each block by itself against what the golden side says of it.

mod answer;
