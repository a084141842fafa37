//! Ports of a running model: found by name, read and written where Verilator keeps them.

use super::compile::Direction;

use super::error::ModelError;
use super::model::Model;
use super::port::{NO_DESIGN, Port, Size};

/// Ports by name, reads and writes.
impl Model {
    /// Handle of the port `name`.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`].
    pub fn port(&self, name: &str) -> Result<Port, ModelError> {
        self.find_port(name, None)
    }

    /// Handle of the input `name` of `width` bits.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn input(&self, name: &str, width: u32) -> Result<Port, ModelError> {
        self.find_port(name, Some(Direction::Input))?.expect_width(self.design, name, width)
    }

    /// Handle of the output `name` of `width` bits.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn output(&self, name: &str, width: u32) -> Result<Port, ModelError> {
        self.find_port(name, Some(Direction::Output))?.expect_width(self.design, name, width)
    }

    fn find_port(&self, name: &str, direction: Option<Direction>) -> Result<Port, ModelError> {
        // SAFETY: `raw` is a live instance of the design, and `base` the address of its first port.
        unsafe { Port::find(self.design, self.raw, self.base, name, direction) }
    }

    #[inline(always)]
    fn readable(&self, port: Port) -> *mut u8 {
        if port.readers != self.design_id {
            foreign();
        }
        self.base.wrapping_offset(port.offset)
    }

    #[inline(always)]
    fn writable(&self, port: Port, value: u64) -> *mut u8 {
        if port.writers != self.design_id || value & !port.mask != 0 {
            refuse_set(port.width, port.writers == NO_DESIGN, value);
        }
        self.base.wrapping_offset(port.offset)
    }

    /// Writes an input of at most 64 bits.
    ///
    /// # Panics
    /// If `value` has more bits than the port, or the port is an output, wider, or of another design.
    #[inline(always)]
    pub fn set(&mut self, port: Port, value: u64) {
        let address = self.writable(port, value);
        // SAFETY: the address is that of this port in the live instance, with the type that Verilator gives to its
        // width; nothing else accesses it, since `self` is borrowed exclusively.
        unsafe {
            if port.size.is(Size::BITS8) {
                *address = value as u8;
            } else if port.size.is(Size::BITS16) {
                *address.cast::<u16>() = value as u16;
            } else if port.size.is(Size::BITS32) {
                *address.cast::<u32>() = value as u32;
            } else if port.size.is(Size::BITS64) {
                *address.cast::<u64>() = value;
            } else {
                refuse_narrow("set", port.width);
            }
        }
    }

    /// Reads a port of at most 64 bits.
    ///
    /// # Panics
    /// If the port is wider or of another design.
    #[inline(always)]
    pub fn get(&self, port: Port) -> u64 {
        let address = self.readable(port);
        // SAFETY: as in `set`; the instance is only written through `&mut self`.
        unsafe {
            if port.size.is(Size::BITS8) {
                u64::from(*address)
            } else if port.size.is(Size::BITS16) {
                u64::from(*address.cast::<u16>())
            } else if port.size.is(Size::BITS32) {
                u64::from(*address.cast::<u32>())
            } else if port.size.is(Size::BITS64) {
                *address.cast::<u64>()
            } else {
                refuse_narrow("get", port.width)
            }
        }
    }

    /// Writes an input of any width from [`Port::words`] words, least significant first.
    ///
    /// # Panics
    /// If the number of words is another, a bit above the width is set, or the port is an output or of another design.
    #[inline(always)]
    pub fn set_wide(&mut self, port: Port, words: &[u32]) {
        check_words(port, words.len());
        if port.size.is(Size::WORDS) {
            let address = self.writable(port, u64::from(words[words.len() - 1]));
            // SAFETY: the port is an array of as many words, which their number was compared with; see `set`.
            unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), address.cast(), words.len()) }
        } else {
            let high = words.get(1).map_or(0, |&high| u64::from(high) << 32);
            self.set(port, u64::from(words[0]) | high);
        }
    }

    /// Reads a port of any width into [`Port::words`] words, least significant first.
    ///
    /// # Panics
    /// If the number of words is another, or the port is of another design.
    #[inline]
    pub fn get_wide(&self, port: Port, words: &mut [u32]) {
        check_words(port, words.len());
        if port.size.is(Size::WORDS) {
            words.copy_from_slice(self.words(port));
            return;
        }
        let value = self.get(port);
        words[0] = value as u32;
        if let Some(high) = words.get_mut(1) {
            *high = (value >> 32) as u32;
        }
    }

    /// The words of a port over 64 bits, least significant first, where the model keeps them.
    ///
    /// # Panics
    /// If the port is narrower or of another design.
    #[inline(always)]
    pub fn words(&self, port: Port) -> &[u32] {
        let address = self.readable(port);
        if !port.size.is(Size::WORDS) {
            refuse_words(port.width);
        }
        // SAFETY: the port is an array of `port.words()` words in the live instance, which is only written through
        // `&mut self`.
        unsafe { std::slice::from_raw_parts(address.cast(), port.words()) }
    }
}

#[inline(always)]
fn check_words(port: Port, words: usize) {
    if port.words() != words {
        refuse_count(port.width, words);
    }
}

#[cold]
fn refuse_set(width: u32, output: bool, value: u64) -> ! {
    if output {
        panic!("set: this port is an output");
    }
    if width <= 64 && value >> (width - 1) < 2 {
        foreign();
    }
    panic!("set: {value:#x} does not fit into a port {width} bits wide");
}

#[cold]
fn refuse_narrow(what: &str, width: u32) -> ! {
    panic!("{what}: this port is {width} bits wide, over 64 use {what}_wide");
}

#[cold]
fn refuse_words(width: u32) -> ! {
    panic!("words: this port is {width} bits wide, up to 64 use get");
}

#[cold]
fn refuse_count(width: u32, words: usize) -> ! {
    panic!("{words} words given for a port {width} bits wide");
}

#[cold]
fn foreign() -> ! {
    panic!("this port belongs to another design");
}
