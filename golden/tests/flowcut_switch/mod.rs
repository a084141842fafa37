//! Flowcut.
