//! What every part of respray needs of its surroundings: files that are whole or not there, entries of caches, hashes of designs, and values of
//! a user in a sentence.

pub mod entry;
pub mod made_from;
pub mod output;
pub mod parallel;
pub mod quote;
pub mod unfinished;
