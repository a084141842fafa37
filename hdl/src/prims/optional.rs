//! A part of a block that not every configuration has.

use std::ops::{Deref, DerefMut};

use rust_hdl::prelude::*;

/// A signal or a block that is there in some configurations only.
///
/// It is used as what is in it. Where it is not there, neither the simulation nor the Verilog knows of it, so that all that names it
/// stands under an `if` on a [`Param`](super::Param) that is false then. By default it is not there.
#[derive(Clone, Debug, Default)]
pub struct Optional<B> {
    inner: B,
    is_there: bool,
}

impl<B: Default> Optional<B> {
    /// What `make` makes, if it is there.
    pub fn new(is_there: bool, make: impl FnOnce() -> B) -> Self {
        if is_there { Optional { inner: make(), is_there } } else { Self::default() }
    }
}

impl<B> Optional<B> {
    /// Whether it is there.
    pub fn is_there(&self) -> bool {
        self.is_there
    }
}

impl<B> Deref for Optional<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.inner
    }
}

impl<B> DerefMut for Optional<B> {
    fn deref_mut(&mut self) -> &mut B {
        &mut self.inner
    }
}

impl<B: Block> Logic for Optional<B> {
    fn update(&mut self) {}
}

impl<B: Block> Block for Optional<B> {
    fn connect_all(&mut self) {
        if self.is_there {
            self.inner.connect_all();
        }
    }

    fn update_all(&mut self) {
        if self.is_there {
            self.inner.update_all();
        }
    }

    fn has_changed(&self) -> bool {
        self.is_there && self.inner.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        if self.is_there {
            self.inner.accept(name, probe);
        }
    }
}
