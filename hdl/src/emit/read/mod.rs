//! From rust-hdl's blocks and their AST to nets, and to statements and expressions of known width.

mod about;
mod custom;
mod design;
mod expressions;
mod operators;
mod paths;
mod scope;
mod statements;

pub use about::About;
pub use custom::custom;
pub use design::{Node, leaves, own_name, read, together, width_of};
pub use scope::Scope;
pub use statements::statements;
