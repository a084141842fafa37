//! What every part of respray needs of its surroundings: files that are whole or not there, entries of caches, hashes of designs, values of
//! a user in a sentence, and the ranges of numbers.

pub mod cache;
pub mod entry;
pub mod made_from;
pub mod output;
pub mod parallel;
pub mod quote;
pub mod range;
pub mod unfinished;
