//! What is known of the Verilog that is changed. It is the generated one, which is regular: modules one after the other, one
//! statement a line, every number with its width, no `case` and no functions.

mod sites;
mod tokens;

pub use sites::{Assignment, Expression, Module, Port, Sites, Use, sites};
pub use tokens::{Kind, Token, tokens};
