//! The glue of the block that joins the cores: its Verilog and the texts beside it.

mod registers;
