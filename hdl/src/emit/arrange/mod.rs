//! From a block's statements to the modules of a design: what is in use, what stands in which process and in which order, what
//! everything is called.

mod choice;
mod comments;
mod constants;
mod content;
mod copies;
mod defaults;
mod flow;
mod hoist;
mod modules;
mod naming;
mod paths;
mod process;
mod registers;
mod sorter;
mod straight;
mod unread;
mod wiring;
mod writes;

pub use modules::modules;
