//! Handles of ports: where in an instance Verilator keeps them, and as what.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::compile::Direction;

use super::design::Design;
use super::error::ModelError;

/// Handle of a port, from [`Model::port`](super::Model::port) and its like. It holds for every model of the same design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Bits that a value may have; of the top word for ports over 64 bits.
    pub(super) mask: u64,
    /// Bytes from the design's first port.
    pub(super) offset: isize,
    /// The design whose models may read it, and the same or none for writes.
    pub(super) readers: u32,
    pub(super) writers: u32,
    pub(super) width: u32,
    column: u32,
    words: u16,
    pub(super) size: Size,
}

/// Verilator's type of a port: one bit each, since tests of bits stay branches, and a table of jumps costs three times
/// as much in a loop over ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size(u8);

impl Size {
    pub(super) const BITS8: Size = Size(1);
    pub(super) const BITS16: Size = Size(2);
    pub(super) const BITS32: Size = Size(4);
    pub(super) const BITS64: Size = Size(8);
    pub(super) const WORDS: Size = Size(16);

    fn of(width: u32) -> Size {
        match width {
            1..=8 => Size::BITS8,
            9..=16 => Size::BITS16,
            17..=32 => Size::BITS32,
            33..=64 => Size::BITS64,
            _ => Size::WORDS,
        }
    }

    #[inline(always)]
    pub(super) fn is(self, size: Size) -> bool {
        self.0 & size.0 != 0
    }
}

impl Port {
    /// Width in bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Index of its first 64-bit word in the rows of [`Model::cycle`](super::Model::cycle); it takes `width().div_ceil(64)` of them. Rows of
    /// inputs are without `clk`.
    pub fn column(self) -> usize {
        self.column as usize
    }

    /// 32-bit words of [`Model::set_wide`](super::Model::set_wide) and [`Model::get_wide`](super::Model::get_wide).
    pub fn words(self) -> usize {
        usize::from(self.words)
    }
    /// The port `name` of `design`, of one direction if one is given.
    ///
    /// # Safety
    /// `raw` is a live instance of `design`, and `base` the address of its first port.
    pub(super) unsafe fn find(
        design: &Design,
        raw: NonNull<c_void>,
        base: *mut u8,
        name: &str,
        direction: Option<Direction>,
    ) -> Result<Port, ModelError> {
        let index = design.find(name, direction)?;
        let info = &design.ports[index];
        // SAFETY: `raw` is a live instance, says the caller, and `index` one of its ports.
        let address = unsafe { (design.shim.address)(raw.as_ptr(), index as u32) };
        // All ports are members of one struct, so that the distance is the same in every instance.
        let offset = (address as isize).wrapping_sub(base as isize);
        let size = Size::of(info.width);
        let bits = if size.is(Size::WORDS) { (info.width - 1) % 32 + 1 } else { info.width };
        Ok(Port {
            mask: u64::MAX >> (64 - bits),
            offset,
            readers: design.id,
            writers: if info.direction == Direction::Input { design.id } else { NO_DESIGN },
            width: info.width,
            column: design.columns[index] as u32,
            words: info.width.div_ceil(32) as u16,
            size,
        })
    }

    /// The port itself if it is of this width.
    pub(super) fn expect_width(self, design: &Design, name: &str, expected: u32) -> Result<Port, ModelError> {
        if self.width == expected {
            return Ok(self);
        }
        let model = design.name.clone();
        Err(ModelError::Width { model, port: name.to_string(), width: self.width, expected })
    }
}

/// No design has this number.
pub(super) const NO_DESIGN: u32 = u32::MAX;
