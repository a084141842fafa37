//! The glue of the block that joins the cores, each part against what the golden model says of it.

mod axi_lite;
mod register_table;
mod registers;
