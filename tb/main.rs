//! The binary and the documents as a user meets them.

mod book;
mod cli;
mod cluster;
mod cocotb;
mod commands;
mod documents;
mod hostile;
mod memories;
mod new_core;
mod notebook;
mod numbers;
mod outside;
mod pages;
mod runs;
mod setup;
mod sources;
mod sv_check;
mod transcription;
mod verification;
mod verilators;
