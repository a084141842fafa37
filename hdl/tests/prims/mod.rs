//! The building blocks.

mod replay;
mod streams;
