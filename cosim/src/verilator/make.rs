//! Models of the cores, which are in the program, and of any Verilog.

use super::build::build;
use super::error::ModelError;
use super::linked;
use super::model::Model;
use super::source::{BuildOptions, Source};

/// Where models come from.
impl Model {
    /// The model of core `name` in the default configuration, compiled into this program, with seed 1.
    ///
    /// # Errors
    /// [`ModelError::NotLinked`].
    pub fn linked(name: &str) -> Result<Model, ModelError> {
        linked::design(name)?.model(1)
    }

    /// The model of any Verilog: verilated and compiled at most once, then loaded from the cache.
    ///
    /// # Errors
    /// All of [`ModelError`] that has to do with building.
    pub fn build(source: &Source, options: &BuildOptions) -> Result<Model, ModelError> {
        build(source, options)?.model(options.seed)
    }
}
