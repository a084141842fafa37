//! An array of blocks whose length is a const generic.

use std::ops::{Deref, DerefMut};

use rust_hdl::prelude::*;

/// `[B; N]` with a `Default`, which Rust's own array does not have where `N` is a const generic.
#[derive(Clone, Debug)]
pub struct Array<B, const N: usize>([B; N]);

impl<B: Default, const N: usize> Default for Array<B, N> {
    fn default() -> Self {
        Array(std::array::from_fn(|_| B::default()))
    }
}

impl<B, const N: usize> Deref for Array<B, N> {
    type Target = [B; N];

    fn deref(&self) -> &[B; N] {
        &self.0
    }
}

impl<B, const N: usize> DerefMut for Array<B, N> {
    fn deref_mut(&mut self) -> &mut [B; N] {
        &mut self.0
    }
}

impl<B: Logic, const N: usize> Logic for Array<B, N> {
    fn update(&mut self) {}
}

impl<B: Block, const N: usize> Block for Array<B, N> {
    fn connect_all(&mut self) {
        self.0.connect_all();
    }

    fn update_all(&mut self) {
        self.0.update_all();
    }

    fn has_changed(&self) -> bool {
        self.0.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}
